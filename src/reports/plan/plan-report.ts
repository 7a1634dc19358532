import type { Json } from "../../yaml/read/node.ts";
import type { Place } from "../../base/errors.ts";
import type { ResourceRef, ObjectName, SourceName } from "../../base/names.ts";
import type { RuleId } from "../../findings/catalogue/catalogue.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Account } from "../../findings/not-examined/not-examined.ts";
import type { Caveat } from "../../kubernetes/rollout/caveats.ts";
import type { Safety } from "../../kubernetes/rollout/safety.ts";
import type { ScaledBy } from "../../kubernetes/rollout/scalers.ts";
import type { Traffic } from "../../kubernetes/rollout/traffic.ts";
import type { Label } from "./labels.ts";
import type { Reason, SourceReason } from "./plan-reasons.ts";

// A plan as data: findings, caveats, reasons and limits keep their ids, causes and parameters until a printer words
// them (src/output). src/output/plan-json.ts converts it to the contract's JSON. It contains no value of a Secret.

/**
 * `Roll`: pods are replaced. `NextRun`: the next run uses the change. `NoEffect`: only the template changes.
 * `Reload`: the processes take the change without a restart. `Waiting`: its stamps change later
 * (`rollstamp.dev/waiting`). `Stale`: content that the pods see changes, but not their template, so they keep the old
 * content. `Scale`: only the number of replicas changes. `Fail`: the apply would be refused. `None`: nothing changes.
 */
export type Action =
  | "Roll"
  | "NextRun"
  | "NoEffect"
  | "Reload"
  | "Waiting"
  | "Stale"
  | "Scale"
  | "Fail"
  | "Create"
  | "Delete"
  | "None";

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
  /** Changed files that look like manifests, values or charts, and that nothing reads. Absent without applications. */
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
  /** For a plan of two versions of a chart: the versions, and the rollouts that can be avoided. */
  readonly upgrade?: PlannedUpgrade;
  /** Absent if the plan is not over applications. Failed applications come first. */
  readonly applications?: readonly PlannedApplication[];
}

interface Planned extends ObjectName {
  /** The application that it belongs to, if the plan is over applications. */
  readonly application?: string;
  /** Its folder or file, if parts are planned separately because an object is in several of them. */
  readonly part?: string;
  /** For a `Delete`: prune is off, so it stays in the cluster. */
  readonly leaves?: true;
  /** For a `Delete`: the user accepted it with --accept-deletes. */
  readonly isAccepted?: true;
  /** Its application is held (not `Manual`), so the change is not applied. */
  readonly held?: Exclude<Held, "Manual">;
  /** Its application is an orphan: nothing applies it. */
  readonly orphan?: true;
}

/** An object that is created, changed or deleted and that is no listed workload. */
export interface PlannedObject extends Planned {
  readonly change: "Create" | "Change" | "Delete";
  /** The changed fields; empty for a created or deleted object. */
  readonly fields: readonly ChangedField[];
  /** How many more fields changed. */
  readonly moreFields?: number;
  /** For a `Change`: the path of the field for which the API server refuses it. */
  readonly refused?: string;
  /** It is the source of a cause: text does not name it twice. */
  readonly isCause?: true;
}

/** A changed field of an object. */
export interface ChangedField {
  readonly path: string;
  /** Null if the field is missing; both are undefined if the value is not shown. */
  readonly from?: Json;
  readonly to?: Json;
  readonly hidden?: true;
}

/** A changed file that no application, orphan or engine object reads. */
export interface UnreadFile {
  readonly path: string;
  /** Whether it is a manifest; else it looks like values or a chart. */
  readonly isManifest: boolean;
}

/**
 * Why a merged change is not applied. `Suspended`: Flux `suspend`. `Manual`: Argo CD without `automated`, until someone
 * syncs it. `ChartVersion`: a HelmRelease whose chart version does not change under `reconcileStrategy: ChartVersion`.
 */
export type Held = "Suspended" | "Manual" | "ChartVersion";

/** What writes the stamps of an application, or where they are. */
export type StampedBy = (typeof STAMPED_BY)[number];

export const STAMPED_BY = ["Transformer", "Plugin", "PostRenderer", "Files", "Nothing"] as const;

/** A limit that the plan exceeds. */
export type ExceededLimit =
  | { readonly limit: "maxWorkloads" | "maxPods" | "maxDeletes"; readonly actual: number; readonly allowed: number }
  | { readonly limit: "failOn"; readonly rule: string; readonly findings: number }
  | { readonly limit: "failOn"; readonly gate: Gate; readonly rows: number };

/** What --fail-on accepts besides rules: levels, which include the worse ones, and what happens. */
export type Gate = "refused" | "danger" | "attention" | "outage" | "may-stick" | "stale" | "deletes" | "unrendered";

/** A chart and its two versions, from Chart.yaml. */
export interface ChartUpgrade {
  readonly chart: string;
  readonly from: string;
  readonly to: string;
}

