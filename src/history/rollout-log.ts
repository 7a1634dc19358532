import type { ConfigHashSpec } from "../config/config-hash.ts";
import { API_VERSION } from "../ground/keys.ts";
import { RollstampError } from "../ground/errors.ts";
import { namesKind, type KindAndName } from "../ground/kind-names.ts";
import type { Limits } from "../ground/limits.ts";
import { readManifests, type Item, type Manifests } from "../manifest/items.ts";
import { readTree } from "../manifest/tree.ts";
import { changesOf, type Telling } from "../plan/pair.ts";
import type { Action, Reason } from "../plan/plan-report.ts";
import { readSide, type Side, type SideWorkload } from "../plan/side.ts";
import { valueDiffs } from "../plan/value-diffs.ts";
import { sourceOfStampKey } from "../ground/stamp-keys.ts";
import { changedKeys, isUnchanged } from "../sources/changed-keys.ts";
import { findWorkloads } from "../workloads/find-workloads.ts";
import { workloadKinds } from "../workloads/workload-kinds.ts";

/** `rollstamp log -o json`. */
export interface RolloutLog {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: "RolloutLog";
  readonly workload: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  };
  /** The file that it is in now, from the root of the repository. */
  readonly path: string;
  /** The clone has not all of the history. */
  readonly shallow: boolean;
  /** The newest first. */
  readonly commits: readonly LoggedCommit[];
}

export interface LoggedCommit {
  readonly commit: string;
  readonly date: string;
  readonly author: string;
  readonly subject: string;
  /** The file that the workload is in behind it. */
  readonly path: string;
  readonly action: Action;
  readonly reasons: readonly Reason[];
}

/** Which workload is meant. */
export interface Wanted extends KindAndName {
  readonly namespace: string | undefined;
}

export interface Reading {
  readonly limits: Limits;
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
}

/** The document of a text that holds a workload. */
export interface Found {
  readonly text: string;
  readonly item: Item;
  readonly namespace: string;
}

/** Looks for one workload in texts: most commits leave its document as it was, which is read once then. */
export function finder(
  { kind, name, namespace }: Wanted,
  { limits, spec }: Reading,
): (text: string) => Found | undefined {
  const known = new Map<string, Found | undefined>();
  const kinds = workloadKinds(spec);
  return (text) => {
    for (const document of documentsOf(text)) {
      if (!document.includes(name)) continue;
      if (!known.has(document)) {
        const items = manifestsOf(document, limits)?.items ?? [];
        const workloads = quietly(() => findWorkloads(items, { ...spec, kinds })) ?? [];
        const found = workloads.find(
          ({ item, namespace: own }) =>
            item.name === name && namesKind(kind, item) && (namespace === undefined || namespace === own),
        );
        known.set(
          document,
          found === undefined ? undefined : { text: document, item: found.item, namespace: found.namespace },
        );
      }
      const found = known.get(document);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** The documents of a stream, as they stand: a marker begins a line. */
function documentsOf(text: string): string[] {
  return text.split(/^---(?=[ \t\r\n]|$)/mu);
}

function manifestsOf(text: string, limits: Limits): Manifests | undefined {
  return quietly(() => readManifests(readTree(text, "", limits)));
}

/** What a commit holds need not be right: what can't be read is nothing. */
function quietly<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof RollstampError) return undefined;
    throw cause;
  }
}

/** The texts of one side: of the workload, and of files that may hold its sources, the likeliest first. */
export interface SideTexts {
  readonly workload: Found | undefined;
  readonly others: readonly string[];
}

export interface Change {
  readonly action: Action;
  readonly reasons: readonly Reason[];
}

/** What became of a workload from one side to the other, by the stamps that stand there; undefined for nothing. */
export function changeOf(before: SideTexts, after: SideTexts, wanted: Wanted, reading: Reading): Change | undefined {
  return quietly(() => {
    const [base, head] = [sideOf(before, reading), sideOf(after, reading)];
    const [from, to] = [ownIn(base, wanted), ownIn(head, wanted)];
    if (to === undefined) return from === undefined ? undefined : { action: "Delete", reasons: [] };
    if (from === undefined) return { action: "Create", reasons: [] };
    const { template, immutable } = changesOf(base, head, from, to, TELLING);
    if (immutable.length > 0) return { action: "Fail", reasons: [...immutable, ...template] };
    return template.length === 0 ? undefined : { action: to.rollout().effect, reasons: template };
  });
}

const TELLING: Telling = { showValues: false, valueDiffs: valueDiffs(), changedKeys };

function ownIn({ workloads }: Side, { kind, name, namespace }: Wanted): SideWorkload | undefined {
  return [...workloads.values()].find(
    ({ workload: { item, namespace: own } }) =>
      item.name === name && namesKind(kind, item) && (namespace === undefined || namespace === own),
  );
}

/** A side has the stamps that are committed: what a check would say of them was not what rolled. */
function sideOf({ workload, others }: SideTexts, { limits, spec, hmacKey }: Reading): Side {
  const seen = new Set<string>();
  const isNew = ({ group, kind, namespace, name }: Item): boolean => {
    const id = JSON.stringify([group, kind, namespace, name]);
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  };
  const sources: Manifests[] = [];
  for (const text of others.flatMap(documentsOf)) {
    if (!/ConfigMap|Secret/u.test(text)) continue;
    const manifests = manifestsOf(text, limits);
    const items = manifests?.items.filter(({ kind }) => /ConfigMap|Secret/u.test(kind)).filter(isNew) ?? [];
    if (manifests !== undefined && items.length > 0) sources.push({ ...manifests, items });
  }
  const own = workload === undefined ? [] : [ownManifests(workload)];
  const read = quietly(() => readSide([...own, ...sources], spec, hmacKey, true));
  // A source that can't be digested is no reason to lose the commit.
  return read ?? readSide(own, spec, hmacKey, true);
}

function ownManifests({ item }: Found): Manifests {
  return { ...readManifests(item.tree), items: [item] };
}

/** The sources of stamps that changed though what is at hand of them did not, or isn't there. */
export function unexplainedSources({ reasons }: Change): string[] {
  return reasons.flatMap((reason) => {
    if (reason.type === "Source") {
      const { keys, source } = reason;
      return isUnchanged(keys) && source.previousName === undefined ? [source.name] : [];
    }
    if (reason.type !== "Template") return [];
    const [, key = ""] = /^metadata\.annotations\["([^"]+)"\]$/u.exec(reason.path) ?? [];
    return sourceOfStampKey(key)?.name ?? [];
  });
}
