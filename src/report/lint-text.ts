import { formatPlace, type Place } from "../errors.ts";
import type { Finding } from "../results/findings.ts";
import { printable } from "../results/terminal.ts";
import { lintSummary, type LintReporter } from "./lint-report.ts";

/** `lint -o text`: a line as compilers print it, what to do below it, and a line with the sum. */
export const lintText: LintReporter = (findings, options) =>
  [...findings.map(lines), lintSummary(findings, options)].map((line) => `${line}\n`).join("");

function lines(finding: Finding): string {
  const place = finding.place === undefined ? "" : `${shownPlace(finding.place)}: `;
  const remedy = finding.remedy === undefined ? "" : `\n  ${finding.remedy}`;
  return `${place}${finding.severity} ${finding.rule}: ${printable(finding.message)}${remedy}`;
}

/** A file of a strange name must not become a command to the runner that reads this log: `::…`. */
function shownPlace(place: Place): string {
  const shown = printable(formatPlace(place));
  return /^\s*:/u.test(shown) ? `./${shown}` : shown;
}
