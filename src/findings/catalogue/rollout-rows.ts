import { counted, shellPath } from "../../base/words.ts";
import { formatList, formatName, formatObject, type ResourceRef, type SourceName } from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about what a changed pod template does: parameters by id and cause. */
export interface RolloutFindings {
  readonly RS003: {
    readonly notPulled: ImageUse;
    /** Something else loads the image onto the nodes, and may replace it there. */
    readonly neverPulled: ImageUse;
    readonly initContainer: ImageUse;
    /** The image has no registry and no tag: a build tool may replace it. */
    readonly bareName: ImageUse;
    readonly restart: ImageUse;
  };
  readonly RS004: {
    readonly strategy: NoPodAvailable;
    /** Recreate, with a volume that two pods cannot share. */
    readonly exclusiveVolume: NoPodAvailable & { readonly claim: string };
    readonly recreate: NoPodAvailable;
    /** A StatefulSet stops a pod before it starts the next. */
    readonly singlePod: NoPodAvailable;
    readonly allAtOnce: NoPodAvailable;
    /** No Service of its namespace selects it. */
    readonly noTraffic: NoPodAvailable;
    readonly allNodes: NoPodAvailable;
    readonly restart: { readonly workload: ResourceRef };
  };
  readonly RS005: {
    readonly noEffect: Because & {
      /** What should roll the workload out: an annotation by its key, or an override of the configuration. */
      readonly trigger: "stamp" | "restart" | { readonly annotation: string } | { readonly override: string };
    };
    readonly restartLater: Because & { readonly next: string | undefined };
    readonly notRestarted: Because;
  };
  readonly RS010: { readonly autoscaled: { readonly workload: ResourceRef; readonly scaler: ResourceRef } };
  readonly RS011: {
    readonly removed: {
      readonly workload: ResourceRef;
      readonly apiVersion: string;
      readonly removedIn: string;
      readonly instead: string;
    };
  };
  readonly RS025: {
    /** Its stamps are in files, and `rollstamp stamp` was forgotten. */
    readonly forgotten: StaleContent;
    readonly unstamped: StaleContent;
    /** A function or plugin stamps it, and its stamps do not cover the content. */
    readonly uncovered: StaleContent;
    /** An annotation or the configuration says that it is not stamped. */
    readonly optedOut: StaleContent;
    readonly excluded: StaleContent;
    /** A known reloader beside the process watches it. */
    readonly reloads: StaleContent;
    /** The annotations of a controller in the cluster make it restart the pods. */
    readonly watched: StaleContent & { readonly writer: string };
  };
}

interface StaleContent {
  readonly workload: ResourceRef;
  readonly sources: readonly SourceName[];
  /** The folder of its application, if it is known. */
  readonly path?: string;
}

interface ImageUse {
  readonly workload: ResourceRef;
  /** What uses the image: `container app`. */
  readonly user: string;
  readonly image: string;
  readonly policy: string;
}

interface NoPodAvailable {
  readonly workload: ResourceRef;
  readonly strategy: StrategyParams | null;
}

interface StrategyParams {
  readonly type: string;
  /** Null for one pod per node. */
  readonly replicas: number | null;
  readonly maxUnavailable: number | string | null;
  readonly maxSurge: number | string | null;
}

/** A workload and a reason from the tables of src/kubernetes/rollout: "it is paused". */
export interface Because {
  readonly workload: ResourceRef;
  readonly because: string;
}

const MOST_SOURCES = 3;

function keepsOld({ workload, sources }: StaleContent): string {
  return `the pods of ${formatObject(workload)} keep the old content of ${formatList(sources.map(formatObject), MOST_SOURCES, " and ")}`;
}

