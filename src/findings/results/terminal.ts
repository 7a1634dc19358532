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

// What an emoji has between and behind its pictures is not hidden.
const IN_EMOJI =
  "(?<=\\p{Extended_Pictographic})\\ufe0f|(?<=\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]?)\\u200d(?=\\p{Extended_Pictographic})";

/** Control characters, those that change the direction of text, and those that nobody sees: two names would look equal. */
const UNSEEN = new RegExp(
  `(?!${IN_EMOJI})[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]`,
  "gu",
);

/**
 * What manifests and commits say, for terminals and reports: without what a terminal would follow and what nobody sees, and
 * without commands of runners. Unknown values are one word.
 */
export function printable(text: string): string {
  return withoutCommands(withoutPlaceholders(text).replace(UNSEEN, escapedUnits));
}

/** What GitHub's runner (ActionCommand.cs) and Azure's agent (Command.cs) take as a command anywhere in a log. */
export function withoutCommands(text: string): string {
  return text.replace(/##(?=\[|vso\[)/giu, "#\\u0023");
}

/** A character as the escapes that JSON has for it. */
export function escapedUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
}
