import type { Place } from "../../base/errors.ts";
import type { ResourceRef } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Account } from "../../findings/not-examined/not-examined.ts";
import type { Caveat } from "../../kubernetes/rollout/caveats.ts";
import type { Safety } from "../../kubernetes/rollout/safety.ts";
import type { ScaledBy } from "../../kubernetes/rollout/scalers.ts";
import type { Reason } from "./plan-reasons.ts";

// A plan as data: findings, caveats, reasons and limits keep their ids, causes and parameters until a printer words
// them (src/output). src/output/plan-json.ts converts it to the contract's JSON. It contains no value of a Secret.

/**
 * `Roll`: pods are replaced. `NextRun`: the next run uses the change. `NoEffect`: only the template changes.
 * `Reload`: the processes take the change without a restart. `Waiting`: its stamps change later
 * (`rollstamp.dev/waiting`). `Fail`: the apply would be refused. `None`: nothing changes.
 */
export type Action = "Roll" | "NextRun" | "NoEffect" | "Reload" | "Waiting" | "Fail" | "Create" | "Delete" | "None";

/** A plan, and the findings from reading its two sides. */
export interface PlanReport extends RolloutPlan, Account {
  readonly verdict: Verdict;
}

export interface RolloutPlan {
  readonly summary: PlanSummary;
  /** Absent if no workload waits. */
  readonly schedule?: PlanSchedule;
  /** Why workloads change, over the whole plan. The cause that replaces the most pods comes first. */
  readonly causes: readonly Cause[];
  /**
   * The riskiest first. Workloads with the action `None`, and those that wait for what they waited for in the base, are
   * listed only with `--all`.
   */
  readonly workloads: readonly PlannedWorkload[];
  /** Findings of objects that are not listed above. */
  readonly findings: readonly PlanFinding[];
  /** How many findings about the state of the head exist in the base too. They are listed only with `--all`. */
  readonly findingsBefore: number;
  readonly exceeded: readonly ExceededLimit[];
  /** For a plan of two versions of a chart: the versions, and the rollouts that can be avoided. */
  readonly upgrade?: PlannedUpgrade;
  /** Absent if the plan is not over applications. Failed applications come first. */
  readonly applications?: readonly PlannedApplication[];
}

/** A limit that the plan exceeds. */
export type ExceededLimit =
  | { readonly limit: "maxWorkloads" | "maxPods"; readonly actual: number; readonly allowed: number }
  | { readonly limit: "failOn"; readonly rule: string; readonly findings: number };

/** A chart and its two versions, from Chart.yaml. */
export interface ChartUpgrade {
  readonly chart: string;
  readonly from: string;
  readonly to: string;
}

export interface PlannedUpgrade extends ChartUpgrade {
  /** What rolls only because of what the chart writes about itself: its version in labels, checksums of its files. */
  readonly needless: Rolls & {
    /** The rollouts that each unset option would avoid. */
    readonly saves: readonly (Rolls & { readonly options: readonly string[] })[];
    /** The rollouts that remain: something uses the label, or no stamp covers what the checksum covers. */
    readonly stays: Rolls;
  };
  /** What would roll unnecessarily without the options that are set. */
  readonly saved: Rolls;
}

export interface Rolls {
  readonly workloads: number;
  readonly pods: number;
}

/** The workloads of the head that wait for their new stamps, and when they may get them. */
export interface PlanSchedule {
  /** All waiting workloads, including those that already wait in the base. */
  readonly waiting: number;
  /** How many of them no closed window holds: `stamp --due` releases them, within its limits and groups. */
  readonly ready?: number;
  /** The time for which the schedule is computed, RFC 3339. */
  readonly at?: string;
  /** When the next window opens for which a workload waits. */
  readonly nextWindow?: string;
}

/**
 * `Changed`: its rendering differs. `NotAffected`: nothing that it is rendered from differs. `Failed`: it can't be
 * rendered.
 */
export type ApplicationStatus = "Changed" | "Unchanged" | "NotAffected" | "Failed";

export interface PlannedApplication {
  readonly name: string;
  readonly path: string;
  readonly kind: "Kustomize" | "Helm" | "Kpt" | "Files";
  readonly status: ApplicationStatus;
  /** Set if only one revision has the application. */
  readonly change?: "Added" | "Removed";
  readonly cluster?: string;
  /** Why it can't be rendered: the message of the tool. */
  readonly message?: string;
  /** The part of the message that names what is missing: a chart that is not fetched, a remote base. */
  readonly missing?: string;
  /** True if the base can't be rendered either. */
  readonly failedBefore?: true;
}

/** `refused`: something fails to apply. `danger`: the user must act. `attention`: review it. `ok`: neither. */
export type Level = "refused" | "danger" | "attention" | "ok";

/** Whether a change can be merged, and why. */
export interface Verdict {
  readonly level: Level;
  readonly because: VerdictReason;
  /** How many other workloads, objects and applications lead to the same advice. */
  readonly more: number;
}

