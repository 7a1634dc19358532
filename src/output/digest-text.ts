import type { Naming } from "../findings/not-examined/account-words.ts";
import { notExaminedText } from "./not-examined-text.ts";
import { printable } from "../findings/results/terminal.ts";
import type { DigestReport, SourceDigest } from "./digest-report.ts";

/** `digest -o text`: a line for each source, as sha256sum prints files, and one for each of its keys. */
export function digestText(report: DigestReport, naming: Naming = {}): string {
  const { sources } = report;
  const lines = sources.flatMap((source) => [`${source.digest}  ${printable(titleOf(source))}\n`, ...keyLines(source)]);
  return `${lines.length === 0 ? "no sources\n" : lines.join("")}${notExaminedText(report, { command: "digest", ...naming })}`;
}

function titleOf({ kind, namespace, name, coverage, provides, application }: SourceDigest): string {
  const made = provides === undefined ? "" : `, makes ${provides.kind} ${provides.name}`;
  const of = application === undefined ? "" : ` of ${application}`;
  return `${kind} ${namespace}/${name}${of}${coverage === "content" ? "" : ` (${coverage}${made})`}`;
}

function keyLines({ keys }: SourceDigest): string[] {
  return Object.entries(keys).map(([key, digest]) => `${digest}    ${printable(key)}\n`);
}
