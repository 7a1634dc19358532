import { EVENT_ID, SCALAR_STYLE } from "js-yaml";
import { styleAt, typeAt } from "./event-table.ts";
import { kubectlKey, kubectlValue, taggedValue } from "./go-scalars.ts";
import { isMergeKey, resolve } from "./node.ts";
import { scalarValue, stringText, tagOf } from "./scalars.ts";
import { yamlTag } from "./tags.ts";
import { NONE, scalarText, type YamlTree } from "./tree.ts";

/** The key that kubectl makes of a mapping's key, where it is another one than ours; null where it refuses it. */
export function renamedKey(tree: YamlTree, keyNode: number): string | null | undefined {
  const node = resolve(tree, keyNode);
  if (!canDiffer(tree, node)) return undefined;
  const text = scalarText(tree, node);
  const tag = tagOf(tree, node);
  const name = yamlTag(tag);
  if (name === "binary") return stringText(tree, node) === text ? undefined : stringText(tree, node);
  const value = tag === "" ? kubectlValue(text) : name === undefined ? text : taggedValue(name, text);
  const key = kubectlKey(value ?? null);
  if (key === undefined) return null;
  return key === text ? undefined : key;
}

/** True for a scalar that is something else to kubectl than it is to rollstamp. */
export function isOtherToKubectl(tree: YamlTree, node: number): boolean {
  if (!canDiffer(tree, node) || tagOf(tree, node) !== "") return false;
  const theirs = kubectlValue(scalarText(tree, node));
  return !Object.is(scalarValue(tree, node), typeof theirs === "bigint" ? Number(theirs) : theirs);
}

/** Most scalars are told by their first character, without a text of their own. */
function canDiffer(tree: YamlTree, node: number): boolean {
  const { events } = tree;
  if (typeAt(events, node) !== EVENT_ID.SCALAR) return false;
  const start = events.starts[node] ?? NONE;
  if (tagOf(tree, node) !== "") return true;
  if (styleAt(events, node) !== SCALAR_STYLE.PLAIN) return false;
  return start < 0 || /[-+.~0-9yYnNoOtTfF]/u.test(tree.text.charAt(start));
}

/** A scalar within a node that is something else to kubectl. */
export interface OtherScalar {
  readonly node: number;
  /** The steps to it from the node that was looked at; a list's element is its index in brackets. */
  readonly path: readonly string[];
  /** Of a key: what kubectl makes of it, null where it refuses it. */
  readonly renamed?: string | null;
}

/** The scalars of a node, keys too, that are something else to kubectl than to rollstamp. */
export function otherScalars(tree: YamlTree, root: number): OtherScalar[] {
  const found: OtherScalar[] = [];
  const node = resolve(tree, root);
  const marked = markedIn(tree, node);
  if (marked.length > 0) collect(tree, node, [], { found, marked });
  return found;
}

interface Collected {
  readonly found: OtherScalar[];
  /** What is to be looked at below the node whose text is gone over: nothing else is. */
  readonly marked: readonly number[];
}

function collect(tree: YamlTree, node: number, path: readonly string[], into: Collected): void {
  const { found, marked } = into;
  const next = tree.next[node] ?? 0;
  if (!hasOneIn(marked, node, next)) return;
  const type = typeAt(tree.events, node);
  if (type === EVENT_ID.SCALAR) {
    if (isOtherToKubectl(tree, node)) found.push({ node, path });
    return;
  }
  const end = next - 1;
  const below = (child: number, inner: readonly string[]): void => {
    const target = resolve(tree, child);
    if (target === child) return collect(tree, child, inner, into);
    // What an alias stands for is elsewhere in the text.
    const others = markedIn(tree, target);
    if (others.length > 0) collect(tree, target, inner, { found, marked: others });
  };
  for (let child = node + 1, index = 0; child < end; index += 1) {
    if (type === EVENT_ID.SEQUENCE) {
      below(child, [...path, `[${index}]`]);
    } else {
      const inner = [...path, scalarText(tree, resolve(tree, child))];
      const renamed = isMergeKey(tree, child) ? undefined : renamedKey(tree, child);
      if (renamed !== undefined) found.push({ node: child, path: inner, renamed });
      child = tree.next[child] ?? end;
      below(child, inner);
    }
    child = tree.next[child] ?? end;
  }
}

/** The aliases of a node and such scalars, in the order of the text: hardly any has one. */
function markedIn(tree: YamlTree, node: number): number[] {
  const marked: number[] = [];
  const end = tree.next[node] ?? 0;
  for (let at = node; at < end; at++) {
    if (typeAt(tree.events, at) === EVENT_ID.ALIAS) marked.push(at);
    else if (canDiffer(tree, at) && (isOtherToKubectl(tree, at) || renamedKey(tree, at) !== undefined)) marked.push(at);
  }
  return marked;
}

/** Whether one of some nodes, in order, is in a part of the text. */
function hasOneIn(nodes: readonly number[], from: number, to: number): boolean {
  let [low, high] = [0, nodes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((nodes[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return (nodes[low] ?? to) < to;
}
