/**
 * What a rollout may do, from two stamped renderings alone. Written independently from the rules of the
 * Kubernetes controllers (k8s.io/api/apps/v1 types and defaults, pkg/controller/deployment/util), so
 * that it shares no mistake with the product.
 */
import { isDeepStrictEqual } from "node:util";
import { parseAllDocuments } from "yaml";
import { fieldAt, numberAt, textAt } from "./fields.ts";
import type { WorkloadKey } from "./replay.ts";

/** The actions of `rollstamp plan`, but those that need no pods to be watched. */
export type Action = "Roll" | "NextRun" | "NoEffect" | "None" | "Create";

export interface Expected {
  readonly action: Action;
  /** How many pods are replaced. */
  readonly pods: number;
  readonly leastAvailable: number;
  readonly mostTotal: number;
}

export interface Surroundings {
  /** The namespace of objects that name none. */
  readonly namespace: string;
  readonly nodes: number;
}

/** Says what applying `head` over `base` does to each workload. */
export type Expectation = (
  base: string,
  head: string,
  surroundings: Surroundings,
) => Promise<ReadonlyMap<WorkloadKey, Expected>>;

type Bounds = Omit<Expected, "action">;

interface Kind {
  readonly template: readonly string[];
  readonly action: (object: unknown) => Action;
  /** How many pods it keeps. */
  readonly pods: (object: unknown, surroundings: Surroundings) => number;
  readonly bounds: (object: unknown, surroundings: Surroundings) => Bounds;
}

const POD_TEMPLATE = ["spec", "template"];
const NO_PODS: Bounds = { pods: 0, leastAvailable: 0, mostTotal: 0 };

const KINDS: Readonly<Record<string, Kind>> = {
  Deployment: {
    template: POD_TEMPLATE,
    action: (object) => (fieldAt(object, "spec", "paused") === true ? "NoEffect" : "Roll"),
    pods: replicasOf,
    bounds: deploymentBounds,
  },
  StatefulSet: { template: POD_TEMPLATE, action: updateAction, pods: replicasOf, bounds: statefulSetBounds },
  DaemonSet: { template: POD_TEMPLATE, action: updateAction, pods: (_, { nodes }) => nodes, bounds: daemonSetBounds },
  CronJob: { template: ["spec", "jobTemplate"], action: () => "NextRun", pods: () => 0, bounds: () => NO_PODS },
  // Its pods have ended when the test looks.
  Job: { template: POD_TEMPLATE, action: () => "NoEffect", pods: () => 0, bounds: () => NO_PODS },
};

/** The expectation by formula. */
export const byFormula: Expectation = (base, head, surroundings) => {
  const before = readWorkloads(base, surroundings.namespace);
  const after = readWorkloads(head, surroundings.namespace);
  const expected = [...after].map(([key, { kind, object }]): [WorkloadKey, Expected] => {
    const old = before.get(key);
    const changed =
      !old || !isDeepStrictEqual(fieldAt(old.object, ...kind.template), fieldAt(object, ...kind.template));
    const action = !old ? "Create" : changed ? kind.action(object) : "None";
    if (action === "Roll") return [key, { action, ...kind.bounds(object, surroundings) }];
    // A workload that stands still keeps every pod.
    const all = kind.pods(object, surroundings);
    return [key, { action, pods: 0, leastAvailable: all, mostTotal: all }];
  });
  return Promise.resolve(new Map(expected));
};

function readWorkloads(
  manifests: string,
  namespace: string,
): ReadonlyMap<WorkloadKey, { kind: Kind; object: unknown }> {
  const objects = parseAllDocuments(manifests).map((document): unknown => document.toJS());
  return new Map(
    objects.flatMap((object) => {
      const name = textAt(object, "kind");
      const kind = KINDS[name];
      const key = `${name}/${textAt(object, "metadata", "namespace") || namespace}/${textAt(object, "metadata", "name")}`;
      return kind ? [[key, { kind, object }] as const] : [];
    }),
  );
}

function updateAction(object: unknown): Action {
  return textAt(object, "spec", "updateStrategy", "type") === "OnDelete" ? "NoEffect" : "Roll";
}

function replicasOf(object: unknown): number {
  return fieldAt(object, "spec", "replicas") === undefined ? 1 : numberAt(object, "spec", "replicas");
}

function deploymentBounds(object: unknown): Bounds {
  const replicas = replicasOf(object);
  const strategy = fieldAt(object, "spec", "strategy");
  if (textAt(strategy, "type") === "Recreate") return { pods: replicas, leastAvailable: 0, mostTotal: replicas };
  const surge = share(fieldAt(strategy, "rollingUpdate", "maxSurge") ?? "25%", replicas, Math.ceil);
  const written = share(fieldAt(strategy, "rollingUpdate", "maxUnavailable") ?? "25%", replicas, Math.floor);
  // Both 0 by rounding would never move: the controller takes one away.
  const unavailable = Math.min(surge === 0 && written === 0 ? 1 : written, replicas);
  return { pods: replicas, leastAvailable: replicas - unavailable, mostTotal: replicas + Math.min(surge, replicas) };
}

function statefulSetBounds(object: unknown): Bounds {
  const replicas = replicasOf(object);
  const pods = Math.max(0, replicas - numberAt(object, "spec", "updateStrategy", "rollingUpdate", "partition"));
  // One at a time: more needs the feature gate MaxUnavailableStatefulSet, off in 1.34.
  return { pods, leastAvailable: replicas - Math.min(1, pods), mostTotal: replicas };
}

function daemonSetBounds(object: unknown, { nodes }: Surroundings): Bounds {
  const rolling = fieldAt(object, "spec", "updateStrategy", "rollingUpdate");
  const surge = share(fieldAt(rolling, "maxSurge") ?? 0, nodes, Math.ceil);
  const unavailable = share(fieldAt(rolling, "maxUnavailable") ?? 1, nodes, Math.ceil);
  return { pods: nodes, leastAvailable: nodes - unavailable, mostTotal: nodes + surge };
}

/** An IntOrString of `all`. */
function share(value: unknown, all: number, round: (exact: number) => number): number {
  if (typeof value === "number") return value;
  // 25% of 4 is exactly 1: whole numbers before the division.
  return round((Number.parseInt(String(value), 10) * all) / 100);
}
