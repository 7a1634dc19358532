import { severityOf, type Finding } from "../findings/finding.ts";
import { SEVERITIES } from "../findings/severity.ts";
import { counted } from "../ground/words.ts";

/** Turns findings into a text: one form that `lint -o` knows. */
export type LintReporter = (findings: readonly Finding[], options: LintReportOptions) => string;

export interface LintReportOptions {
  /** How many files were looked at. */
  readonly files: number;
  /** Whether the text is for a terminal that shows colours. */
  readonly color: boolean;
}

/** `1 error, 2 warnings in 3 files`: what was found, in one line. */
export function lintSummary(findings: readonly Finding[], { files }: Pick<LintReportOptions, "files">): string {
  const counts = Object.entries(SEVERITIES).flatMap(([severity, { noun }]) => {
    const count = findings.filter((finding) => severityOf(finding) === severity).length;
    return count === 0 ? [] : [counted(count, noun)];
  });
  const found = counts.length === 0 ? "nothing found" : counts.join(", ");
  return `${found} in ${counted(files, "file")}`;
}
