import type { Place } from "../../base/errors.ts";
import type { ResourceRef } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Account } from "../../findings/not-examined/not-examined.ts";
import type { Caveat } from "../../kubernetes/rollout/caveats.ts";
import type { Safety } from "../../kubernetes/rollout/safety.ts";
import type { ScaledBy } from "../../kubernetes/rollout/scalers.ts";
import type { Reason } from "./plan-reasons.ts";

// A plan as data: findings, caveats, reasons and limits keep their ids, causes and parameters until a printer words
// them (src/output). src/output/plan-json.ts makes the shape of the contract from it. It holds no value of a Secret.

/**
 * `Roll`: pods are replaced. `NextRun`: the next run takes the change. `NoEffect`: the template changes and no pod does.
 * `Reload`: the processes take the change without a restart. `Waiting`: its stamps change later
 * (`rollstamp.dev/waiting`). `Fail`: the apply would be refused. `None`: nothing changes.
 */
export type Action = "Roll" | "NextRun" | "NoEffect" | "Reload" | "Waiting" | "Fail" | "Create" | "Delete" | "None";

/** A plan with what was found while its two sides were read. */
export interface PlanReport extends RolloutPlan, Account {
  readonly verdict: Verdict;
}

export interface RolloutPlan {
  readonly summary: PlanSummary;
  /** Absent where nothing waits. */
  readonly schedule?: PlanSchedule;
  /** Why workloads change, across all of them; what replaces the most pods comes first. */
  readonly causes: readonly Cause[];
  /**
   * The riskiest first. Workloads with the action `None`, and those that wait for what they waited for in the base, are
   * listed only with `--all`.
   */
  readonly workloads: readonly PlannedWorkload[];
  /** Findings of objects that are not listed above. */
  readonly findings: readonly PlanFinding[];
  /** How many findings of the head's state the base had too; they are listed only with `--all`. */
  readonly findingsBefore: number;
  readonly exceeded: readonly ExceededLimit[];
  /** Of a plan of two versions of a chart: which versions, and which rollouts can be avoided. */
  readonly upgrade?: PlannedUpgrade;
  /** Absent where a plan is not over applications. Those that failed come first. */
  readonly applications?: readonly PlannedApplication[];
}

/** A limit that the plan is over. */
export type ExceededLimit =
  | { readonly limit: "maxWorkloads" | "maxPods"; readonly actual: number; readonly allowed: number }
  | { readonly limit: "failOn"; readonly rule: string; readonly findings: number };

/** A chart and its two versions, as its own file names them. */
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
    /** What rolls all the same: something uses the label, or the checksum is over what no stamp covers. */
    readonly stays: Rolls;
  };
  /** What would roll unnecessarily without the options that are set. */
  readonly saved: Rolls;
}

export interface Rolls {
  readonly workloads: number;
  readonly pods: number;
}

/** The workloads of the head that wait for their new stamps, and when they may take them. */
export interface PlanSchedule {
  /** All of them, also those that waited before. */
  readonly waiting: number;
  /** How many of them no window holds: `stamp --due` lets them go, by its limits and groups. */
  readonly ready?: number;
  /** The moment for which this is said, RFC 3339. */
  readonly at?: string;
  /** When the first window opens for one that waits for that. */
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
  /** Where one revision has it and the other has not. */
  readonly change?: "Added" | "Removed";
  readonly cluster?: string;
  /** Why it can't be rendered, in the words of the tool. */
  readonly message?: string;
  /** The part of the message that names what is missing: a chart that is not fetched, a remote base. */
  readonly missing?: string;
  /** It can't be rendered in the base either. */
  readonly failedBefore?: true;
}

/** `refused`: something fails to apply. `danger`, `attention`: a person has to act or look. `ok`: neither. */
export type Level = "refused" | "danger" | "attention" | "ok";

/** Whether a change can be merged, and what decides. */
export interface Verdict {
  readonly level: Level;
  readonly because: VerdictReason;
  /** How many other workloads, objects and applications lead to the same advice. */
  readonly more: number;
}

/** What decides a verdict. */
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

