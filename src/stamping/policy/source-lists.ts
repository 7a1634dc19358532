import { EXCLUDE, SOURCES } from "../../base/keys.ts";
import { readText, wrongAnnotation } from "../../yaml/read/annotation-values.ts";
import type { Item } from "../../yaml/read/items.ts";
import {
  excludesOf,
  namedSources,
  type Excludes,
  type NamedSource,
  type Refuse,
} from "../../kubernetes/sources/source-lists.ts";

/** The sources that `rollstamp.dev/sources` names. Throws for a malformed list. */
export function readNamedSources(item: Item): NamedSource[] {
  return namedSources(readList(item, SOURCES), item.tree.limits.name, refusing(item, SOURCES));
}

/** Reads `rollstamp.dev/exclude`. Throws for a malformed list. */
export function readExcludes(item: Item): Excludes {
  return excludesOf(readList(item, EXCLUDE), item.tree.limits.expression, refusing(item, EXCLUDE));
}

function refusing(item: Item, key: string): Refuse {
  return (problem, remedy) => wrongAnnotation(item, key, problem, remedy(", with commas between them"));
}

function readList(item: Item, key: string): string[] {
  const text = readText(item, key);
  return text === undefined || text.trim() === "" ? [] : text.split(",");
}
