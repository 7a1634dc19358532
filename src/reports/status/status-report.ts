import type { API_VERSION } from "../../base/keys.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";

// The shape of `status -o json` (schemas/status.json). No digest stands in it: that of a Secret with little in
// it can be guessed back.

/**
 * `Stale`: pods run with content other than what the cluster holds. `RollingOut`: the template is right, and not
 * all pods have it yet. `Behind`: the stamp is old, but no running pod is: it has none, they started later, or
 * it is a CronJob. `Waiting`: it waits for a stamp of what the cluster holds (`rollstamp.dev/waiting`), so its pods run
 * with old content by intent. `Unstamped`: it uses sources without a stamp for them. `Unknown`: it can't be told.
 */
export type WorkloadState = "Stale" | "RollingOut" | "Behind" | "Unstamped" | "Unknown" | "Waiting" | "Current";

/**
 * `Rotated`: the stamp is of the declaration, which stands, and the Secret that it makes has changed since pods
 * started.
 */
export type SourceState = "Stale" | "Rotated" | "Unstamped" | "Unknown" | "Waiting" | "Current";

export interface StatusReport {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: "ClusterStatus";
  readonly context: string;
  /** Undefined: all of them. */
  readonly namespace?: string;
  readonly summary: StatusSummary;
  readonly workloads: readonly WorkloadStatus[];
  /** What could not be read. */
  readonly unseen: readonly Unseen[];
}

export interface StatusSummary {
  /** All that were looked at, listed or not. */
  readonly workloads: number;
  readonly stale: number;
  readonly rollingOut: number;
  readonly behind: number;
  readonly unstamped: number;
  readonly unknown: number;
  /** Those that wait for new stamps. */
  readonly waiting: number;
  /** The pods with old content, but for those of workloads that wait. */
  readonly stalePods: number;
}

export interface WorkloadStatus {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: WorkloadState;
  readonly pods: PodCounts;
  /** How far a rollout has come; null where none is in progress. */
  readonly rollout: RolloutStatus | null;
  readonly sources: readonly SourceStatus[];
}

export interface PodCounts {
  readonly total: number;
  /** They run with old content. */
  readonly stale: number;
}

export interface RolloutStatus {
  readonly updated: number;
  readonly desired: number;
  readonly because?: string;
}

export interface SourceStatus {
  /** Null for the one stamp over all sources (layout Combined). */
  readonly source: { readonly kind: ReferencedKind; readonly namespace: string; readonly name: string } | null;
  readonly state: SourceState;
  /** The keys that the pods see, one or more of which have changed; "*" for all of the source. */
  readonly keys: "*" | readonly string[];
  /** The pods that run with an old content of it. */
  readonly stalePods: number;
  readonly because?: string;
}

export interface Unseen {
  /** As the API names it: `secrets`, `rollouts.argoproj.io`; or an object. */
  readonly what: string;
  readonly because: string;
}
