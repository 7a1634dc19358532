import { list, paragraph, strong } from "./document/blocks.ts";
import { formatPlace } from "../base/errors.ts";
import type { Finding } from "../findings/catalogue/finding.ts";
import type { Severity } from "../findings/catalogue/severity.ts";
import { describeFinding } from "../findings/catalogue/describe.ts";
import type { Document, Item, Tone } from "./document/document.ts";
import { lintAccount, lintSummary, type LintReportOptions } from "./lint-report.ts";
import { notExaminedBlocks } from "./not-examined.ts";

const TONES: Readonly<Record<Severity, Tone>> = { error: "danger", warning: "attention", info: "muted" };

/** `lint -o text`: each finding as compilers print it, with its remedy below, and the totals. */
export function lintDocument(findings: readonly Finding[], options: LintReportOptions): Document {
  return {
    title: "lint",
    blocks: [
      list(findings.map(findingItem)),
      paragraph([strong(lintSummary(findings, options))]),
      ...notExaminedBlocks(options.account, lintAccount(options)),
    ],
  };
}

function findingItem(finding: Finding): Item {
  const place = finding.place === undefined ? "" : `${formatPlace(finding.place)}: `;
  const { id, severity, message, remedy } = describeFinding(finding);
  return {
    words: [place, { tone: TONES[severity], words: [`${severity} ${id}`] }, `: ${message}`],
    blocks: remedy === undefined ? [] : [paragraph(remedy, { tone: "muted" })],
  };
}
