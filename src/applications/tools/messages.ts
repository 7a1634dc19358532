import { formatPlace, RollstampError } from "../../base/errors.ts";
import { withRemedy } from "../../base/words.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { describeFinding } from "../../findings/catalogue/describe.ts";
import { withoutUserInfo } from "./masked-words.ts";
import { printable } from "../../findings/results/terminal.ts";

// Argo CD shows what a plugin says on failure as the Application's condition: one line, and not
// the tail of a template of a thousand lines.
const LONGEST = 1500;

/** An error as the one line that Argo CD's UI has room for. */
export function errorLine(error: RollstampError): string {
  const { place, message, remedy } = error;
  const head = place === undefined ? message : `${formatPlace(place)}: ${message}`;
  return line(withRemedy(head, remedy));
}

/** The findings of severity error as one line: the first, and how many there are beside it. */
export function findingsLine(findings: readonly Finding[]): string {
  const [first, ...others] = findings;
  if (first === undefined) throw new Error("no finding to tell");
  const { id, message, remedy } = describeFinding(first);
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return line(`${withRemedy(`${message} (${id})`, remedy)}${more}`);
}

function line(text: string): string {
  const flat = text
    .split(/[\r\n]+/u)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join(" | ");
  return `rollstamp: error: ${printable(shortened(withoutUserInfo(flat)))}\n`;
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

// What programs print beside the reason.
const NOISE = [
  /^Use --debug flag to render out invalid YAML$/u,
  /^WARNING: Kubernetes configuration file is /u,
  /^(?:level=|walk\.go)/u,
  // Of an option that Flux's build is given.
  /^Flag --\S+ has been deprecated, /u,
  // Of fields that kustomize takes and would have renamed (api/types/kustomization.go, CheckDeprecatedFields).
  /^# Warning: \S+ is deprecated\. Please use /u,
];

/** What a program gave as its reason, without what it says every time; folders of ours are left out. */
export function reasonOf(stderr: string, folders: readonly string[]): string {
  const lines = stderr
    .split(/\r?\n/u)
    .map((text) => text.trim().replace(/^Error: /u, ""))
    .filter((text) => text !== "" && NOISE.every((noise) => !noise.test(text)));
  const text = lines.join("\n");
  return folders.reduce((kept, folder) => kept.replaceAll(`${folder}/`, "").replaceAll(folder, "."), text);
}
