import type { API_VERSION } from "../../base/keys.ts";
import type { Reason } from "../plan/plan-reasons.ts";
import type { Action } from "../plan/plan-report.ts";

/** `rollstamp log -o json`. */
export interface RolloutLog {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: "RolloutLog";
  readonly workload: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  };
  /** The file that it is in now, from the root of the repository. */
  readonly path: string;
  /** The clone has not all of the history. */
  readonly shallow: boolean;
  /** The newest first. */
  readonly commits: readonly LoggedCommit[];
}

/** What a commit did to a workload. */
export interface Change {
  readonly action: Action;
  readonly reasons: readonly Reason[];
}

export interface LoggedCommit extends Change {
  readonly commit: string;
  readonly date: string;
  readonly author: string;
  readonly subject: string;
  /** The file that the workload is in behind it. */
  readonly path: string;
}
