import { EVENT_ID, SCALAR_STYLE } from "js-yaml";
import { styleAt, typeAt } from "../manifest/event-table.ts";
import { isTextToKubectl } from "../manifest/go-scalars.ts";
import { placeOf, type Item } from "../manifest/items.ts";
import { entriesOf, get, isMergeKey, ownEntries, resolve } from "../manifest/node.ts";
import { NONE, scalarText, type YamlTree } from "../manifest/tree.ts";
import type { Finding } from "../findings/finding.ts";
import { resourceRef } from "../results/location.ts";

const FIELDS = ["data", "stringData"] as const;

/**
 * Warns of bare values such as `yes`, `on` or `1_000`: text by YAML 1.2, which rollstamp and
 * kustomize follow for them, but no text to kubectl.
 */
export function unquotedFindings(item: Item): Finding[] {
  const { tree } = item;
  const findings: Finding[] = [];
  for (const field of FIELDS) {
    const mapping = resolve(tree, get(tree, item.node, field));
    if (mapping === NONE || typeAt(tree.events, mapping) !== EVENT_ID.MAPPING) continue;
    const end = (tree.next[mapping] ?? 0) - 1;
    let merged = false;
    // Every value of every source is looked at: without an object for each.
    for (let keyNode = mapping + 1; keyNode < end;) {
      const valueNode = tree.next[keyNode] ?? end;
      if (!isText(tree, resolve(tree, valueNode)))
        findings.push(finding(item, field, scalarText(tree, resolve(tree, keyNode)), valueNode));
      merged ||= isMergeKey(tree, keyNode);
      keyNode = tree.next[valueNode] ?? end;
    }
    if (merged) findings.push(...mergedFindings(item, field, mapping));
  }
  return findings;
}

/** What a merge brings stands elsewhere, and counts here all the same. */
function mergedFindings(item: Item, field: string, mapping: number): Finding[] {
  const { tree } = item;
  const own = new Set(ownEntries(tree, mapping).map(({ keyNode }) => keyNode));
  return entriesOf(tree, mapping)
    .filter(({ keyNode, valueNode }) => !own.has(keyNode) && !isText(tree, resolve(tree, valueNode)))
    .map(({ key, valueNode }) => finding(item, field, key, valueNode));
}

function finding(item: Item, field: string, key: string, valueNode: number): Finding {
  const { tree } = item;
  return {
    id: "unquoted-value",
    cause: "unquoted",
    params: { source: resourceRef(item), key: `${field}.${key}` },
    resource: resourceRef(item),
    field: `${field}.${key}`,
    place: placeOf(tree, valueNode),
  };
}

function isText(tree: YamlTree, node: number): boolean {
  const { events } = tree;
  if (typeAt(events, node) !== EVENT_ID.SCALAR || styleAt(events, node) !== SCALAR_STYLE.PLAIN) return true;
  const start = events.starts[node] ?? NONE;
  // Most values are told by their first character, without a text of their own. No value at all is not meant as text.
  if (start < 0 || !/[-+.0-9yYnNoO]/u.test(tree.text.charAt(start)) || isTagged(tree, node)) return true;
  return isTextToKubectl(scalarText(tree, node));
}

function isTagged(tree: YamlTree, node: number): boolean {
  const event = tree.events.marked.get(node);
  return event?.type === EVENT_ID.SCALAR && event.tagStart >= 0;
}
