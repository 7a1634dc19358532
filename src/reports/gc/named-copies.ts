import { addTo } from "../../base/grouped.ts";
import { objectKey } from "../../base/identity.ts";
import type { ObjectName } from "../../base/names.ts";
import { fieldsOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

// An object uses a copy if the name of the copy is a word of any string in it. References are found in this way in every
// kind, and also names in arguments of programs, in revisions and in annotations: a copy that is kept without need costs
// little, and a deleted one stops pods.

type Named = { readonly namespace: string; readonly name: string };

/** How many of the objects that name a copy are reported. */
const MOST_USERS = 5;

/** Copies by their names, with the objects that name them. */
export class NamedCopies<T extends Named> {
  readonly #byName = new Map<string, T[]>();
  readonly #users = new Map<T, Map<string, ObjectName>>();

  readonly #shortest: number;

  constructor(copies: readonly T[]) {
    let shortest = Infinity;
    for (const copy of copies) {
      addTo(this.#byName, copy.name, copy);
      shortest = Math.min(shortest, copy.name.length);
    }
    this.#shortest = shortest;
  }

  /** Finds the copies that an object names. References do not leave their namespace; "" is a cluster-scoped object. */
  add(object: Json, user: ObjectName): void {
    for (const copy of this.#copiesIn(object)) {
      if (user.namespace !== "" && user.namespace !== copy.namespace) continue;
      const users = this.#users.get(copy) ?? new Map<string, ObjectName>();
      this.#users.set(copy, users);
      if (users.size < MOST_USERS) users.set(objectKey(user), user);
    }
  }

  /** The first objects that name a copy. */
  usersOf(copy: T): readonly ObjectName[] {
    return [...(this.#users.get(copy)?.values() ?? [])];
  }

  #copiesIn(object: Json): ReadonlySet<T> {
    const found = new Set<T>();
    for (const text of textsIn(object)) {
      // Most strings of a pod are too short to have a name in them.
      if (text.length < this.#shortest) continue;
      for (const word of wordsIn(text)) for (const copy of this.#byName.get(word) ?? []) found.add(copy);
    }
    return found;
  }
}

const NAME = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/u;

/** Whether a value can be the name of an object, so that it can be found as a word and written into a path. */
export function isName(value: Json | undefined): value is string {
  return typeof value === "string" && value.length <= 253 && NAME.test(value);
}

// The beginning of names, up to what cannot be in one. Letters and digits end it, so the dot of a sentence does not count.
const WORD = /[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?/gu;
// JSON in a string, such as last-applied-configuration, may have these in front of a name.
const ESCAPE = /\\(?:[bfnrt]|u[0-9a-fA-F]{4})/gu;

function* wordsIn(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) yield word;
  if (!text.includes("\\")) return;
  for (const [word] of text.replace(ESCAPE, " ").matchAll(WORD)) yield word;
}

/** The strings and keys of an object. managedFields are left out: they have the names of fields, not of objects. */
function* textsIn(object: Json): Generator<string> {
  const { metadata, ...rest } = fieldsOf(object);
  const { managedFields: _, ...kept } = fieldsOf(metadata);
  const open: Json[] = [rest, kept];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === "string") yield value;
    else if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (typeof value === "object" && value !== null)
      for (const [key, field] of Object.entries(value)) {
        yield key;
        open.push(field);
      }
  }
}
