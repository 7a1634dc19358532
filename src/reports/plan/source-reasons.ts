import { makerOf } from "../../kubernetes/sources/content.ts";
import { createHash } from "node:crypto";
import type { KeyChanges } from "../../base/names.ts";
import type { ConfigHashValue } from "../../base/config-hash-options.ts";
import { DECLARED_KEY, visibleEntries, type Entries, type Keys } from "../../base/digest/hash-v1.ts";
import { CONFIG_HASH } from "../../base/keys.ts";
import { hasHashSuffix, withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import { describe } from "../../yaml/read/items.ts";
import type { KeyContent, PlannedSource, SourceReason } from "./plan-reasons.ts";
import { isUnchanged } from "../../kubernetes/sources/changed-keys.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { DesiredStamps } from "../../stamping/stamps/types.ts";
import type { Sighting } from "../../stamping/stamps/sightings.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { addTo } from "../../base/grouped.ts";
import type { ShownDiffs, ValueDiffs } from "./value-diffs.ts";

/** How a pod template of one side sees its sources. */
export interface SourceView {
  readonly desired: DesiredStamps | undefined;
  /** The annotations after stamping. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly sources: SourceIndex;
}

export interface SourceReasonOptions {
  /** With `Object` every key of a source counts. */
  readonly granularity: ConfigHashValue<"granularity">;
  /** Diffs of the values of ConfigMaps; undefined if no values are shown. */
  readonly valueDiffs: ValueDiffs | undefined;
  readonly changedKeys: (before: Entries, after: Entries) => KeyChanges;
  /** Whether reasons have the digests of the changed keys. */
  readonly hasContents?: boolean;
}

export interface StampReasons {
  readonly reasons: readonly SourceReason[];
  /** Old name → new name of sources that have a hash of their content in the name. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Stamps that differ without changed content: first stamps, edited ones, another configuration. */
  readonly unexplained: readonly string[];
}

/** Why the stamps of a pod template differ: its sources, and the keys that it can see. */
export function sourceReasons(base: SourceView, head: SourceView, options: SourceReasonOptions): StampReasons {
  const differing = differingStamps(base.annotations, head.annotations);
  const before = sightingsByKey(base);
  const after = sightingsByKey(head);
  // The stamp is named without the hash.
  const regenerated = [...before].flatMap(([key, { name }]) => (name === (after.get(key)?.name ?? name) ? [] : [key]));
  if (differing.length === 0 && regenerated.length === 0) return { reasons: [], renamed: new Map(), unexplained: [] };
  // The combined stamp covers all sources: each that differs explains it.
  const isCombined = differing.includes(CONFIG_HASH);
  const keys = [...new Set(isCombined ? [...before.keys(), ...after.keys()] : [...differing, ...regenerated])].sort();
  const renames = hashRenames(before, after, keys);
  const reasons: SourceReason[] = [];
  const explained = new Set<string>();
  for (const key of keys) {
    if (renames.newKeys.has(key)) continue;
    const newKey = renames.oldKeys.get(key) ?? key;
    const old = before.get(key);
    const current = after.get(newKey);
    const reason = sourceReason({ view: base, sighting: old }, { view: head, sighting: current }, options);
    if (reason === undefined) continue;
    reasons.push(reason);
    explained.add(key).add(newKey);
  }
  const unexplained = isCombined && reasons.length > 0 ? [] : differing.filter((key) => !explained.has(key));
  return { reasons, renamed: renames.names, unexplained };
}

/** Sources that a pod template sees, with those of its side. */
interface SeenSources {
  readonly sources: SourceIndex;
  readonly sightings: readonly Sighting[];
}

/** The sources with changed content among those that both templates see, whatever stamps there are. */
export function sightingReasons(base: SeenSources, head: SeenSources, options: SourceReasonOptions): SourceReason[] {
  const before = new Map(base.sightings.map((sighting) => [sighting.stampKey, sighting]));
  return head.sightings.flatMap((sighting) => {
    const old = before.get(sighting.stampKey);
    if (old === undefined) return [];
    return sourceReason({ view: base, sighting: old }, { view: head, sighting }, options) ?? [];
  });
}

function differingStamps(from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>): string[] {
  const keys = new Set([...from.keys(), ...to.keys()].filter(isStampKey));
  return [...keys].filter((key) => from.get(key) !== to.get(key)).sort();
}

function sightingsByKey({ desired }: SourceView): Map<string, Sighting> {
  return new Map((desired?.sightings ?? []).map((sighting) => [sighting.stampKey, sighting]));
}

interface Seen {
  readonly view: Pick<SourceView, "sources"> & Partial<Pick<SourceView, "annotations">>;
  readonly sighting: Sighting | undefined;
}

/** Undefined if no key differs: the content that the pods see is the same. */
function sourceReason(before: Seen, after: Seen, options: SourceReasonOptions): SourceReason | undefined {
  const shown = after.sighting ?? before.sighting;
  if (shown === undefined) return undefined;
  const from = entriesSeen(before, options);
  const to = entriesSeen(after, options);
  const keys = options.changedKeys(from, to);
  const isSame = isUnchanged(keys) && before.sighting !== undefined && after.sighting !== undefined;
  const isRenamed = isSame && before.sighting.name !== after.sighting.name;
  if (isSame && !isRenamed) return undefined;
  const { diffs, more } = diffsOf(before, after, from, to, options.valueDiffs);
  return {
    type: "Source",
    source: plannedSource(shown, before.sighting),
    keys: namedKeys(keys),
    ...(diffs.length === 0 ? {} : { diffs }),
    ...(more === 0 ? {} : { moreDiffs: more }),
    ...(options.hasContents === true ? { contents: contentsOf(keys, from, to) } : {}),
  };
}

function contentsOf({ added, removed, changed }: KeyChanges, from: Entries, to: Entries): KeyContent[] {
  return [...added, ...removed, ...changed].map((key) => ({
    key,
    from: contentDigest(from.get(key)),
    to: contentDigest(to.get(key)),
  }));
}

function contentDigest(value: string | Uint8Array | undefined): string | null {
  return value === undefined ? null : createHash("sha256").update(value).digest("base64url");
}

/** Further keys are only counted, because each workload has its own lists. */
const MOST_KEYS = 100;

function namedKeys(keys: KeyChanges): SourceReason["keys"] {
  const named = (list: readonly string[]): string[] => {
    const shown: string[] = [];
    for (const key of list) {
      if (key !== DECLARED_KEY) shown.push(key);
      if (shown.length === MOST_KEYS) break;
    }
    return shown;
  };
  const lists = { added: named(keys.added), removed: named(keys.removed), changed: named(keys.changed) };
  const all = [keys.added, keys.removed, keys.changed];
  const declared = all.filter((list) => list[0] === DECLARED_KEY).length;
  const sum = (some: readonly (readonly string[])[]): number => some.reduce((total, list) => total + list.length, 0);
  const more = sum(all) - declared - sum(Object.values(lists));
  return more === 0 ? lists : { ...lists, more };
}

function plannedSource(sighting: Sighting, before: Sighting | undefined): PlannedSource {
  const { kind, namespace, name, source } = sighting;
  const previousName = before === undefined || before.name === name ? undefined : before.name;
  const maker = source === undefined ? undefined : makerOf(source);
  return {
    kind,
    namespace,
    name,
    ...(previousName === undefined ? {} : { previousName }),
    ...(maker === undefined ? {} : { madeBy: describe(maker) }),
  };
}

const NOTHING: Entries = new Map();

/** The entries of a source that a pod template can see. */
function entriesSeen({ view, sighting }: Seen, { granularity }: SourceReasonOptions): Entries {
  if (sighting?.source === undefined) return NOTHING;
  const keys: Keys = granularity === "Object" ? "*" : sighting.keys;
  return visibleEntries(view.sources.entries(copySeen(view, sighting) ?? sighting.source), keys);
}

/** The copy that the pod template names in place of a source, if it is in the input: pods see its content. */
function copySeen({ sources, annotations }: Seen["view"], { kind, namespace, stampKey }: Sighting): Source | undefined {
  const named = sources.copies.length === 0 ? undefined : annotations?.get(stampKey);
  return named === undefined ? undefined : sources.findCopy(kind, namespace, named)?.source;
}

/** Diffs of plain ConfigMaps only: values of Secrets, or encrypted by SOPS, are never shown. */
function diffsOf(before: Seen, after: Seen, from: Entries, to: Entries, diffs: ValueDiffs | undefined): ShownDiffs {
  if (diffs === undefined) return NO_DIFFS;
  const isShown = [before, after].every(({ sighting }) => {
    const source = sighting?.source;
    return (
      source === undefined ||
      (source.item.kind === "ConfigMap" && source.item.group === "" && source.coverage === "content")
    );
  });
  const ids = [before, after].map(({ sighting }) => sighting && [sighting.namespace, sighting.source?.provides.name]);
  return isShown ? diffs(JSON.stringify(ids), from, to) : NO_DIFFS;
}

const NO_DIFFS: ShownDiffs = { diffs: [], more: 0 };

interface Renames {
  /** Stamp key of the old name → stamp key of the new name. */
  readonly oldKeys: ReadonlyMap<string, string>;
  readonly newKeys: ReadonlySet<string>;
  readonly names: ReadonlyMap<string, string>;
}

/** Pairs deleted sources with created ones of which only the hash in the name differs. */
function hashRenames(
  before: ReadonlyMap<string, Sighting>,
  after: ReadonlyMap<string, Sighting>,
  keys: readonly string[],
): Renames {
  const stem = ({ kind, namespace, name }: Sighting): string => `${kind}/${namespace}/${withoutHashSuffix(name)}`;
  const created = new Map<string, Sighting[]>();
  for (const key of keys) {
    const sighting = after.get(key);
    if (sighting === undefined || before.has(key) || !hasHashSuffix(sighting.name)) continue;
    addTo(created, stem(sighting), sighting);
  }
  const oldKeys = new Map<string, string>();
  const names = new Map<string, string>();
  for (const key of keys) {
    const sighting = before.get(key);
    const same = after.get(key);
    if (sighting !== undefined && same !== undefined && sighting.name !== same.name)
      names.set(sighting.name, same.name);
    if (sighting === undefined || same !== undefined || !hasHashSuffix(sighting.name)) continue;
    const candidates = created.get(stem(sighting)) ?? [];
    const [only] = candidates;
    if (only === undefined || candidates.length > 1) continue;
    oldKeys.set(key, only.stampKey);
    names.set(sighting.name, only.name);
  }
  return { oldKeys, newKeys: new Set(oldKeys.values()), names };
}
