import type { Item } from "../../yaml/read/items.ts";
import { entriesOf, itemsOf, kindOf, stringOf } from "../../yaml/read/node.ts";

/** The objects that mention a name, in the order of the input; only the first few. */
export type Mentions = (name: string) => readonly Item[];

/** Which fields of an object are searched. */
export interface MentionFields {
  /** Only fields with these names, including everything below them; undefined: all fields. */
  readonly only?: ReadonlySet<string>;
  /** Fields with a matching path are skipped, including everything below them. */
  readonly without?: RegExp;
  /** Whether names that a colon joins to another word are skipped: a service account, an address, an image. */
  readonly skipsJoined?: true;
}

// Enough to know whether another object mentions a name, and to show an example.
const MOST_ITEMS = 4;

// The characters of a name (RFC 1123). A name may be part of a string, as in --secret-name=shop/web or {{ "web" }}, but
// not part of a word, as env in envFrom.
const NAMES = /(?<![A-Za-z0-9])[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?![A-Za-z0-9])/gu;

// Keys of these fields are chosen by users. In other fields of Kubernetes objects, such a key is a field name.
const FREE_KEYS = /(?:^|\.)(?:data|stringData|binaryData|annotations|labels)$/u;
const FIELD_NAME = /^[a-z][A-Za-z0-9]*$/u;

/** Finds names in the strings of objects. Each string is read once, regardless of the number of names. */
export function indexMentions(items: readonly Item[], names: ReadonlySet<string>, fields: MentionFields): Mentions {
  const found = new Map<string, Item[]>();
  const note = (name: string, item: Item): void => {
    const known = found.get(name);
    if (known === undefined) found.set(name, [item]);
    else if (known.length < MOST_ITEMS && known.at(-1) !== item) known.push(item);
  };
  if (names.size > 0) for (const item of items) walk(item, item.node, "", fields.only === undefined);
  return (name) => found.get(name) ?? [];

  function walk(item: Item, node: number, path: string, counts: boolean): void {
    const { tree } = item;
    switch (kindOf(tree, node)) {
      case "mapping":
        for (const { key, valueNode } of entriesOf(tree, node)) {
          const below = path === "" ? key : `${path}.${key}`;
          if (fields.without?.test(below) !== true) {
            // A key may be a name too: that of a file, or an entry of a list written as a mapping.
            if (counts && !isField(item, path, key)) noteAll(item, key);
            walk(item, valueNode, below, counts || fields.only?.has(key) === true);
          }
        }
        return;
      case "sequence":
        for (const entry of itemsOf(tree, node)) walk(item, entry, path, counts);
        return;
      case "string":
        if (counts) noteAll(item, stringOf(tree, node) ?? "");
        return;
      default:
    }
  }

  function noteAll(item: Item, text: string): void {
    if (names.has(text)) note(text, item);
    else
      for (const { 0: name, index } of text.matchAll(NAMES))
        if (names.has(name) && !(fields.skipsJoined === true && isJoined(text, index, name))) note(name, item);
  }
}

function isJoined(text: string, index: number, name: string): boolean {
  return (
    /[^\s:]:$/u.test(text.slice(Math.max(index - 2, 0), index)) ||
    /^:[^\s:]/u.test(text.slice(index + name.length, index + name.length + 2))
  );
}

function isField({ group }: Item, path: string, key: string): boolean {
  const isBuiltIn = !group.includes(".") || group.endsWith(".k8s.io");
  return isBuiltIn && FIELD_NAME.test(key) && !FREE_KEYS.test(path);
}
