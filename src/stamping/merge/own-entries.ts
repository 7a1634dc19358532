import { workloadKey } from "../../base/identity.ts";
import { COLLECTION_STYLE, EVENT_ID, SCALAR_STYLE } from "js-yaml";
import { RESTARTED_AT, WAITING } from "../../base/keys.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { lineEnd, lineStart } from "../../yaml/edit/lines.ts";
import { styleAt, typeAt } from "../../yaml/read/event-table.ts";
import { endOf, get, getString, itemsOf, kindOf, ownEntries, startOf, type Entry } from "../../yaml/read/node.ts";
import { NONE, scalarText, type YamlTree } from "../../yaml/read/tree.ts";

/** True for the keys that only rollstamp writes, which never conflict. */
export function isOwnKey(key: string): boolean {
  return key === RESTARTED_AT || key === WAITING || isStampKey(key);
}

/** An entry of ours in one version of a file. */
export interface OwnEntry {
  readonly key: string;
  readonly value: string;
  /** The key and the value as they are written. */
  readonly written: string;
  /** The text after it in its line: a comment of the user. None in flow style. */
  readonly comment: string;
  readonly isBlock: boolean;
  /** The nearest entry before it that is not ours; undefined if there is none. */
  readonly behind: string | undefined;
}

/** A mapping of annotations, or a null in its place. */
export interface AnnotationMap {
  /** Its object, and the path from there. */
  readonly id: string;
  /** The object or list item that it belongs to. */
  readonly object: string;
  /** What identifies it: its object, and the items of lists on the way, the last of which is `object`. */
  readonly owners: readonly string[];
  readonly path: readonly string[];
  readonly node: number;
  /** The mapping that contains it as a value, and the entry. */
  readonly parent: number;
  readonly entry: Entry;
  /** The entry whose value is that mapping. */
  readonly above: Entry | undefined;
}

/** The places of our entries in a tree, and its objects. */
export interface AnnotationMaps {
  readonly byId: ReadonlyMap<string, AnnotationMap>;
  /** The node of each object and of each item of a list. */
  readonly objects: ReadonlyMap<string, number>;
  /** Those that only their position identifies, which may be another object's in another version of the file. */
  readonly unsure: ReadonlySet<string>;
}

/** Whether an object of a tree, or an item of a list, is identified by its name, also in other versions of the file. */
export function isIdentified({ objects, unsure }: AnnotationMaps, { owners }: AnnotationMap): boolean {
  return owners.every((owner) => objects.has(owner) && !unsure.has(owner));
}

// A custom kind may have the annotations of its pods under another name: podAnnotations.
const ANNOTATIONS = /annotations$/iu;

// No pod template is deeper in its object. Each level makes every path below it longer.
const DEEPEST = 50;

/** Finds the mappings of annotations of all objects in a tree. */
export function annotationMaps(tree: YamlTree): AnnotationMaps {
  const byId = new Map<string, AnnotationMap>();
  const objects = new Map<string, number>();
  const unsure = new Set<string>();
  const counts = new Map<string, number>();
  const added = (name: string, node: number): string => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const id = count === 1 ? name : `${name}\n${count}`;
    if (count > 1) unsure.add(name).add(id);
    objects.set(id, node);
    return id;
  };
  const visit = (node: number, above: readonly string[], from: readonly string[], entryAbove?: Entry): void => {
    if (above.length + from.length > DEEPEST) return;
    switch (typeAt(tree.events, node)) {
      case EVENT_ID.SEQUENCE:
        itemsOf(tree, node).forEach((item, i) => {
          if (typeAt(tree.events, item) === EVENT_ID.SCALAR) return;
          const name = getString(tree, item, "name") ?? getString(tree, item, "groupName");
          const owner = added(`${above.at(-1) ?? ""}\n${JSON.stringify([...from, name ?? i])}`, item);
          if (name === undefined) unsure.add(owner);
          visit(item, [...above, owner], []);
        });
        return;
      case EVENT_ID.MAPPING:
        break;
      default:
        return;
    }
    const identity = identityOf(tree, node);
    const owners = identity === undefined ? above : [added(identity, node)];
    const object = owners.at(-1) ?? "";
    for (const entry of ownEntries(tree, node)) {
      const { key, valueNode } = entry;
      const kind = ANNOTATIONS.test(key) && !isAlias(tree, valueNode) ? kindOf(tree, valueNode) : "none";
      const path = identity === undefined ? [...from, key] : [key];
      if (kind === "mapping" || kind === "null") {
        const id = JSON.stringify([object, ...path]);
        byId.set(id, { id, object, owners, path, node: valueNode, parent: node, entry, above: entryAbove });
      }
      if (kind === "none") visit(valueNode, owners, path, entry);
    }
  };
  tree.documents.forEach((root, i) => {
    const name = added(`document ${i}`, root);
    if (tree.documents.length > 1) unsure.add(name);
    visit(root, [name], []);
  });
  return { byId, objects, unsure };
}

