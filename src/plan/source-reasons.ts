import type { ConfigHashValue } from "../ground/config-hash-options.ts";
import { DECLARED_KEY, type Entries, type Keys } from "../digest/hash-v1.ts";
import { CONFIG_HASH } from "../ground/keys.ts";
import { hasHashSuffix, withoutHashSuffix } from "../ground/hosts/kustomize.ts";
import { describe } from "../manifest/items.ts";
import type { KeyDiff, PlannedSource, SourceReason } from "./plan-report.ts";
import { changedKeys, isUnchanged } from "../sources/changed-keys.ts";
import type { SourceIndex } from "../sources/source-index.ts";
import type { DesiredStamps } from "../stamps/desired.ts";
import type { Sighting } from "../stamps/sightings.ts";
import { isStampKey } from "../ground/stamp-keys.ts";
import { valueDiffs } from "./value-diffs.ts";

/** One side's view of a pod template's sources. */
export interface SourceView {
  readonly desired: DesiredStamps | undefined;
  /** The annotations as stamping leaves them. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly sources: SourceIndex;
}

export interface SourceReasonOptions {
  /** The configuration's `granularity`: with `Object` every key of a source counts. */
  readonly granularity: ConfigHashValue<"granularity">;
  /** Whether values of ConfigMaps are shown. */
  readonly showValues: boolean;
}

export interface StampReasons {
  readonly reasons: readonly SourceReason[];
  /** Old name → new name, of sources that have a hash of their content in the name. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Stamps that differ though no source accounts for it: written by hand, or without a selection. */
  readonly unexplained: readonly string[];
}

/** Why the stamps of a pod template differ: the sources, down to the keys that it can see. */
export function sourceReasons(base: SourceView, head: SourceView, options: SourceReasonOptions): StampReasons {
  const differing = differingStamps(base.annotations, head.annotations);
  if (differing.length === 0) return { reasons: [], renamed: new Map(), unexplained: [] };
  const before = sightingsByKey(base);
  const after = sightingsByKey(head);
  // The combined stamp is one for all sources: each that differs accounts for it.
  const isCombined = differing.includes(CONFIG_HASH);
  const keys = isCombined ? [...new Set([...before.keys(), ...after.keys()])].sort() : differing;
  const renames = hashRenames(before, after, keys);
  const reasons: SourceReason[] = [];
  const explained = new Set<string>();
  for (const key of keys) {
    if (renames.newKeys.has(key)) continue;
    const newKey = renames.oldKeys.get(key) ?? key;
    const old = before.get(key);
    const current = after.get(newKey);
    const reason = sourceReason({ view: base, sighting: old }, { view: head, sighting: current }, options, !isCombined);
    if (reason === undefined) continue;
    reasons.push(reason);
    explained.add(key).add(newKey);
  }
  const unexplained = isCombined && reasons.length > 0 ? [] : differing.filter((key) => !explained.has(key));
  return { reasons, renamed: renames.names, unexplained };
}

function differingStamps(from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>): string[] {
  const keys = new Set([...from.keys(), ...to.keys()].filter(isStampKey));
  return [...keys].filter((key) => from.get(key) !== to.get(key)).sort();
}

function sightingsByKey({ desired }: SourceView): Map<string, Sighting> {
  return new Map((desired?.sightings ?? []).map((sighting) => [sighting.stampKey, sighting]));
}

interface Seen {
  readonly view: SourceView;
  readonly sighting: Sighting | undefined;
}

/** `evenIfEqual`: the stamp differs, so there is a reason even if no key does. */
function sourceReason(
  before: Seen,
  after: Seen,
  options: SourceReasonOptions,
  evenIfEqual: boolean,
): SourceReason | undefined {
  const shown = after.sighting ?? before.sighting;
  if (shown === undefined) return undefined;
  const from = visibleEntries(before, options);
  const to = visibleEntries(after, options);
  const keys = changedKeys(from, to);
  const isSame = isUnchanged(keys) && before.sighting !== undefined && after.sighting !== undefined;
  const isRenamed = isSame && before.sighting?.name !== after.sighting?.name;
  if (isSame && !isRenamed && !evenIfEqual) return undefined;
  const named = (list: readonly string[]): string[] => list.filter((key) => key !== DECLARED_KEY);
  const diffs = options.showValues ? diffsOf(before, after, from, to) : [];
  return {
    type: "Source",
    source: plannedSource(shown, before.sighting),
    keys: { added: named(keys.added), removed: named(keys.removed), changed: named(keys.changed) },
    ...(diffs.length === 0 ? {} : { diffs }),
  };
}

function plannedSource(sighting: Sighting, before: Sighting | undefined): PlannedSource {
  const { kind, namespace, name, source } = sighting;
  const previousName = before === undefined || before.name === name ? undefined : before.name;
  return {
    kind,
    namespace,
    name,
    ...(previousName === undefined ? {} : { previousName }),
    ...(source?.declared === undefined ? {} : { madeBy: describe(source.item) }),
  };
}

const NOTHING: Entries = new Map();

/** The entries of a source that a pod template can see. */
function visibleEntries({ view, sighting }: Seen, { granularity }: SourceReasonOptions): Entries {
  if (sighting?.source === undefined) return NOTHING;
  const entries = view.sources.entries(sighting.source);
  const keys: Keys = granularity === "Object" ? "*" : sighting.keys;
  if (keys === "*") return entries;
  return new Map([...entries].filter(([key]) => key === DECLARED_KEY || keys.has(key)));
}

/** Values of plain ConfigMaps only: of a Secret, or of what SOPS has encrypted, none is ever shown. */
function diffsOf(before: Seen, after: Seen, from: Entries, to: Entries): readonly KeyDiff[] {
  const isShown = [before, after].every(({ sighting }) => {
    const source = sighting?.source;
    return (
      source === undefined ||
      (source.item.kind === "ConfigMap" && source.item.group === "" && source.coverage === "content")
    );
  });
  return isShown ? valueDiffs(from, to) : [];
}

interface Renames {
  /** Stamp key of the old name → that of the new one. */
  readonly oldKeys: ReadonlyMap<string, string>;
  readonly newKeys: ReadonlySet<string>;
  readonly names: ReadonlyMap<string, string>;
}

/** Pairs sources that have gone with those that have come, where only the hash in the name differs. */
function hashRenames(
  before: ReadonlyMap<string, Sighting>,
  after: ReadonlyMap<string, Sighting>,
  keys: readonly string[],
): Renames {
  const stem = ({ kind, namespace, name }: Sighting): string => `${kind}/${namespace}/${withoutHashSuffix(name)}`;
  const come = new Map<string, Sighting[]>();
  for (const key of keys) {
    const sighting = after.get(key);
    if (sighting === undefined || before.has(key) || !hasHashSuffix(sighting.name)) continue;
    come.set(stem(sighting), [...(come.get(stem(sighting)) ?? []), sighting]);
  }
  const oldKeys = new Map<string, string>();
  const names = new Map<string, string>();
  for (const key of keys) {
    const sighting = before.get(key);
    if (sighting === undefined || after.has(key) || !hasHashSuffix(sighting.name)) continue;
    const candidates = come.get(stem(sighting)) ?? [];
    const [only] = candidates;
    if (only === undefined || candidates.length > 1) continue;
    oldKeys.set(key, only.stampKey);
    names.set(sighting.name, only.name);
  }
  return { oldKeys, newKeys: new Set(oldKeys.values()), names };
}
