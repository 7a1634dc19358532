import picocolors from "picocolors";
import { formatPlace } from "../base/errors.ts";
import type { Finding } from "../findings/catalogue/finding.ts";
import { describeFinding } from "../findings/catalogue/describe.ts";
import type { Severity } from "../findings/catalogue/severity.ts";
import { pathText, printable } from "../findings/results/terminal.ts";
import { notExaminedText } from "./not-examined-text.ts";
import { lintAccount, lintSummary, type LintReporter } from "./lint-report.ts";

/** `lint -o text`: a line as compilers print it, what to do below it, and a line with the sum. */
export const lintText: LintReporter = (findings, options) => {
  const colors = picocolors.createColors(options.color);
  const sum = colors.bold(lintSummary(findings, options));
  const told = [...findings.map((finding) => lines(finding, colors)), sum].map((line) => `${line}\n`);
  return `${told.join("")}${notExaminedText(options.account, lintAccount(options))}`;
};

type Colors = ReturnType<typeof picocolors.createColors>;

const COLORS = { error: "red", warning: "yellow", info: "cyan" } as const satisfies Record<Severity, keyof Colors>;

function lines(finding: Finding, colors: Colors): string {
  const place = finding.place === undefined ? "" : `${pathText(formatPlace(finding.place))}: `;
  const { id, severity, message, remedy } = describeFinding(finding);
  const todo = remedy === undefined ? "" : `\n  ${colors.dim(remedy)}`;
  return `${place}${colors[COLORS[severity]](`${severity} ${id}`)}: ${printable(message)}${todo}`;
}
