import type { ExitStatus } from "../../base/exit-status.ts";
import type { API_VERSION } from "../../base/keys.ts";
import type { Unseen } from "./status-report.ts";

// The shape of a line of `status --wait -o json` (schemas/status-wait.json).

/**
 * `Pending`: it is to roll by the plan, and has not begun. `RollingOut`: not all pods have the template and serve.
 * `Done`: all do. `Held`: nothing rolls before somebody resumes it or deletes its pods. `Waits`: it waits for a person
 * half-way. `Failed`: its controller has given up. `Stuck`: it does not get on, for a reason that stays. `Missing`: the
 * plan has it, the cluster has not.
 */
export type WaitState = "Pending" | "RollingOut" | "Done" | "Held" | "Waits" | "Failed" | "Stuck" | "Missing";

/** The states in which nothing moves on by itself. */
export const ENDED: ReadonlySet<WaitState> = new Set(["Done", "Held", "Waits", "Failed", "Stuck"]);

export interface FollowedName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** A reason that the cluster gives, and the object that it is about. */
export interface ToldReason {
  readonly reason: string;
  readonly message?: string;
  /** `Pod web-5d8f-x2k4j`; how many more say the same. */
  readonly object?: string;
  readonly more?: number;
}

/** How a workload stands. */
export interface WorkloadProgress extends FollowedName {
  readonly state: WaitState;
  /** Pods that have the present template, of those that are to have it; null where the cluster has no such workload. */
  readonly updated: number | null;
  readonly desired: number | null;
  /** Pods that serve, of whatever template. */
  readonly available: number | null;
  /** What the plan says; null where there is none, or it does not list it. */
  readonly planned: string | null;
  /** It has rolled since the given time; null without a plan, and where it can't be told. */
  readonly rolled: boolean | null;
  /** Why it waits or is held, in our words. */
  readonly because?: string;
  readonly reasons: readonly ToldReason[];
  /** Why the exit status is 1; absent where all is as it should be, or may still be. */
  readonly problem?: string;
}

export interface WaitSummary {
  readonly followed: number;
  readonly done: number;
  readonly held: number;
  readonly waiting: number;
  readonly failed: number;
  readonly stuck: number;
  /** Not at an end: rolling out, not begun, missing. */
  readonly unfinished: number;
  /** Those with a problem. */
  readonly problems: number;
}

/** `TimedOut`: --timeout has passed. `Interrupted`: a signal came. `Error`: the cluster can't be read any more. */
export type WaitEnd = "Settled" | "FailedFast" | "TimedOut" | "Interrupted" | "Error";

interface WaitLineHead {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: "RolloutProgress";
  readonly time: string;
}

/** What a line tells. */
export type WaitEvent =
  | {
      readonly type: "Start";
      readonly context: string;
      /** Missing where all are read. */
      readonly namespaces?: readonly string[];
      /** Workloads that are followed. */
      readonly followed: number;
      /** What rolled since then counts as rolled; missing without a plan. */
      readonly since?: string;
      /** What the plan has roll, and nothing is known of how it does. */
      readonly notFollowed: readonly (FollowedName & { readonly because: string })[];
      readonly unseen: readonly Unseen[];
    }
  | { readonly type: "Workload"; readonly workload: WorkloadProgress }
  | { readonly type: "Connection"; readonly state: "Lost" | "Regained"; readonly because?: string }
  | {
      readonly type: "End";
      readonly ended: WaitEnd;
      /** The exit status; null where a signal ends the process. */
      readonly status: ExitStatus | null;
      readonly seconds: number;
      readonly summary: WaitSummary;
      readonly problems: readonly WorkloadProgress[];
      readonly because?: string;
    };

/** A line of `status --wait -o json`. */
export type WaitLine = WaitLineHead & WaitEvent;
