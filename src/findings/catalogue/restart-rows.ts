import { counted, pluralize } from "../../base/words.ts";
import { formatList, formatName, formatObject, type ResourceRef } from "../../base/names.ts";
import type { Because } from "./rollout-rows.ts";
import type { Rows } from "./row.ts";

/** Findings of restarts: parameters by id and cause. */
export interface RestartFindings {
  readonly restart: {
    readonly noMatch: { readonly target: string };
    readonly rollout: {
      readonly workload: ResourceRef;
      readonly pods: number;
      /** Null if Git does not show it. */
      readonly minAvailable: number | null;
      readonly maxTotal: number | null;
    };
    /** Through the kind's own restart field. */
    readonly restartField: { readonly workload: ResourceRef; readonly pods: number; readonly how: string };
    readonly controller: { readonly workload: ResourceRef; readonly isOnePodPerNode: boolean };
    /** Other objects run its pod template, in addition to it or instead of it. */
    readonly runners: {
      readonly workload: ResourceRef;
      readonly pods: number;
      readonly runners: readonly { readonly runner: ResourceRef; readonly pods: number }[];
    };
    readonly newRevision: {
      readonly workload: ResourceRef;
      readonly runners: readonly ResourceRef[];
      /** The runners that have a restart field. */
      readonly cheaper: readonly { readonly kind: string; readonly name: string; readonly field: string }[];
    };
    readonly leftToRunner: {
      readonly workload: ResourceRef;
      readonly runners: readonly ResourceRef[];
      /** The pods of the workload itself, which keep running. */
      readonly remainingPods: number;
    };
    readonly noRollout: Because;
    readonly keptTime: { readonly workload: ResourceRef; readonly time: string };
  };
}

export const RESTART_ROWS: Rows<RestartFindings> = {
  restart: {
    severity: "info",
    title: "The effect of a restart, and targets without a match",
    remedy: null,
    causes: {
      noMatch: {
        message: ({ target }) => `no workload matches the target ${formatName(target)}`,
        remedy: "Check its kind, name, namespace and labels.",
        severity: "warning",
      },
      rollout: {
        message: ({ workload, ...effect }) => `${formatObject(workload)} restarts: ${formatEffect(effect)}`,
      },
      restartField: {
        message: ({ workload, pods, how }) =>
          `${formatObject(workload)} restarts: ${pods > 0 ? `${counted(pods, "pod")}; ` : ""}${how}`,
      },
      controller: {
        message: ({ workload, isOnePodPerNode }) =>
          `${formatObject(workload)} restarts: its controller replaces ${isOnePodPerNode ? "the pod on every node" : "its pods"}`,
      },
      runners: {
        message: ({ workload, pods, runners }) => {
          const others = runners.map(({ runner, pods: some }) => `${counted(some, "pod")} of ${formatObject(runner)}`);
          const all = [...(pods > 0 ? [counted(pods, "pod")] : []), ...others];
          return `${formatObject(workload)} restarts: ${formatList(all, MOST_RUNNERS, " and ")}`;
        },
      },
      newRevision: {
        message: ({ workload, runners }) =>
          `the restart of ${formatObject(workload)} starts a new revision of ${formatRunners(runners)}, with all steps of its strategy, because ${pluralize(runners.length, "it runs", "they run")} this pod template`,
        remedy: ({ cheaper }) => {
          const named = cheaper.map(({ kind, name, field }) => `${kind.toLowerCase()}/${name} (${field})`);
          if (named.length === 0) return null;
          return `Restart ${formatList(named, MOST_RUNNERS)} instead: this starts no new revision.`;
        },
        severity: "warning",
      },
      leftToRunner: {
        message: ({ workload, runners, remainingPods }) =>
          `${formatObject(workload)} is skipped: ${formatRunners(runners)} ${pluralize(runners.length, "runs", "run")} its pod template and ${pluralize(runners.length, "has its", "have their")} own restart${remainingPods > 0 ? `; ${counted(remainingPods, "pod")} of ${formatObject(workload)} ${pluralize(remainingPods, "keeps", "keep")} running` : ""}`,
        remedy: ({ workload: { kind, name } }) =>
          `Name it explicitly to restart it anyway: ${formatName(kind.toLowerCase())}/${formatName(name)}.`,
      },
      keptTime: {
        message: ({ workload, time }) =>
          `${formatObject(workload)} does not restart: it already has a later restart time (${time})`,
        remedy: "Use a later time, or remove the existing one.",
        severity: "warning",
      },
      noRollout: {
        message: ({ workload, because }) => `${formatObject(workload)} restarts: ${formatName(because)}`,
      },
    },
  },
};

const MOST_RUNNERS = 8;

function formatRunners(runners: readonly ResourceRef[]): string {
  return formatList(runners.map(formatObject), MOST_RUNNERS);
}

function formatEffect({
  pods,
  minAvailable,
  maxTotal,
}: Omit<RestartFindings["restart"]["rollout"], "workload">): string {
  if (pods === 0) return "no pod is replaced";
  const replaced = `${counted(pods, "pod")} replaced`;
  return minAvailable === null
    ? replaced
    : `${replaced}, at least ${minAvailable} available, at most ${maxTotal ?? pods} in total`;
}
