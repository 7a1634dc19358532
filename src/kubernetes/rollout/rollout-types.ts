import type { Item } from "../../yaml/read/items.ts";
import type { RollsBy } from "../workloads/types.ts";
import type { IntOrPercent } from "./int-or-percent.ts";
import type { Hold } from "./rollout-kinds.ts";
import type { ScaledBy } from "./scalers.ts";

// What a workload says of how it rolls, and what comes of it: mechanics.ts makes the one of the other.

/** What a workload's manifest says of how it rolls, as it is written: undefined where it says nothing. */
export interface WrittenRollout {
  readonly apiVersion: string;
  readonly kind: string;
  /** How the kind's pods take a changed template. */
  readonly rollsBy: RollsBy;
  readonly replicas?: number | undefined;
  /** What scales it: its fewest pods count, whatever `replicas` says. */
  readonly scaledBy?: ScaledBy | undefined;
  /** How long a pod has to be ready before it counts, and how long a rollout may take to get on, in seconds. */
  readonly minReadySeconds?: number | undefined;
  readonly progressDeadlineSeconds?: number | undefined;
  /** The settings that keep a changed template from the pods. */
  readonly holds?: readonly Hold[] | undefined;
  /** The tool that deletes the object and makes it anew rather than change it, in words. */
  readonly recreatedBy?: string | undefined;
  readonly strategy?: WrittenStrategy | undefined;
}

export interface WrittenStrategy {
  readonly type?: string | undefined;
  /** Whether `rollingUpdate` is there: beside a type that has none it is refused. */
  readonly hasRollingUpdate?: boolean | undefined;
  readonly maxSurge?: IntOrPercent | undefined;
  readonly maxUnavailable?: IntOrPercent | undefined;
  readonly partition?: number | undefined;
  /** Argo Rollouts: a traffic router keeps the old pods until the new ones have the traffic. */
  readonly routed?: Routed | undefined;
  /** Argo Rollouts: where it stops until somebody promotes it. */
  readonly waits?: Wait | undefined;
}

/** How a canary with a traffic router counts its pods. */
export interface Routed {
  /** The old pods go as the traffic does. */
  readonly isDynamic: boolean;
  /** The most new pods that a setting asks for, whatever the number of pods; percentages are of that. */
  readonly most: readonly IntOrPercent[];
}

/** A place in a rollout from which it goes on only by hand. */
export interface Wait {
  readonly field: string;
  /** Why, in words: "step 2 pauses until somebody promotes it". */
  readonly because: string;
}

/** A strategy with its defaults filled in and its percentages worked out: null where Git can't tell. */
export interface Strategy {
  readonly type: string;
  /** The number of pods; null for one a node, or where an operator decides. */
  readonly replicas: number | null;
  readonly maxSurge: IntOrPercent | null;
  readonly maxUnavailable: IntOrPercent | null;
  /** The fewest pods that are available while it rolls. */
  readonly minAvailable: number | null;
  /** The most pods that exist while it rolls, terminating ones not counted. */
  readonly maxTotal: number | null;
  /** StatefulSet: pods below this ordinal stay as they are. */
  readonly partition?: number;
}

/** What a changed template does: `Fail` where the API server refuses it. */
export type Effect = "Roll" | "NextRun" | "NoEffect" | "Fail";

export interface Rollout {
  /** What the workload does if its pod template has changed. */
  readonly effect: Effect;
  /** Why nothing rolls, in words: "it is paused"; undefined for `Roll`. */
  readonly because: string | undefined;
  /** The field that says so; undefined where it is a matter of the kind or of a default. */
  readonly field?: string;
  /** What a person does for the pods to take the change, in words; undefined where nothing is to be done. */
  readonly next?: string;
  /** The setting by which a change of nothing but annotations and labels reaches no pod. */
  readonly inPlace?: Hold;
  /** Null for kinds without replicas of their own: Job, CronJob, bare Pod. */
  readonly strategy: Strategy | null;
  /** How many pods are replaced; 0 too where Git can't tell (DaemonSet). */
  readonly pods: number;
  /** What sets the number of pods while it runs. */
  readonly scaledBy?: ScaledBy;
  /** How it rolls with the fewest pods that there are, one at least, and with the most; only where the two differ. */
  readonly ends?: { readonly fewest: Pods; readonly most: Pods };
  /** How many pods go at once where they are evicted rather than rolled: Argo Rollouts' restarts. */
  readonly evictedAtOnce?: number;
  /** Where it stops until a person lets it go on. */
  readonly waits?: Wait | undefined;
  /** The objects that run its pod template in its place, and what they do for a change of it. */
  readonly runBy?: readonly { readonly item: Item; readonly rollout: Rollout | undefined }[];
  /** A field that the API server refuses whether or not the template has changed, and why. */
  readonly refused: Refusal | undefined;
}

/** How a number of pods rolls. */
export type Pods = Pick<Rollout, "strategy" | "pods" | "evictedAtOnce">;

export interface Refusal {
  readonly path: string;
  readonly problem: string;
  /** Who refuses what the API server takes: its pods stay as they are. Undefined: the API server. */
  readonly by?: string;
  /** No pod would count as available before the rollout is given up. */
  readonly readyTooLate?: { readonly minReadySeconds: number; readonly progressDeadlineSeconds: number };
}

/** The strategy with its defaults, its counts still as they are written. */
export interface Resolved {
  readonly type: string;
  readonly replicas: number;
  readonly maxSurge: IntOrPercent;
  readonly maxUnavailable: IntOrPercent;
  readonly partition: number;
  readonly routed: Routed | undefined;
}
