import { once } from "../../base/grouped.ts";
import { REFERENCED_KINDS } from "../../base/referenced-kinds.ts";
import type { SourceName } from "../../base/names.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { compareBytes } from "../../base/digest/hash-v1.ts";
import { hasOwnName, type Item, type Manifests, isHelmHook } from "../../yaml/read/items.ts";
import type { RunItems } from "../lint/context.ts";
import { analyse, type Analysis } from "../../stamping/pipeline.ts";
import type { Decision } from "../../stamping/policy/types.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import { rollsOf } from "../../kubernetes/rollout/rolls.ts";
import { surroundingsOf, type Surroundings } from "../../kubernetes/rollout/surroundings.ts";
import type { DesiredStamps } from "../../stamping/stamps/types.ts";
import { standingStamps, waitOf, type PlannedWait } from "./schedule.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { workloadKey } from "../../base/identity.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate, Workload } from "../../kubernetes/workloads/types.ts";

/**
 * The stamps of a side's pod templates. `AsIfStamped`: those that `stamp` writes. `ByFunction`: those that a function or
 * plugin makes on the way to the cluster, where nothing can wait. `Standing`: those in the manifests. `None`: those in the
 * manifests do not reach the cluster. `Live`: a cluster has the pods, and stamping does not apply.
 */
export type SideStamps = "AsIfStamped" | "ByFunction" | "Standing" | "None" | "Live";

/** One of the two renderings that a plan compares, analysed. */
export interface Side {
  readonly analysis: Analysis;
  readonly spec: ConfigHashSpec;
  readonly stamps: SideStamps;
  readonly surroundings: Surroundings;
  /** All items of the whole rendering, of which this may be a part. */
  readonly run?: RunItems;
  /** Workloads by identity, in the order of the input. */
  readonly workloads: ReadonlyMap<string, SideWorkload>;
}

export interface SideWorkload {
  readonly id: string;
  readonly workload: Workload;
  readonly decision: Decision;
  /** The effect of a changed template. */
  readonly rollout: () => Rollout;
  /** What it waits for, if stamping leaves it unchanged. Always undefined in a cluster, and where a function stamps. */
  readonly waits?: PlannedWait;
  /** The stamps that stamping gives a template, also where the side has others; undefined if it is not stamped. */
  readonly desired: (template: PodTemplate) => DesiredStamps | undefined;
}

export interface WorkloadPair {
  readonly base: Side;
  readonly head: Side;
  readonly from: SideWorkload;
  readonly to: SideWorkload;
}

/** Where the objects of files are. */
export interface Places {
  /** The file of an object, by the path that both sides have. */
  readonly fileOf: (item: Item) => string;
  /** The object of the head that replaces one of the base, if its own file does not have it any more. */
  readonly keptAs: (item: Item) => Item | undefined;
}

/** What a side has under the name of a source. */
export function sourceOf({ analysis }: Side, { kind, namespace, name }: SourceName): Source | undefined {
  const known = REFERENCED_KINDS.find((candidate) => candidate === kind);
  return known === undefined ? undefined : analysis.sources.find(known, namespace, name);
}

/** Whether any pod template of a rendering has a stamp of ours. */
export function hasStamps({ workloads }: Pick<Analysis, "workloads">): boolean {
  return workloads.some(({ templates }) =>
    templates.some((template) => [...templateAnnotations(template).keys()].some(isStampKey)),
  );
}

/** Analyses one rendering; invalid schedules of a base, or of a cluster, are no errors. Throws a RollstampError for invalid input. */
export function readSide(
  inputs: readonly Manifests[],
  spec: ConfigHashSpec,
  hmacKey: Uint8Array | undefined,
  stamps: SideStamps = "AsIfStamped",
  isBase: boolean = stamps === "Live",
): Side {
  return sideOf(analyse(inputs, spec, hmacKey, { isBase }), spec, stamps);
}

/** One rendering, or a part of it, as a side of a plan. */
export function sideOf(
  analysis: Analysis,
  spec: ConfigHashSpec,
  stamps: SideStamps = "AsIfStamped",
  run?: RunItems,
): Side {
  const { items, decisions } = analysis;
  const surroundings = surroundingsOf(
    items,
    decisions.map(({ workload }) => workload),
    spec.defaultNamespace,
  );
  const byTemplate = new Map(analysis.desired.map((desired) => [desired.decision.template, desired]));
  const workloads = new Map<string, SideWorkload>();
  const last = new Map<string, number>();
  for (const decision of decisions) {
    const { workload } = decision;
    const id = hasOwnName(workload.item)
      ? workloadKey(workload.item, workload.namespace)
      : nextOf(workloadKey(workload.item, workload.namespace), workloads, last);
    // The release replaces a hook of the same name.
    if (workloads.has(id) && isHelmHook(workload.item)) continue;
    const desired = (template: PodTemplate): DesiredStamps | undefined => byTemplate.get(template);
    const waits = stamps === "AsIfStamped" || stamps === "Standing" ? waitOf(workload, desired) : undefined;
    if (stamps === "AsIfStamped")
      for (const wanted of waits?.wanted ?? []) byTemplate.set(wanted.decision.template, standingStamps(wanted));
    const rollout = once(() => rollsOf(workload, surroundings));
    workloads.set(id, { id, workload, decision, rollout, desired, ...(waits === undefined ? {} : { waits }) });
  }
  return { analysis, spec, stamps, surroundings, workloads, ...(run === undefined ? {} : { run }) };
}

/** Objects with generated names are distinguished by their order; `last` counts those of each identity. */
function nextOf(id: string, known: ReadonlyMap<string, unknown>, last: Map<string, number>): string {
  let nth = last.get(id) ?? 0;
  let next: string;
  do {
    nth += 1;
    next = nth === 1 ? id : `${id}\n${nth}`;
  } while (known.has(next));
  last.set(id, nth);
  return next;
}

/** Orders identities: namespace, kind, name. */
export function byIdentity(a: string, b: string): number {
  const [namespaceA = "", kindA = "", nameA = ""] = a.split("\n");
  const [namespaceB = "", kindB = "", nameB = ""] = b.split("\n");
  return compareBytes(namespaceA, namespaceB) || compareBytes(kindA, kindB) || compareBytes(nameA, nameB);
}
