import type { Finding } from "../results/findings.ts";

/** Turns findings into a text: one form that `lint -o` knows. */
export type LintReporter = (findings: readonly Finding[], options: LintReportOptions) => string;

export interface LintReportOptions {
  /** How many files were looked at. */
  readonly files: number;
  /** Whether the text is for a terminal that shows colours. */
  readonly color: boolean;
}

const SEVERITIES = [
  { severity: "error", one: "error", many: "errors" },
  { severity: "warning", one: "warning", many: "warnings" },
  { severity: "info", one: "note", many: "notes" },
] as const;

/** `1 error, 2 warnings in 3 files`: what was found, in one line. */
export function lintSummary(findings: readonly Finding[], { files }: Pick<LintReportOptions, "files">): string {
  const counts = SEVERITIES.flatMap(({ severity, one, many }) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  const found = counts.length === 0 ? "nothing found" : counts.join(", ");
  return `${found} in ${files} file${files === 1 ? "" : "s"}`;
}
