import { counted, formatNumber, pluralize } from "../../base/words.ts";
import { formatList, formatName, formatObject, type ResourceRef, type SourceName } from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about rollouts that are less safe, or less necessary, than they seem: parameters by id and cause. */
export interface SafetyFindings {
  readonly RS015: {
    readonly volume: { readonly workload: ResourceRef; readonly claim: string; readonly mode: string };
    readonly hostPort: HostPort;
    /** There is one pod, and it may move to any other node. */
    readonly singlePodHostPort: HostPort;
    readonly surgingHostPort: HostPort;
    readonly antiAffinity: AntiAffinity;
    /** There is one pod, and the topology key is the node. */
    readonly singlePodAntiAffinity: AntiAffinity;
  };
  readonly "cannot-start": {
    /** The pods that a rollout creates. */
    readonly stuck: CannotStart;
    /** Pods that are created later, or by a new workload. */
    readonly later: CannotStart;
  };
  readonly "fewer-nodes": {
    readonly narrowed: {
      readonly workload: ResourceRef;
      /** Of the pod spec. */
      readonly field: string;
    };
  };
  readonly RS016: {
    readonly noProbe: { readonly workload: ResourceRef; readonly services: readonly string[] };
  };
  readonly RS017: {
    readonly largeShare: { readonly source: ResourceRef; readonly rolls: number; readonly workloads: number };
  };
  readonly RS018: {
    readonly fixedNumber: { readonly budget: ResourceRef; readonly field: string; readonly value: number | string };
    readonly allPods: {
      readonly budget: ResourceRef;
      readonly value: number | string;
      readonly pods: number;
      readonly workloads: readonly ResourceRef[];
    };
    /** Both select the same pods. */
    readonly doubled: {
      readonly budget: ResourceRef;
      readonly other: ResourceRef;
      readonly workloads: readonly ResourceRef[];
    };
  };
  readonly RS019: { readonly noTimeLeft: PreStop; readonly rejected: PreStop };
  readonly RS020: {
    readonly deadline: {
      readonly workload: ResourceRef;
      readonly minReadySeconds: number;
      readonly progressDeadlineSeconds: number;
    };
  };
  readonly RS021: {
    readonly mounted: {
      readonly workload: ResourceRef;
      readonly strategy: "canary" | "blue-green";
      readonly sources: readonly SourceName[];
    };
  };
  readonly RS022: {
    readonly reloads: { readonly workload: ResourceRef; readonly source: SourceName; readonly reloader: string };
  };
}

interface CannotStart {
  readonly workload: ResourceRef;
  readonly problem: StartProblem;
}

/** Why no pod of a template can start; `user` is "container app". */
export type StartProblem =
  | { readonly is: "image"; readonly user: string; readonly image: string }
  | { readonly is: "memory"; readonly user: string; readonly bytes: number }
  | { readonly is: "root"; readonly user: string }
  /** The pod names an object that is not there; the similar one is. */
  | { readonly is: "missing"; readonly kind: string; readonly name: string; readonly similar: string };

interface HostPort {
  readonly workload: ResourceRef;
  readonly port: number;
}

interface AntiAffinity {
  readonly workload: ResourceRef;
  readonly topologyKey: string;
}

interface PreStop {
  readonly workload: ResourceRef;
  readonly container: string;
  readonly seconds: number;
  readonly grace: number;
}

const ALLOW_ONE = "Allow one eviction: set maxUnavailable to 1, or minAvailable below the number of pods.";

