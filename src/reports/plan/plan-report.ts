import type { SourceName } from "../../base/names.ts";
import type { Account } from "../../findings/not-examined/not-examined.ts";
import type { Label } from "./labels.ts";
import type { PlannedApplication } from "./planned-application.ts";
import type { PlannedObject, PlannedWorkload, PlanFinding } from "./planned-workload.ts";

// A plan as data: findings, caveats, reasons and limits keep their ids, causes and parameters until a printer words
// them (src/output). src/output/plan-json.ts converts it to the contract's JSON. It contains no value of a Secret.

/**
 * How the sides of a plan are compared. `applied`: with the stamps that they have, or get on their way to the cluster.
 * `stamped`: as if everything were stamped.
 */
export type ComparedAs = "applied" | "stamped";

/** One side of a plan in git. */
export interface PlannedRevision {
  /** As the user named it; of `A...B` the base is `A`. */
  readonly ref: string;
  /** The full commit; of `A...B` the base is the merge base. */
  readonly commit: string;
}

/** The compared revisions. Absent for files and folders without git. */
export interface PlannedRange {
  /** `owner/name` on the server, or the name of the folder of the clone. */
  readonly repository: string;
  /** The range as the user wrote it. */
  readonly range: string;
  readonly base: PlannedRevision;
  readonly head: PlannedRevision;
  /** Pages on its server, if the CI environment names it. */
  readonly links?: PlannedLinks;
}

export interface PlannedLinks {
  readonly repository: WebAddress;
  /** The difference of the two commits. */
  readonly compare: WebAddress;
  /** The run of CI that makes the report. */
  readonly run?: WebAddress;
}

export type WebAddress = `https://${string}`;

/** A plan, and the findings from reading its two sides. */
export interface PlanReport extends RolloutPlan, Account {
  /** Null if nothing was examined: the exit status is 2. */
  readonly verdict: Verdict | null;
  /** Absent if the sides are not revisions of a repository. */
  readonly compared?: PlannedRange;
}

export interface RolloutPlan {
  readonly as: ComparedAs;
  readonly summary: PlanSummary;
  /** The `Stale` workloads that would roll if everything were stamped, and their pods. */
  readonly ifStamped: Rolls;
  /** Other objects that change, the worst first: all risky ones, and others up to MOST_OBJECTS. `summary.otherObjects` counts all. */
  readonly objects: readonly PlannedObject[];
  /** Changed files that look like manifests, values or charts, and that nothing reads. In a plan of files: what is not examined, and differs. */
  readonly unread?: readonly UnreadFile[];
  /** How many more there are. */
  readonly moreUnread?: number;
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
  /** Absent if the plan is not over applications. Failed applications come first. */
  readonly applications?: readonly PlannedApplication[];
}

/** A changed file that no application, orphan or engine object reads. */
export interface UnreadFile {
  readonly path: string;
  /** It is a manifest, or values of a chart that something elsewhere releases; else it looks like values or a chart. */
  readonly mayApply: boolean;
  /** It is a Git submodule in which an application lies: its files are in another repository. */
  readonly isSubmodule?: true;
}

export type ExceededLimit =
  | { readonly limit: "maxWorkloads" | "maxPods" | "maxDeletes"; readonly actual: number; readonly allowed: number }
  | { readonly limit: "failOn"; readonly rule: string; readonly findings: number }
  | { readonly limit: "failOn"; readonly gate: Gate; readonly rows: number };

/** What --fail-on accepts besides rules: levels, which include the worse ones, and what happens. */
export type Gate = "refused" | "danger" | "attention" | "outage" | "may-stick" | "stale" | "deletes" | "unrendered";

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

/** `refused`: something fails to apply. `danger`: the user must act. `attention`: review it. `ok`: neither. */
export type Level = "refused" | "danger" | "attention" | "ok";

/** What a row of a report is about. */
export type Subject =
  | { readonly is: "application"; readonly application: PlannedApplication }
  | { readonly is: "limit"; readonly limit: ExceededLimit }
  | { readonly is: "workload"; readonly workload: PlannedWorkload }
  | { readonly is: "object"; readonly object: PlannedObject }
  | {
      readonly is: "finding";
      readonly finding: PlanFinding;
      /** The listed workload that it is about. */
      readonly workload?: PlannedWorkload;
    }
  | { readonly is: "unread"; readonly file: UnreadFile };

/** A subject, what happens to it, and how much that matters. */
export interface Judged {
  readonly label: Label;
  /** Undefined for what is not applied, or was accepted: it is no part of the verdict. */
  readonly level: Level | undefined;
  readonly subject: Subject;
}

/** Whether a change can be merged, and why. */
export interface Verdict {
  readonly level: Level;
  readonly because: VerdictReason;
  /** How many other workloads and objects lead to the same advice. */
  readonly more: number;
}

/** The cause of a verdict. */
export type VerdictReason =
  /** The worst row. For `ok` what replaces the most pods. */
  | { readonly id: "row"; readonly row: Judged }
  | { readonly id: "no-workload" }
  /** Nothing needs attention, and all pods stay. */
  | {
      readonly id: "no-rollouts";
      readonly changes: number;
      readonly waiting: number;
      readonly otherObjects: number;
      /** How many changed files nothing reads. */
      readonly unread: number;
      /** How many orphans change, if only orphans do: nothing here deploys them. */
      readonly orphans: number;
      /** Whether everything that was found was examined. */
      readonly isComplete: boolean;
    };

/** A source or a field of an object that makes workloads change. */
export type Cause = CauseCost &
  ({ readonly source: SourceName; readonly path?: undefined } | { readonly path: string; readonly source?: undefined });

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
  readonly stale: number;
  /** The workloads of which only the number of replicas changes. */
  readonly scales: number;
  /** The workloads that lost a source or a key that they need. */
  readonly lost: number;
  /** What is merged but not applied; it counts nowhere else. */
  readonly held: Rolls;
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
