import { ROLLOUT_LINT_VALUES, type RolloutLintValue } from "../../base/rollout-lint-options.ts";

/** The setting of a rule: a severity or off. */
export type Level = RolloutLintValue<"level">;

export type Severity = Exclude<Level, "off">;

interface SeverityRow {
  /** The lower, the more severe. */
  readonly rank: number;
  /** The word for it in counts. */
  readonly noun: string;
  /** The level of a SARIF result (2.1.0, section 3.27.10). */
  readonly sarif: "error" | "warning" | "note";
  /** The command of GitHub's runner that shows it. */
  readonly github: "error" | "warning" | "notice";
}

/** The severities, worst first, and their names in each form of a report. */
export const SEVERITIES: Readonly<Record<Severity, SeverityRow>> = {
  error: { rank: 0, noun: "error", sarif: "error", github: "error" },
  warning: { rank: 1, noun: "warning", sarif: "warning", github: "warning" },
  info: { rank: 2, noun: "note", sarif: "note", github: "notice" },
};

export const LEVELS: readonly Level[] = ROLLOUT_LINT_VALUES.level;

/** Whether a severity is at least as severe as a limit. */
export function reaches(severity: Severity, limit: Severity): boolean {
  return SEVERITIES[severity].rank <= SEVERITIES[limit].rank;
}
