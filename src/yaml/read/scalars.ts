import { boolCoreTag, EVENT_ID, floatCoreTag, intCoreTag, NOT_RESOLVED, nullCoreTag, SCALAR_STYLE } from "js-yaml";
import { styleAt } from "./event-table.ts";
import { taggedValue, binaryText, yamlTag } from "./go-scalars.ts";
import { NONE, scalarText, type YamlTree } from "./tree.ts";

export type ScalarKind = "string" | "null" | "boolean" | "number";

/** The tag of a scalar as it is written; "" if it has none. */
export function tagOf(tree: YamlTree, node: number): string {
  if (tree.events.marked.size === 0) return "";
  const event = tree.events.marked.get(node);
  return event?.type === EVENT_ID.SCALAR ? tree.text.slice(event.tagStart, event.tagEnd) : "";
}

/** The type of a scalar: by its tag, else by YAML 1.2's core schema. */
export function scalarKind(tree: YamlTree, node: number): ScalarKind {
  const tag = tagOf(tree, node);
  if (tag !== "") return kindOfValue(tagged(tree, node, tag));
  if (styleAt(tree.events, node) !== SCALAR_STYLE.PLAIN) return "string";
  const start = tree.events.starts[node] ?? NONE;
  if (start < 0) return "null";
  if (!canBeTyped(tree.text.charCodeAt(start))) return "string";
  return kindOfValue(plainValue(scalarText(tree, node)));
}

function kindOfValue(value: null | boolean | number | string): ScalarKind {
  if (value === null) return "null";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "number" ? "number" : "string";
}

/** The value of a scalar as plain data. */
export function scalarValue(tree: YamlTree, node: number): null | boolean | number | string {
  const tag = tagOf(tree, node);
  if (tag !== "") return tagged(tree, node, tag);
  return styleAt(tree.events, node) === SCALAR_STYLE.PLAIN
    ? plainValue(scalarText(tree, node))
    : scalarText(tree, node);
}

/** The value of a string scalar. For `!!binary`, the decoded string. */
export function stringText(tree: YamlTree, node: number): string {
  const text = scalarText(tree, node);
  return yamlTag(tagOf(tree, node)) === "binary" ? binaryText(text) : text;
}

/** The value of a scalar with a tag. A wrong tag was rejected when the text was parsed. */
function tagged(tree: YamlTree, node: number, tag: string): null | boolean | number | string {
  const name = yamlTag(tag);
  if (name === undefined) return scalarText(tree, node);
  const value = taggedValue(name, scalarText(tree, node));
  return typeof value === "bigint" ? Number(value) : (value ?? null);
}

const TYPED_FIRST = new Set([..."-+.0123456789~nNtTfF"].map((character) => character.charCodeAt(0)));

/**
 * Whether a plain scalar that begins with this character can be something other than a string: a sign, a digit, a dot,
 * or the first letter of null, true and false.
 */
function canBeTyped(first: number): boolean {
  return TYPED_FIRST.has(first);
}

/** The value of a plain scalar by YAML 1.2's core schema. */
function plainValue(text: string): null | boolean | number | string {
  if (text !== "" && !canBeTyped(text.charCodeAt(0))) return text;
  for (const tag of [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag]) {
    const value = tag.resolve(text, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value;
  }
  return text;
}
