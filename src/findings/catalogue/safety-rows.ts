import { counted } from "../../base/words.ts";
import { formatList, formatName, formatObject, type ResourceRef, type SourceName } from "../../base/names.ts";
import { GENERAL, type Rows } from "./row.ts";

/** The findings about rollouts that are not as safe, or not as needed, as they look: parameters by id and cause. */
export interface SafetyFindings {
  readonly RS015: {
    readonly claim: { readonly workload: ResourceRef; readonly claim: string; readonly mode: string };
    readonly port: { readonly workload: ResourceRef; readonly port: number };
    /** Of one pod, which any other node may take. */
    readonly onlyPodPort: { readonly workload: ResourceRef; readonly port: number };
    readonly surgingPort: { readonly workload: ResourceRef; readonly port: number };
    readonly antiAffinity: { readonly workload: ResourceRef; readonly topologyKey: string };
    /** Of one pod, by nodes. */
    readonly onlyPodAffinity: { readonly workload: ResourceRef; readonly topologyKey: string };
  };
  readonly RS016: {
    readonly unprobed: { readonly workload: ResourceRef; readonly services: readonly string[] };
  };
  readonly RS017: {
    readonly share: { readonly source: ResourceRef; readonly rolls: number; readonly workloads: number };
  };
  readonly RS018: {
    readonly none: { readonly budget: ResourceRef; readonly field: string; readonly value: number | string };
    readonly all: {
      readonly budget: ResourceRef;
      readonly value: number | string;
      readonly pods: number;
      readonly workloads: readonly ResourceRef[];
    };
  };
  readonly RS019: { readonly slept: PreStop; readonly refused: PreStop };
  readonly RS020: {
    readonly deadline: {
      readonly workload: ResourceRef;
      readonly minReadySeconds: number;
      readonly progressDeadlineSeconds: number;
    };
  };
  readonly RS021: {
    readonly shared: {
      readonly workload: ResourceRef;
      readonly strategy: "canary" | "blue-green";
      readonly sources: readonly SourceName[];
    };
  };
  readonly RS022: {
    readonly reloads: { readonly workload: ResourceRef; readonly source: SourceName; readonly reloader: string };
  };
}

interface PreStop {
  readonly workload: ResourceRef;
  readonly container: string;
  readonly seconds: number;
  readonly grace: number;
}

