import type { Place } from "../../base/errors.ts";
import type { ResourceRef, ObjectName, SourceName } from "../../base/names.ts";
import type { RuleId } from "../../findings/catalogue/catalogue.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Caveat } from "../../kubernetes/rollout/caveats.ts";
import type { Safety } from "../../kubernetes/rollout/safety.ts";
import type { Strategy } from "../../kubernetes/rollout/rollout-types.ts";
import type { ScaledBy } from "../../kubernetes/rollout/scalers.ts";
import type { Traffic } from "../../kubernetes/rollout/traffic.ts";
import type { ChangedField, Reason, SourceReason } from "./plan-reasons.ts";
import type { Held } from "./planned-application.ts";

// The workloads and other objects of a plan: what happens to each, and why.

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
  /** For a `Change` or a `Create`: the path of the field for which the API server refuses it. */
  readonly refused?: string;
  /** What the refused field must be, if another value of it is accepted; absent for a field that never changes. */
  readonly problem?: string;
  /**
   * For a `Change`: the path of the field by whose change clients, or a workload, lose what the object gave them, or of the
   * class that a claim gets, which the API server refuses if the cluster has given it another one, or of what Argo CD now does itself.
   */
  readonly loses?: string;
  /** It is the source of a cause: text does not name it twice. */
  readonly isCause?: true;
  /** For a `Delete`: pod templates name it, and the API server refuses new pods without it. */
  readonly isNeeded?: true;
  /**
   * For a `Delete`: objects that still name it, or the Secret that goes with it, to pull images or for requests from outside.
   * For a `Change` that `loses` ports: the routes that ask for them. Of a role or a binding: the workloads that lose permissions.
   */
  readonly usedBy?: readonly ResourceRef[];
}

export interface PlannedWorkload extends Planned {
  readonly action: Action;
  /** The sources that its pods need and that are gone. */
  readonly lost?: readonly LostSource[];
  /** The content that its pods see changed, whether or not they are replaced; only for an audit. */
  readonly content?: readonly SourceReason[];
  /** For a `Scale`, and for what also scales. */
  readonly replicas?: { readonly from: number | null; readonly to: number | null };
  /** What sends traffic to its pods; absent unless it rolls or is scaled to 0. */
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
  readonly strategy: Strategy | null;
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

/** A finding of a plan. Only findings from reading files have a location in the output. */
export type PlanFinding = Finding & {
  readonly place?: Place;
  /** True if the base has it too: it is listed because of `--all`, and no limit counts it. */
  readonly before?: true;
  /** The application that has it, if the plan is over applications. */
  readonly application?: string;
  /** Its application is held or an orphan: it is no part of the verdict. */
  readonly isNotApplied?: true;
  /** It is about what only the base lacks, or about values for what both lack: the head is rendered as far as before. */
  readonly isOfBase?: true;
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
