import { workloadKey, groupOf } from "../../base/identity.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import { getPath, getString } from "../../yaml/read/node.ts";
import type { Workload } from "../workloads/types.ts";
import { numberAt } from "./numbers.ts";

/** What sets the number of a workload's pods at run time. */
export interface ScaledBy {
  readonly kind: "HorizontalPodAutoscaler" | "ScaledObject";
  readonly name: string;
  /** The minimum number of pods. */
  readonly min: number;
  /** The maximum; null if the manifest sets none. */
  readonly max: number | null;
  /** The minimum while the scaler is active, if it is more than `min`. */
  readonly active?: number;
}

type Range = Pick<ScaledBy, "min" | "max" | "active">;

/** An object that scales workloads, and its range for a written number of pods. */
export interface Autoscaler {
  readonly item: Item;
  readonly kind: ScaledBy["kind"];
  /** Undefined if it does not change the number. */
  readonly range: (written: number | undefined) => Range | undefined;
}

/** The autoscalers of an input, by target. */
export type Autoscalers = ReadonlyMap<string, Autoscaler>;

interface ScalerKind {
  readonly group: string;
  readonly kind: ScaledBy["kind"];
  /** The kind if the target names none. */
  readonly target: { readonly kind?: string; readonly apiVersion: string };
  readonly range: (item: Item) => Autoscaler["range"];
}

/** If two scale one workload, the last row counts: a ScaledObject takes over a HorizontalPodAutoscaler. */
const SCALER_KINDS: readonly ScalerKind[] = [
  // pkg/apis/autoscaling/v2/defaults.go: minReplicas is 1. pkg/controller/podautoscaler/horizontal.go: a workload that
  // is scaled to 0 by hand stays at 0.
  {
    group: "autoscaling",
    kind: "HorizontalPodAutoscaler",
    target: { apiVersion: "" },
    range: (item) => {
      const min = numberAt(item, ["spec", "minReplicas"]) ?? 1;
      const max = numberAt(item, ["spec", "maxReplicas"]) ?? null;
      return (written) => (written === 0 ? undefined : { min, max });
    },
  },
  // KEDA apis/keda/v1alpha1/scaledobject_types.go: ScaleTarget.Kind is Deployment, minReplicaCount 0, maxReplicaCount
  // 100; NeedToBePausedByAnnotation: a number of pods, or a pause that keeps them.
  // pkg/scaling/executor/scale_scaledobjects.go: from idleReplicaCount it scales to minReplicaCount at once.
  {
    group: "keda.sh",
    kind: "ScaledObject",
    target: { kind: "Deployment", apiVersion: "apps/v1" },
    range: (item) => {
      const paused = pausedAt(item);
      if (paused !== undefined) return (written) => fixed(paused === "written" ? (written ?? 1) : paused);
      const active = numberAt(item, ["spec", "minReplicaCount"]) ?? 0;
      const min = numberAt(item, ["spec", "idleReplicaCount"]) ?? active;
      const max = numberAt(item, ["spec", "maxReplicaCount"]) ?? 100;
      const range = { min, max, ...(active > min ? { active } : {}) };
      return () => range;
    },
  },
];

function fixed(replicas: number): Range {
  return { min: replicas, max: replicas };
}

const PAUSED_REPLICAS = "autoscaling.keda.sh/paused-replicas";
const PAUSED = "autoscaling.keda.sh/paused";

function pausedAt(item: Item): number | "written" | undefined {
  const replicas = annotationOf(item, PAUSED_REPLICAS);
  if (replicas !== undefined && /^\d{1,9}$/u.test(replicas)) return Number(replicas);
  const paused = annotationOf(item, PAUSED);
  // KEDA: a value that is not a boolean also pauses (strconv.ParseBool).
  return paused === undefined || /^(?:0|f|false)$/iu.test(paused) ? undefined : "written";
}

export function findAutoscalers(items: readonly Item[], defaultNamespace: string): Autoscalers {
  const found = new Map<string, Autoscaler>();
  for (const row of SCALER_KINDS) {
    for (const item of items) {
      if (item.kind !== row.kind || item.group !== row.group) continue;
      const target = getPath(item.tree, item.node, ["spec", "scaleTargetRef"]);
      const kind = getString(item.tree, target, "kind") ?? row.target.kind;
      const name = getString(item.tree, target, "name");
      if (kind === undefined || name === undefined) continue;
      const group = groupOf(getString(item.tree, target, "apiVersion") ?? row.target.apiVersion);
      const key = workloadKey({ group, kind, name }, item.namespace || defaultNamespace);
      found.set(key, { item, kind: row.kind, range: row.range(item) });
    }
  }
  return found;
}

/** What scales a workload, if something does. */
export function autoscalerOf(workload: Workload, autoscalers: Autoscalers): Autoscaler | undefined {
  return autoscalers.get(workloadKey(workload.item, workload.namespace));
}

/** The range of a workload; undefined if nothing changes the number in its manifest. */
export function scaledBy(workload: Workload, autoscalers: Autoscalers): ScaledBy | undefined {
  const scaler = autoscalerOf(workload, autoscalers);
  const range = scaler?.range(numberAt(workload.item, ["spec", "replicas"]));
  return scaler === undefined || range === undefined
    ? undefined
    : { kind: scaler.kind, name: scaler.item.name, ...range };
}
