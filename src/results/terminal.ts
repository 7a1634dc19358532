import { formatPlace } from "../errors.ts";
import type { Finding } from "./findings.ts";

/** Findings as lines for standard error: severity, place, message and rule, then what to do. */
export function findingLines(findings: readonly Finding[]): string {
  return findings.map((finding) => `${findingLine(finding)}\n`).join("");
}

function findingLine(finding: Finding): string {
  const place = finding.place === undefined ? "" : `${formatPlace(finding.place)}: `;
  const remedy = finding.remedy === undefined ? "" : `\n  ${finding.remedy}`;
  return `rollstamp: ${finding.severity}: ${place}${printable(finding.message)} (${finding.rule})${remedy}`;
}

/**
 * Control characters from a manifest must not reach a terminal, nor the marks that GitHub's runner
 * takes for a command wherever they stand in a log (actions/runner, ActionCommand.cs).
 */
export function printable(text: string): string {
  return text
    .replace(
      /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    )
    .replaceAll("##[", "#\\u0023[");
}
