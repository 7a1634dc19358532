import type { Account } from "../../findings/not-examined/not-examined.ts";
import type { API_VERSION } from "../../base/keys.ts";
import type { Severity } from "../../findings/catalogue/severity.ts";
import type { Caveat, Safety } from "../../kubernetes/rollout/safety.ts";
import type { ScaledBy } from "../../kubernetes/rollout/scalers.ts";
import type { Reason } from "./plan-reasons.ts";

// The shape of `plan -o json` (contract, section 8; schemas/plan.json): what every reporter of a plan
// takes. It is plain data, and holds no value of a Secret.

/**
 * `Roll`: pods are replaced. `NextRun`: the next run takes the change. `NoEffect`: the template
 * changes and no pod does. `Reload`: the processes take the change without a restart. `Waiting`: its stamps change later
 * (`rollstamp.dev/waiting`). `Fail`: the apply would be refused. `None`: nothing changes.
 */
export type Action = "Roll" | "NextRun" | "NoEffect" | "Reload" | "Waiting" | "Fail" | "Create" | "Delete" | "None";

/** A plan with what was met while its two sides were read. */
export interface PlanReport extends RolloutPlan, Account {
  /** Of a part of a plan (`--shard`): what `plan --merge` needs beside. */
  readonly shard?: PlanShard;
}

/** Which part of a plan a report is, and which of its rows came of what; numbers are places in its lists, from 0. */
export interface PlanShard {
  /** Which of how many, from 1. */
  readonly index: number;
  readonly count: number;
  readonly run: ShardRun;
  /** What it was rendered with, where it renders anything. */
  readonly tools: Readonly<Partial<Record<"kustomize" | "helm", string>>>;
  /** The place of each of `applications` among those of the whole plan. */
  readonly applications: readonly number[];
  /** What was compared, each with its place in the whole plan. Findings and rows that none of them names came of all. */
  readonly parts: readonly ShardPart[];
}

/** What is the same in all parts of one plan. */
export interface ShardRun {
  /** That of rollstamp. */
  readonly version: string;
  /** The commits that are compared. */
  readonly base: string;
  readonly head: string;
  /** What the plan was asked for: options, and paths from the root of the repository. */
  readonly options: readonly string[];
  /** A digest of the configuration, and of what the environment tells renderers. */
  readonly configuration: string;
  /** A digest of the applications, in their order. */
  readonly applications: string;
}

export interface ShardPart {
  readonly order: number;
  readonly workloads: readonly number[];
  /** Workloads that only count. */
  readonly unlisted: number;
  /** Findings of sources that are refused, of such as roll many, and of all other objects. */
  readonly refused: readonly number[];
  readonly mass: readonly number[];
  readonly others: readonly number[];
  readonly findingsBefore: number;
  readonly otherObjects: number;
  readonly schedule?: PlanSchedule;
  readonly notExamined: readonly number[];
}

export interface RolloutPlan {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: "RolloutPlan";
  readonly verdict: Verdict;
  readonly summary: PlanSummary;
  /** Of what waits; absent where nothing does. */
  readonly schedule?: PlanSchedule;
  /** What the changes come of, over all workloads; first what replaces the most pods. */
  readonly causes: readonly Cause[];
  /**
   * The riskiest first (src/reports/plan/order.ts). Those with the action `None`, and those that wait for what they waited for
   * in the base, only where all were asked for.
   */
  readonly workloads: readonly PlannedWorkload[];
  /** Findings of objects that are not listed above. */
  readonly findings: readonly PlanFinding[];
  /** How many findings of the head's state the base had too; they are listed only where all were asked for. */
  readonly findingsBefore: number;
  /** The limits that the plan is over, in words; none where it may go on. */
  readonly exceeded: readonly string[];
  /** Of a plan of two versions of a chart: which, and what of it is needless. */
  readonly upgrade?: PlannedUpgrade;
  /** The applications that were looked at; absent where a plan is not over applications. Those that failed come first. */
  readonly applications?: readonly PlannedApplication[];
}

/** A chart and its two versions, as its own file says them. */
export interface ChartUpgrade {
  readonly chart: string;
  readonly from: string;
  readonly to: string;
}

export interface PlannedUpgrade extends ChartUpgrade {
  /** What rolls by nothing but what the chart writes about itself: its version in labels, checksums of its files. */
  readonly needless: Rolls & {
    /** By the options that would leave it alone, those that are not set. */
    readonly saves: readonly (Rolls & { readonly options: readonly string[] })[];
    /** What rolls all the same: something uses the label, or the checksum is over what no stamp covers. */
    readonly stays: Rolls;
  };
  /** What would roll needlessly without the options that are set. */
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
  /** Of one that failed: why, in the words of the tool. */
  readonly message?: string;
  /** What of the message isn't there: a chart that is not fetched, a remote base. */
  readonly missing?: string;
  /** It can't be rendered in the base either. */
  readonly failedBefore?: true;
}

/** `refused`: something fails to apply. `danger`, `attention`: what a person has to look at. `ok`: nothing. */
export type Level = "refused" | "danger" | "attention" | "ok";

/** Whether a plan may go on, and why, in one line that names nothing of the manifests. */
export interface Verdict {
  readonly level: Level;
  readonly text: string;
}

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
  /** The folder or file that it is looked at with, where those are parted in which an object stands twice. */
  readonly part?: string;
  readonly action: Action;
  /** Why nothing rolls, or why it is refused: "it is paused"; absent where the action says it all. */
  readonly because?: string;
  /** The pods that are replaced. */
  readonly pods: number;
  /** The same with as many pods as what scales it may make; absent where these are as many. */
  readonly podsAtMost?: number;
  readonly safety: Safety;
  /** Why a number is not certain, or says less than it seems to. */
  readonly caveats: readonly Caveat[];
  readonly scaledBy?: ScaledBy;
  /** What a person does about it; absent where nothing is to be done. */
  readonly next?: string;
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

export interface PlanFinding {
  readonly id: string;
  readonly severity: Severity;
  readonly message: string;
  /** What to do. */
  readonly remedy?: string;
  /** The base had it too: it is listed as all were asked for, and no limit counts it. */
  readonly before?: true;
  /** The application of which it is found, where the plan is over applications. */
  readonly application?: string;
}
