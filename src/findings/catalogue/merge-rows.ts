import { counted, pluralize, saysPath } from "../../base/words.ts";
import {
  formatKeyChanges,
  formatList,
  formatName,
  formatObject,
  formatToolOutput,
  type KeyChanges,
  type ResourceRef,
  type SourceName,
} from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about a merge: its applications, and what it does besides rollouts. Parameters by id and cause. */
export interface MergeFindings {
  /** `problem` is the output of the tools, masked. */
  readonly "unrendered-application": {
    readonly failed: { readonly application: string; readonly path: string; readonly problem: string };
    /** Several failed for the same reason. */
    readonly severalFailed: { readonly applications: readonly string[]; readonly problem: string };
    /**
     * Only in plans: applications of the same cluster whose pods may see the changed sources; `problem` is the message
     * of `alike` of them.
     */
    readonly unknownUses: {
      readonly sources: readonly SourceName[];
      readonly applications: readonly string[];
      readonly problem: string;
      readonly alike: number;
    };
  };
  /** Only in plans: a source changes in one application, and workloads of other applications reference it. */
  readonly "cross-application-change": {
    readonly changed: CrossApplicationChange;
    readonly removed: CrossApplicationChange;
    readonly watched: CrossApplicationChange & { readonly writer: string };
  };
  /** Only in plans: a Service selects no pod before and after its selector changes, as far as its application shows. */
  readonly "changed-selector": {
    readonly noMatch: { readonly service: ResourceRef; readonly labels: readonly string[] };
  };
  /** Only in plans: a PodDisruptionBudget no longer selects pods of workloads, and no other one selects them. */
  readonly "lost-budget": {
    readonly unselected: { readonly budget: ResourceRef; readonly workloads: readonly ResourceRef[] };
  };
  /** Only in plans: new pods need new sources that are created only when these pods are ready. */
  readonly "late-source": {
    readonly later: { readonly workload: ResourceRef; readonly sources: readonly SourceName[] };
  };
  /** Only in plans. `object` is a Kustomization or HelmRelease of Flux. */
  readonly "suspended-application": {
    readonly resumed: { readonly object: string };
  };
  /**
   * Only in plans: another object of Argo CD or Flux defines an application. `moved`: it is the same object, but another
   * application applies it.
   */
  readonly "renamed-application": {
    readonly deleted: { readonly object: string; readonly other: string };
    readonly moved: { readonly object: string; readonly from: string; readonly to: string };
  };
  /** Only in plans: a workload stays in the cluster when it leaves an application, and another application changes it. */
  readonly "taken-over": {
    readonly unknown: { readonly workload: ResourceRef; readonly from: string; readonly to: string };
  };
  /** Only in plans: pods that kept an earlier template, because the workload held them back, may roll with this change. */
  readonly "released-rollout": {
    readonly resumed: { readonly workload: ResourceRef; readonly because: string };
    readonly partition: { readonly workload: ResourceRef; readonly from: number; readonly to: number };
  };
  /** Only in plans: the persistentVolumeClaimRetentionPolicy of a StatefulSet deletes the claims of removed pods. */
  readonly "deleted-volumes": {
    readonly scaled: { readonly workload: ResourceRef; readonly from: number; readonly to: number };
    readonly deleted: { readonly workload: ResourceRef };
  };
  /** Only in plans: an apply removes or lowers the number of pods of a workload that an autoscaler scales. */
  readonly "dropped-replicas": {
    readonly removed: {
      readonly workload: ResourceRef;
      readonly from: number;
      readonly scaler: Pick<ResourceRef, "kind" | "name">;
    };
    /** It is below the minimum of the autoscaler. */
    readonly lowered: {
      readonly workload: ResourceRef;
      readonly from: number;
      readonly to: number;
      readonly scaler: Pick<ResourceRef, "kind" | "name">;
      readonly min: number;
    };
  };
  /** Only in plans: a probe or hook names a port that its container no longer has. */
  readonly "lost-port": {
    readonly notReady: LostPort;
    readonly stopped: LostPort;
    /** A liveness probe or preStop hook, which has no effect. */
    readonly unused: LostPort;
  };
}

interface LostPort {
  readonly workload: ResourceRef;
  readonly container: string;
  /** `readinessProbe`, `lifecycle.preStop` */
  readonly field: string;
  readonly port: string;
}

interface CrossApplicationChange {
  readonly source: SourceName;
  readonly keys: KeyChanges;
  readonly workloads: readonly ResourceRef[];
  readonly applications: readonly string[];
}

// Reports name fewer of them.
const MOST_LABELS = 5;

