import type { Finding } from "../results/findings.ts";
import { counted } from "../ground/words.ts";

/** Turns findings into a text: one form that `lint -o` knows. */
export type LintReporter = (findings: readonly Finding[], options: LintReportOptions) => string;

export interface LintReportOptions {
  /** How many files were looked at. */
  readonly files: number;
  /** Whether the text is for a terminal that shows colours. */
  readonly color: boolean;
}

const SEVERITIES = [
  { severity: "error", name: "error" },
  { severity: "warning", name: "warning" },
  { severity: "info", name: "note" },
] as const;

/** `1 error, 2 warnings in 3 files`: what was found, in one line. */
export function lintSummary(findings: readonly Finding[], { files }: Pick<LintReportOptions, "files">): string {
  const counts = SEVERITIES.flatMap(({ severity, name }) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [counted(count, name)];
  });
  const found = counts.length === 0 ? "nothing found" : counts.join(", ");
  return `${found} in ${counted(files, "file")}`;
}
