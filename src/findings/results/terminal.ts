import { withoutPlaceholders } from "../../base/placeholders.ts";
import { formatPlace, type RollstampError } from "../../base/errors.ts";
import type { Finding } from "../catalogue/finding.ts";
import { describeFinding } from "../catalogue/describe.ts";

/** Findings as lines for standard error: severity, place, message and id, then what to do. */
export function findingLines(findings: readonly Finding[]): string {
  return findings.map((finding) => `${findingLine(finding)}\n`).join("");
}

function findingLine(finding: Finding): string {
  const place = finding.place === undefined ? "" : `${formatPlace(finding.place)}: `;
  const { id, severity, message, remedy } = describeFinding(finding);
  return `rollstamp: ${severity}: ${printable(`${place}${message}`)} (${id})${remedyLines(remedy)}`;
}

/** An error for people: place and message in one line, then what to do. */
export function errorText({ place, message, remedy }: RollstampError): string {
  return `${errorLine({ place, message })}${remedyLines(remedy)}`;
}

/** An error with its place, without its remedy. */
export function errorLine({ place, message }: Pick<RollstampError, "place" | "message">): string {
  return printable(place === undefined ? message : `${formatPlace(place)}: ${message}`);
}

/** The lines of a remedy, which may quote the output of a program. */
function remedyLines(remedy: string | undefined): string {
  if (remedy === undefined) return "";
  const [first = "", ...more] = remedy.split(/\r?\n/u);
  return [`\n  ${lineText(first)}`, ...more.map((line) => `\n${lineText(line)}`)].join("");
}

/**
 * A string as a separate line. GitHub's runner takes a line that begins with `::`, indented or not, as a command
 * (actions/runner, ActionCommand.cs).
 */
export function lineText(text: string): string {
  return printable(text).replace(/^(\s*):(?=:)/u, "$1\\u003a");
}

/** The path of a file at the beginning of a line; it still names the file. */
export function pathText(path: string): string {
  const shown = printable(path);
  return /^\s*:/u.test(shown) ? `./${shown}` : shown;
}

/**
 * Control characters of a manifest must not reach a terminal, nor the marks that GitHub's runner takes as commands
 * anywhere in a log (actions/runner, ActionCommand.cs). Unknown values are one word.
 */
export function printable(text: string): string {
  return withoutPlaceholders(text)
    .replace(
      /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    )
    .replaceAll("##[", "#\\u0023[");
}