export const SAFETY_ROWS: Rows<SafetyFindings> = {
  RS015: {
    severity: "warning",
    title: "A rollout that can get stuck",
    remedy: "Stop an old pod before a new pod starts: set maxUnavailable to 1 and maxSurge to 0, or use Recreate.",
    causes: {
      volume: {
        message: ({ workload, claim, mode }) =>
          `${canGetStuck(workload)} PersistentVolumeClaim '${formatName(claim)}' is ${formatName(mode)}, so only one ${mode === "ReadWriteOncePod" ? "pod" : "node"} can use it at a time`,
        remedy:
          "Use Recreate, which stops the old pod first, or a volume that several nodes can mount (ReadWriteMany).",
      },
      hostPort: {
        message: ({ workload, port }) =>
          `${canGetStuck(workload)} the old pods hold the host port ${port}, and there may be no free node`,
        remedy: "Stop an old pod before a new pod starts: set maxUnavailable to 1 and maxSurge to 0.",
      },
      singlePodHostPort: {
        message: ({ workload, port }) => `${needsSecondNode(workload)} the old pod holds the host port ${port}`,
        remedy: "On a single-node cluster, stop the old pod first: set maxUnavailable to 1 and maxSurge to 0.",
        severity: "info",
      },
      surgingHostPort: {
        message: ({ workload, port }) =>
          `a rollout of ${formatObject(workload)} gets stuck: with maxSurge, the new pod of a node starts while the old pod holds the host port ${port}`,
        remedy: "Set maxSurge to 0 and maxUnavailable to 1, or remove the host port.",
      },
      antiAffinity: {
        message: ({ workload, topologyKey }) =>
          `${canGetStuck(workload)} it requires anti-affinity by '${formatName(topologyKey)}', and there may be no free topology domain`,
        remedy: "Stop an old pod before a new pod starts (maxUnavailable 1), or make the anti-affinity preferred.",
      },
      singlePodAntiAffinity: {
        message: ({ workload, topologyKey }) =>
          `${needsSecondNode(workload)} it requires anti-affinity by '${formatName(topologyKey)}'`,
        remedy:
          "On a single-node cluster, stop the old pod first (maxUnavailable 1), or make the anti-affinity preferred.",
        severity: "info",
      },
    },
  },
  "cannot-start": {
    severity: "warning",
    title: "Pods that cannot start in any cluster",
    remedy: null,
    causes: {
      stuck: {
        message: ({ workload, problem }) =>
          `the new pods of ${formatObject(workload)} cannot start: ${formatStartProblem(problem)}`,
        remedy: ({ problem }) => START_REMEDIES[problem.is],
      },
      later: {
        brief: ({ workload }) => `pods of ${formatObject(workload)} cannot start`,
        message: ({ workload, problem }) =>
          `pods of ${formatObject(workload)} cannot start: ${formatStartProblem(problem)}`,
        remedy: ({ problem }) => START_REMEDIES[problem.is],
      },
    },
  },
  "fewer-nodes": {
    severity: "warning",
    title: "A DaemonSet that may leave nodes",
    remedy: "Check which nodes still match: kubectl get nodes --show-labels.",
    causes: {
      narrowed: {
        brief: ({ workload }) => `${formatObject(workload)} may leave nodes`,
        message: ({ workload, field }) =>
          `${formatObject(workload)} may leave nodes: its pods on nodes that no longer match ${field} are deleted`,
      },
    },
  },
  RS016: {
    severity: "info",
    title: "A Service without a readiness probe behind it",
    remedy: "Add a readinessProbe to the container that serves the requests.",
    causes: {
      noProbe: {
        message: ({ workload, services }) =>
          `no container of ${formatObject(workload)} has a readiness probe: a new pod counts as available, and gets requests from Service ${formatList(services, MOST_NAMES)}, as soon as it has started`,
      },
    },
  },
  RS017: {
    severity: "warning",
    title: "A source that rolls out a large share of all workloads",
    remedy:
      "Separate frequently changed keys from shared ones, let each workload use only the keys that it needs, or roll out in waves.",
    causes: {
      largeShare: {
        message: ({ source, rolls, workloads }) =>
          `the change of ${formatObject(source)} rolls out ${formatNumber(rolls)} of ${counted(workloads, "workload")} at once`,
      },
    },
  },
  RS018: {
    severity: "warning",
    title: "A PodDisruptionBudget that allows no eviction",
    remedy: ALLOW_ONE,
    causes: {
      fixedNumber: {
        brief: ({ budget }) => `${formatObject(budget)} allows no eviction`,
        message: ({ budget, field, value }) =>
          `${formatObject(budget)} allows no eviction: ${formatName(field)} is ${formatName(`${value}`)}`,
      },
      allPods: {
        brief: ({ budget }) => `${formatObject(budget)} allows no eviction`,
        message: ({ budget, value, pods, workloads }) =>
          `${formatObject(budget)} allows no eviction: minAvailable is ${formatName(`${value}`)}, and ${formatList(workloads.map(formatObject), MOST_NAMES)} ${pluralize(workloads.length, "has", "have")} ${counted(pods, "pod")}`,
        remedy: ({ pods }) =>
          pods === 1
            ? "Run more than one pod or remove the budget: with one pod it only blocks the drain of a node."
            : ALLOW_ONE,
      },
      doubled: {
        brief: ({ budget, other }) => `${formatObject(budget)} and ${formatName(other.name)} allow no eviction`,
        message: ({ budget, other, workloads }) =>
          `${formatObject(budget)} and ${formatObject(other)} both select the pods of ${formatList(workloads.map(formatObject), MOST_NAMES)}: the API server refuses to evict a pod that has two budgets`,
        remedy: "Remove one of them.",
      },
    },
  },
  RS019: {
    severity: "warning",
    title: "A preStop hook that uses up the grace period",
    remedy: "Set terminationGracePeriodSeconds to the duration of the hook plus the time for a graceful shutdown.",
    causes: {
      noTimeLeft: {
        message: ({ grace, ...hook }) =>
          `${formatPreStop(hook)}, and the kubelet kills the pod after ${grace} s (terminationGracePeriodSeconds): no time is left for a graceful shutdown`,
      },
      rejected: {
        message: ({ grace, ...hook }) =>
          `${formatPreStop(hook)}, longer than terminationGracePeriodSeconds (${grace} s): the API server rejects it`,
        severity: "error",
      },
    },
  },
  RS020: {
    severity: "error",
    title: "minReadySeconds not below progressDeadlineSeconds",
    remedy: "Set progressDeadlineSeconds to more than minReadySeconds plus the start-up time of a pod.",
    causes: {
      deadline: {
        message: ({ workload, minReadySeconds, progressDeadlineSeconds }) =>
          `minReadySeconds of ${formatObject(workload)} must be less than progressDeadlineSeconds (${progressDeadlineSeconds}), but is ${minReadySeconds}: ${workload.kind === "Rollout" ? "Argo Rollouts" : "the API server"} rejects it`,
      },
    },
  },
  RS021: {
    severity: "warning",
    title: "A canary or blue-green rollout whose old pods see the new content",
    remedy:
      "Name each version of the content differently, as kustomize's configMapGenerator does, or read it through env or subPath: then old pods keep the old content.",
    causes: {
      mounted: {
        message: ({ workload, strategy, sources }) =>
          `the ${strategy} rollout of ${formatObject(workload)} does not protect the old pods: they mount ${formatList(sources.map(formatObject), MOST_NAMES)}, so changes reach their files too`,
      },
    },
  },
  RS022: {
    severity: "info",
    title: "A source that a reloader in the pod watches",
    remedy: "If the process needs no restart, exclude the source from the stamps with rollstamp.dev/exclude.",
    causes: {
      reloads: {
        message: ({ workload, source, reloader }) =>
          `container ${formatName(reloader)} of ${formatObject(workload)} reloads ${formatObject(source)} when it changes, but the stamp also restarts the pods`,
        remedy: ({ source }) =>
          `If the process needs no restart, set 'rollstamp.dev/exclude: ${formatName(source.kind.toLowerCase())}/${formatName(source.name)}'.`,
      },
    },
  },
};

