import type { Item } from "../../yaml/read/items.ts";
import type { RollsBy } from "../workloads/types.ts";
import type { IntOrPercent } from "./numbers.ts";
import type { Hold } from "./rollout-kinds.ts";
import type { ScaledBy } from "./scalers.ts";

// What a workload's manifest says about its rollouts, and the result: mechanics.ts computes one from the other.

/** What a workload's manifest says about its rollouts, as written; undefined fields are absent. */
export interface WrittenRollout {
  readonly apiVersion: string;
  readonly kind: string;
  /** How pods of this kind get a changed template. */
  readonly rollsBy: RollsBy;
  readonly replicas?: number | undefined;
  /** What scales it: its minimum takes precedence over `replicas`. */
  readonly scaledBy?: ScaledBy | undefined;
  /**
   * How long a pod must be ready before it counts as available, and how long a rollout may make no progress, in
   * seconds.
   */
  readonly minReadySeconds?: number | undefined;
  readonly progressDeadlineSeconds?: number | undefined;
  /** The settings that keep a changed template from the pods. */
  readonly holds?: readonly Hold[] | undefined;
  /** The tool that deletes and recreates the object instead of changing it, in words. */
  readonly recreatedBy?: string | undefined;
  /** Why no change of it reaches the cluster. */
  readonly unapplied?: Unapplied | undefined;
  readonly strategy?: WrittenStrategy | undefined;
}

/**
 * What an apply refuses besides wrong values. `Strict`, as kubectl: fields that the API server does not have. `ServerSide`, as Flux:
 * also a key of a list twice. `Ignore`, as Helm 3, and as Argo CD, which sets no field validation for its own apply (gitops-engine:
 * newApplyOptions in resource_ops.go): neither; unknown fields are dropped.
 */
export type FieldValidation = "Strict" | "ServerSide" | "Ignore";

/** Why a tool leaves an object in the cluster as it is, and what to do, in words. */
export interface Unapplied {
  readonly because: string;
  readonly next: string;
}

export interface WrittenStrategy {
  readonly type?: string | undefined;
  /** Whether `rollingUpdate` is set: the API server rejects it with some types. */
  readonly hasRollingUpdate?: boolean | undefined;
  readonly maxSurge?: IntOrPercent | undefined;
  readonly maxUnavailable?: IntOrPercent | undefined;
  readonly partition?: number | undefined;
  /** Argo Rollouts: traffic routing keeps the old pods until the new ones have the traffic. */
  readonly routed?: Routed | undefined;
  /** Argo Rollouts: where the rollout waits until someone promotes it. */
  readonly waits?: Wait | undefined;
}

/** The numbers of pods of a canary with traffic routing. */
export interface Routed {
  /** The number of old pods follows the traffic. */
  readonly isDynamic: boolean;
  /**
   * The largest numbers of new pods that settings ask for, independent of the number of pods; percentages are of that
   * number.
   */
  readonly most: readonly IntOrPercent[];
}

/** A place in a rollout where a person must continue it. */
export interface Wait {
  /** What it does in words: "waits at step 2 for promotion". */
  readonly because: string;
}

/** A strategy with defaults and resolved percentages; null if Git does not show the value. */
export interface Strategy {
  readonly type: string;
  /** The number of pods; null for one pod per node, or if an operator decides. */
  readonly replicas: number | null;
  readonly maxSurge: IntOrPercent | null;
  readonly maxUnavailable: IntOrPercent | null;
  /** The minimum number of available pods during the rollout. */
  readonly minAvailable: number | null;
  /** The maximum number of pods during the rollout, without terminating ones. */
  readonly maxTotal: number | null;
  /** StatefulSet: pods below this ordinal do not change. */
  readonly partition?: number;
}

/** The effect of a changed template; `Fail` if the API server rejects it. */
export type Effect = "Roll" | "NextRun" | "NoEffect" | "Fail";

export interface Rollout {
  readonly effect: Effect;
  /** Why nothing rolls out, in words: "it is paused"; undefined for `Roll`. */
  readonly because: string | undefined;
  /** The field with the reason; undefined if the reason is the kind or a default. */
  readonly field?: string;
  /** What to do so that the pods get the change, in words; undefined if no action is needed. */
  readonly next?: string;
  /** The setting because of which a change of only annotations and labels reaches no pod. */
  readonly inPlace?: Hold;
  /** Null for kinds without replicas: Job, CronJob, bare Pod. */
  readonly strategy: Strategy | null;
  /** How many pods are replaced; 0 also if Git does not show the number (DaemonSet). */
  readonly pods: number;
  /** What sets the number of pods at run time. */
  readonly scaledBy?: ScaledBy;
  /** The rollout with the smallest number of pods, at least 1, and with the largest; only if the two differ. */
  readonly ends?: { readonly fewest: Pods; readonly most: Pods };
  /** How many pods are evicted at once, in a restart of Argo Rollouts. */
  readonly evictedAtOnce?: number;
  /** Where the rollout waits for a person. */
  readonly waits?: Wait | undefined;
  /** The objects that run its pod template instead of it, and their rollouts. */
  readonly runBy?: readonly { readonly item: Item; readonly rollout: Rollout | undefined }[];
  /** A tool leaves the object in the cluster as it is. */
  readonly isUnapplied?: true;
  /** The field that the API server rejects, whether or not the template has changed. */
  readonly refused: Refusal | undefined;
}

/** The rollout of a number of pods. */
export type Pods = Pick<Rollout, "strategy" | "pods" | "evictedAtOnce">;

export interface Refusal {
  readonly path: string;
  readonly problem: string;
  /** Who rejects what the API server accepts: the pods keep running. Undefined if the API server rejects it. */
  readonly by?: string;
  /** No pod would become available before the deadline. */
  readonly readyTooLate?: { readonly minReadySeconds: number; readonly progressDeadlineSeconds: number };
  /** The field is what the API server has filled in, and an apply leaves it there. */
  readonly isLeft?: true;
}

/** The strategy with its defaults; counts are as written. */
export interface Resolved {
  readonly type: string;
  readonly replicas: number;
  readonly maxSurge: IntOrPercent;
  readonly maxUnavailable: IntOrPercent;
  readonly partition: number;
  readonly routed: Routed | undefined;
}
