import { COLLECTION_STYLE, EVENT_ID, SCALAR_STYLE } from "js-yaml";
import { columnOfEntries } from "../../yaml/edit/lines.ts";
import type { Splice } from "../../yaml/edit/splice.ts";
import { eventAt } from "../../yaml/read/event-table.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import { stableJson } from "../../yaml/read/json.ts";
import { endOfTree, get, itemsOf, kindOf, ownEntries, startOf, toJson, type Json } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";
import { VERSION } from "../../base/version.ts";
import type { Finding, FindingLocation } from "../catalogue/finding.ts";
import type { Severity } from "../catalogue/severity.ts";
import { tagsOf, describeFinding } from "../catalogue/describe.ts";
import { jsonText } from "./json-text.ts";
import { printable } from "./terminal.ts";

/** A result as in the KRM functions specification (config.kubernetes.io/v1). */
export interface KrmResult {
  readonly message: string;
  readonly severity: Severity;
  readonly resourceRef?: FindingLocation["resource"];
  readonly field?: { readonly path: string };
  readonly file?: FindingLocation["file"];
  readonly tags: Readonly<Record<string, string>>;
}

/** A finding as a KRM result. The remedy is part of its message; the rule and our version are tags. */
export function krmResult(finding: Finding): KrmResult {
  const { id, severity, message, remedy } = describeFinding(finding);
  return {
    // Hosts print it unchanged.
    message: printable(remedy === undefined ? message : `${message}. ${remedy}`),
    severity,
    ...(finding.resource === undefined ? {} : { resourceRef: finding.resource }),
    ...(finding.field === undefined ? {} : { field: { path: finding.field } }),
    ...(finding.file === undefined ? {} : { file: finding.file }),
    tags: { rule: id, version: VERSION, ...tagsOf(finding) },
  };
}

/**
 * The splices that append results to a ResourceList: as its last field, or after its existing results. A result that is
 * already there is not repeated, so a second run changes nothing.
 */
export function appendResults(list: Manifests, findings: readonly Finding[]): Splice[] {
  const { tree, root } = list;
  const existing = get(tree, root, "results");
  const known = new Set(itemsOf(tree, existing).map((item) => stableJson(toJson(tree, item))));
  const results = findings.map(krmResult).filter((result) => {
    const text = stableJson(result);
    return known.has(text) ? false : known.add(text);
  });
  if (results.length === 0) return [];
  const event = eventAt(tree.events, root);
  const isFlow = event?.type === EVENT_ID.MAPPING && event.style === COLLECTION_STYLE.FLOW;
  const [first, ...others] = (isFlow ? flowResults : blockResults)(tree, root, existing, results);
  if (first === undefined) return [];
  const value = [...itemsOf(tree, existing).map((item) => toJson(tree, item)), ...results.map(plain)];
  return [{ ...first, intended: { base: root, path: ["results"], value } }, ...others];
}

/** A result as data without undefined fields. */
function plain(result: KrmResult): Json {
  return JSON.parse(JSON.stringify(result)) as Json;
}

function flowResults(tree: YamlTree, root: number, existing: number, results: readonly KrmResult[]): Splice[] {
  const json = results.map((result) => jsonText(result)).join(",");
  if (kindOf(tree, existing) === "sequence") {
    const last = itemsOf(tree, existing).at(-1);
    const offset = last === undefined ? startOf(tree, existing) + 1 : endOfTree(tree, last);
    return [{ offset, remove: 0, insert: last === undefined ? json : `,${json}` }];
  }
  const last = ownEntries(tree, root).at(-1);
  const offset = last === undefined ? startOf(tree, root) + 1 : endOfTree(tree, last.valueNode);
  const key = last !== undefined && isDoubleQuoted(tree, last.keyNode) ? '"results":' : "results: ";
  if (existing !== NONE) {
    const from = startOf(tree, existing);
    return [{ offset: from, remove: endOfTree(tree, existing) - from, insert: `[${json}]` }];
  }
  return [{ offset, remove: 0, insert: `${last === undefined ? "" : ","}${key}[${json}]` }];
}

function isDoubleQuoted(tree: YamlTree, node: number): boolean {
  const event = eventAt(tree.events, node);
  return event?.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.DOUBLE_QUOTED;
}

function blockResults(tree: YamlTree, root: number, existing: number, results: readonly KrmResult[]): Splice[] {
  const { text } = tree;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = results.flatMap((result) => blockResult(result)).map((line) => line + eol);
  if (kindOf(tree, existing) === "sequence") {
    const event = eventAt(tree.events, existing);
    if (event?.type === EVENT_ID.SEQUENCE && event.style === COLLECTION_STYLE.FLOW)
      return flowResults(tree, root, existing, results);
    const last = itemsOf(tree, existing).at(-1) ?? existing;
    const column = startColumn(text, startOf(tree, existing));
    const offset = behindLine(text, endOfTree(tree, last));
    return [
      insertLines(
        text,
        offset,
        lines.map((line) => " ".repeat(column) + line),
        eol,
      ),
    ];
  }
  const entries = ownEntries(tree, root);
  const last = entries.at(-1);
  const offset = last === undefined ? text.length : behindLine(text, endOfTree(tree, last.valueNode));
  const indent = " ".repeat(columnOfEntries(tree, root));
  const indented = lines.map((line) => indent + line);
  if (existing === NONE) return [insertLines(text, offset, [`${indent}results:${eol}`, ...indented], eol)];
  // `results:` without a value, or with an explicit null.
  const entry = entries.find((candidate) => candidate.key === "results");
  const from = entry === undefined ? offset : endOfTree(tree, entry.keyNode);
  const to = behindLine(text, endOfTree(tree, existing));
  return [{ offset: from, remove: to - from, insert: `:${eol}${indented.join("")}` }];
}

function startColumn(text: string, offset: number): number {
  // A block sequence starts at its first dash.
  return offset - (text.lastIndexOf("\n", offset - 1) + 1);
}

function behindLine(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === "\n") return offset;
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

function insertLines(text: string, offset: number, lines: readonly string[], eol: string): Splice {
  const isAtLineStart = offset === 0 || text[offset - 1] === "\n";
  return { offset, remove: 0, insert: (isAtLineStart ? "" : eol) + lines.join("") };
}

/** One result as an item of a block sequence; all texts are in double quotes. */
function blockResult(result: KrmResult): string[] {
  const lines: string[] = [];
  const write = (value: Json | KrmResult, indent: string): void => {
    for (const [key, item] of Object.entries(value ?? {})) {
      if (item !== null && typeof item === "object") {
        lines.push(`${indent}${key}:`);
        write(item, `${indent}  `);
      } else lines.push(`${indent}${key}: ${jsonText(item)}`);
    }
  };
  write(result, "  ");
  return lines.map((line, i) => (i === 0 ? `- ${line.slice(2)}` : line));
}
