import {
  boolYaml11Tag,
  EVENT_ID,
  floatYaml11Tag,
  intYaml11Tag,
  NOT_RESOLVED,
  SCALAR_STYLE,
  timestampTag,
} from "js-yaml";
import { styleAt, typeAt } from "../manifest/event-table.ts";
import { describe, placeOf, type Item } from "../manifest/items.ts";
import { get, resolve } from "../manifest/node.ts";
import { NONE, scalarText, type YamlTree } from "../manifest/tree.ts";
import { resourceRef, type Finding } from "../results/findings.ts";

const FIELDS = ["data", "stringData"] as const;

/**
 * Warns of bare values such as `yes`, `on` or `1_000`: text by YAML 1.2, which rollstamp and
 * kustomize follow for them, but no text by YAML 1.1, which kubectl follows.
 */
export function unquotedFindings(item: Item): Finding[] {
  const { tree } = item;
  const findings: Finding[] = [];
  for (const field of FIELDS) {
    const mapping = resolve(tree, get(tree, item.node, field));
    if (mapping === NONE || typeAt(tree.events, mapping) !== EVENT_ID.MAPPING) continue;
    const end = (tree.next[mapping] ?? 0) - 1;
    // Every value of every source is looked at: without an object for each.
    for (let keyNode = mapping + 1; keyNode < end;) {
      const valueNode = tree.next[keyNode] ?? end;
      if (isOtherInYaml11(tree, resolve(tree, valueNode))) findings.push(finding(item, field, keyNode, valueNode));
      keyNode = tree.next[valueNode] ?? end;
    }
  }
  return findings;
}

function finding(item: Item, field: string, keyNode: number, valueNode: number): Finding {
  const { tree } = item;
  const key = scalarText(tree, resolve(tree, keyNode));
  return {
    rule: "unquoted-value",
    severity: "warning",
    message: `the value of '${field}.${key}' of ${describe(item)} is not in quotes, and YAML 1.1, which kubectl reads, takes it for something else than text`,
    remedy: "Put the value in quotes.",
    resource: resourceRef(item),
    field: `${field}.${key}`,
    place: placeOf(tree, valueNode),
  };
}

const LONGEST = 40;
const YAML11_TAGS = [boolYaml11Tag, intYaml11Tag, floatYaml11Tag, timestampTag] as const;

function isOtherInYaml11(tree: YamlTree, node: number): boolean {
  const { events } = tree;
  if (typeAt(events, node) !== EVENT_ID.SCALAR || styleAt(events, node) !== SCALAR_STYLE.PLAIN) return false;
  const start = events.starts[node] ?? NONE;
  // Most values are told by their first character, without a text of their own.
  if (start < 0 || !/[-+.0-9yYnNoOtTfF]/u.test(tree.text.charAt(start)) || isTagged(tree, node)) return false;
  const text = scalarText(tree, node);
  // Sexagesimal numbers, such as 12:30, are text to Go's reader: it is the one that counts.
  if (text.length > LONGEST || /^[-+]?[0-9_]+(?::[0-9]+)+/u.test(text)) return false;
  return YAML11_TAGS.some((tag) => tag.resolve(text, false, tag.tagName) !== NOT_RESOLVED);
}

function isTagged(tree: YamlTree, node: number): boolean {
  const event = tree.events.marked.get(node);
  return event?.type === EVENT_ID.SCALAR && event.tagStart >= 0;
}
