import { DECLARED_KEY } from "../digest/hash-v1.ts";
import type { ChangedKeys } from "../sources/changed-keys.ts";
import type { Source } from "../sources/types.ts";
import { wordFor } from "../ground/words.ts";

/** What tells a source from every other of its input. */
export function sourceId({ item, provides }: Source): string {
  return `${item.group}/${item.kind}/${item.name}/${provides.kind}/${provides.namespace}/${provides.name}`;
}

const MOST_NAMED = 8;

/** `'a' and 'b' change, 'c' is new`: the keys by which two contents differ, never their values. */
export function changesInWords(keys: ChangedKeys): string {
  const named = (list: readonly string[], one: string, many: string): string[] =>
    list.length === 0 ? [] : [`${names(list)} ${wordFor(list.length, one, many)}`];
  return [
    ...named(keys.changed, "differs", "differ"),
    ...named(keys.added, "is new", "are new"),
    ...named(keys.removed, "is gone", "are gone"),
  ].join(", ");
}

function names(list: readonly string[]): string {
  const shown = list.slice(0, MOST_NAMED).map((key) => (key === DECLARED_KEY ? "its declaration" : `'${key}'`));
  const more = list.length > MOST_NAMED ? [`${list.length - MOST_NAMED} more`] : [];
  const all = [...shown, ...more];
  return all.length === 1 ? (all[0] ?? "") : `${all.slice(0, -1).join(", ")} and ${all.at(-1) ?? ""}`;
}
