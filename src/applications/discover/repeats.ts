import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { hasOwnName, type Item } from "../../yaml/read/items.ts";
import type { ManifestFile } from "../../yaml/read/manifest-text.ts";
import { stampingUses } from "../../stamping/pipeline.ts";
import { repeatKey, type Repeats, rootsAround } from "../../kubernetes/sources/linked-index.ts";
import { addTo } from "../../base/grouped.ts";

/** A file of a run, with the path that decides where it belongs. */
export interface PartFile {
  /** If two sides are compared, the path is the same for both. */
  readonly path: string;
  readonly file: ManifestFile;
}

/** The roots of the parts of a run. */
export type Roots = ReadonlySet<string>;

/** The files that contain each object of several files. */
export type Repeated = ReadonlyMap<string, readonly string[]>;

/** An object that is in several files. */
export interface Twice {
  readonly first: Item;
  readonly second: Item;
  /** The number of other such objects. */
  readonly more: number;
}

/**
 * The topmost folders and files by which a run must be split so that no part contains an object twice. Named files
 * belong together: they are not split.
 */
export function partsOfRepeats(
  files: readonly PartFile[],
  spec: ConfigHashSpec,
): { readonly roots: Roots; readonly repeated: Repeated; readonly twice: Twice | undefined } {
  const roots = new Set<string>();
  const repeated = new Map<string, readonly string[]>();
  let found: Omit<Twice, "more"> | undefined;
  let objects = 0;
  for (const [key, holders] of filesByObject(files, spec)) {
    if (holders.length < 2 || holders.every(({ isNamed }) => isNamed)) continue;
    objects += 1;
    const [first, second] = holders;
    if (first !== undefined && second !== undefined) found ??= { first: first.item, second: second.item };
    const paths = holders.map(({ path }) => path);
    repeated.set(key, paths);
    for (const root of branches(paths)) roots.add(root);
  }
  return { roots, repeated, twice: found === undefined ? undefined : { ...found, more: objects - 1 } };
}

interface Holder {
  readonly path: string;
  readonly item: Item;
  readonly isNamed: boolean;
}

/** The files that contain each object that counts, each file once. */
function filesByObject(files: readonly PartFile[], spec: ConfigHashSpec): ReadonlyMap<string, readonly Holder[]> {
  const isUsed = stampingUses(spec);
  const holders = new Map<string, Holder[]>();
  for (const { path, file } of files) {
    for (const item of file.manifests.items) {
      if (!isUsed(item) || !hasOwnName(item)) continue;
      const key = repeatKey(item, spec.defaultNamespace);
      const known = holders.get(key);
      const holder = { path, item, isNamed: file.isNamed === true };
      if (known === undefined) holders.set(key, [holder]);
      else if (known.at(-1)?.path !== path) known.push(holder);
    }
  }
  return holders;
}

/** The folders and files where the paths of some files branch. The only file of a folder stays with the folder. */
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

/** The files of each part, in order. Files in no part are a part of their own, which comes first. */
export function filesByRoot(files: readonly PartFile[], rootOf: (path: string) => string): Map<string, PartFile[]> {
  const parts = new Map<string, PartFile[]>([["", []]]);
  for (const file of files) addTo(parts, rootOf(file.path), file);
  if (parts.size > 1 && parts.get("")?.length === 0) parts.delete("");
  return parts;
}

/** The parts that have each object of several parts: of a run, or of the sides that a plan compares. */
export function repeatsOf(sides: readonly Repeated[], roots: Roots): Repeats {
  const found = new Map<string, Set<string>>();
  for (const [key, paths] of sides.flatMap((side) => [...side])) {
    const known = found.get(key) ?? new Set();
    found.set(key, known);
    for (const path of paths) known.add(nearestRoot(path, roots));
  }
  return found;
}

/** The root of the part that contains a file: the nearest one; "" if there is none. */
export function nearestRoot(path: string, roots: Roots): string {
  return roots.size === 0 ? "" : ([path, ...rootsAround(path)].find((root) => roots.has(root)) ?? "");
}
