import { counted, pluralize } from "../../base/words.ts";
import { formatList, formatName, formatObject, type ResourceRef } from "../../base/names.ts";
import { GENERAL, type Rows } from "./row.ts";

/** The findings about what a changed pod template does: parameters by id and cause. */
export interface RolloutFindings {
  readonly RS003: {
    readonly kept: KeptImage;
    /** Neither a registry nor a tag: what runs may have another name. */
    readonly bareName: KeptImage;
    readonly restart: KeptImage;
  };
  readonly RS004: {
    readonly strategy: LeavesNone;
    /** Recreate, with a volume that two pods can't share. */
    readonly heldVolume: LeavesNone & { readonly claim: string };
    readonly recreate: LeavesNone;
    /** A StatefulSet never starts a new pod before the old one has gone. */
    readonly onlyPod: LeavesNone;
    readonly allAtOnce: LeavesNone;
    /** No Service of its namespace sends it requests. */
    readonly unserved: LeavesNone;
    readonly allNodes: LeavesNone;
    readonly restart: { readonly workload: ResourceRef };
  };
  readonly RS005: {
    readonly held: {
      readonly workload: ResourceRef;
      /** What is meant to roll it: an annotation is named by its key. */
      /** What an annotation, or an override of the configuration, asks for. */
      readonly mark: "stamp" | "restart" | { readonly annotation: string } | { readonly override: string };
      readonly because: string;
    };
    readonly restartHeld: Because;
    readonly notRestarted: Because;
  };
  readonly RS010: { readonly scaled: { readonly workload: ResourceRef; readonly scaler: ResourceRef } };
  readonly RS011: {
    readonly removed: {
      readonly workload: ResourceRef;
      readonly apiVersion: string;
      readonly removedIn: string;
      readonly instead: string;
    };
  };
  readonly restart: {
    readonly unmet: { readonly target: string };
    readonly rolls: {
      readonly workload: ResourceRef;
      readonly pods: number;
      /** Null where Git can't tell. */
      readonly minAvailable: number | null;
      readonly maxTotal: number | null;
    };
    /** By a field that the kind has for it. */
    readonly byField: { readonly workload: ResourceRef; readonly pods: number; readonly how: string };
    readonly byController: { readonly workload: ResourceRef; readonly isOnePodANode: boolean };
    /** Its pod template is run by others too, or only by them. */
    readonly byRunners: {
      readonly workload: ResourceRef;
      readonly pods: number;
      readonly runners: readonly { readonly runner: ResourceRef; readonly pods: number }[];
    };
    readonly newRevision: {
      readonly workload: ResourceRef;
      readonly runners: readonly ResourceRef[];
      /** What can be restarted by a field of its own. */
      readonly cheaper: readonly { readonly kind: string; readonly name: string; readonly field: string }[];
    };
    readonly leftToRunner: {
      readonly workload: ResourceRef;
      readonly runners: readonly ResourceRef[];
      /** The pods of its own that stay. */
      readonly ownPods: number;
    };
    readonly noRoll: Because;
  };
}

interface KeptImage {
  readonly workload: ResourceRef;
  /** What runs it: `container app`. */
  readonly user: string;
  readonly image: string;
  readonly policy: string;
}

interface LeavesNone {
  readonly workload: ResourceRef;
  readonly strategy: StrategyParams | null;
}

interface StrategyParams {
  readonly type: string;
  /** Null for one a node. */
  readonly replicas: number | null;
  readonly maxUnavailable: number | string | null;
  readonly maxSurge: number | string | null;
}

/** A workload, and why something is so, as the tables of rollouts word it: "it is paused". */
interface Because {
  readonly workload: ResourceRef;
  readonly because: string;
}

