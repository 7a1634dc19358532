import { once, onceFor } from "../../base/grouped.ts";
import { type Item, isHelmHook } from "../../yaml/read/items.ts";
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

/** For each object that several parts have: the roots of these parts. In a plan, on either side. */
export type Repeats = ReadonlyMap<string, ReadonlySet<string>>;

/** Identifies an object in several parts. A release may contain an object also as a hook. */
export function repeatKey(item: Item, defaultNamespace: string): string {
  return `${objectKey(item, item.namespace || defaultNamespace)}\n${isHelmHook(item) ? "hook" : ""}`;
}

/**
 * Links the parts of a run: `inSeveral` finds the sources of a name that only other parts have. With `repeats`, a part
 * finds a source in itself, else in the nearest part around it, else in the only part with that name; nothing is
 * ambiguous. A part that is not around it and also has the workload, or has the source as this part has or had it, is
 * applied separately: its source does not count.
 */
export function linkIndexes(
  parts: readonly PartSources[],
  defaultNamespace: string,
  repeats: Repeats | undefined,
): SourceIndex[] {
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
  const rootsOf = onceFor((object: Item) => repeats?.get(repeatKey(object, defaultNamespace)));
  return parts.map(({ root, index }) => {
    const around = rootsAround(root);
    /** Tests whether another part is applied separately because it has an object that this part has too. */
    const separateBy = (object: Item | undefined): ((other: string) => boolean) => {
      const roots = object === undefined ? undefined : rootsOf(object);
      return roots?.has(root) === true ? (other) => other !== root && roots.has(other) : () => false;
    };
    const intended = (holding: Holding, referrer: Item | undefined): readonly Source[] => {
      const isSeparate = separateBy(referrer);
      const left = [...holding].filter(([other, { item }]) => !isSeparate(other) && !separateBy(item)(other));
      return left.length === holding.size ? sourcesOf(holding) : left.map(([, source]) => source);
    };
    const outside = (holding: Holding | undefined, referrer: Item | undefined): Source | undefined => {
      if (holding === undefined || repeats === undefined) return undefined;
      const nearest = around.find((folder) => holding.has(folder));
      if (nearest !== undefined) return holding.get(nearest);
      const [only, another] = intended(holding, referrer);
      return another === undefined ? only : undefined;
    };
    const find: SourceIndex["find"] = (kind, namespace, name, referrer) =>
      index.find(kind, namespace, name, referrer) ??
      outside(holders.get(objectKey({ kind, namespace, name })), referrer);
    const inSeveral: SourceIndex["inSeveral"] = (kind, namespace, name, referrer) => {
      const holding = holders.get(objectKey({ kind, namespace, name }));
      return holding === undefined || holding.has(root) || outside(holding, referrer) !== undefined
        ? []
        : intended(holding, referrer);
    };
    if (repeats === undefined) return { ...index, inSeveral };
    /** The parts whose makers may count for a workload. */
    const besides = (referrer: Item | undefined): readonly SourceIndex[] => {
      const isSeparate = separateBy(referrer);
      return parts.filter((part) => !isSeparate(part.root)).map((part) => part.index);
    };
    return {
      ...index,
      find,
      findCopy: (kind, namespace, name, referrer) =>
        index.findCopy(kind, namespace, name, referrer) ?? copies().get(objectKey({ kind, namespace, name })),
      inSeveral,
      isMade: (kind, namespace, name, referrer) =>
        (allMakers().isMade(kind, namespace, name) &&
          besides(referrer).some((part) => part.isMade(kind, namespace, name))) ||
        inSeveral(kind, namespace, name, referrer).length > 0,
      makerNamed: (kind, name, referrer) =>
        index.makerNamed(kind, name) ??
        (allMakers().named(kind, name) === undefined
          ? undefined
          : besides(referrer)
              .map((part) => part.makerNamed(kind, name))
              .find((maker) => maker !== undefined)),
    };
  });
}

/** The sources of one name, by the roots of their parts. */
type Holding = ReadonlyMap<string, Source>;

const sourcesOf = onceFor((holding: Holding): readonly Source[] => [...holding.values()]);

/** The folders around a file or folder, nearest first; the last is "". */
export function rootsAround(path: string): string[] {
  const found: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) found.push(path.slice(0, end));
  return path === "" ? [] : [...found, ""];
}
