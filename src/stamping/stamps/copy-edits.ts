import { HELM_PROTECTION, PROTECTION } from "../../base/copies.ts";
import { addAllTo, groupedBy, once, sumOf } from "../../base/grouped.ts";
import { INDEX_ANNOTATIONS, PACKAGE_PATH, PATH_ANNOTATIONS } from "../../base/hosts/krm.ts";
import { comparing } from "../../base/limits.ts";
import { objectKey } from "../../base/identity.ts";
import { isMarkedCopy, partsOfCopyName, type Copy } from "../../kubernetes/sources/copies.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import { editAnnotations } from "../../yaml/edit/annotations.ts";
import { addObjects, removeObject, type NewObject } from "../../yaml/edit/objects.ts";
import type { Splice } from "../../yaml/edit/splice.ts";
import { annotationOf, hostFile, type Item } from "../../yaml/read/items.ts";
import { fieldsOf, isMapping, textOrEmpty } from "../../yaml/read/json.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";
import type { ConfigHashSpec } from "../function/config-hash.ts";
import type { Decision } from "../policy/types.ts";
import { copyObject } from "./copy-texts.ts";
import type { DesiredStamps } from "./types.ts";
import { keptCopies, type CopiesAtHead, type CopiesOfSource } from "./kept-copies.ts";

/** How copies are written. */
export interface CopyOptions extends Pick<ConfigHashSpec, "layout" | "versionedSecrets"> {
  /** The annotations that keep engines from pruning a copy; none in files. */
  readonly protection: Readonly<Record<string, string>>;
  /** In files: how many copies of a source stay. In a rendering all stay, as it has no history. */
  readonly keep?: number;
  /** In files: the committed copies of a source. */
  readonly atHead?: (source: Item) => CopiesAtHead | undefined;
}

/** Where copies are written: what leaves a rendering would be pruned, and files in Git have a history. */
export type CopyPlace = "rendering" | "files" | "helm";

/** How copies are written at a place. */
export function copyOptions(
  { layout, versionedSecrets, keep, protect }: ConfigHashSpec,
  place: CopyPlace,
): CopyOptions {
  const common = { layout, versionedSecrets };
  if (place === "files") return { ...common, keep, protection: protect ? PROTECTION : {} };
  return { ...common, protection: place === "helm" ? { ...PROTECTION, ...HELM_PROTECTION } : PROTECTION };
}

/** A part of a run, as far as its copies are concerned. */
export interface CopyPart {
  readonly items: readonly Item[];
  readonly sources: SourceIndex;
  readonly decisions: readonly Decision[];
  readonly desired: readonly DesiredStamps[];
}

/** The splices that add the wanted copies after their sources, and remove those that are not kept: contract, section 10. */
export function copyEdits(parts: readonly CopyPart[], options: CopyOptions): ReadonlyMap<YamlTree, Splice[]> {
  // At one offset, insertions come before removals.
  const added = new Map<YamlTree, Splice[]>();
  const removed = new Map<YamlTree, Splice[]>();
  // A run without pod templates does not know what uses a copy.
  if (parts.every(({ decisions }) => decisions.length === 0)) return added;
  const all = parts.flatMap(({ sources }) => sources.copies.map((copy) => ({ ...copy, keys: keysOf(copy, sources) })));
  const existing = groupedBy(all, ({ original }) => original.item);
  const wanted = wantedBySource(parts);
  const named = namedCopies(parts);
  const indexOf = fileIndexes(parts);
  const spend = comparing("the content of a source with its copies");
  for (const item of new Set([...wanted.keys(), ...existing.keys()])) {
    const copies = [...(wanted.get(item)?.values() ?? [])].sort((a, b) => (a.copy.name < b.copy.name ? -1 : 1));
    const present = existing.get(item) ?? [];
    const changes = changesOf({ wanted: copies, present, atHead: options.atHead?.(item), ...named }, options, indexOf);
    // Each set of keys needs its own copy of the content: this product has a limit, as that of the digests.
    for (const object of changes.added.slice(1)) spend(sizeOf(object) * STEPS_OF_A_CHARACTER, item.tree.limits);
    addAllTo(added, item.tree, addObjects(item, changes.added));
    const gone = new Set(changes.removed.map(({ source }) => source));
    for (const { item: copy } of gone) addAllTo(removed, copy.tree, removeObject(copy));
    for (const { source } of present) {
      const { tree, name } = source.item;
      const inUse = wanted.get(item)?.get(name);
      if (!gone.has(source)) addAllTo(added, tree, annotationEdits(source.item, inUse, options));
    }
  }
  if (options.keep !== undefined)
    for (const { item } of orphans(parts))
      if (!named.isNamed(item.name)) addAllTo(removed, item.tree, removeObject(item));
  for (const [tree, splices] of removed) addAllTo(added, tree, splices);
  return added;
}

/** Copies whose source is gone. */
function orphans(parts: readonly CopyPart[]): readonly Source[] {
  const copies = parts.flatMap(({ sources }) => sources.all.filter(({ item }) => isMarkedCopy(item)));
  const there = new Set(parts.flatMap(({ items }) => items.map((item) => objectKey(item))));
  return copies.filter(({ item }) => {
    const stem = partsOfCopyName(item.name)?.name;
    return stem !== undefined && !there.has(objectKey({ ...item, name: stem }));
  });
}

/** The cost of writing and checking a character, in comparisons of characters. */
const STEPS_OF_A_CHARACTER = 5;

