import { SCALAR_STYLE, EVENT_ID } from "js-yaml";
import { RollstampError } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { keysOf } from "./each-mapping.ts";
import { eventAt, styleAt, typeAt } from "./event-table.ts";
import { kubectlValue, taggedValue, kubectlKey, yamlTag } from "./go-scalars.ts";
import { isMergeKey, itemsOf, kindOf, resolve, entriesOf, toJson, type Json } from "./node.ts";
import { stringText, tagOf, scalarValue } from "./scalars.ts";
import { NONE, readTree, scalarText, type YamlTree } from "./tree.ts";

/** Thrown for what kubectl rejects and rollstamp accepts. */
export class RefusedByKubectl extends Error {}

/** Thrown if two keys become the same for kubectl: it iterates over a Go map, so either may win. */
export class CollidingKeys extends Error {}

/** A node as the JSON that kubectl makes from it. */
export function kubectlView(tree: YamlTree, given: number): unknown {
  const node = resolve(tree, given);
  switch (kindOf(tree, node)) {
    case "mapping":
      return Object.fromEntries(mappingView(tree, node));
    case "sequence":
      return itemsOf(tree, node).map((item) => kubectlView(tree, item));
    default:
      return scalarView(tree, node);
  }
}

/** Keys are read in order: a `<<` overrides the keys before it. */
function mappingView(tree: YamlTree, mapping: number): Map<string, unknown> {
  const view = new Map<string, unknown>();
  const written = new Map<string, string>();
  for (const keyNode of keysOf(tree, mapping)) {
    const value = tree.next[keyNode] ?? NONE;
    if (isMergeKey(tree, keyNode)) {
      const sources = kindOf(tree, value) === "sequence" ? itemsOf(tree, value).toReversed() : [value];
      for (const source of sources) {
        if (kindOf(tree, source) !== "mapping") throw new RefusedByKubectl("a merge of something other than a mapping");
        for (const [key, merged] of mappingView(tree, resolve(tree, source))) view.set(key, merged);
      }
      continue;
    }
    const renamed = renamedKey(tree, keyNode);
    if (renamed === null) throw new RefusedByKubectl("a key that is null");
    const text = scalarText(tree, resolve(tree, keyNode));
    const key = renamed ?? text;
    if ((written.get(key) ?? text) !== text) throw new CollidingKeys(key);
    written.set(key, text);
    view.set(key, kubectlView(tree, value));
  }
  return view;
}

function scalarView(tree: YamlTree, node: number): unknown {
  const text = scalarText(tree, node);
  const tag = tagOf(tree, node);
  const name = yamlTag(tag);
  if (name === "binary") return stringText(tree, node);
  const isPlain = styleAt(tree.events, node) === SCALAR_STYLE.PLAIN && eventAt(tree.events, node) !== undefined;
  const value =
    tag !== "" ? (name === undefined ? text : taggedValue(name, text)) : isPlain ? kubectlValue(text) : text;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number" && !Number.isFinite(value))
    throw new RefusedByKubectl("a number that JSON does not have");
  return value;
}

/** The documents of YAML as kubectl reads them. Throws a RollstampError. */
export function kubectlDocuments(text: string, file: string, limits: Limits): Json[] {
  const tree = readTree(text, file, limits);
  return tree.documents.map((root) => kubectlJson(tree, root));
}

/** A node as plain data, as kubectl and helm read it: `yes` is true. Throws for a null key, and for values that JSON does not have. */
export function kubectlJson(tree: YamlTree, node: number): Json {
  return jsonOf(tree, node, () => {
    throw new RollstampError("input", "a key is null, which kubectl and helm reject");
  });
}

/** A part of a manifest as it is applied: `0644` is 420. A null key, with which kubectl rejects the manifest, stays as written. */
export function appliedJson(tree: YamlTree, node: number): Json {
  return jsonOf(tree, node, (key) => key);
}

function jsonOf(tree: YamlTree, node: number, keyOfNull: (key: string) => string): Json {
  const resolved = resolve(tree, node);
  switch (kindOf(tree, resolved)) {
    case "mapping": {
      const object = Object.create(null) as { [key: string]: Json };
      for (const { key, keyNode, valueNode } of entriesOf(tree, resolved)) {
        const renamed = renamedKey(tree, keyNode);
        object[renamed === null ? keyOfNull(key) : (renamed ?? key)] = jsonOf(tree, valueNode, keyOfNull);
      }
      return object;
    }
    case "sequence":
      return itemsOf(tree, resolved).map((item) => jsonOf(tree, item, keyOfNull));
    default: {
      if (!isOtherToKubectl(tree, resolved)) return toJson(tree, resolved);
      const value = kubectlValue(scalarText(tree, resolved));
      return typeof value === "bigint" ? Number(value) : value;
    }
  }
}

/** The key that kubectl makes from a key of a mapping, if it differs from ours; null if kubectl rejects it. */
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

/** True for a scalar with a different value for kubectl. */
function isOtherToKubectl(tree: YamlTree, node: number): boolean {
  if (!canDiffer(tree, node) || tagOf(tree, node) !== "") return false;
  const theirs = kubectlValue(scalarText(tree, node));
  return !Object.is(scalarValue(tree, node), typeof theirs === "bigint" ? Number(theirs) : theirs);
}

/** The first character decides for most scalars, without decoding them. */
function canDiffer(tree: YamlTree, node: number): boolean {
  const { events } = tree;
  if (typeAt(events, node) !== EVENT_ID.SCALAR) return false;
  const start = events.starts[node] ?? NONE;
  if (tagOf(tree, node) !== "") return true;
  if (styleAt(events, node) !== SCALAR_STYLE.PLAIN) return false;
  return start < 0 || /[-+.~0-9yYnNoOtTfF]/u.test(tree.text.charAt(start));
}
