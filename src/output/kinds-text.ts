import type { Naming } from "../findings/not-examined/account-words.ts";
import type { ReferenceOption, WorkloadOption } from "../base/config-hash-options.ts";
import { API_VERSION } from "../base/keys.ts";
import { yamlText } from "../base/yaml-text.ts";
import type { KindReport, KindsReport } from "../reports/kinds/kinds-report.ts";
import { jsonText } from "../findings/results/json-text.ts";
import { printable } from "../findings/results/terminal.ts";
import { notExaminedText } from "./not-examined-text.ts";

/** `kinds -o text`: a configuration that may be used as it is, and what can't be one as its comments. */
export function kindsText(report: KindsReport, naming: Naming = {}): string {
  const { kinds } = report;
  const derived = kinds.filter(({ status }) => status === "Derived");
  const lines = [
    `apiVersion: ${API_VERSION}`,
    "kind: ConfigHash",
    "spec:",
    derived.length === 0 ? "  workloads: []" : "  workloads:",
    ...derived.flatMap((kind) => kindLines(kind)),
    ...remarks(kinds),
  ];
  const notExamined = notExaminedText(report, { command: "kinds", ...naming });
  const told =
    notExamined === ""
      ? []
      : notExamined
          .trimEnd()
          .split("\n")
          .map((line) => `# ${line}`);
  return `${[...lines, ...told].map(printable).join("\n")}\n`;
}

/** `kinds -o text` without definitions: the kinds that are built in, a line each. */
export function builtInText({ kinds }: KindsReport): string {
  const rows = kinds.map((kind): readonly string[] => [
    kind.group,
    kind.kind,
    kind.workloads.map((entry) => entry.podTemplate ?? entry.podMetadata ?? entry.podAnnotations ?? "").join(", "),
    kind.option === undefined ? "" : `(${kind.option})`,
  ]);
  const widths = [0, 1].map((column) => rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0));
  return rows
    .map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

/** `kinds -o json`. */
export function kindsJson(report: KindsReport): string {
  return `${jsonText(report, 2)}\n`;
}

function kindLines(kind: KindReport): string[] {
  const { workloads, references = [], open = [] } = kind;
  return [
    `    # ${nameOf(kind)}${kind.version === undefined || kind.version === "" ? "" : `, by ${kind.version}`}`,
    ...references.map(
      (reference) => `    # not in an entry, as nothing shows where its pods' annotations go: ${fieldOf(reference)}`,
    ),
    ...open.map((path) => `    # the schema doesn't say what this holds: ${path}`),
    ...workloads.flatMap(entryLines),
  ];
}

function entryLines({ references = [], ...fields }: WorkloadOption): string[] {
  const [first = "", ...rest] = Object.entries(fields).map(([name, text]) => `${name}: ${yamlText(text)}`);
  const list = references.map(
    ({ form, kind, path }) =>
      `        - {${kind === undefined ? `form: ${form ?? "Name"}` : `kind: ${kind}`}, path: ${yamlText(path)}}`,
  );
  return [
    `    - ${first}`,
    ...rest.map((line) => `      ${line}`),
    ...(list.length === 0 ? [] : ["      references:", ...list]),
  ];
}

/** What is no entry, as comments. */
function remarks(kinds: readonly KindReport[]): string[] {
  const of = (status: KindReport["status"]): readonly KindReport[] => kinds.filter((kind) => kind.status === status);
  const names = (what: string, list: readonly KindReport[]): string[] =>
    list.length === 0 ? [] : [`# ${what}:`, ...list.map((kind) => `#   ${nameOf(kind)}`)];
  const noPlace = of("NoPlace").flatMap((kind) => [
    `#   ${nameOf(kind)}`,
    ...(kind.references ?? []).map((reference) => `#     ${fieldOf(reference)}`),
  ]);
  const open = of("Open").map((kind) => `#   ${nameOf(kind)}: ${(kind.open ?? []).join(", ")}`);
  return [
    ...names("Built in, with no entry needed", of("BuiltIn")),
    ...(noPlace.length === 0
      ? []
      : ["# These name sources, and nothing in their schemas shows where annotations of their pods go:", ...noPlace]),
    ...(open.length === 0 ? [] : ["# By their names these are pod templates, and the schema takes anything:", ...open]),
    ...names("Left out, as no pod of theirs is replaced by a stamp", of("LeftOut")),
    ...(of("None").length === 0 ? [] : [`# Nothing of pods in ${of("None").length} more.`]),
  ];
}

function nameOf({ group, kind }: KindReport): string {
  return group === "" ? kind : `${group} ${kind}`;
}

function fieldOf({ form, kind, path }: ReferenceOption): string {
  return `${path} (${kind ?? form ?? "Name"})`;
}
