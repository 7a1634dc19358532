import { once, onceFor } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import { objectKey } from "../../base/identity.ts";
import { indexMakers } from "./makers.ts";
import type { SourceIndex } from "./source-index.ts";
import type { Source } from "./types.ts";

/** The sources of one part of a run: a folder or file with an object that is also in another part. */
export interface PartSources {
  /** The folder or file; "" for everything that is in no other part. */
  readonly root: string;
  readonly items: readonly Item[];
  readonly index: SourceIndex;
}

/**
 * Links the parts of a run: `inSeveral` finds the sources of a name that only other parts have. If `isLinked`, a part
 * finds a source in itself, else in the nearest part around it, else in the only part with that name; nothing is
 * ambiguous.
 */
export function linkIndexes(parts: readonly PartSources[], defaultNamespace: string, isLinked: boolean): SourceIndex[] {
  const holders = new Map<string, Map<string, Source>>();
  for (const { root, index } of parts) {
    for (const source of index.all) {
      const { kind, namespace, name } = source.provides;
      const key = objectKey({ kind, namespace, name });
      const known = holders.get(key) ?? new Map<string, Source>();
      holders.set(key, known);
      // If several objects create one source, the part's own index decides.
      if (!known.has(root)) known.set(root, index.find(kind, namespace, name) ?? source);
    }
  }
  const copies = once(
    () => new Map(parts.flatMap(({ index }) => index.copies.map((copy) => [objectKey(copy.source.provides), copy]))),
  );
  let makers: ReturnType<typeof indexMakers> | undefined;
  const allMakers = (): ReturnType<typeof indexMakers> =>
    (makers ??= indexMakers(
      parts.flatMap(({ items }) => items),
      defaultNamespace,
    ));
  return parts.map(({ root, index }) => {
    const around = rootsAround(root);
    const outside = (holding: ReadonlyMap<string, Source> | undefined): Source | undefined => {
      if (holding === undefined || !isLinked) return undefined;
      const nearest = around.find((folder) => holding.has(folder));
      if (nearest !== undefined) return holding.get(nearest);
      const [only, another] = [...holding.values()];
      return another === undefined ? only : undefined;
    };
    const find: SourceIndex["find"] = (kind, namespace, name, referrer) =>
      index.find(kind, namespace, name, referrer) ?? outside(holders.get(objectKey({ kind, namespace, name })));
    const inSeveral: SourceIndex["inSeveral"] = (kind, namespace, name) => {
      const holding = holders.get(objectKey({ kind, namespace, name }));
      return holding === undefined || holding.has(root) || outside(holding) !== undefined ? [] : sourcesOf(holding);
    };
    if (!isLinked) return { ...index, inSeveral };
    return {
      ...index,
      find,
      findCopy: (kind, namespace, name, referrer) =>
        index.findCopy(kind, namespace, name, referrer) ?? copies().get(objectKey({ kind, namespace, name })),
      inSeveral,
      isMade: (kind, namespace, name) =>
        allMakers().isMade(kind, namespace, name) || inSeveral(kind, namespace, name).length > 0,
      makerNamed: (kind, name) => index.makerNamed(kind, name) ?? allMakers().named(kind, name),
    };
  });
}

const sourcesOf = onceFor((holding: ReadonlyMap<string, Source>): readonly Source[] => [...holding.values()]);

/** The folders around a file or folder, nearest first; the last is "". */
export function rootsAround(path: string): string[] {
  const found: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) found.push(path.slice(0, end));
  return path === "" ? [] : [...found, ""];
}
