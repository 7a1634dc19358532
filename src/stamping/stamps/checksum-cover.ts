import { checksumWords, isFormWord, wordsOf } from "../../base/hosts/chart-marks.ts";
import { comparing } from "../../base/limits.ts";
import { groupedBy } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import { get, itemsOf, stringOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { Decision } from "../policy/types.ts";
import { hasContent } from "../../kubernetes/sources/content.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import { podContainers } from "../../kubernetes/workloads/containers.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";

// A rendered checksum is a number that does not say what it covers; only its name gives a hint. If the name fits a
// source that the pods do not see and none that they see, the checksum may be needed: a process may read that source in
// another way, such as from the API server (argocd-server and `checksum/cm`). The same holds if the words of its
// containers name the source. A source without content has nothing to cover. Once it has content, the checksum is kept:
// it appears again, the pods roll, and nothing is lost.

/**
 * The sources that a checksum seems to cover and no stamp of the workload covers; none if it covers what the pods see,
 * or a source without content.
 */
export type Cover = (decision: Decision, template: PodTemplate, key: string) => readonly Source[];

/** The cost of comparing the words of two names, in comparisons of characters. */
const STEPS_OF_A_NAME = 50;
/** The number of sources that are named for one checksum. Charts have one or two. */
const MOST_SOURCES = 4;

/** Reads the names of the sources once for all checksums. */
export function coverOf({ all }: SourceIndex): Cover {
  const spend = comparing("the names of checksums with those of sources");
  let index: ReadonlyMap<string, readonly Named[]> | undefined;
  const holds = new Map<Item, boolean>();
  const isEmpty = ({ item, coverage }: Source): boolean => {
    if (coverage !== "content") return false;
    const known = holds.get(item) ?? hasContent(item);
    holds.set(item, known);
    return !known;
  };
  const read = new Map<Source, ReadonlySet<string>>();
  const contentOf = (source: Source): ReadonlySet<string> => {
    const known = read.get(source) ?? contentWords(source.provides.name);
    read.set(source, known);
    return known;
  };
  const written = writtenIn(all, contentOf);
  return ({ workload, templates }, template, key) => {
    const { names, kind } = checksumWords(key);
    const ownWords = new Set([...wordsOf(workload.item.name), ...names]);
    const isOfKind = ({ provides }: Source): boolean => kind === undefined || provides.kind === kind;
    const isNamed = (words: ReadonlySet<string>): boolean => names.every((name) => words.has(name));
    const { limits } = workload.item.tree;
    index ??= byRarestWord(all);
    const seen = new Set<Source>();
    for (const { counted, leftOut } of templates)
      for (const { source } of [...counted, ...leftOut]) if (source !== undefined) seen.add(source);
    spend(seen.size * STEPS_OF_A_NAME, limits);
    // A loop without lists of its own: a chart's checksum may be near each source of the input.
    const fits: Source[] = [];
    for (const word of [...ownWords, ""]) {
      const near = index.get(`${workload.namespace}\n${word}`) ?? [];
      spend(near.length * STEPS_OF_A_NAME, limits);
      for (const { source, words } of near)
        if (isNamed(words) && isOfKind(source) && [...words].every((part) => ownWords.has(part))) fits.push(source);
    }
    if (fits.some((source) => seen.has(source))) return [];
    // If the pods see a source by a name of the checksum, the checksum covers that source, even if others have the name.
    const alike = [...seen].filter((source) => isOfKind(source) && isNamed(contentOf(source)));
    if (names.length > 0 && alike.length > 0) return [];
    const kinds = new Set(alike.map(({ provides }) => provides.kind));
    if (fits.length === 0) {
      const named = written(template, workload.namespace);
      spend(named.length * STEPS_OF_A_NAME, limits);
      for (const { source, words } of named)
        if (isNamed(words) && isOfKind(source) && !kinds.has(source.provides.kind)) fits.push(source);
    }
    // A workload without sources keeps its checksums, so a source without content is named, too.
    return fits.filter((source) => seen.size === 0 || !isEmpty(source)).slice(0, MOST_SOURCES);
  };
}

/** The sources that the words of a pod template name: `--config-map-name=web-settings`. Cached for each template. */
function writtenIn(
  all: readonly Source[],
  contentOf: (source: Source) => ReadonlySet<string>,
): (template: PodTemplate, namespace: string) => readonly Named[] {
  const found = new Map<PodTemplate, readonly Named[]>();
  let byName: ReadonlyMap<string, readonly Source[]> | undefined;
  return (template, namespace) => {
    const known = found.get(template);
    if (known !== undefined) return known;
    byName ??= groupedBy(all, ({ provides }) => `${provides.namespace}\n${provides.name}`);
    const sources = new Set<Source>();
    for (const word of writtenWords(template))
      for (const source of byName.get(`${namespace}\n${word}`) ?? []) sources.add(source);
    const named = [...sources].map((source) => ({ source, words: contentOf(source) }));
    found.set(template, named);
    return named;
  };
}

// Characters that cannot be part of a name end a word: the `=` of an option, the slash after a namespace.
const BETWEEN_NAMES = /[^a-z0-9.-]+/iu;

/** The words that the containers are started with: commands, arguments, plain variables. */
function writtenWords(template: PodTemplate): Set<string> {
  const { tree } = template.item;
  return new Set(
    podContainers(template)
      .flatMap(({ node }) => [
        ...["command", "args"].flatMap((list) => itemsOf(tree, get(tree, node, list))),
        ...itemsOf(tree, get(tree, node, "env")).map((entry) => get(tree, entry, "value")),
      ])
      .flatMap((value) => (value === NONE ? "" : (stringOf(tree, value) ?? "")).split(BETWEEN_NAMES)),
  );
}

interface Named {
  readonly source: Source;
  /** The words of the checksum's name, without those that every checksum has. */
  readonly words: ReadonlySet<string>;
}

function contentWords(name: string): ReadonlySet<string> {
  return new Set(wordsOf(name).filter((word) => !isFormWord(word)));
}

/** Sources by namespace and by the rarest word of their name; "" for a name without words. */
function byRarestWord(all: readonly Source[]): ReadonlyMap<string, readonly Named[]> {
  const named = all.map((source) => ({ source, words: contentWords(source.provides.name) }));
  const frequency = new Map<string, number>();
  for (const { words } of named) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  return groupedBy(named, ({ source, words }) => {
    let rarest = "";
    for (const word of words)
      if (rarest === "" || (frequency.get(word) ?? 0) < (frequency.get(rarest) ?? 0)) rarest = word;
    return `${source.provides.namespace}\n${rarest}`;
  });
}
