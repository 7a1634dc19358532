import { objectKey } from "../../base/identity.ts";
import { BUILD_ANNOTATIONS } from "../../base/hosts/krm.ts";
import { comparing, type Spend } from "../../base/limits.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";
import { addTo, onceFor } from "../../base/grouped.ts";
import type { Source } from "./types.ts";

// When kustomize runs a transformer, names already have prefixes and suffixes, but references get them only at the end
// of the build. These functions find the object that kustomize will choose, by the rules of its name reference filter
// (api/filters/nameref/nameref.go).

/** Whether kustomize will append a hash of the content to the object's name. */
export function needsHashSuffix(item: Item): boolean {
  return annotationOf(item, BUILD_ANNOTATIONS.needsHashSuffix) === "enabled";
}

/** Whether kustomize has renamed the object, or will. */
function hasPreviousName(item: Item): boolean {
  return (
    item.isAnnotated && (annotationOf(item, BUILD_ANNOTATIONS.previousNames) !== undefined || needsHashSuffix(item))
  );
}

/** Sources by the names that they had, or will have had, during kustomize's build. */
export interface PreviousNames {
  readonly byName: ReadonlyMap<string, readonly Source[]>;
  /** The results for each name, by the affixes of the referrer. */
  readonly picked: Map<string, Source | undefined>;
  /** Affixes by number: those of a workload may be long, and are looked up often. */
  readonly affixes: { readonly byItem: Map<Item, number>; readonly byText: Map<string, number> };
  readonly spend: Spend;
}

/** Indexes the sources that have their object's name and that kustomize renames. */
export function indexPreviousNames(sources: readonly Source[]): PreviousNames {
  const index = new Map<string, Source[]>();
  for (const source of sources) {
    if (source.item.name !== source.provides.name || !hasPreviousName(source.item)) continue;
    const { kind, namespace } = source.provides;
    for (const name of previousNames(source.item)) {
      const key = objectKey({ kind, namespace, name });
      addTo(index, key, source);
    }
  }
  return {
    byName: index,
    picked: new Map(),
    affixes: { byItem: new Map(), byText: new Map() },
    spend: comparing("sources of one previous name with workloads"),
  };
}

/** The source that kustomize will choose for a name; undefined if it leaves the name unchanged. */
export function pickByPreviousName(
  index: PreviousNames,
  kind: ReferencedKind,
  namespace: string,
  name: string,
  referrer: Item | undefined,
): Source | undefined {
  if (index.byName.size === 0) return undefined;
  const key = objectKey({ kind, namespace, name });
  const candidates = index.byName.get(key) ?? [];
  if (candidates.length < 2 || referrer === undefined) return candidates.length === 1 ? candidates[0] : undefined;
  // The workloads of one overlay have the same affixes, and get the same result.
  const asked = `${affixesId(index, referrer)} ${key}`;
  if (!index.picked.has(asked)) index.picked.set(asked, pickByAffixes(candidates, referrer, index.spend));
  return index.picked.get(asked);
}

function affixesId({ affixes: { byItem, byText } }: PreviousNames, item: Item): number {
  let id = byItem.get(item);
  if (id !== undefined) return id;
  const text = JSON.stringify(affixesOf(item));
  id = byText.get(text) ?? byText.size;
  byText.set(text, id);
  byItem.set(item, id);
  return id;
}

/** The cost of comparing affixes, in comparisons of characters. */
const STEPS_OF_A_PAIR = 200;

function pickByAffixes(all: readonly Source[], referrer: Item, spend: Spend): Source | undefined {
  const count = affixesOf(referrer).reduce((sum, list) => sum + list.length, 1);
  spend(all.length * count * STEPS_OF_A_PAIR, referrer.tree.limits);
  let candidates = all.filter((source) => sameAffixes(source.item, referrer, true));
  if (candidates.length > 1) candidates = candidates.filter((source) => sameAffixes(source.item, referrer, false));
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** The names that an object had earlier in kustomize's build, or will have had at its end. */
export function previousNames(item: Item): ReadonlySet<string> {
  const kinds = commaSeparated(item, BUILD_ANNOTATIONS.previousKinds);
  const names = commaSeparated(item, BUILD_ANNOTATIONS.previousNames).filter(
    (_, i) => (kinds[i] ?? item.kind) === item.kind,
  );
  return new Set(needsHashSuffix(item) ? [...names, item.name] : names);
}

/** Whether prefixes and suffixes agree; with `allowEmpty`, none agrees with any. */
function sameAffixes(a: Item, b: Item, allowEmpty: boolean): boolean {
  const [lefts, rights] = [affixesOf(a), affixesOf(b)];
  return [0, 1].every((i) => {
    const [left, right] = [lefts[i] ?? [], rights[i] ?? []];
    if (allowEmpty && (left.length === 0 || right.length === 0)) return true;
    return sameEnding(left, right);
  });
}

type Affixes = readonly (readonly string[])[];

/** The prefixes and suffixes of an object, cached for many comparisons. */
const affixesOf = onceFor((item: Item): Affixes =>
  [BUILD_ANNOTATIONS.prefixes, BUILD_ANNOTATIONS.suffixes].map((key) => commaSeparated(item, key)),
);

/** Whether one list is the end of the other; an empty list only of an empty one. */
function sameEnding(a: readonly string[], b: readonly string[]): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length === 0) return long.length === 0;
  const from = long.length - short.length;
  return short.every((value, i) => value === long[from + i]);
}

function commaSeparated(item: Item, key: string): string[] {
  const value = annotationOf(item, key);
  return value === undefined ? [] : value.split(",");
}
