import type { Finding } from "../findings/catalogue/finding.ts";
import { jsonText } from "../findings/results/json-text.ts";
import { krmResult, type KrmResult } from "../findings/results/krm-results.ts";
import type { LintReporter } from "./lint-report.ts";

/** A KRM result with its position in the file (contract, section 8). */
interface LintResult extends KrmResult {
  readonly position?: { readonly line: number; readonly column?: number };
}

/** `lint -o json`: the findings as KRM results. */
export const lintJson: LintReporter = (findings, { account: { examined, notExamined } }) =>
  `${jsonText({ results: findings.map(lintResult), examined, notExamined }, 2)}\n`;

function lintResult(finding: Finding): LintResult {
  const { place } = finding;
  const { file = place === undefined ? undefined : { path: place.file }, ...rest } = krmResult(finding);
  return {
    ...rest,
    ...(file === undefined ? {} : { file }),
    ...(place?.line === undefined
      ? {}
      : { position: { line: place.line, ...(place.column === undefined ? {} : { column: place.column }) } }),
  };
}