export const ROLLOUT_ROWS: Rows<RolloutFindings> = {
  RS003: {
    severity: "warning",
    title: "A mutable image tag that a restart will not pull again",
    remedy: "Pin the image by a version or a digest, or set imagePullPolicy: Always.",
    docs: "docs/rules/RS003.md",
    causes: {
      kept: {
        message: ({ workload, user, image, policy }) =>
          `${formatObject(workload)}: ${formatName(user)} runs the image '${formatName(image)}' with imagePullPolicy ${formatName(policy)}: its tag moves, and a node that has an old one keeps it`,
        remedy: GENERAL,
      },
      bareName: {
        message: ({ workload, user, image, policy }) =>
          `${formatObject(workload)}: ${formatName(user)} runs the image '${formatName(image)}' with imagePullPolicy ${formatName(policy)}: unless something puts another name in its place before it is applied, its tag moves, and a node that has an old one keeps it`,
        remedy:
          "If Skaffold, Tilt or kustomize's images puts another name there, nothing is to be done; else pin the image by a version or a digest, or set imagePullPolicy: Always.",
        severity: "info",
      },
      restart: {
        message: ({ workload, user, image, policy }) =>
          `the restart of ${formatObject(workload)} may bring no newer image: ${formatName(user)} runs '${formatName(image)}' with imagePullPolicy ${formatName(policy)}`,
        remedy: "Set imagePullPolicy: Always, or pin the image and change the pin.",
      },
    },
  },
  RS004: {
    severity: "warning",
    title: "A rollout that leaves no pod available",
    remedy: "Give it more replicas, or a strategy that starts a new pod before it stops the last old one.",
    docs: "docs/rules/RS004.md",
    causes: {
      strategy: { message: noneWords, remedy: GENERAL },
      heldVolume: {
        message: (of) => `${noneWords(of)}; two pods could not share the volume of '${formatName(of.claim)}'`,
        remedy:
          "With such a volume this is the safe strategy: let it roll when a pause does no harm, or give it a volume that several pods can mount.",
      },
      recreate: {
        message: noneWords,
        remedy: "If two versions may run side by side, use RollingUpdate: a new pod starts before the old ones stop.",
      },
      onlyPod: {
        message: noneWords,
        remedy: "Run more replicas, if it can: the only pod of a StatefulSet stops before its successor starts.",
      },
      allAtOnce: {
        message: noneWords,
        remedy: "Lower maxUnavailable, so that some pods stay until new ones are available.",
      },
      unserved: {
        message: (of) => `${noneWords(of)}; no Service of the input sends it requests`,
        remedy: "If its work may pause for as long as a pod takes to start, nothing is to be done.",
        severity: "info",
      },
      allNodes: {
        message: noneWords,
        remedy: "Lower maxUnavailable: with 100% the pods of all nodes stop at once.",
      },
      restart: {
        message: ({ workload }) => `the restart of ${formatObject(workload)} leaves no pod available for a while`,
        remedy: "Let a new pod start before an old one goes: maxUnavailable 0 and maxSurge 1, or more replicas.",
      },
    },
  },
  RS005: {
    severity: "warning",
    title: "A stamp or a restart that has no effect",
    remedy: 'Let its controller replace the pods, or opt the workload out with rollstamp.dev/stamp: "false".',
    docs: "docs/rules/RS005.md",
    causes: {
      held: {
        message: ({ workload, mark, because }) =>
          `${markWords(mark)} of ${formatObject(workload)} has no effect: ${formatName(because)}`,
        remedy: GENERAL,
      },
      restartHeld: {
        message: ({ workload, because }) =>
          `the restart of ${formatObject(workload)} has no effect now: ${formatName(because)}`,
        remedy: "Replace its pods by other means, or let its controller do it.",
      },
      notRestarted: {
        message: ({ workload, because }) => `${formatObject(workload)} is not restarted: ${formatName(because)}`,
        remedy: "Leave it out, or replace it by other means.",
      },
    },
  },
  RS010: {
    severity: "warning",
    title: "replicas set on the target of a HorizontalPodAutoscaler",
    remedy: "Leave replicas out: the autoscaler sets them, and an apply would set them back.",
    docs: "docs/rules/RS010.md",
    causes: {
      scaled: {
        message: ({ workload, scaler }) =>
          `${formatObject(workload)} sets replicas, and ${formatObject(scaler)} scales it`,
        remedy: GENERAL,
      },
    },
  },
  RS011: {
    severity: "error",
    title: "An apiVersion that Kubernetes no longer serves",
    remedy: "Write the current apiVersion, give a selector, and look at the defaults of its strategy: they differ.",
    docs: "docs/rules/RS011.md",
    causes: {
      removed: {
        message: ({ workload, apiVersion, removedIn, instead }) =>
          `${formatObject(workload)} has the apiVersion ${apiVersion}, which Kubernetes serves no more since ${removedIn}: it is ${instead} now`,
        remedy: GENERAL,
      },
    },
  },
  restart: {
    severity: "info",
    title: "What a restart costs, and what it does not find",
    remedy: null,
    docs: "docs/findings.md#restart",
    causes: {
      unmet: {
        message: ({ target }) => `nothing matches the target ${formatName(target)}`,
        remedy: "Check its kind, name, namespace and labels.",
        severity: "warning",
      },
      rolls: {
        message: ({ workload, ...cost }) => `${formatObject(workload)} restarts: ${costWords(cost)}`,
        remedy: null,
      },
      byField: {
        message: ({ workload, pods, how }) =>
          `${formatObject(workload)} restarts: ${pods > 0 ? `${counted(pods, "pod")}; ` : ""}${how}`,
        remedy: null,
      },
      byController: {
        message: ({ workload, isOnePodANode }) =>
          `${formatObject(workload)} restarts: ${isOnePodANode ? "a pod on every node" : "its pods"}, as its controller replaces them`,
        remedy: null,
      },
      byRunners: {
        message: ({ workload, pods, runners }) => {
          const theirs = runners.map((of) => `${counted(of.pods, "pod")} of ${formatObject(of.runner)}`);
          const all = [...(pods > 0 ? [counted(pods, "pod")] : []), ...theirs];
          return `${formatObject(workload)} restarts: ${formatList(all, MOST_RUNNERS, " and ")}`;
        },
        remedy: null,
      },
      newRevision: {
        message: ({ workload, runners }) =>
          `the restart of ${formatObject(workload)} is a new revision for ${runnerWords(runners)}, with all the steps of its strategy: its pod template is run there`,
        remedy: ({ cheaper }) => {
          const named = cheaper.map(({ kind, name, field }) => `${kind.toLowerCase()}/${name} (${field})`);
          if (named.length === 0) return null;
          return `Restart ${formatList(named, MOST_RUNNERS)} instead: it makes no new revision.`;
        },
        severity: "warning",
      },
      leftToRunner: {
        message: ({ workload, runners, ownPods }) =>
          `${formatObject(workload)} is left alone: ${runnerWords(runners)} ${pluralize(runners.length, "runs", "run")} its pod template, and restarts by itself${ownPods > 0 ? `; its own ${counted(ownPods, "pod")} stay` : ""}`,
        remedy: ({ workload: { kind, name } }) =>
          `Name it to restart it all the same: ${formatName(kind.toLowerCase())}/${formatName(name)}.`,
      },
      noRoll: {
        message: ({ workload, because }) => `${formatObject(workload)} restarts: ${formatName(because)}`,
        remedy: null,
      },
    },
  },
};