export const MERGE_ROWS: Rows<MergeFindings> = {
  "unrendered-application": {
    severity: "error",
    title: "An application that cannot be rendered",
    remedy:
      "Follow the message, or fix what it names. To exclude the application, add its path to 'ignore' of the Applications document in rollstamp.yaml.",
    causes: {
      failed: {
        message: ({ application, path, problem }) =>
          `application ${formatName(application)}${saysPath(application, path) ? "" : ` in ${formatName(path)}`} not examined: ${formatToolOutput(problem)}`,
      },
      severalFailed: {
        message: ({ applications, problem }) =>
          `${counted(applications.length, "application")} not examined (${formatList(applications, MOST_APPLICATIONS)}): ${formatToolOutput(problem)}`,
      },
      unknownUses: {
        brief: ({ sources, applications }) =>
          `${formatList(sources.map(formatObject), 1)} may be used by ${counted(applications.length, "other application")}`,
        message: ({ sources, applications, problem, alike }) => {
          const count = applications.length;
          const scope = alike === count ? ":" : `. ${alike} of them:`;
          return `${counted(count, "other application")} of the cluster (${formatList(applications, MOST_BESIDE)}) may use ${formatList(sources.map(formatObject), MOST_BESIDE)}, but cannot be rendered completely${scope} ${formatToolOutput(problem)}`;
        },
      },
    },
  },
  "cross-application-change": {
    severity: "warning",
    title: "A changed source that pods of another application use",
    remedy:
      "Restart these workloads after the change has been applied (rollstamp restart), or put both into one application, so that stamps cover the source.",
    causes: {
      changed: {
        message: (params) =>
          `${formatObject(params.source)}: ${formatKeyChanges(params.keys)}. ${formatUses(params)}, but ${pluralize(params.workloads.length, "does", "do")} not roll out, because no stamp covers a source of another application`,
      },
      removed: {
        message: (params) =>
          `${formatObject(params.source)} is removed, but ${formatUses(params)}: new pods cannot start without it`,
        remedy: "Keep the source, or first remove the references to it.",
      },
      watched: {
        message: (params) =>
          `${formatObject(params.source)}: ${formatKeyChanges(params.keys)}. ${formatUses(params)}, and ${params.writer} (if it runs in the cluster) restarts the pods`,
        remedy: null,
        severity: "info",
      },
    },
  },
  "changed-selector": {
    severity: "warning",
    title: "A changed selector that matches no pod here",
    remedy: "Make sure that pods of another application, or those of an operator, have these labels.",
    causes: {
      noMatch: {
        brief: ({ service }) => `${formatObject(service)} has another selector, which matches no pod here`,
        message: ({ service, labels }) =>
          `the selector of ${formatObject(service)} changes, and no pod template of its application has all of the labels ${formatList(labels, MOST_LABELS)}`,
      },
    },
  },
  "lost-budget": {
    severity: "warning",
    title: "A PodDisruptionBudget that no longer selects pods of a workload",
    remedy: "Change the selector of the budget, or the labels in the pod template, so that they match.",
    causes: {
      unselected: {
        brief: ({ budget, workloads }) =>
          `${formatObject(budget)} no longer selects pods of ${formatList(workloads.map(formatObject), MOST_BESIDE)}`,
        message: ({ budget, workloads }) =>
          `${formatObject(budget)} no longer selects pods of ${formatList(workloads.map(formatObject), MOST_USERS)}, and no other budget selects them: evictions may remove all at once`,
      },
    },
  },
  "late-source": {
    severity: "warning",
    title: "A workload that waits for what is created after it",
    remedy: "Give the source the wave and the phase of the workload, or earlier ones.",
    causes: {
      later: {
        brief: ({ workload, sources }) =>
          `${formatObject(workload)} needs ${formatList(sources.map(formatObject), MOST_BESIDE)}, which is created after it`,
        message: ({ workload, sources }) =>
          `the new pods of ${formatObject(workload)} need ${formatList(sources.map(formatObject), MOST_USERS)}, which is created in a later sync wave or phase: that waits until the pods are ready, and they cannot start`,
      },
    },
  },
  "suspended-application": {
    severity: "warning",
    title: "An application that Flux resumes",
    remedy: "Plan from the revision that Flux applied last: rollstamp plan --git REVISION..HEAD --app NAME.",
    causes: {
      resumed: {
        message: ({ object }) =>
          `${formatName(object)} is resumed: Flux also applies the changes since it was suspended, which are not in this plan`,
      },
    },
  },
  "renamed-application": {
    severity: "warning",
    title: "A renamed application whose objects are deleted",
    remedy:
      "First, in a change of its own, let the objects stay: remove the finalizer (Application), set preserveResourcesOnDeletion (ApplicationSet) or prune: false (Kustomization), or suspend it (HelmRelease).",
    causes: {
      deleted: {
        brief: ({ object }) => `${formatName(object)} is deleted with its objects`,
        message: ({ object, other }) =>
          `${formatName(object)} is deleted with its objects, and ${formatName(other)} creates them again: no pod runs meanwhile, and PersistentVolumeClaims lose their data`,
      },
      moved: {
        brief: ({ object, from, to }) => `${formatName(object)} moves from ${formatName(from)} to ${formatName(to)}`,
        message: ({ object, from, to }) =>
          `${formatName(object)} moves from application ${formatName(from)} to ${formatName(to)}: if the first one prunes it before the other one applies it, it is deleted with its objects and created again: no pod runs meanwhile, and PersistentVolumeClaims lose their data`,
      },
    },
  },
  "released-rollout": {
    severity: "warning",
    title: "A workload that may roll out what it held back",
    remedy: "Plan from the revision before the changes that it held back: rollstamp plan --git REVISION..HEAD.",
    causes: {
      resumed: {
        brief: ({ workload }) => `${formatObject(workload)} may roll out what it held back`,
        message: ({ workload, because }) =>
          `${formatObject(workload)} rolls out changes again (before: ${because}): pods that still have an earlier template are replaced now`,
      },
      partition: {
        brief: ({ workload }) => `${formatObject(workload)} may roll out what it held back`,
        message: ({ workload, from, to }) =>
          `the partition of ${formatObject(workload)} is lowered from ${from} to ${to}: pods that still have an earlier template are replaced now`,
      },
    },
  },
  "dropped-replicas": {
    severity: "warning",
    title: "A scaled workload that loses pods until its autoscaler acts",
    remedy:
      "Before the merge, remove spec.replicas from the last applied configuration (kubectl apply edit-last-applied) or, with server-side apply, hand the field over.",
    causes: {
      removed: {
        brief: ({ workload }) => `${formatObject(workload)} has 1 pod until its autoscaler acts`,
        message: ({ workload, from, scaler }) =>
          `${formatObject(workload)} no longer sets replicas: ${from}: the apply removes the number, the API server fills in 1, and ${formatObject(scaler)} adds the other pods again`,
      },
      lowered: {
        brief: ({ workload, to }) => `${formatObject(workload)} has ${counted(to, "pod")} until its autoscaler acts`,
        message: ({ workload, from, to, scaler, min }) =>
          `${formatObject(workload)} sets replicas: ${to} instead of ${from}: the apply stops all other pods, and ${formatObject(scaler)} adds pods again, at least to its minimum of ${min}`,
        remedy: "Leave replicas as it is, or set at least the minimum of the autoscaler.",
      },
    },
  },
  "taken-over": {
    severity: "warning",
    title: "A workload that another application takes over",
    remedy: "Move it without any change, and change it afterwards: a plan shows what that does.",
    causes: {
      unknown: {
        brief: ({ workload, to }) => `${formatObject(workload)} is taken over by ${formatName(to)}`,
        message: ({ workload, from, to }) =>
          `${formatObject(workload)} stays in the cluster when it leaves ${formatName(from)}, and ${formatName(to)} takes it over: what differs rolls or is refused, which is not compared`,
      },
    },
  },
  "deleted-volumes": {
    severity: "warning",
    title: "A StatefulSet whose volumes are deleted with its pods",
    remedy: "Set the policy to Retain in an earlier change, or make sure that nobody needs the data.",
    causes: {
      scaled: {
        brief: ({ workload }) => `${formatObject(workload)} loses volumes`,
        message: ({ workload, from, to }) =>
          `${formatObject(workload)} is scaled from ${from} to ${to}, and its persistentVolumeClaimRetentionPolicy deletes the PersistentVolumeClaims of the removed pods (whenScaled)`,
      },
      deleted: {
        brief: ({ workload }) => `${formatObject(workload)} loses its volumes`,
        message: ({ workload }) =>
          `${formatObject(workload)} is deleted, and its persistentVolumeClaimRetentionPolicy deletes its PersistentVolumeClaims (whenDeleted)`,
      },
    },
  },
  "lost-port": {
    severity: "warning",
    title: "A probe or hook whose port is gone",
    remedy: "Give a port of the container this name, or use the number of the port.",
    causes: {
      notReady: { message: (params) => `${formatLostPort(params)}: its new pods never become ready` },
      stopped: { message: (params) => `${formatLostPort(params)}: the kubelet stops the container again and again` },
      unused: {
        brief: ({ workload, field }) => `${field} of ${formatObject(workload)} has no effect anymore`,
        message: (params) => `${formatLostPort(params)}: it has no effect anymore`,
      },
    },
  },
};

/** Of applications that fail for the same reason: `notExamined` lists them all. */
const MOST_APPLICATIONS = 5;
/** Of each list in a message with several lists: names of applications may be paths. */
const MOST_BESIDE = 1;
const MOST_USERS = 5;

function formatLostPort({ workload, container, field, port }: LostPort): string {
  return `${field} of container ${formatName(container)} of ${formatObject(workload)} names the port ${formatName(port)}, which the container does not have`;
}

function formatUses({ workloads, applications }: CrossApplicationChange): string {
  const application = pluralize(applications.length, "application");
  const use = pluralize(workloads.length, "uses", "use");
  return `${formatList(workloads.map(formatObject), MOST_USERS, " and ")} of the ${application} ${formatList(applications, MOST_USERS, " and ")} ${use} it`;
}
