import { SCALAR_STYLE } from "js-yaml";
import { RollstampError } from "../../base/errors.ts";
import { keysOf } from "./each-mapping.ts";
import { eventAt, styleAt } from "./event-table.ts";
import { kubectlValue, taggedValue } from "./go-scalars.ts";
import { renamedKey, isOtherToKubectl } from "./kubectl-scalars.ts";
import { isMergeKey, itemsOf, kindOf, resolve, entriesOf, toJson, type Json } from "./node.ts";
import { stringText, tagOf } from "./scalars.ts";
import { yamlTag } from "./tags.ts";
import { NONE, scalarText, type YamlTree } from "./tree.ts";

/** Thrown for what kubectl refuses and rollstamp takes. */
export class RefusedByKubectl extends Error {}

/** Thrown where kubectl keeps either of two keys that become one: it goes over a map of Go's, whose order is chance. */
export class LeftToChance extends Error {}

/** A node as the JSON that kubectl makes of it. */
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

/** One key after another: a `<<` overrides what stands before it. */
function mappingView(tree: YamlTree, mapping: number): Map<string, unknown> {
  const view = new Map<string, unknown>();
  const written = new Map<string, string>();
  for (const keyNode of keysOf(tree, mapping)) {
    const value = tree.next[keyNode] ?? NONE;
    if (isMergeKey(tree, keyNode)) {
      const sources = kindOf(tree, value) === "sequence" ? itemsOf(tree, value).toReversed() : [value];
      for (const source of sources) {
        if (kindOf(tree, source) !== "mapping") throw new RefusedByKubectl("a merge of no mapping");
        for (const [key, merged] of mappingView(tree, resolve(tree, source))) view.set(key, merged);
      }
      continue;
    }
    const renamed = renamedKey(tree, keyNode);
    if (renamed === null) throw new RefusedByKubectl("a key that is null");
    const text = scalarText(tree, resolve(tree, keyNode));
    const key = renamed ?? text;
    if ((written.get(key) ?? text) !== text) throw new LeftToChance(key);
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
  if (typeof value === "number" && !Number.isFinite(value)) throw new RefusedByKubectl("no number of JSON");
  return value;
}

/** The node as plain data, as kubectl and helm read it: `yes` is true there. Throws for what JSON can't hold. */
export function kubectlJson(tree: YamlTree, node: number): Json {
  const at = resolve(tree, node);
  switch (kindOf(tree, at)) {
    case "mapping": {
      const object = Object.create(null) as { [key: string]: Json };
      for (const { key, keyNode, valueNode } of entriesOf(tree, at)) {
        const renamed = renamedKey(tree, keyNode);
        if (renamed === null) throw new RollstampError("input", "a key is null, which kubectl and helm don't take");
        object[renamed ?? key] = kubectlJson(tree, valueNode);
      }
      return object;
    }
    case "sequence":
      return itemsOf(tree, at).map((item) => kubectlJson(tree, item));
    default: {
      if (!isOtherToKubectl(tree, at)) return toJson(tree, at);
      const value = kubectlValue(scalarText(tree, at));
      return typeof value === "bigint" ? Number(value) : value;
    }
  }
}