/** What happens to a workload, as far as it decides. */
export type WorkloadEffect = "refused" | "outage" | "may-stick" | "waits" | "reduced" | "deleted" | "unknown" | "rolls";

/** A source, or a field of the objects themselves, by which workloads change. */
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
  /** How many workloads change by it, whatever their action. A workload with several causes counts for each. */
  readonly workloads: number;
  /** How many pods these replace. */
  readonly pods: number;
}

export interface PlanSummary {
  /** All of both sides, also those in which nothing changes. */
  readonly workloads: number;
  readonly rolls: number;
  readonly nextRuns: number;
  readonly noEffects: number;
  /** Those whose processes take the change without a restart. */
  readonly reloads: number;
  readonly fails: number;
  readonly creates: number;
  readonly deletes: number;
  /** The pods that are replaced; those of DaemonSets, whose number Git doesn't know, don't count. */
  readonly pods: number;
  /** The same with as many pods as autoscalers may make: what --max-pods counts. */
  readonly podsAtMost: number;
  /** Objects that come, go or differ and are no workload that changes; 0 where the base is a cluster. */
  readonly otherObjects: number;
}

export interface PlannedWorkload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The application that it belongs to, where the plan is over applications. */
  readonly application?: string;
  /** The folder or file that it is read with, where parts are planned separately because an object is in several. */
  readonly part?: string;
  readonly action: Action;
  /** Why nothing rolls, or why it is refused; absent where the action says enough. */
  readonly because?: Because;
  /** The pods that are replaced. */
  readonly pods: number;
  /** The same with as many pods as what scales it may make; absent where these are as many. */
  readonly podsAtMost?: number;
  readonly safety: Safety;
  /** Why a number is not certain, or says less than it seems to. */
  readonly caveats: readonly Caveat[];
  readonly scaledBy?: ScaledBy;
  /** What a person has to do. */
  readonly next?: Next;
  readonly reasons: readonly Reason[];
  /** Null for kinds without replicas: Job, CronJob, bare Pod. */
  readonly strategy: PlannedStrategy | null;
  readonly findings: readonly PlanFinding[];
  /** Of a `Create`: the name of the deleted workload that it seems to be. */
  readonly renamedFrom?: string;
  /** Of a `Delete`: the name under which it seems to be created. */
  readonly renamedTo?: string;
}

/** Null where Git can't tell. */
export interface PlannedStrategy {
  readonly type: string;
  readonly replicas: number | null;
  readonly maxSurge: number | string | null;
  readonly maxUnavailable: number | string | null;
  readonly minAvailable: number | null;
  readonly maxTotal: number | null;
  readonly partition?: number;
}

/** A finding of a plan. A place is printed with what was found while files were read. */
export type PlanFinding = Finding & {
  readonly place?: Place;
  /** The base had it too: it is listed because of `--all`, and no limit counts it. */
  readonly before?: true;
  /** The application that has it, where the plan is over applications. */
  readonly application?: string;
};

/** Why nothing rolls, or why an apply is refused. */
export type Because =
  /** As the tables of src/kubernetes/rollout say it. */
  | { readonly id: "rollout"; readonly text: string }
  | { readonly id: "immutable-field"; readonly path: string }
  | { readonly id: "refused-source"; readonly source: ResourceRef }
  /** It waits for its new stamps. */
  | { readonly id: "waiting" }
  /** A reloader beside the process takes the new content. */
  | { readonly id: "reloaded" }
  /** Its chart changed only labels with its version, or checksums of its files. */
  | { readonly id: "chart-only"; readonly labels: readonly string[]; readonly annotations: readonly string[] };

/** What a person has to do for a workload. */
export type Next =
  /** As the tables of src/kubernetes/rollout say it. */
  | { readonly id: "rollout"; readonly text: string }
  | { readonly id: "promote"; readonly because: string }
  | { readonly id: "lower-partition" }
  | { readonly id: "correct-field"; readonly by?: string }
  | { readonly id: "rename-source" }
  /** Options of ConfigHash that would remove so many marks of the chart. */
  | { readonly id: "remove-marks"; readonly options: readonly string[]; readonly marks: number };
