import type { ObjectName } from "../../base/names.ts";
import type { API_VERSION } from "../../base/keys.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";

// The report of `status` (schemas/status.json). It contains no digest: that of a Secret with little content can be
// guessed.

/**
 * `Stale`: pods run with content other than that of the cluster. `RollingOut`: the template is correct, and not all
 * pods have it yet. `Behind`: the stamp is stale, but no running pod is: there are none, they started later, or it is a
 * CronJob. `Waiting`: its new stamp is waiting (`rollstamp.dev/waiting`), so its pods run with old content on purpose.
 * `Unstamped`: it uses sources without a stamp. `Unknown`: its state is unknown.
 */
export type WorkloadState = "Stale" | "RollingOut" | "Behind" | "Unstamped" | "Unknown" | "Waiting" | "Current";

/** `Rotated`: the stamp covers the declaration, which is unchanged, and the Secret has changed since pods started. */
export type SourceState = "Stale" | "Rotated" | "Unstamped" | "Unknown" | "Waiting" | "Current";

export interface StatusReport {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: "ClusterStatus";
  readonly context: string;
  /** Undefined: all namespaces. */
  readonly namespace?: string;
  readonly summary: StatusSummary;
  readonly workloads: readonly WorkloadStatus[];
  /** What could not be read. */
  readonly unseen: readonly Unseen[];
}

export interface StatusSummary {
  /** All checked workloads, listed or not. */
  readonly workloads: number;
  readonly stale: number;
  readonly rollingOut: number;
  readonly behind: number;
  readonly unstamped: number;
  readonly unknown: number;
  /** Those that wait for new stamps. */
  readonly waiting: number;
  /** Pods with old content, except those of waiting workloads. */
  readonly stalePods: number;
}

export interface WorkloadStatus extends ObjectName {
  readonly state: WorkloadState;
  readonly pods: PodCounts;
  /** Null if no rollout is in progress. */
  readonly rollout: RolloutStatus | null;
  readonly sources: readonly SourceStatus[];
}

export interface PodCounts {
  readonly total: number;
  /** Pods with old content. */
  readonly stale: number;
}

export interface RolloutStatus {
  readonly updated: number;
  readonly desired: number;
  readonly because?: string;
}

export interface SourceStatus {
  /** Null for the stamp over all sources (layout Combined). */
  readonly source: { readonly kind: ReferencedKind; readonly namespace: string; readonly name: string } | null;
  readonly state: SourceState;
  /** The keys that the pods see, of which at least one has changed; "*" for the whole source. */
  readonly keys: "*" | readonly string[];
  /** The pods with old content of this source. */
  readonly stalePods: number;
  readonly because?: string;
}

export interface Unseen {
  /** The API's name: `secrets`, `rollouts.argoproj.io`; or an object. */
  readonly what: string;
  readonly because: string;
}
