import type { Item } from "../../yaml/read/items.ts";
import { entriesOf, itemsOf, kindOf, stringOf } from "../../yaml/read/node.ts";

/** The objects of which some text names something, in the order of the input; a few of them, where there are many. */
export type Mentions = (name: string) => readonly Item[];

/** Which fields of an object are looked at. */
export interface MentionFields {
  /** Fields with such a name, and all below them; undefined: all. */
  readonly only?: ReadonlySet<string>;
  /** Fields whose path this matches are left out, with all below them. */
  readonly without?: RegExp;
}

// Nobody asks for more: whether it is named at all, by another than itself, and by which to begin with.
const MOST_ITEMS = 4;

// What a name is made of (RFC 1123): it may stand within a text, as in --secret-name=shop/web or {{ "web" }}; but not
// within a word, as env in envFrom.
const NAMES = /(?<![A-Za-z0-9])[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?![A-Za-z0-9])/gu;

// The keys of these are the user's; any other that is spelt so in an object of Kubernetes itself is the name of a field.
const FREE_KEYS = /(?:^|\.)(?:data|stringData|binaryData|annotations|labels)$/u;
const FIELD_NAME = /^[a-z][A-Za-z0-9]*$/u;

/** Looks for names in the texts of objects: each text is read once, however many names are asked for. */
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
            // A name may be a key, as that of a file or of a list that is a mapping.
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
    else for (const [name] of text.matchAll(NAMES)) if (names.has(name)) note(name, item);
  }
}

function isField({ group }: Item, path: string, key: string): boolean {
  const isBuiltIn = !group.includes(".") || group.endsWith(".k8s.io");
  return isBuiltIn && FIELD_NAME.test(key) && !FREE_KEYS.test(path);
}
