import { CONFIG_HASH_DEFAULTS, type ConfigHashSpec } from "../../../src/stamping/function/config-hash.ts";
import { lintContext, type LintInputs } from "../../../src/reports/lint/context.ts";
import { lint, type Levels } from "../../../src/reports/lint/lint.ts";
import type { Finding } from "../../../src/findings/catalogue/finding.ts";
import { describeFinding } from "../../../src/findings/catalogue/words.ts";
import { manifestsOf } from "./rule-pages.ts";

export interface LintedText {
  readonly spec?: Partial<ConfigHashSpec>;
  /** The text of the base to compare with, or of a second rendering. */
  readonly base?: string | undefined;
  readonly again?: string | undefined;
  readonly levels?: Levels;
  readonly hmacKey?: () => Uint8Array;
}

/** The findings of every rule in a text. */
export function lintText(text: string, { spec, base, again, levels, hmacKey }: LintedText = {}): Finding[] {
  const whole = { ...CONFIG_HASH_DEFAULTS, ...spec };
  const inputs: LintInputs = {
    ...(base === undefined ? {} : { base: lintContext([manifestsOf(base, "base.yaml")], whole) }),
    ...(again === undefined ? {} : { again: lintContext([manifestsOf(again, "again.yaml")], whole) }),
    ...(hmacKey === undefined ? {} : { hmacKey }),
  };
  return lint(lintContext([manifestsOf(text)], whole, inputs), levels);
}

/** The findings of one rule, each as `line: message`. */
export function found(rule: string, text: string, options: LintedText = {}): string[] {
  return lintText(text, options)
    .filter((finding) => finding.id === rule)
    .map((finding) => `${finding.place?.line ?? 0}: ${describeFinding(finding).message}`);
}