function sizeOf({ data, binaryData }: NewObject): number {
  return sumOf([data, binaryData].filter(isMapping).flatMap(Object.values), (value) => textOrEmpty(value).length);
}

function keysOf({ source }: Copy, sources: SourceIndex): ReadonlySet<string> {
  return new Set(sources.entries(source).keys());
}

/** The wanted copies of each source by name. */
function wantedBySource(
  parts: readonly CopyPart[],
): ReadonlyMap<Item, ReadonlyMap<string, CopiesOfSource["wanted"][number]>> {
  const wanted = new Map<Item, Map<string, CopiesOfSource["wanted"][number]>>();
  for (const { desired, sources } of parts)
    for (const { copies } of desired)
      for (const copy of copies?.values() ?? []) {
        const known = wanted.get(copy.source.item) ?? new Map<string, CopiesOfSource["wanted"][number]>();
        wanted.set(copy.source.item, known);
        if (!known.has(copy.name)) known.set(copy.name, { copy, sources });
      }
  return wanted;
}

/** The annotations of an existing copy: as its source and the configuration have them now. A rendering has no older copies. */
function annotationEdits(
  item: Item,
  inUse: CopiesOfSource["wanted"][number] | undefined,
  { layout, keep, protection }: CopyOptions,
): Splice[] {
  if (layout !== "Versioned" || (keep === undefined && inUse === undefined)) return [];
  const metadata = inUse === undefined ? {} : fieldsOf(copyObject(inUse.copy, inUse.sources, protection)["metadata"]);
  const annotations = inUse === undefined ? protection : fieldsOf(metadata["annotations"]);
  const isOfFile = (key: string): boolean => [PACKAGE_PATH, ...PATH_ANNOTATIONS].includes(key);
  const set = new Map(
    Object.entries(annotations).flatMap(([key, value]) => (isOfFile(key) ? [] : [[key, textOrEmpty(value)] as const])),
  );
  const remove = keep === undefined ? [] : Object.keys(PROTECTION).filter((key) => !set.has(key));
  return editAnnotations(
    { item, base: item.node, path: ["metadata", "annotations"] },
    { set, remove: new Set(remove) },
  );
}

/** The copies that pod templates named before this run, and those that unchanged pod templates still name. */
function namedCopies(parts: readonly CopyPart[]): Pick<CopiesOfSource, "wasNamed" | "isNamed"> {
  const changed = new Set(parts.flatMap(({ desired }) => desired.map(({ decision }) => decision.template)));
  const before = new Set<string>();
  const after = new Set<string>();
  for (const { workload } of parts.flatMap(({ decisions }) => decisions))
    for (const template of workload.templates)
      for (const { name, copy } of template.references) {
        if (copy !== undefined) before.add(copy);
        // A part without the source does not know that a name is that of a copy.
        if (copy === undefined || !changed.has(template)) after.add(copy ?? name);
      }
  return { wasNamed: (name) => before.has(name), isNamed: (name) => after.has(name) };
}

/** Gives each copy a free index in the file of its source: kpt refuses two objects of a file with the same one, or none. */
function fileIndexes(parts: readonly CopyPart[]): (source: Item) => Readonly<Record<string, string>> {
  const next = once(() => {
    const free = new Map<string, number>();
    for (const item of parts.flatMap(({ items }) => items)) {
      const { index } = hostFile(item) ?? {};
      if (index !== undefined) free.set(fileOf(item), Math.max(free.get(fileOf(item)) ?? 0, index + 1));
    }
    return free;
  });
  return (source) => {
    if (hostFile(source)?.index === undefined) return {};
    const index = next().get(fileOf(source)) ?? 0;
    next().set(fileOf(source), index + 1);
    const keys = INDEX_ANNOTATIONS.filter((key) => annotationOf(source, key) !== undefined);
    return Object.fromEntries(keys.map((key) => [key, String(index)]));
  };
}

/** The file of an item: paths are relative to its package. */
function fileOf(item: Item): string {
  return JSON.stringify([annotationOf(item, PACKAGE_PATH), hostFile(item)?.path]);
}

interface Changes {
  readonly added: readonly NewObject[];
  readonly removed: readonly Copy[];
}

function changesOf(
  copies: Omit<CopiesOfSource, "keep">,
  { layout, versionedSecrets, protection, keep }: CopyOptions,
  indexOf: (source: Item) => Readonly<Record<string, string>>,
): Changes {
  const { wanted, present, isNamed } = copies;
  // A rendering keeps copies that nothing names.
  const isOff = (kind: string): boolean =>
    layout !== "Versioned" || (keep !== undefined && kind === "Secret" && !versionedSecrets);
  if (present.some(({ source }) => isOff(source.item.kind)))
    return { added: [], removed: present.filter(({ source }) => !isNamed(source.item.name)) };
  const { removed, moved, restored } =
    keep === undefined ? { removed: [], moved: [], restored: [] } : keptCopies({ ...copies, keep });
  const names = new Set(present.map(({ source }) => source.item.name));
  for (const { source } of moved) names.delete(source.item.name);
  const missing = wanted.filter(({ copy }) => !names.has(copy.name));
  return {
    added: [
      ...missing.map(({ copy, sources }) => copyObject(copy, sources, { ...protection, ...indexOf(copy.source.item) })),
      ...restored,
    ],
    removed: [...removed, ...moved],
  };
}
