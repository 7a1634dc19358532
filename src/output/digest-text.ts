import { placedName } from "../base/names.ts";
import type { Naming } from "../findings/not-examined/account-words.ts";
import type { DigestReport, SourceDigest } from "../reports/digest/digest-report.ts";
import { list } from "./document/blocks.ts";
import type { Document } from "./document/document.ts";
import { notExaminedBlocks } from "./not-examined.ts";

/** `digest -o text`: a line for each source, as sha256sum prints files, and one for each of its keys. */
export function digestDocument(report: DigestReport, naming: Naming = {}): Document {
  const lines = report.sources.flatMap((source) => [
    `${source.digest}  ${digestTitle(source)}`,
    ...Object.entries(source.keys).map(([key, digest]) => `${digest}    ${key}`),
  ]);
  return {
    title: "digest",
    blocks: [
      list(lines.length === 0 ? ["no sources"] : lines),
      ...notExaminedBlocks(report, { command: "digest", ...naming }),
    ],
  };
}

function digestTitle({ kind, namespace, name, coverage, provides, application }: SourceDigest): string {
  const made = provides === undefined ? "" : `, makes ${provides.kind} ${provides.name}`;
  const suffix = application === undefined ? "" : ` of ${application}`;
  return `${kind} ${placedName({ namespace, name })}${suffix}${coverage === "content" ? "" : ` (${coverage}${made})`}`;
}