/** The identity of an object. The version of its API may differ between branches. */
function identityOf(tree: YamlTree, node: number): string | undefined {
  const [kind, apiVersion] = [getString(tree, node, "kind"), getString(tree, node, "apiVersion")];
  if (kind === undefined || apiVersion === undefined) return undefined;
  // References to objects have a kind, too, such as scaleTargetRef.
  if (get(tree, node, "metadata") === NONE) return undefined;
  const name = getString(tree, node, "metadata", "name") ?? getString(tree, node, "metadata", "generateName") ?? "";
  return workloadKey({ apiVersion, kind, name }, getString(tree, node, "metadata", "namespace"));
}

function isAlias(tree: YamlTree, node: number): boolean {
  return typeAt(tree.events, node) === EVENT_ID.ALIAS;
}

/** Our entries in a mapping of annotations, with their positions. */
export function ownEntriesIn(
  tree: YamlTree,
  { node }: AnnotationMap,
): { readonly ownEntry: OwnEntry; readonly entry: Entry }[] {
  const isBlock = styleAt(tree.events, node) !== COLLECTION_STYLE.FLOW;
  let behind: string | undefined;
  const all = ownEntries(tree, node);
  return all.flatMap((entry, i) => {
    const { key, valueNode } = entry;
    if (!isOwnKey(key) || !isPlainEntry(tree, entry, isBlock) || (!isBlock && hasComment(tree, node, all, i))) {
      behind = key;
      return [];
    }
    const end = endOf(tree, valueNode);
    const written = tree.text.slice(startOf(tree, entry.keyNode), end);
    const comment = isBlock ? tree.text.slice(end, lineEnd(tree, end)) : "";
    return [{ ownEntry: { key, value: scalarText(tree, valueNode), written, comment, isBlock, behind }, entry }];
  });
}

/** Whether a user's comment is before or after an entry of a flow mapping: it would be removed with the entry. */
function hasComment(tree: YamlTree, node: number, all: readonly Entry[], i: number): boolean {
  const [before, entry, next] = [all[i - 1], all[i], all[i + 1]];
  if (entry === undefined) return false;
  const gaps = [
    tree.text.slice(
      before === undefined ? startOf(tree, node) : endOf(tree, before.valueNode),
      startOf(tree, entry.keyNode),
    ),
    tree.text.slice(endOf(tree, entry.valueNode), next === undefined ? endOf(tree, node) : startOf(tree, next.keyNode)),
  ];
  return gaps.some((gap) => gap.includes("#"));
}

/** An entry with a simple value that has its lines for itself. Other forms are content. */
function isPlainEntry(tree: YamlTree, { keyNode, valueNode }: Entry, isBlock: boolean): boolean {
  const { events, text } = tree;
  if (events.marked.has(keyNode) || events.marked.has(valueNode) || kindOf(tree, valueNode) !== "string") return false;
  const style = styleAt(events, valueNode);
  if (style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK) return false;
  const start = startOf(tree, keyNode);
  return !isBlock || /^[ \t]*$/u.test(text.slice(lineStart(tree, start), start));
}

/** The node at a path of keys from an object, as far as the path exists. */
export function walkTo(
  tree: YamlTree,
  from: number,
  path: readonly string[],
): { readonly node: number; readonly entry: Entry | undefined; readonly rest: readonly string[] } {
  let node = from;
  let entry: Entry | undefined;
  for (const [i, key] of path.entries()) {
    const next = ownEntries(tree, node).find((each) => each.key === key);
    if (next === undefined || isAlias(tree, next.valueNode)) return { node, entry, rest: path.slice(i) };
    entry = next;
    node = next.valueNode;
  }
  return { node, entry, rest: [] };
}