export const ROLLOUT_ROWS: Rows<RolloutFindings> = {
  RS003: {
    severity: "warning",
    title: "A mutable image tag that a restart does not pull again",
    remedy: "Pin the image to a version or a digest, or set 'imagePullPolicy: Always'.",
    causes: {
      notPulled: { message: (use) => `${runsImage(use)}: nodes with an old image for this tag keep it` },
      neverPulled: {
        message: (use) => `${runsImage(use)}: a restart runs the image that each node has`,
        severity: "info",
      },
      initContainer: {
        message: (use) => `${runsImage(use)}: nodes with an old image for this tag keep it`,
        severity: "info",
      },
      bareName: {
        message: (use) =>
          `${runsImage(use)}: nodes with an old image for this name keep it, unless a tool replaces the name`,
        remedy:
          "No action if Skaffold, Tilt or kustomize's 'images' replaces the name. Otherwise pin the image to a version or a digest, or set 'imagePullPolicy: Always'.",
      },
      restart: {
        message: ({ workload, user, image, policy }) =>
          `the restart of ${formatObject(workload)} may not pull a newer image: ${formatName(user)} runs '${formatName(image)}' with imagePullPolicy ${formatName(policy)}`,
        remedy: "Set 'imagePullPolicy: Always', or pin the image and change the pin.",
      },
    },
  },
  RS004: {
    severity: "warning",
    title: "A rollout that leaves no pod available",
    remedy: "Use more replicas, or a strategy that starts a new pod before it stops the last old pod.",
    causes: {
      strategy: { message: noPodAvailable },
      exclusiveVolume: {
        message: (params) =>
          `${noPodAvailable(params)}; two pods cannot share the volume of PersistentVolumeClaim '${formatName(params.claim)}'`,
        remedy:
          "Recreate is the safe strategy for this volume: roll out when an outage is acceptable, or use a volume that several pods can mount.",
      },
      recreate: {
        message: noPodAvailable,
        remedy:
          "Use RollingUpdate if two versions can run at the same time: a new pod starts before the old pods stop.",
      },
      singlePod: {
        message: noPodAvailable,
        remedy: "Run more replicas if possible: the only pod of a StatefulSet stops before the new pod starts.",
      },
      allAtOnce: {
        message: noPodAvailable,
        remedy: "Lower maxUnavailable, so that some pods stay until new pods are available.",
      },
      noTraffic: {
        message: (params) => `${noPodAvailable(params)}; nothing in the input sends traffic to it`,
        remedy: "No action if its work can pause until the new pod has started.",
        severity: "info",
      },
      allNodes: {
        message: noPodAvailable,
        remedy: "Lower maxUnavailable: at 100% the pods of all nodes stop at once.",
      },
      restart: {
        message: ({ workload }) => `the restart of ${formatObject(workload)} leaves no pod available for a while`,
        remedy:
          "Start a new pod before an old pod stops: set maxUnavailable to 0 and maxSurge to 1, or use more replicas.",
      },
    },
  },
  RS005: {
    severity: "warning",
    title: "A stamp or restart without effect",
    remedy:
      "Let the controller of the workload replace the pods, or opt the workload out with 'rollstamp.dev/stamp: \"false\"'.",
    causes: {
      noEffect: {
        message: ({ workload, trigger, because }) =>
          `${formatTrigger(trigger)} of ${formatObject(workload)} has no effect: ${formatName(because)}`,
      },
      restartLater: {
        message: ({ workload, because }) =>
          `the restart of ${formatObject(workload)} has no effect yet: ${formatName(because)}`,
        remedy: ({ next }) => next ?? "Delete its pods, or wait until its controller replaces them.",
      },
      notRestarted: {
        message: ({ workload, because }) => `${formatObject(workload)} is not restarted: ${formatName(because)}`,
        remedy:
          "Remove it from the targets. To restart it anyway, delete it and apply it again: its pods stop meanwhile.",
      },
    },
  },
  RS010: {
    severity: "warning",
    title: "replicas on the target of a HorizontalPodAutoscaler",
    remedy: "Remove replicas: each apply would reset the number that the autoscaler has set.",
    causes: {
      autoscaled: {
        message: ({ workload, scaler }) =>
          `${formatObject(workload)} sets replicas, but ${formatObject(scaler)} scales it`,
      },
    },
  },
  RS011: {
    severity: "error",
    title: "An apiVersion that Kubernetes no longer serves",
    remedy: "Use the current apiVersion, add a selector, and check the strategy: its defaults differ.",
    causes: {
      removed: {
        message: ({ workload, apiVersion, removedIn, instead }) =>
          `${formatObject(workload)} has the apiVersion ${apiVersion}, which Kubernetes ${removedIn} removed: use ${instead}`,
      },
    },
  },
  RS025: {
    severity: "warning",
    title: "A changed source whose pods keep the old content",
    remedy: "Stamp the workload, so that the change rolls it out.",
    causes: {
      forgotten: {
        message: (params) => `${keepsOld(params)}: its stamps were not updated`,
        remedy: ({ path = "." }) => `Run rollstamp stamp ${formatName(shellPath(path))} and commit the result.`,
      },
      unstamped: {
        message: (params) => `${keepsOld(params)}: nothing stamps this workload`,
        remedy: ({ path = "." }) => `Run rollstamp init ${formatName(shellPath(path))}, which shows how to stamp it.`,
      },
      uncovered: {
        message: (params) => `${keepsOld(params)}: its stamps do not cover this content`,
        remedy: "Check the configuration of ConfigHash: rollstamp explain shows what the stamps cover.",
      },
      optedOut: {
        message: (params) => `${keepsOld(params)}: the workload is opted out of stamps`,
        remedy: null,
        severity: "info",
      },
      excluded: {
        message: (params) => `${keepsOld(params)}: its stamps exclude this content`,
        remedy: null,
        severity: "info",
      },
      reloads: {
        message: ({ workload, sources }) =>
          `a reloader in the pods of ${formatObject(workload)} reloads the new content of ${formatList(sources.map(formatObject), MOST_SOURCES, " and ")}`,
        remedy: null,
        severity: "info",
      },
      watched: {
        message: ({ workload, sources, writer }) =>
          `${writer} restarts the pods of ${formatObject(workload)} for the new content of ${formatList(sources.map(formatObject), MOST_SOURCES, " and ")}, if it runs in the cluster`,
        remedy: null,
        severity: "info",
      },
    },
  },
};

function runsImage({ workload, user, image, policy }: ImageUse): string {
  return `${formatObject(workload)}: ${formatName(user)} runs the mutable image '${formatName(image)}' with imagePullPolicy ${formatName(policy)}`;
}

function noPodAvailable({ workload, strategy }: NoPodAvailable): string {
  return `a rollout leaves no pod of ${formatObject(workload)} available for a while${formatStrategy(strategy)}`;
}

function formatStrategy(strategy: StrategyParams | null): string {
  if (strategy === null) return "";
  const { type, replicas, maxUnavailable, maxSurge } = strategy;
  const pods = replicas === null ? "one pod per node" : counted(replicas, "replica");
  const unavailable = maxUnavailable === null ? "" : `, maxUnavailable ${formatName(`${maxUnavailable}`)}`;
  const surge = maxSurge === null ? "" : `, maxSurge ${formatName(`${maxSurge}`)}`;
  return `: ${formatName(type)} with ${pods}${unavailable}${surge}`;
}

function formatTrigger(trigger: RolloutFindings["RS005"]["noEffect"]["trigger"]): string {
  if (typeof trigger === "string") return `the ${trigger}`;
  return "override" in trigger ? `the configuration's ${trigger.override}` : `the annotation ${trigger.annotation}`;
}
