import type { ObjectName } from "../../base/names.ts";
import type { ExitStatus } from "../../base/errors.ts";
import type { Unseen } from "./status-report.ts";

// What `status --wait` reports. A line of its JSON is an event with its time (schemas/status-wait.json).

/**
 * `RollingOut`: not all pods have the new template and serve. `Done`: all do. `Held`: nothing rolls out until somebody
 * resumes the workload or deletes its pods. `Waits`: the rollout waits for approval. `Failed`: the controller has given up.
 * `Stuck`: no progress, for a reason that does not resolve itself. Only `RollingOut` changes on its own.
 */
export type WaitState = "RollingOut" | "Done" | "Held" | "Waits" | "Failed" | "Stuck";

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
  | { readonly is: "Stuck"; readonly seconds: number }
  | { readonly is: "Failed" | "NeedsApproval" | "Unfinished" };

export interface WorkloadProgress extends ObjectName {
  readonly state: WaitState;
  /** Pods with the current template, of those that need it. */
  readonly updated: number;
  readonly desired: number;
  /** Available pods, with any template. */
  readonly available: number;
  /** Why it is held. */
  readonly because?: string;
  readonly reasons: readonly ClusterReason[];
  /** Absent if the rollout has succeeded, or may still do. */
  readonly problem?: WaitProblem;
}

export interface WaitSummary {
  readonly followed: number;
  readonly done: number;
  readonly held: number;
  readonly waiting: number;
  readonly failed: number;
  readonly stuck: number;
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
      readonly namespace?: string;
      readonly followed: number;
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
