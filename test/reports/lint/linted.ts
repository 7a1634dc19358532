import { CONFIG_HASH_DEFAULTS, type ConfigHashSpec } from "../../../src/stamping/function/config-hash.ts";
import { lintContext, type LintInputs } from "../../../src/reports/lint/context.ts";
import { lint, withDocs, type Levels } from "../../../src/reports/lint/lint.ts";
import { comparedFindings } from "../../../src/reports/plan/compared-findings.ts";
import { AS_KUBECTL } from "../../../src/reports/plan/planned-application.ts";
import { refusedSources } from "../../../src/reports/plan/refused-sources.ts";
import { readSide } from "../../../src/reports/plan/side.ts";
import type { Finding } from "../../../src/findings/catalogue/finding.ts";
import { manifestsOf } from "./rule-pages.ts";

export interface LintedText {
  readonly spec?: Partial<ConfigHashSpec>;
  /** The text of the base to compare with, or of a second rendering. */
  readonly base?: string | undefined;
  readonly again?: string | undefined;
  readonly levels?: Levels;
  readonly hmacKey?: () => Uint8Array;
}

/** The findings of every rule in the given manifests. */
export function lintText(text: string, { spec, base, again, levels, hmacKey }: LintedText = {}): Finding[] {
  const whole = { ...CONFIG_HASH_DEFAULTS, ...spec };
  const inputs: LintInputs = {
    ...(again === undefined ? {} : { again: lintContext([manifestsOf(again, "again.yaml")], whole) }),
    ...(hmacKey === undefined ? {} : { hmacKey }),
  };
  const linted = lint(lintContext([manifestsOf(text)], whole, inputs), levels);
  return base === undefined ? linted : [...linted, ...foundInChange(base, text, whole, levels)];
}

/** What a plan finds by comparing both sides. */
function foundInChange(base: string, text: string, spec: ConfigHashSpec, levels: Levels = new Map()): Finding[] {
  const [before, after] = [
    readSide([manifestsOf(base, "base.yaml")], spec, undefined),
    readSide([manifestsOf(text)], spec, undefined),
  ];
  const findings = [
    ...comparedFindings(before, after, levels, {}),
    ...refusedSources(before, after, AS_KUBECTL).values(),
  ].filter(({ accepted }) => accepted === undefined);
  return findings.toSorted((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0)).map(withDocs);
}

/** The findings of one rule, each as `line: cause: parameters`. */
export function found(rule: string, text: string, options: LintedText = {}): string[] {
  return lintText(text, options)
    .filter((finding) => finding.id === rule)
    .map(({ place, cause, params }) => `${place?.line ?? 0}: ${cause}: ${valueText(params)}`);
}

/** A parameter in one line: an object of the cluster as `Kind namespace/name`. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const { kind, name, namespace } = value as Readonly<Record<string, unknown>>;
  if (typeof kind === "string" && typeof name === "string")
    return `${kind} ${typeof namespace === "string" ? `${namespace}/` : ""}${name}`;
  const values = Object.entries(value).flatMap(([key, item]: [string, unknown]) =>
    item === undefined || (Array.isArray(item) && item.length === 0) ? [] : [`${key} ${valueText(item)}`],
  );
  return values.join(", ");
}
