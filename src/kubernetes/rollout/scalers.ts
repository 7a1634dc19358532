import { workloadKey, groupOf } from "../../base/identity.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import { getPath, getString } from "../../yaml/read/node.ts";
import type { Workload } from "../workloads/types.ts";
import { numberAt } from "./numbers.ts";

/** What sets the number of a workload's pods while it runs. */
export interface ScaledBy {
  readonly kind: "HorizontalPodAutoscaler" | "ScaledObject";
  readonly name: string;
  /** The fewest pods that it keeps. */
  readonly min: number;
  /** The most; null where its manifest says none, as none that is taken does. */
  readonly max: number | null;
  /** The fewest pods while it has any to keep, where that is more than `min`. */
  readonly active?: number;
}

type Range = Pick<ScaledBy, "min" | "max" | "active">;

/** An object that scales workloads, with what it makes of the number of pods that a manifest has. */
export interface Autoscaler {
  readonly item: Item;
  readonly kind: ScaledBy["kind"];
  /** Undefined where it leaves the workload alone. */
  readonly range: (written: number | undefined) => Range | undefined;
}

/** The autoscalers of an input, by the workload that each targets. */
export type Autoscalers = ReadonlyMap<string, Autoscaler>;

interface ScalerKind {
  readonly group: string;
  readonly kind: ScaledBy["kind"];
  /** What is meant where the target says no kind. */
  readonly target: { readonly kind?: string; readonly apiVersion: string };
  readonly range: (item: Item) => Autoscaler["range"];
}

/** Where two scale one workload, the last of these counts: a ScaledObject takes over the HorizontalPodAutoscaler. */
const SCALER_KINDS: readonly ScalerKind[] = [
  // pkg/apis/autoscaling/v2/defaults.go: minReplicas is 1. pkg/controller/podautoscaler/horizontal.go: of a
  // workload that is scaled to 0 by hand nothing is changed.
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
  // 100; NeedToBePausedByAnnotation: a number of pods, or a pause that leaves them.
  // pkg/scaling/executor/scale_scaledobjects.go: from idleReplicaCount it goes to minReplicaCount at once.
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
  // KEDA: what is no boolean pauses, too (strconv.ParseBool).
  return paused === undefined || /^(?:0|f|false)$/iu.test(paused) ? undefined : "written";
}

/** Indexes the autoscalers among items. */
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

/** What scales a workload; undefined where nothing does. */
export function autoscalerOf(workload: Workload, autoscalers: Autoscalers): Autoscaler | undefined {
  return autoscalers.get(workloadKey(workload.item, workload.namespace));
}

/** The numbers between which a workload is scaled; undefined where nothing changes what its manifest says. */
export function scaledBy(workload: Workload, autoscalers: Autoscalers): ScaledBy | undefined {
  const scaler = autoscalerOf(workload, autoscalers);
  const range = scaler?.range(numberAt(workload.item, ["spec", "replicas"]));
  return scaler === undefined || range === undefined
    ? undefined
    : { kind: scaler.kind, name: scaler.item.name, ...range };
}
