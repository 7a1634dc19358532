import { objectKey } from "../../base/identity.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { hasOwnName, type Item, isHelmHook } from "../../yaml/read/items.ts";
import type { ManifestFile } from "../../yaml/read/manifest-text.ts";
import { stampingUses } from "../../stamping/pipeline.ts";
import { rootsAround } from "../../kubernetes/sources/linked-index.ts";
import { addTo } from "../../base/grouped.ts";

/** A file of a run, by the path that tells where it belongs. */
export interface PartFile {
  /** From where folders are told: of two sides that are compared, as both have it. */
  readonly path: string;
  readonly file: ManifestFile;
}

/** The roots of the parts that a run falls into; the run itself has none. */
export type Roots = ReadonlySet<string>;

/** An object that stands in several files. */
export interface Twice {
  readonly first: Item;
  readonly second: Item;
  /** How many more such objects there are. */
  readonly more: number;
}

/**
 * The topmost folders, and files, by which the files of a run are to be parted so that no object stands twice in one of
 * them. What is named is meant to go together: it is not parted.
 */
export function partsOfRepeats(
  files: readonly PartFile[],
  spec: ConfigHashSpec,
): { readonly roots: Roots; readonly twice: Twice | undefined } {
  const roots = new Set<string>();
  let found: Omit<Twice, "more"> | undefined;
  let objects = 0;
  for (const holders of holdersOf(files, spec).values()) {
    if (holders.length < 2 || holders.every(({ isNamed }) => isNamed)) continue;
    objects += 1;
    const [first, second] = holders;
    if (first !== undefined && second !== undefined) found ??= { first: first.item, second: second.item };
    for (const root of branches(holders.map(({ path }) => path))) roots.add(root);
  }
  return { roots, twice: found === undefined ? undefined : { ...found, more: objects - 1 } };
}

interface Holder {
  readonly path: string;
  readonly item: Item;
  readonly isNamed: boolean;
}

/** The files that hold each object that counts, each file once. */
function holdersOf(files: readonly PartFile[], spec: ConfigHashSpec): ReadonlyMap<string, readonly Holder[]> {
  const isUsed = stampingUses(spec);
  const holders = new Map<string, Holder[]>();
  for (const { path, file } of files) {
    for (const item of file.manifests.items) {
      if (!isUsed(item) || !hasOwnName(item)) continue;
      const namespace = item.namespace || spec.defaultNamespace;
      // A release may have an object as a hook as well.
      const key = `${objectKey(item, namespace)}\n${isHelmHook(item) ? "hook" : ""}`;
      const known = holders.get(key);
      const holder = { path, item, isNamed: file.isNamed === true };
      if (known === undefined) holders.set(key, [holder]);
      else if (known.at(-1)?.path !== path) known.push(holder);
    }
  }
  return holders;
}

/**
 * Below each folder in which the ways to some files part: the folders and files by which they go on. The only file of a
 * folder stays with it.
 */
function branches(paths: readonly string[]): string[] {
  const files = new Set(paths);
  const ways = new Map<string, Set<string>>();
  for (const path of paths) {
    let below = path;
    for (const folder of rootsAround(path)) {
      const known = ways.get(folder) ?? new Set();
      ways.set(folder, known.add(below));
      below = folder;
    }
  }
  return [...ways.values()].flatMap((below) => {
    if (below.size < 2) return [];
    const isOnly = [...below].filter((path) => files.has(path)).length === 1;
    return isOnly ? [...below].filter((path) => !files.has(path)) : [...below];
  });
}

/** The files of each part, in their order; what is in none of them is one of its own, which comes first. */
export function filesByRoot(files: readonly PartFile[], rootOf: (path: string) => string): Map<string, PartFile[]> {
  const parts = new Map<string, PartFile[]>([["", []]]);
  for (const one of files) {
    const root = rootOf(one.path);
    addTo(parts, root, one);
  }
  if (parts.size > 1 && parts.get("")?.length === 0) parts.delete("");
  return parts;
}

/** The root of the part that a file is of: the nearest around it; "" where there is none. */
export function nearestRoot(path: string, roots: Roots): string {
  return roots.size === 0 ? "" : ([path, ...rootsAround(path)].find((root) => roots.has(root)) ?? "");
}