/** The cause of a verdict. */
export type VerdictReason =
  | { readonly id: "workload"; readonly effect: WorkloadEffect; readonly workload: PlannedWorkload }
  | { readonly id: "finding"; readonly finding: PlanFinding }
  | { readonly id: "failed-application"; readonly application: PlannedApplication }
  | { readonly id: "exceeded-limit"; readonly limit: ExceededLimit }
  | { readonly id: "no-workload" }
  /** Nothing needs attention, and all pods stay. */
  | {
      readonly id: "no-rollouts";
      readonly changes: number;
      readonly waiting: number;
      readonly otherObjects: number;
      /** Whether everything that was found was examined. */
      readonly isComplete: boolean;
    };

/** What happens to a workload, as far as the verdict depends on it. */
export type WorkloadEffect = "refused" | "outage" | "may-stick" | "waits" | "reduced" | "deleted" | "unknown" | "rolls";

/** A source or a field of an object that makes workloads change. */
export type Cause = CauseCost &
  (
    | { readonly source: CauseSource; readonly path?: undefined }
    | { readonly path: string; readonly source?: undefined }
  );

export interface CauseSource {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface CauseCost {
  /** How many workloads it changes, with any action. A workload with several causes counts for each of them. */
  readonly workloads: number;
  /** How many of their pods are replaced. */
  readonly pods: number;
}

export interface PlanSummary {
  /** All workloads of both sides, including unchanged ones. */
  readonly workloads: number;
  readonly rolls: number;
  readonly nextRuns: number;
  readonly noEffects: number;
  /** The workloads whose processes take the change without a restart. */
  readonly reloads: number;
  readonly fails: number;
  readonly creates: number;
  readonly deletes: number;
  /** The pods that are replaced. Pods of DaemonSets don't count, because Git doesn't know their number. */
  readonly pods: number;
  /** The same with the most pods that autoscalers may create. --max-pods limits this number. */
  readonly podsAtMost: number;
  /** Objects created, deleted or changed besides the listed workloads; 0 if the base is a cluster. */
  readonly otherObjects: number;
}

export interface PlannedWorkload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The application that it belongs to, if the plan is over applications. */
  readonly application?: string;
  /** Its folder or file, if parts are planned separately because an object is in several of them. */
  readonly part?: string;
  readonly action: Action;
  /** Why nothing rolls, or why it is refused; absent if the action is clear without it. */
  readonly because?: Because;
  /** The pods that are replaced. */
  readonly pods: number;
  /** The same with the most pods that its autoscaler may create; absent if the numbers are equal. */
  readonly podsAtMost?: number;
  readonly safety: Safety;
  /** Why a number is uncertain or incomplete. */
  readonly caveats: readonly Caveat[];
  readonly scaledBy?: ScaledBy;
  /** What the user must do. */
  readonly next?: Next;
  readonly reasons: readonly Reason[];
  /** Null for kinds without replicas: Job, CronJob, bare Pod. */
  readonly strategy: PlannedStrategy | null;
  readonly findings: readonly PlanFinding[];
  /** For a `Create`: the name of the deleted workload that it probably replaces. */
  readonly renamedFrom?: string;
  /** For a `Delete`: the name of the created workload that probably replaces it. */
  readonly renamedTo?: string;
}

/** Null if it is unknown without the cluster. */
export interface PlannedStrategy {
  readonly type: string;
  readonly replicas: number | null;
  readonly maxSurge: number | string | null;
  readonly maxUnavailable: number | string | null;
  readonly minAvailable: number | null;
  readonly maxTotal: number | null;
  readonly partition?: number;
}

/** A finding of a plan. Only findings from reading files have a location in the output. */
export type PlanFinding = Finding & {
  readonly place?: Place;
  /** True if the base has it too: it is listed because of `--all`, and no limit counts it. */
  readonly before?: true;
  /** The application that has it, if the plan is over applications. */
  readonly application?: string;
};

/** Why nothing rolls, or why an apply is refused. */
export type Because =
  /** The text of the tables in src/kubernetes/rollout. */
  | { readonly id: "rollout"; readonly text: string }
  | { readonly id: "immutable-field"; readonly path: string }
  | { readonly id: "refused-source"; readonly source: ResourceRef }
  /** It waits for its new stamps. */
  | { readonly id: "waiting" }
  /** A known reloader container takes the new content. */
  | { readonly id: "reloaded" }
  /** The chart changed only its version in labels, or checksums of its files. */
  | { readonly id: "chart-only"; readonly labels: readonly string[]; readonly annotations: readonly string[] };

/** What the user must do for a workload. */
export type Next =
  /** The text of the tables in src/kubernetes/rollout. */
  | { readonly id: "rollout"; readonly text: string }
  | { readonly id: "promote"; readonly because: string }
  | { readonly id: "lower-partition" }
  | { readonly id: "correct-field"; readonly by?: string }
  | { readonly id: "rename-source" }
  /** Options of ConfigHash that would remove this number of the chart's marks. */
  | { readonly id: "remove-marks"; readonly options: readonly string[]; readonly marks: number };
