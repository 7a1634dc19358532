import { VERSION_OF } from "../../base/keys.ts";
import { objectKey } from "../../base/identity.ts";
import { isHelmHook, labelsOf, type Item } from "../../yaml/read/items.ts";
import type { Source } from "./types.ts";

// Copies of sources that pod templates name instead of the source: layout Versioned, contract, section 10.

/** The characters of a digest in the name of a copy. */
export const COPY_DIGITS = 10;

/** A copy of a source in the input: it is not a source of its own. */
export interface Copy {
  /** The object of the copy, read like a source. */
  readonly source: Source;
  /** The source that it is a copy of. */
  readonly original: Source;
  /** The part of its name that is the beginning of a digest. */
  readonly digits: string;
}

// Most names have none, and this search is faster.
const HAS_DIGITS = new RegExp(`-[0-9a-f]{${COPY_DIGITS}}(?:-|$)`, "u");

// kustomize may append a suffix of an overlay.
const DIGITS = new RegExp(`-([0-9a-f]{${COPY_DIGITS}})(?=-|$)`, "gu");

/** The name of the source and the digits in the name of a copy; undefined for a name without digits. */
export function partsOfCopyName(name: string): { readonly name: string; readonly digits: string } | undefined {
  if (!HAS_DIGITS.test(name)) return undefined;
  const last = [...name.matchAll(DIGITS)].at(-1);
  if (last?.[1] === undefined || last.index === 0) return undefined;
  return { name: name.slice(0, last.index) + name.slice(last.index + last[0].length), digits: last[1] };
}

/** Whether an object has the label of copies and a name like one. Most names have no digits, so labels are rarely read. */
export function isMarkedCopy(item: Item): boolean {
  return partsOfCopyName(item.name) !== undefined && labelsOf(item).has(VERSION_OF);
}

/** Separates the copies among sources from the others. A marked object without its source in the input is a source. */
export function separateCopies(
  all: readonly Source[],
  marked: ReadonlySet<Source>,
): { readonly sources: readonly Source[]; readonly copies: readonly Copy[] } {
  if (marked.size === 0) return { sources: all, copies: [] };
  const byName = new Map<string, Source>();
  for (const source of all) {
    if (marked.has(source) || source.declared !== undefined) continue;
    const key = objectKey(source.provides);
    // A chart may have an object as a hook too: the one of the release has copies.
    if (!byName.has(key) || !isHelmHook(source.item)) byName.set(key, source);
  }
  const copies = [...marked].flatMap((source): readonly Copy[] => {
    const parts = partsOfCopyName(source.item.name);
    const original = parts && byName.get(objectKey({ ...source.provides, name: parts.name }));
    return original === undefined || parts === undefined ? [] : [{ source, original, digits: parts.digits }];
  });
  const separated = new Set(copies.map(({ source }) => source));
  return { sources: all.filter((source) => !separated.has(source)), copies };
}
