import { notExaminedLines } from "../findings/not-examined/account-words.ts";
import { isNothing } from "../findings/not-examined/not-examined.ts";
import { rowOf, type Finding } from "../findings/catalogue/finding.ts";
import { SEVERITIES } from "../findings/catalogue/severity.ts";
import { describeFinding } from "../findings/catalogue/describe.ts";
import { printable } from "../findings/results/terminal.ts";
import {
  applicationMessage,
  filePlace,
  lintAccount,
  lintSummary,
  type LintReporter,
  type LintReportOptions,
} from "./lint-report.ts";

/** `lint -o github`: workflow commands that GitHub shows beside the lines of a pull request. */
export const lintGithub: LintReporter = (findings, options) =>
  [
    ...findings.map((finding) => annotation(finding, options)),
    ...notExaminedLines(options.account, lintAccount(options)).map(
      (line) => `::${isNothing(options.account) ? "error" : "notice"} title=Not examined::${data(line)}`,
    ),
    lintSummary(findings, options),
  ]
    .map((line) => `${line}\n`)
    .join("");

function annotation(finding: Finding, options: LintReportOptions): string {
  const place = filePlace(finding, options);
  const { id, severity, message: words, remedy } = describeFinding(finding);
  const message = applicationMessage(finding, words);
  const properties = {
    ...(place === undefined ? {} : { file: place.file, line: place.line, col: place.column }),
    title: `${id}: ${rowOf(finding).title}`,
  };
  // A whole file has neither line nor column.
  const written = Object.entries(properties).flatMap(([key, value]: [string, string | number | undefined]) =>
    value === undefined ? [] : [`${key}=${property(String(value))}`],
  );
  return `::${SEVERITIES[severity].github} ${written.join(",")}::${data(remedy === undefined ? message : `${message}. ${remedy}`)}`;
}

// actions/toolkit packages/core/src/command.ts: the runner decodes these characters. They are encoded so that no text
// of a manifest ends the command, adds a property, or begins another command.

function data(text: string): string {
  return printable(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
