import { formatPlace, RollstampError } from "../../base/errors.ts";
import { shortened, trimmedParts, withRemedy } from "../../base/words.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { describeFinding } from "../../findings/catalogue/describe.ts";
import { withoutUserInfo } from "../../base/user-info.ts";
import { printable } from "../../findings/results/terminal.ts";

// Argo CD shows the output of a failed plugin as a condition of the Application, so it is one line.
const LONGEST = 1500;

/** An error as one line. */
export function errorLine(error: RollstampError): string {
  const { place, message, remedy } = error;
  const head = place === undefined ? message : `${formatPlace(place)}: ${message}`;
  return line(withRemedy(head, remedy));
}

/** Findings as one line: the first one, and the number of others. */
export function findingsLine(findings: readonly Finding[]): string {
  const [first, ...others] = findings;
  if (first === undefined) throw new Error("no finding");
  const { id, message, remedy } = describeFinding(first);
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return line(`${withRemedy(`${message} (${id})`, remedy)}${more}`);
}

function line(text: string): string {
  const flat = trimmedParts(text, /[\r\n]+/u).join(" | ");
  return `rollstamp: error: ${printable(shortened(withoutUserInfo(flat), LONGEST))}\n`;
}

// Output of programs that is not the reason.
const NOISE = [
  /^Use --debug flag to render out invalid YAML$/u,
  /^WARNING: Kubernetes configuration file is /u,
  /^(?:level=|walk\.go)/u,
  // For an option of the builds of Flux.
  /^Flag --\S+ has been deprecated, /u,
  // For deprecated fields (api/types/kustomization.go, CheckDeprecatedFields).
  /^# Warning: \S+ is deprecated\. Please use /u,
];

// What a Go program prints below its panic: addresses, which differ in each run, and lines of its own code.
const STACK = /^(?:goroutine \d+ .*\[|runtime stack:|\[signal )/mu;

// Helm 4 puts the template, what it executes and the problem on lines of their own: a report may show only the last line.
const EXECUTING = /(:\d+:\d+)\r?\n[ \t]+(executing "[^"\n]*" at <[^\n]*>:)\r?\n[ \t]+/gu;

/** The reason in the output of a program, without noise, stacks and temporary folders. */
export function reasonOf(stderr: string, folders: readonly string[]): string {
  const stack = stderr.search(STACK);
  const lines = (stack <= 0 ? stderr : stderr.slice(0, stack))
    .replaceAll(EXECUTING, "$1: $2 ")
    .split(/\r?\n/u)
    .map((text) => text.trim().replace(/^Error: /u, ""))
    .filter((text) => text !== "" && NOISE.every((noise) => !noise.test(text)));
  const text = lines.join("\n");
  return folders.reduce((kept, folder) => kept.replaceAll(`${folder}/`, "").replaceAll(folder, "."), text);
}
