import { objectKey } from "../../base/identity.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { type KeyChanges, type ResourceRef, type SourceName, sourceNameOf } from "../../base/names.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { changedKeys, isUnchanged } from "../../kubernetes/sources/changed-keys.ts";
import { generatedName } from "../../kubernetes/sources/kustomize-hash.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import { isFoundByLabel } from "../../kubernetes/workloads/reloaders.ts";
import { watcherOf, type PeerName } from "../../stamping/policy/peers.ts";
import { sightingsOf } from "../../stamping/stamps/sightings.ts";
import type { Side } from "./side.ts";
import { groupedBy } from "../../base/grouped.ts";

// Each application is stamped separately, so a changed source of another application in the cluster does not roll its
// workloads. That is a finding, not a rollout.

/** A source of an application that is changed or missing in the head. */
export interface ChangedSource {
  readonly source: SourceName;
  readonly keys: KeyChanges;
  readonly isGone: boolean;
  /** Nothing of what its application renders uses it. */
  readonly isUnused: boolean;
}

/** A source that a workload references and that its application doesn't have. */
export interface LackedSource {
  readonly workload: ResourceRef;
  readonly source: SourceName;
  readonly keys: "*" | readonly string[];
  readonly isOptional: boolean;
  /** The controller that restarts the pods when the source changes, if it runs in the cluster. */
  readonly watchedBy?: PeerName | undefined;
}

/** The data of an application that comparing the other applications of its cluster needs. */
export interface LookedAcross {
  readonly has: readonly SourceName[];
  readonly lacks: readonly LackedSource[];
}

/** The sources that differ between two sides, except names with a hash: other applications cannot reference these. */
export function changedSources(base: Side, head: Side): ChangedSource[] {
  const unused = new Set(unusedChanges(base, head).map((source) => objectKey(source)));
  return changesOf(base, head, (source) => generatedName(source) === undefined).map((change) => ({
    ...change,
    isUnused: unused.has(objectKey(change.source)),
  }));
}

/** The sources that differ between two sides, that no workload of these uses, and that others may use. */
export function unusedChanges(base: Side, head: Side): SourceName[] {
  const used = new Set([base, head].flatMap(usedSources));
  const isWanted = ({ provides, item, neverCounts }: Source): boolean =>
    !neverCounts && !isFoundByLabel(item) && !used.has(objectKey(sourceNameOf(provides)));
  return changesOf(base, head, isWanted).map(({ source }) => source);
}

function usedSources({ analysis: { decisions } }: Side): string[] {
  return decisions.flatMap(({ workload, templates }) =>
    templates.flatMap((template) => sightingsOf(template, workload.namespace).map((seen) => objectKey(seen))),
  );
}

function changesOf(base: Side, head: Side, isWanted: (source: Source) => boolean): Omit<ChangedSource, "isUnused">[] {
  const after = sourcesOf(head);
  return [...sourcesOf(base)].flatMap(([key, before]): Omit<ChangedSource, "isUnused">[] => {
    const { kind, namespace, name } = before.provides;
    if ((kind === "Secret" && head.spec.secrets === "Ignore") || !isWanted(before)) return [];
    const source = { kind, namespace, name };
    const now = after.get(key);
    const none = { added: [], removed: [], changed: [] };
    if (now === undefined) return [{ source, keys: none, isGone: true }];
    const keys = changedKeys(base.analysis.sources.entries(before), head.analysis.sources.entries(now));
    return isUnchanged(keys) ? [] : [{ source, keys, isGone: false }];
  });
}

function sourcesOf({ analysis: { sources } }: Side): ReadonlyMap<string, Source> {
  return new Map(
    sources.all.flatMap(({ provides: { kind, namespace, name } }) => {
      // If several create the same object, only the one that counts is a source.
      const counting = sources.find(kind, namespace, name);
      return counting === undefined ? [] : [[objectKey({ kind, namespace, name }), counting] as const];
    }),
  );
}

