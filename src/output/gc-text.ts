import { counted } from "../base/words.ts";
import { jsonText } from "../findings/results/json-text.ts";
import { formatObject } from "../base/names.ts";
import type { CopiesReport, CopyStatus } from "../reports/gc/copies-report.ts";
import type { Rights, Rule } from "../reports/gc/rights.ts";
import { list, paragraph, table, texts } from "./document/blocks.ts";
import type { Block, Document } from "./document/document.ts";

/** `gc -o text`: a table like kubectl's, and the numbers. */
export function copiesDocument(report: CopiesReport, now: Date): Document {
  const unseen = report.unseen.map(({ what, because }) => `not read: ${what} (${because})`);
  return {
    title: "gc",
    blocks: [
      ...(report.copies.length === 0 ? [] : [copiesTable(report, now)]),
      ...(unseen.length === 0 ? [] : [list(unseen)]),
      paragraph(summary(report)),
    ],
  };
}

function copiesTable({ copies, namespace }: CopiesReport, now: Date): Block {
  const columns: readonly (readonly [title: string, cell: (copy: CopyStatus) => string])[] = [
    ...(namespace === undefined ? [["NAMESPACE", (copy: CopyStatus) => copy.namespace] as const] : []),
    ["KIND", ({ kind }) => kind],
    ["NAME", ({ name }) => name],
    ["SOURCE", ({ source }) => source],
    ["AGE", ({ createdAt }) => age((now.getTime() - Date.parse(createdAt)) / 1000)],
    ["STATE", stateWords],
  ];
  return table(
    columns.map(([title]) => texts(title)),
    copies.map((copy) => columns.map(([, cell]) => [cell(copy)])),
  );
}

function stateWords({ state, usedBy: [user], because }: CopyStatus): string {
  switch (state) {
    case "Unused":
      return "unused";
    case "Deleted":
      return "deleted";
    case "Used":
      return user === undefined ? "used" : `used by ${formatObject({ kind: user.kind, name: user.name })}`;
    case "Recent":
      return "too new";
    case "Changed":
      return "kept: changed after it was listed";
    case "Gone":
      return "already deleted";
    case "Failed":
      return `not deleted${because === undefined ? "" : `: ${because}`}`;
  }
}

const UNITS: readonly (readonly [unit: string, seconds: number])[] = [
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
];

/** An age in its largest unit, as kubectl shows it. */
function age(seconds: number): string {
  const [unit, length] = UNITS.find(([, one]) => seconds >= one) ?? ["s", 1];
  return `${Math.max(0, Math.floor(seconds / length))}${unit}`;
}

function summary({ summary: counts, context, namespace, olderThanSeconds }: CopiesReport): string {
  const { copies, unused, deleted, used, recent, changed, gone, failed, unprotected } = counts;
  const parts = [
    ...(unused > 0 || deleted + changed + gone + failed === 0 ? [`${unused} unused`] : []),
    ...(deleted > 0 ? [`${deleted} deleted`] : []),
    ...(failed > 0 ? [`${failed} not deleted`] : []),
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(gone > 0 ? [`${gone} already deleted`] : []),
    ...(used > 0 ? [`${used} used`] : []),
    ...(recent > 0 ? [`${recent} newer than ${age(olderThanSeconds)}`] : []),
  ];
  const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
  const others =
    unprotected === 0
      ? ""
      : `; ${counted(unprotected, "other copy", "other copies")} without protection: the engine prunes them`;
  return `${counted(copies, "protected copy", "protected copies")} in ${where} of ${context}: ${parts.join(", ")}${others}`;
}

const NAME = "rollstamp-gc";

/** `gc --rbac`: the roles as manifests. */
export function rolesYaml({ role, secrets }: Rights, namespace: string | undefined): string {
  return [
    roleYaml(NAME, role, namespace),
    `# Only if Secrets have copies (versionedSecrets). The right to list Secrets shows their values.\n${roleYaml(`${NAME}-secrets`, secrets, namespace)}`,
  ].join("---\n");
}

function roleYaml(name: string, rules: readonly Rule[], namespace: string | undefined): string {
  return [
    "apiVersion: rbac.authorization.k8s.io/v1",
    `kind: ${namespace === undefined ? "ClusterRole" : "Role"}`,
    "metadata:",
    `  name: ${name}`,
    ...(namespace === undefined ? [] : [`  namespace: ${scalar(namespace)}`]),
    "rules:",
    ...rules.flatMap(({ apiGroups, resources, verbs }) => [
      `  - apiGroups: ${sequence(apiGroups)}`,
      `    resources: ${sequence(resources)}`,
      `    verbs: ${sequence(verbs)}`,
    ]),
    "",
  ].join("\n");
}

function sequence(names: readonly string[]): string {
  return `[${names.map(scalar).join(", ")}]`;
}

/** A name of the API as it is, anything else in quotes. */
function scalar(text: string): string {
  return /^[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*$/u.test(text) && !/^(?:null|true|false|yes|no|on|off|y|n)$/u.test(text)
    ? text
    : jsonText(text);
}