export const SAFETY_ROWS: Rows<SafetyFindings> = {
  RS015: {
    severity: "warning",
    title: "A rollout that can get stuck half-way",
    remedy: "Let an old pod go before a new one starts: maxUnavailable 1 and maxSurge 0, or strategy Recreate.",
    docs: "docs/rules/RS015.md",
    causes: {
      claim: {
        message: ({ workload, claim, mode }) =>
          `${stuckWords(workload)} of its volume: PersistentVolumeClaim '${formatName(claim)}' is ${formatName(mode)}, for one ${mode === "ReadWriteOncePod" ? "pod" : "node"} at a time`,
        remedy:
          "Set strategy Recreate, which stops the old pod first, or give it a volume that several nodes can mount (ReadWriteMany).",
      },
      port: {
        message: ({ workload, port }) => `${stuckWords(workload)} of the node's port ${port}, unless a node is free`,
        remedy: "Let an old pod go before a new one starts: maxUnavailable 1 and maxSurge 0.",
      },
      onlyPodPort: {
        message: ({ workload, port }) =>
          `${formatObject(workload)} needs a second node for a rollout: its new pod has to start beside the old one, which holds the node's port ${port}`,
        remedy:
          "On a cluster of one node let the old pod go before the new one starts: maxUnavailable 1 and maxSurge 0.",
        severity: "info",
      },
      surgingPort: {
        message: ({ workload, port }) =>
          `${formatObject(workload)} gets stuck in a rollout: with maxSurge the new pod of a node starts beside the old one, and both want the node's port ${port}`,
        remedy: "Set maxSurge 0 and maxUnavailable 1, or give up the port.",
      },
      antiAffinity: {
        message: ({ workload, topologyKey }) =>
          `${stuckWords(workload)} of its required anti-affinity by '${formatName(topologyKey)}', unless there is one more of these than pods`,
        remedy:
          "Let an old pod go before a new one starts, with maxUnavailable 1, or make the anti-affinity preferred.",
      },
      onlyPodAffinity: {
        message: ({ workload, topologyKey }) =>
          `${formatObject(workload)} needs a second node for a rollout: its new pod has to start beside the old one, and may not be on its node for its required anti-affinity by '${formatName(topologyKey)}'`,
        remedy:
          "On a cluster of one node let the old pod go first, with maxUnavailable 1, or make the anti-affinity preferred.",
        severity: "info",
      },
    },
  },
  RS016: {
    severity: "info",
    title: "No readiness probe behind a Service",
    remedy: "Give the container that serves a readinessProbe.",
    docs: "docs/rules/RS016.md",
    causes: {
      unprobed: {
        message: ({ workload, services }) =>
          `no container of ${formatObject(workload)} has a readiness probe: a rollout takes a new pod for available, and Service ${formatList(services, MOST_NAMES)} sends it requests, as soon as it has started`,
        remedy: GENERAL,
      },
    },
  },
  RS017: {
    severity: "warning",
    title: "One source that rolls a large share of all workloads",
    remedy:
      "Split what changes often from what all share, let workloads see only the keys that they need, or roll in several steps.",
    docs: "docs/rules/RS017.md",
    causes: {
      share: {
        message: ({ source, rolls, workloads }) =>
          `the change of ${formatObject(source)} rolls ${rolls} of ${counted(workloads, "workload")} at once`,
        remedy: GENERAL,
      },
    },
  },
  RS018: {
    severity: "warning",
    title: "A PodDisruptionBudget that no voluntary eviction can meet",
    remedy: "Let one pod go: maxUnavailable 1, or minAvailable below the number of pods.",
    docs: "docs/rules/RS018.md",
    causes: {
      none: {
        message: ({ budget, field, value }) =>
          `${formatObject(budget)} lets no pod be evicted: ${formatName(field)} is ${formatName(`${value}`)}`,
        remedy: GENERAL,
      },
      all: {
        message: ({ budget, value, pods, workloads }) =>
          `${formatObject(budget)} lets no pod be evicted: minAvailable is ${formatName(`${value}`)}, and ${formatList(workloads.map(formatObject), MOST_NAMES)} ${workloads.length === 1 ? "has" : "have"} ${counted(pods, "pod")}`,
        remedy: ({ pods }) =>
          pods === 1
            ? "Run more than one pod, or leave the budget out: with one it can only hold up the drain of a node."
            : "Let one pod go: maxUnavailable 1, or minAvailable below the number of pods.",
      },
    },
  },
  RS019: {
    severity: "warning",
    title: "A preStop hook that takes all of the grace period",
    remedy: "Set terminationGracePeriodSeconds to the hook's time and that of an orderly shutdown together.",
    docs: "docs/rules/RS019.md",
    causes: {
      slept: {
        message: ({ workload, container, seconds, grace }) =>
          `${formatObject(workload)}: the preStop hook of container ${formatName(container)} sleeps ${seconds} s, and the pod is killed after ${grace} s (terminationGracePeriodSeconds): no time is left for an orderly shutdown`,
        remedy: GENERAL,
      },
      refused: {
        message: ({ workload, container, seconds, grace }) =>
          `${formatObject(workload)}: the preStop hook of container ${formatName(container)} sleeps ${seconds} s, longer than terminationGracePeriodSeconds (${grace} s): the API server refuses it`,
        remedy: GENERAL,
        severity: "error",
      },
    },
  },
  RS020: {
    severity: "error",
    title: "minReadySeconds at or above progressDeadlineSeconds",
    remedy: "Raise progressDeadlineSeconds above minReadySeconds and the time that a pod takes to start.",
    docs: "docs/rules/RS020.md",
    causes: {
      deadline: {
        message: ({ workload, minReadySeconds, progressDeadlineSeconds }) =>
          `${formatObject(workload)} has minReadySeconds ${minReadySeconds} and progressDeadlineSeconds ${progressDeadlineSeconds}: ${workload.kind === "Rollout" ? "Argo Rollouts" : "the API server"} refuses it`,
        remedy: GENERAL,
      },
    },
  },
  RS021: {
    severity: "warning",
    title: "A canary or blue-green rollout whose old pods see the new content",
    remedy:
      "Give each content a name of its own, as kustomize's configMapGenerator does, or read it by env or subPath: then old pods keep what they had.",
    docs: "docs/rules/RS021.md",
    causes: {
      shared: {
        message: ({ workload, strategy, sources }) =>
          `the ${strategy} rollout of ${formatObject(workload)} is none for ${formatList(sources.map(formatObject), MOST_NAMES)}: it is mounted, and a change of it reaches the files of the old pods too`,
        remedy: GENERAL,
      },
    },
  },
  RS022: {
    severity: "info",
    title: "A source that a reloader beside the process watches",
    remedy: "Leave it out of the stamps with rollstamp.dev/exclude if the process takes the change without a restart.",
    docs: "docs/rules/RS022.md",
    causes: {
      reloads: {
        message: ({ workload, source, reloader }) =>
          `container ${formatName(reloader)} of ${formatObject(workload)} reloads ${formatObject(source)} when it changes: its stamp restarts the pods as well`,
        remedy: ({ source }) =>
          `If the process takes the change without a restart: rollstamp.dev/exclude: ${formatName(source.kind.toLowerCase())}/${formatName(source.name)}.`,
      },
    },
  },
};

const MOST_NAMES = 5;

function stuckWords(workload: ResourceRef): string {
  return `${formatObject(workload)} can get stuck in a rollout: maxUnavailable comes to 0, so that a new pod has to start beside the old ones, and it may not, because`;
}
