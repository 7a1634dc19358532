import { EVENT_ID, SCALAR_STYLE } from "js-yaml";
import { RollstampError } from "../../base/errors.ts";
import { styleAt, typeAt } from "../../yaml/read/event-table.ts";
import { isRewrittenDate, isTextToKubectl } from "../../yaml/read/go-scalars.ts";
import { describe, placeIn, placeOf, type Item } from "../../yaml/read/items.ts";
import { renamedKey } from "../../yaml/read/kubectl-view.ts";
import { entriesOf, get, isMergeKey, ownEntries, resolve } from "../../yaml/read/node.ts";
import { NONE, scalarText, type YamlTree } from "../../yaml/read/tree.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import type { Source } from "./types.ts";

const FIELDS = ["data", "stringData", "binaryData"] as const;

/**
 * Warns of unquoted values such as `yes`, `on` or `1_000`, which are strings in YAML 1.2 (as rollstamp and kustomize
 * read them) but not in kubectl, of dates, which kustomize rewrites, and of unquoted keys such as `012` or `on`, which kubectl changes. Throws if kubectl
 * reads two keys as one.
 */
export function unquotedFindings({ item, declared }: Source): Finding[] {
  if (declared !== undefined) return [];
  const { tree } = item;
  const findings: Finding[] = [];
  for (const field of FIELDS) {
    const mapping = resolve(tree, get(tree, item.node, field));
    if (mapping === NONE || typeAt(tree.events, mapping) !== EVENT_ID.MAPPING) continue;
    const end = (tree.next[mapping] ?? 0) - 1;
    let merged = false;
    let renamed = false;
    // This loop visits every value of every source, so it creates no object per value.
    for (let keyNode = mapping + 1; keyNode < end;) {
      const valueNode = tree.next[keyNode] ?? end;
      const cause = causeOf(tree, resolve(tree, valueNode));
      if (cause !== undefined)
        findings.push(finding(item, cause, `${field}.${scalarText(tree, resolve(tree, keyNode))}`, valueNode));
      merged ||= isMergeKey(tree, keyNode);
      renamed ||= renamedKey(tree, keyNode) !== undefined;
      keyNode = tree.next[valueNode] ?? end;
    }
    if (merged) for (const found of mergedFindings(item, field, mapping)) findings.push(found);
    if (renamed || merged) for (const found of keyFindings(item, field, mapping)) findings.push(found);
  }
  return findings;
}

/** The keys that kubectl changes. Throws if it reads two keys of the mapping as one. */
function keyFindings(item: Item, field: string, mapping: number): Finding[] {
  const { tree } = item;
  const findings: Finding[] = [];
  const known = new Map<string, string>();
  for (const { key, keyNode } of entriesOf(tree, mapping)) {
    const to = renamedKey(tree, keyNode);
    const name = to ?? key;
    const other = known.get(name);
    if (other !== undefined) throw collidingKeysError(item, keyNode, `${field}.${other}`, `${field}.${key}`, name);
    if (to !== null) known.set(name, key);
    if (to !== undefined) findings.push(keyFinding(item, keyNode, `${field}.${key}`, to));
  }
  return findings;
}

function collidingKeysError(item: Item, keyNode: number, one: string, other: string, name: string): RollstampError {
  return new RollstampError(
    "input",
    `'${one}' and '${other}' of ${describe(item)} are the same key '${name}' in kubectl, which keeps only one of them`,
    { place: placeIn(item, keyNode), remedy: "Put the keys in quotes, or remove one of them." },
  );
}

function keyFinding(item: Item, keyNode: number, field: string, to: string | null): Finding {
  const params = { source: resourceRef(item), key: field };
  const where = locationOf(item, { node: keyNode, field });
  return to === null
    ? { id: "unquoted-key", cause: "rejected", params, ...where }
    : { id: "unquoted-key", cause: "renamed", params: { ...params, to }, ...where };
}

/** Merged values are written elsewhere, but count here too. */
function mergedFindings(item: Item, field: string, mapping: number): Finding[] {
  const { tree } = item;
  const written = new Set(ownEntries(tree, mapping).map(({ keyNode }) => keyNode));
  return entriesOf(tree, mapping).flatMap(({ key, keyNode, valueNode }) => {
    const cause = written.has(keyNode) ? undefined : causeOf(tree, resolve(tree, valueNode));
    return cause === undefined ? [] : finding(item, cause, `${field}.${key}`, valueNode);
  });
}

function finding(item: Item, cause: "source" | "date", field: string, valueNode: number): Finding {
  return {
    id: "unquoted-value",
    cause,
    params: { source: resourceRef(item), key: field },
    resource: resourceRef(item),
    field,
    place: placeOf(item.tree, valueNode),
  };
}

/** Why not all parsers read a value as the string that is written; undefined if they do. */
function causeOf(tree: YamlTree, node: number): "source" | "date" | undefined {
  const { events } = tree;
  if (typeAt(events, node) !== EVENT_ID.SCALAR || styleAt(events, node) !== SCALAR_STYLE.PLAIN) return undefined;
  const start = events.starts[node] ?? NONE;
  // The first character decides for most values. An absent value is not intended as a string.
  if (start < 0 || !/[-+.0-9yYnNoO]/u.test(tree.text.charAt(start)) || isTagged(tree, node)) return undefined;
  const text = scalarText(tree, node);
  if (!isTextToKubectl(text)) return "source";
  return isRewrittenDate(text) ? "date" : undefined;
}

function isTagged(tree: YamlTree, node: number): boolean {
  const event = tree.events.marked.get(node);
  return event?.type === EVENT_ID.SCALAR && event.tagStart >= 0;
}