const MOST_RUNNERS = 8;

function noneWords({ workload, strategy }: LeavesNone): string {
  return `${formatObject(workload)} has no pod available at some moment of a rollout${strategyWords(strategy)}`;
}

function runnerWords(runners: readonly ResourceRef[]): string {
  return formatList(runners.map(formatObject), MOST_RUNNERS);
}

function strategyWords(strategy: StrategyParams | null): string {
  if (strategy === null) return "";
  const replicas = strategy.replicas === null ? "one pod a node" : counted(strategy.replicas, "replica");
  const unavailable =
    strategy.maxUnavailable === null ? "" : `, maxUnavailable ${formatName(`${strategy.maxUnavailable}`)}`;
  const surge = strategy.maxSurge === null ? "" : `, maxSurge ${formatName(`${strategy.maxSurge}`)}`;
  return `: ${formatName(strategy.type)} with ${replicas}${unavailable}${surge}`;
}

function markWords(mark: RolloutFindings["RS005"]["held"]["mark"]): string {
  if (typeof mark === "string") return `the ${mark}`;
  return "override" in mark ? `the configuration's ${mark.override}` : `the annotation ${mark.annotation}`;
}

function costWords({ pods, minAvailable, maxTotal }: Omit<RolloutFindings["restart"]["rolls"], "workload">): string {
  if (pods === 0) return "no pod is replaced";
  const replaced = counted(pods, "pod");
  return minAvailable === null
    ? replaced
    : `${replaced}, at least ${minAvailable} available, at most ${maxTotal ?? pods} at once`;
}