export interface PlannedUpgrade extends ChartUpgrade {
  /** What rolls only because of what the chart writes about itself: its version in labels, checksums of its files. */
  readonly avoidable: Rolls & {
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

/** What defines an application, in the order of the search. */
export type FoundBy =
  | "Applications"
  | "Application"
  | "ApplicationSet"
  | "FluxKustomization"
  | "HelmRelease"
  | "Kustomization"
  | "Chart"
  | "Kptfile"
  | "Manifests";

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
  /** True if the base can't be rendered either, and the change doesn't touch it. */
  readonly failedBefore?: true;
  /** True if only the base can't be rendered: what the change rolls is unknown. */
  readonly baseFailed?: true;
  readonly stampedBy: StampedBy;
  /** What defines it, and in which files; absent if it can't be found. */
  readonly foundBy?: FoundBy;
  readonly definedIn?: readonly string[];
  readonly held?: Held;
  /** The application that applies it, if that one is suspended or has to be synced. */
  readonly heldBy?: string;
  /** If it was suspended: the commit that Flux applied before, to which the head is compared. */
  readonly appliedCommit?: string;
  /** No Argo CD or Flux object, and no Applications document, leads to it. */
  readonly orphan?: true;
  /** What it was rendered without. */
  readonly partial?: readonly MissingPart[];
  /** Nothing of it could be rendered without these parts. */
  readonly unrendered?: true;
}

/** A remote base, a chart or values that were not there when an application was rendered. */
export interface MissingPart {
  /** Its address, as the repository names it. */
  readonly path: string;
  readonly reason: string;
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

export interface PlannedWorkload extends Planned {
  readonly action: Action;
  /** The sources that its pods need and that are gone. */
  readonly lost?: readonly LostSource[];
  /** The content that its pods see changed, whether or not they are replaced; only for an audit. */
  readonly content?: readonly SourceReason[];
  /** For a `Scale`, and for what also scales. */
  readonly replicas?: { readonly from: number | null; readonly to: number | null };
  /** What sends traffic to its pods; absent unless it rolls. */
  readonly traffic?: Traffic;
  /** Findings that someone accepted with a reason (`ignore.rollstamp.dev/<ID>`): no part of the verdict. */
  readonly accepted?: readonly AcceptedFinding[];
  /** For a `Delete`: the same kind and name is created in another namespace, application or release. */
  readonly movedTo?: MovedTo;
  /** For a `Delete`: its namespace loses its last Deployment, StatefulSet, DaemonSet and Rollout. */
  readonly isLast?: true;
  /** How many of its pods a PodDisruptionBudget requires, if one selects them; absent unless it rolls. */
  readonly wanted?: number;
  /** Why nothing rolls, or why it is refused; absent if the action is clear without it. */
  readonly because?: Because;
  /** The pods that are replaced; of `Stale` those that keep the old content. */
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

export interface AcceptedFinding {
  readonly id: RuleId;
  readonly reason: string;
}

/** Where a workload moves. */
export interface MovedTo {
  readonly namespace: string;
  readonly application?: string;
  /** It stays where it is, but Flux uninstalls its release and installs another one. */
  readonly release?: ReplacedRelease;
}

/** What changes of a release, so that Flux uninstalls it and installs another one. */
export interface ReplacedRelease {
  readonly by: "storageNamespace" | "namespace" | "name" | "chart";
  readonly from: string;
  readonly to: string;
}

/** A source that a pod template of the head names and the head lacks, or lacks a key of; the base had it. */
export interface LostSource {
  readonly source: SourceName;
  /** Empty if the whole source is gone. */
  readonly keys: readonly string[];
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
  /** Its application is held or an orphan: it is no part of the verdict. */
  readonly isNotApplied?: true;
};

/** Why nothing rolls, or why an apply is refused. */
export type Because =
  /** The text of the tables in src/kubernetes/rollout. */
  | { readonly id: "rollout"; readonly text: string }
  | { readonly id: "immutable-field"; readonly path: string }
  | { readonly id: "refused-source"; readonly source: ResourceRef }
  /** It waits for its new stamps. */
  | { readonly id: "waiting" }
  /** Nothing rolls out its pods, so they keep the old content. */
  | { readonly id: "unstamped" }
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
  /** A selector cannot be changed: keep it, or create the workload under a new name, or delete and create it. */
  | {
      readonly id: "keep-selector";
      /** Set if kustomize may have changed it: the folder of the kustomization, or "" if it is unknown. */
      readonly kustomization?: string;
      /** It is a StatefulSet with volume claims: a new one has new, empty volumes. */
      readonly hasVolumes?: true;
      /** The Services that select the new pods only: they reach no pod while the change is refused. */
      readonly services: readonly string[];
      readonly moreServices?: number;
    }
  /** Options of ConfigHash that would remove this number of the chart's marks. */
  | { readonly id: "remove-marks"; readonly options: readonly string[]; readonly marks: number };
