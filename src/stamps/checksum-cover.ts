import { checksumWords, isFormWord, wordsOf } from "../ground/hosts/chart-marks.ts";
import { comparing } from "../ground/limits.ts";
import type { Decision } from "../policy/types.ts";
import type { Source } from "../sources/types.ts";
import type { SourceIndex } from "../sources/source-index.ts";

// A checksum in a rendering is a number: what it is over is not in it. Its name says something of that. Where it fits a
// source that the pods don't see, and none that they see, the checksum may be what rolls a process that reads that by
// another way, such as the API server: argocd-server and `checksum/cm`. `rollstamp migrate --render` asks the chart itself.

/**
 * The source that a checksum seems to be over although no stamp of the workload is; undefined where it is over what its
 * pods see, or over nothing that is a source.
 */
export type Cover = (decision: Decision, key: string) => Source | undefined;

/** Comparing the words of two names takes as long as so many steps of comparing characters. */
const STEPS_OF_A_NAME = 50;

/** Reads the names of sources once for all checksums. */
export function coverOf({ all }: SourceIndex): Cover {
  const spend = comparing("the names of checksums with those of sources");
  let index: ReadonlyMap<string, readonly Named[]> | undefined;
  return ({ workload, templates }, key) => {
    const { names, kind } = checksumWords(key);
    const own = new Set([...wordsOf(workload.item.name), ...names]);
    const isOfKind = ({ provides }: Source): boolean => kind === undefined || provides.kind === kind;
    const isNamed = (words: ReadonlySet<string>): boolean => names.every((name) => words.has(name));
    const { limits } = workload.item.tree;
    index ??= byRarestWord(all);
    const seen = new Set<Source>();
    for (const { counted, leftOut } of templates)
      for (const { source } of [...counted, ...leftOut]) if (source !== undefined) seen.add(source);
    const near = [...own, ""].flatMap((word) => index?.get(`${workload.namespace}\n${word}`) ?? []);
    spend((near.length + seen.size) * STEPS_OF_A_NAME, limits);
    const fits = near.filter(
      ({ source, words }) => isOfKind(source) && isNamed(words) && [...words].every((word) => own.has(word)),
    );
    if (fits.length === 0 || fits.some(({ source }) => seen.has(source))) return undefined;
    // What they see by a name that the checksum has is what it is over, whatever else is called so.
    const isSeen =
      names.length > 0 && [...seen].some((source) => isOfKind(source) && isNamed(contentWords(source.provides.name)));
    return isSeen ? undefined : fits[0]?.source;
  };
}

interface Named {
  readonly source: Source;
  /** The words of its name that say more than its form. */
  readonly words: ReadonlySet<string>;
}

function contentWords(name: string): ReadonlySet<string> {
  return new Set(wordsOf(name).filter((word) => !isFormWord(word)));
}

/** Sources by their namespace and the word of their name that the fewest others have; "" for names without any. */
function byRarestWord(all: readonly Source[]): ReadonlyMap<string, readonly Named[]> {
  const named = all.map((source) => ({ source, words: contentWords(source.provides.name) }));
  const frequency = new Map<string, number>();
  for (const { words } of named) for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const index = new Map<string, Named[]>();
  for (const each of named) {
    let rarest = "";
    for (const word of each.words)
      if (rarest === "" || (frequency.get(word) ?? 0) < (frequency.get(rarest) ?? 0)) rarest = word;
    const key = `${each.source.provides.namespace}\n${rarest}`;
    const known = index.get(key);
    if (known === undefined) index.set(key, [each]);
    else known.push(each);
  }
  return index;
}