/** The sources of a side, and those that its workloads miss. */
export function lookedAcross({ analysis: { sources, decisions }, spec, stamps }: Side): LookedAcross {
  const watcher = watcherOf(sources, stamps === "None" ? [] : spec.compat);
  const lacks = decisions.flatMap(({ workload, templates, touched, selected }) => {
    if (!touched || !selected) return [];
    return templates.flatMap((template) =>
      sightingsOf(template, workload.namespace)
        .filter(({ source }) => source === undefined)
        .map(({ kind, namespace, name, keys, counted }): LackedSource => ({
          workload: resourceRef(workload.item),
          source: { kind, namespace, name },
          keys: keys === "*" ? keys : [...keys].sort(),
          isOptional: counted.every(({ reference }) => reference.optional),
          watchedBy: watcher(
            workload,
            template.template,
            counted.map(({ reference }) => reference),
          ),
        })),
    );
  });
  return { has: sources.all.map(({ provides }) => sourceNameOf(provides)), lacks };
}

export interface OtherApplication extends LookedAcross {
  readonly application: string;
}

/**
 * What the applications of one cluster have and lack, by source: each application that changes asks for all others, and
 * thousands may be made from one folder.
 */
export interface UsesInCluster {
  readonly lacking: ReadonlyMap<string, readonly { readonly application: string; readonly lack: LackedSource }[]>;
  /** The names of the applications. */
  readonly having: ReadonlyMap<string, ReadonlySet<string>>;
}

export function usesInCluster(applications: readonly OtherApplication[]): UsesInCluster {
  const having = new Map<string, Set<string>>();
  for (const { application, has } of applications)
    for (const source of has) {
      const key = objectKey(source);
      having.set(key, (having.get(key) ?? new Set()).add(application));
    }
  const lacking = applications.flatMap(({ application, lacks }) => lacks.map((lack) => ({ application, lack })));
  return { lacking: groupedBy(lacking, ({ lack }) => objectKey(lack.source)), having };
}

/** Whether another application than `own` has a source. */
export function hasOther({ having }: UsesInCluster, own: string, source: SourceName): boolean {
  const names = having.get(objectKey(source));
  return names !== undefined && names.size > (names.has(own) ? 1 : 0);
}

/** The changes of an application that pods of others read only when they restart. */
export function unseenChanges(
  changed: readonly ChangedSource[],
  own: string,
  uses: UsesInCluster,
): Finding<"cross-application-change">[] {
  return changed.flatMap(({ source, keys, isGone }): Finding<"cross-application-change">[] => {
    const users = (uses.lacking.get(objectKey(source)) ?? []).filter(
      ({ application, lack }) => application !== own && (isGone ? !lack.isOptional : sees(lack.keys, keys)),
    );
    // A source that moved to another application is not missing.
    if (users.length === 0 || (isGone && hasOther(uses, own, source))) return [];
    const causeOf = ({ lack }: (typeof users)[number]): PeerName | "unwatched" =>
      isGone ? "unwatched" : (lack.watchedBy ?? "unwatched");
    return [...groupedBy(users, causeOf)].map(([writer, some]) => {
      const workloads = [
        ...new Map(some.map(({ application, lack }) => [`${application}\n${objectKey(lack.workload)}`, lack])).values(),
      ].map(({ workload }) => workload);
      const applications = [...new Set(some.map(({ application }) => application))];
      const params = { source, keys, workloads, applications };
      const id = "cross-application-change";
      if (writer !== "unwatched") return { id, cause: "watched", params: { ...params, writer } };
      return { id, cause: isGone ? "removed" : "changed", params };
    });
  });
}

function sees(keys: LackedSource["keys"], { added, removed, changed }: KeyChanges): boolean {
  if (keys === "*") return true;
  const seen = new Set(keys);
  return [...added, ...removed, ...changed].some((key) => seen.has(key));
}