const MOST_NAMES = 5;

const START_REMEDIES: Readonly<Record<StartProblem["is"], string>> = {
  image: "Correct the name: often the tag is empty, or the repository has a capital letter.",
  memory: "Correct the unit: 256Mi are mebibytes, and 256m is a fraction of a byte.",
  root: "Set another runAsUser, or runAsNonRoot to false.",
  missing: "Correct the name, or add the object.",
};

/** Why pods cannot start. */
export function formatStartProblem(problem: StartProblem): string {
  switch (problem.is) {
    case "image":
      return `the image of ${formatName(problem.user)} has an invalid name`;
    case "memory":
      return `the memory limit of ${formatName(problem.user)} is ${counted(Number(problem.bytes.toFixed(3)), "byte")}`;
    case "root":
      return `${formatName(problem.user)} sets runAsNonRoot, and its runAsUser is 0`;
    case "missing":
      return `${formatName(problem.kind)} '${formatName(problem.name)}' is not found, did you mean '${formatName(problem.similar)}'?`;
  }
}

function canGetStuck(workload: ResourceRef): string {
  return `a rollout of ${formatObject(workload)} can get stuck: maxUnavailable resolves to 0, so a new pod must start while the old pods run, but`;
}

function needsSecondNode(workload: ResourceRef): string {
  return `a rollout of ${formatObject(workload)} needs a second node: the new pod must start while the old pod runs, but`;
}

function formatPreStop({ workload, container, seconds }: Omit<PreStop, "grace">): string {
  return `the preStop hook of container ${formatName(container)} of ${formatObject(workload)} sleeps ${seconds} s`;
}
