import { counted } from "../../base/words.ts";
import { formatList, formatName, formatObject, type ResourceRef, type SourceName } from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about what a change does besides rollouts: to Services, volumes, budgets and numbers of pods. Parameters by id and cause. */
export interface EffectFindings {
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
  /** Only in plans: pods that kept an earlier template, because the workload held them back, may roll with this change. */
  readonly "released-rollout": {
    readonly resumed: { readonly workload: ResourceRef; readonly because: string };
    readonly partition: { readonly workload: ResourceRef; readonly from: number; readonly to: number };
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
  /** Only in plans: the persistentVolumeClaimRetentionPolicy of a StatefulSet deletes the claims of removed pods. */
  readonly "deleted-volumes": {
    readonly scaled: { readonly workload: ResourceRef; readonly from: number; readonly to: number };
    readonly deleted: { readonly workload: ResourceRef };
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

// Reports name fewer of them.
const MOST_LABELS = 5;
/** Of each list in a message with several lists: names of applications may be paths. */
const MOST_BESIDE = 1;
const MOST_USERS = 5;

export const EFFECT_ROWS: Rows<EffectFindings> = {
  "changed-selector": {
    severity: "warning",
    title: "A changed selector that matches no pod of the application",
    remedy: "Check that pods of another application or of an operator have these labels.",
    causes: {
      noMatch: {
        brief: ({ service }) =>
          `${formatObject(service)} has another selector, which matches no pod of its application`,
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
          `${formatObject(budget)} no longer selects pods of ${formatList(workloads.map(formatObject), MOST_USERS)}, and no other budget selects them: a node drain may evict all of them at once`,
      },
    },
  },
  "late-source": {
    severity: "warning",
    title: "A source that is created after the pods that need it",
    remedy: "Give the source the same wave and phase as the workload, or earlier ones.",
    causes: {
      later: {
        brief: ({ workload, sources }) =>
          `${formatObject(workload)} needs ${formatList(sources.map(formatObject), MOST_BESIDE)}, which is created after it`,
        message: ({ workload, sources }) =>
          `the new pods of ${formatObject(workload)} need ${formatList(sources.map(formatObject), MOST_USERS)}, which is created in a later sync wave or phase: that phase starts only when the pods are ready, so they never start`,
      },
    },
  },
  "released-rollout": {
    severity: "warning",
    title: "A resumed workload that may roll out earlier changes",
    remedy: "To see the earlier changes, plan from the revision before them: rollstamp plan --git REVISION..HEAD.",
    causes: {
      resumed: {
        brief: ({ workload }) => `${formatObject(workload)} may roll out earlier changes`,
        message: ({ workload, because }) =>
          `${formatObject(workload)} rolls out changes again (before the change: ${because}): pods with an older template are replaced now`,
      },
      partition: {
        brief: ({ workload }) => `${formatObject(workload)} may roll out earlier changes`,
        message: ({ workload, from, to }) =>
          `the partition of ${formatObject(workload)} is lowered from ${from} to ${to}: pods with an older template are replaced now`,
      },
    },
  },
  "dropped-replicas": {
    severity: "warning",
    title: "A scaled workload that loses pods until its autoscaler acts",
    remedy:
      "Before the merge, remove spec.replicas from the last applied configuration (kubectl apply edit-last-applied). With server-side apply, transfer the ownership of the field.",
    causes: {
      removed: {
        brief: ({ workload }) => `${formatObject(workload)} has 1 pod until its autoscaler acts`,
        message: ({ workload, from, scaler }) =>
          `${formatObject(workload)} no longer sets replicas (${from} before): the apply scales it to 1 pod, until ${formatObject(scaler)} scales it up again`,
      },
      lowered: {
        brief: ({ workload, to }) => `${formatObject(workload)} has ${counted(to, "pod")} until its autoscaler acts`,
        message: ({ workload, from, to, scaler, min }) =>
          `${formatObject(workload)} lowers replicas from ${from} to ${to}, below the minimum of ${formatObject(scaler)} (${min}): pods stop, until the autoscaler adds them again`,
        remedy: "Keep replicas as it is, or set at least the minimum of the autoscaler.",
      },
    },
  },
  "deleted-volumes": {
    severity: "warning",
    title: "A StatefulSet whose volumes are deleted with its pods",
    remedy: "Set the policy to Retain in an earlier change, or check that nobody needs the data.",
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
    remedy: "Give a port of the container this name, or use the port number.",
    causes: {
      notReady: { message: (params) => `${formatLostPort(params)}: its new pods never become ready` },
      stopped: {
        message: (params) => `${formatLostPort(params)}: the kubelet kills the container each time it starts`,
      },
      unused: {
        brief: ({ workload, field }) => `${field} of ${formatObject(workload)} no longer has an effect`,
        message: (params) => `${formatLostPort(params)}: it no longer has an effect`,
      },
    },
  },
};

function formatLostPort({ workload, container, field, port }: LostPort): string {
  return `${field} of container ${formatName(container)} of ${formatObject(workload)} names the port ${formatName(port)}, which the container does not have`;
}
