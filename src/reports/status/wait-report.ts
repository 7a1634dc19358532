import type { ExitStatus } from "../../base/errors.ts";
import type { Unseen } from "./status-report.ts";

// What `status --wait` reports. A line of its JSON is an event with its time (schemas/status-wait.json).

/**
 * `Pending`: a planned rollout has not begun. `RollingOut`: not all pods have the new template and serve. `Done`: all do.
 * `Held`: nothing rolls out until somebody resumes the workload or deletes its pods. `Waits`: the rollout waits for
 * approval. `Failed`: the controller has given up. `Stuck`: no progress, for a reason that does not pass by itself.
 * `Missing`: the workload is in the plan, but not in the cluster.
 */
export type WaitState = "Pending" | "RollingOut" | "Done" | "Held" | "Waits" | "Failed" | "Stuck" | "Missing";

/** The states that do not change by themselves. */
export const ENDED: ReadonlySet<WaitState> = new Set(["Done", "Held", "Waits", "Failed", "Stuck"]);

export interface FollowedName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A reason from the cluster, and its object. */
export interface ClusterReason {
  readonly reason: string;
  readonly message?: string;
  /** `Pod web-5d8f-x2k4j`. */
  readonly object?: string;
  /** How many more objects have the same reason. */
  readonly more?: number;
}

/** Why the exit status is 1 because of a workload. */
export type WaitProblem =
  /** It rolled out, although the plan says otherwise, or does not list it (null). */
  | { readonly is: "RolledOut"; readonly planned: string | null }
  /** It was planned to roll out, or to be refused, and did not. */
  | { readonly is: "NotRolledOut"; readonly planned: string; readonly since: string; readonly last?: string }
  | { readonly is: "Refused" | "Missing"; readonly planned: string }
  | { readonly is: "Held"; readonly planned: string; readonly because: string }
  | { readonly is: "Stuck"; readonly seconds: number }
  | { readonly is: "Failed" | "NeedsApproval" | "Unfinished" };

export interface WorkloadProgress extends FollowedName {
  readonly state: WaitState;
  /** Pods with the current template, of those that need it; null if the workload is not in the cluster. */
  readonly updated: number | null;
  readonly desired: number | null;
  /** Available pods, with any template. */
  readonly available: number | null;
  /** The action in the plan; null without a plan, or if the plan does not list the workload. */
  readonly planned: string | null;
  /** Whether it rolled out since the given time; null without a plan, or if unknown. */
  readonly rolled: boolean | null;
  /** Why it is held. */
  readonly because?: string;
  readonly reasons: readonly ClusterReason[];
  /** Absent if the workload is as expected, or may still become so. */
  readonly problem?: WaitProblem;
}

export interface WaitSummary {
  readonly followed: number;
  readonly done: number;
  readonly held: number;
  readonly waiting: number;
  readonly failed: number;
  readonly stuck: number;
  /** Rolling out, pending, or missing. */
  readonly unfinished: number;
  readonly problems: number;
}

/** `TimedOut`: --timeout has passed. `Interrupted`: a signal arrived. `Error`: the cluster can no longer be read. */
export type WaitEnd = "Settled" | "FailedFast" | "TimedOut" | "Interrupted" | "Error";

export type WaitEvent =
  | {
      readonly type: "Start";
      readonly context: string;
      /** Absent: all namespaces. */
      readonly namespaces?: readonly string[];
      readonly followed: number;
      /** Rollouts since this time count; absent without a plan. */
      readonly since?: string;
      /** Planned rollouts of kinds that cannot be followed. */
      readonly notFollowed: readonly (FollowedName & { readonly because: string })[];
      readonly unseen: readonly Unseen[];
    }
  | { readonly type: "Workload"; readonly workload: WorkloadProgress }
  | { readonly type: "Connection"; readonly state: "Lost" | "Regained"; readonly because?: string }
  | {
      readonly type: "End";
      readonly ended: WaitEnd;
      /** The exit status; null if a signal ends the process. */
      readonly status: ExitStatus | null;
      readonly seconds: number;
      readonly summary: WaitSummary;
      readonly problems: readonly WorkloadProgress[];
      readonly because?: string;
    };
