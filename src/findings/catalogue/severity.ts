import { ROLLOUT_LINT_VALUES, type RolloutLintValue } from "../../base/rollout-lint-options.ts";

/** What a rule may be set to: a severity, or not to tell anything. */
export type Level = RolloutLintValue<"level">;

/** How much a finding weighs. */
export type Severity = Exclude<Level, "off">;

interface SeverityRow {
  /** The lower, the more severe. */
  readonly rank: number;
  /** As people count them. */
  readonly noun: string;
  /** The level of a SARIF result (2.1.0, section 3.27.10). */
  readonly sarif: "error" | "warning" | "note";
  /** The workflow command of GitHub's runner that shows it. */
  readonly github: "error" | "warning" | "notice";
}

/** The severities, the worst first: their order, and what each form of a report calls them. */
export const SEVERITIES: Readonly<Record<Severity, SeverityRow>> = {
  error: { rank: 0, noun: "error", sarif: "error", github: "error" },
  warning: { rank: 1, noun: "warning", sarif: "warning", github: "warning" },
  info: { rank: 2, noun: "note", sarif: "note", github: "notice" },
};

/** The levels that a rule may be set to. */
export const LEVELS: readonly Level[] = ROLLOUT_LINT_VALUES.level;

/** True where something of a severity is at least as severe as a limit. */
export function reaches(severity: Severity, limit: Severity): boolean {
  return SEVERITIES[severity].rank <= SEVERITIES[limit].rank;
}
