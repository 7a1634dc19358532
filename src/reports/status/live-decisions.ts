import { workloadKinds } from "../../kubernetes/workloads/workload-kinds.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { recovered } from "../../base/errors.ts";
import { describe, type Item } from "../../yaml/read/items.ts";
import { decide } from "../../stamping/policy/decide.ts";
import type { Decision } from "../../stamping/policy/types.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import { rollsOf } from "../../kubernetes/rollout/rolls.ts";
import { surroundingsOf } from "../../kubernetes/rollout/surroundings.ts";
import type { Unseen } from "./status-report.ts";
import { stampKey } from "../../base/stamp-keys.ts";
import { partsOfCopyName } from "../../kubernetes/sources/copies.ts";
import { indexSources, type SourceIndex } from "../../kubernetes/sources/source-index.ts";
import { sightingsOf, type Sighting } from "../../stamping/stamps/sightings.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { findWorkloads } from "../../kubernetes/workloads/find-workloads.ts";
import type { DigestBook } from "./digest-book.ts";
import type { PodGroup } from "./live-objects.ts";
import type { LiveCluster, LiveWorkload } from "./read-cluster.ts";

/** A workload that needs stamps, with the sources that count for each of its templates. */
export interface LiveDecision {
  readonly live: LiveWorkload;
  /** The uids of the workloads that run its pod template. */
  readonly runBy: readonly string[];
  readonly decision: Decision;
  /** The effect of a changed template. */
  readonly rollout: Rollout;
  readonly templates: readonly {
    readonly sightings: readonly Sighting[];
    readonly annotations: ReadonlyMap<string, string>;
  }[];
}

export interface LiveDecisions {
  readonly all: readonly LiveDecision[];
  /** The objects that declare Secrets, by the Secrets that they create. */
  readonly declared: SourceIndex;
  /** The stamps of pods: also those of copies of sources, whose digits are the beginning of a digest (layout Versioned). */
  readonly stampsOf: (pods: PodGroup) => ReadonlyMap<string, string>;
  /** Objects that could not be checked because of an invalid annotation. */
  readonly unseen: readonly Unseen[];
}

/** Decides as for manifests. An invalid object is reported and does not affect the others. */
export function decideLive(cluster: LiveCluster, spec: ConfigHashSpec): LiveDecisions {
  const unseen: Unseen[] = [];
  const taken = <T>(item: Item, make: () => T): T[] =>
    recovered(
      () => [make()],
      ({ message }) => {
        unseen.push({ what: describe(item), because: message });
        return [];
      },
    );
  const usable = (items: readonly Item[]): Item[] =>
    items.flatMap((item) => taken(item, () => indexSources([item], spec)).map(() => item));
  const declaredItems = usable(cluster.declared);
  const sources = indexSources([...usable(cluster.sources), ...declaredItems], spec);
  const byItem = new Map(cluster.workloads.map((live) => [live.item, live]));
  const items = cluster.workloads.map(({ item }) => item);
  const workloads = findWorkloads(items, { ...spec, kinds: workloadKinds(spec) });
  // The live object has the current number of pods: its autoscaler has written it.
  const surroundings = surroundingsOf([], workloads, spec.defaultNamespace);
  const all = workloads.flatMap((workload): LiveDecision[] => {
    const live = byItem.get(workload.item);
    const [decision] = taken(workload.item, () => decide([workload], sources, spec)).flat();
    if (live === undefined || decision === undefined || !decision.touched || !decision.selected) return [];
    return [
      {
        live,
        runBy: workload.runBy.flatMap((item) => byItem.get(item)?.uid ?? []),
        decision,
        rollout: rollsOf(workload, surroundings),
        templates: decision.templates.map((template) => ({
          sightings: sightingsOf(template, workload.namespace),
          annotations: withDigits(template.template),
        })),
      },
    ];
  });
  return { all, declared: indexSources(declaredItems, spec), stampsOf: (pods) => podStamps(pods, sources), unseen };
}

/** The annotations of a pod template, with the digits of the copies that it names. */
function withDigits(template: PodTemplate): ReadonlyMap<string, string> {
  const digits = [...(template.copies ?? [])].map(
    ([key, name]) => [key, partsOfCopyName(name)?.digits ?? name] as const,
  );
  return new Map([...templateAnnotations(template), ...digits]);
}

/** The stamps of pods, with the digits of the copies that they name. A copy may be gone, and its pods still run. */
function podStamps({ stamps, named, namespace }: PodGroup, sources: SourceIndex): ReadonlyMap<string, string> {
  const copies = named.flatMap(({ kind, name }) => {
    const parts = partsOfCopyName(name);
    if (parts === undefined || sources.find(kind, namespace, name) !== undefined) return [];
    const isCopy = sources.find(kind, namespace, parts.name) !== undefined;
    return isCopy ? [[stampKey(kind, "", parts.name), parts.digits] as const] : [];
  });
  return copies.length === 0 ? stamps : new Map([...stamps, ...copies]);
}

/** Requests all digests that a stamp may have: a stamp does not show its granularity. */
export function wantDigests(decisions: readonly LiveDecision[], book: DigestBook): void {
  for (const { templates } of decisions) {
    for (const sighting of templates.flatMap(({ sightings }) => sightings)) {
      book.want(sighting, sighting.keys);
      book.want(sighting, "*");
    }
  }
}
