import { formatNumber, pluralize } from "../base/words.ts";
import type { Available, Replicas, Rolling, Stuck } from "../reports/plan/rows/effects.ts";
import type { Words } from "./document/document.ts";
import { code, codes, joined } from "./document/blocks.ts";
import type { WorkloadEntry } from "../reports/plan/rows/row-types.ts";
import { becauseText, podsText } from "./plan-words.ts";
import { formatStartProblem } from "../findings/catalogue/safety-rows.ts";

// How the workloads of a row roll, in words.

export type Workloads = WorkloadEntry["workloads"];

/** `replicas 2 → 4`. */
export function scalingWords({ from, to }: Replicas): Words {
  return ["replicas ", code(String(from ?? "?")), " → ", code(String(to ?? "?"))];
}

/** What is said first of workloads that are also scaled. */
export function scalings({ replicas }: { readonly replicas?: Replicas }): Words[] {
  return replicas === undefined ? [] : [scalingWords(replicas)];
}

/** How workloads roll: how many pods stay available, what can stop it, and who notices. */
export function rollingWords(effect: Rolling, workloads: Workloads, isCounted: boolean): Words {
  const { scaled, partition, isRecreate, because } = effect;
  const behind = [
    ...(isRecreate ? ["Recreate"] : []),
    ...(scaled === undefined
      ? []
      : [`autoscaled ${scaled.max === null ? `from ${scaled.min}` : `${scaled.min} to ${scaled.max}`}`]),
    ...(partition === undefined
      ? []
      : [
          `partition ${partition.from}: ${partition.pods === 0 ? "no pod is" : `${podsText(partition.pods) ?? ""} ${pluralize(partition.pods, "is", "are")}`} replaced`,
        ]),
  ];
  const more = [
    ...waitsWords(effect, workloads, isCounted),
    ...(effect.stuck === undefined ? [] : [stuckWords(effect.stuck, workloads)]),
    ...(effect.traffic === undefined ? [] : [trafficWords(effect.traffic, workloads, isCounted)]),
    ...(because === undefined ? [] : [[becauseText(because)]]),
  ];
  const isEach = isCounted && effect.available.is === "pods" && !more.some((words) => words.join("").includes("each"));
  const start = `${availableText(effect.available)}${isEach ? " in each" : ""}${behind.length === 0 ? "" : ` (${behind.join("; ")})`}`;
  return joined([...scalings(effect), [start], ...more], "; ");
}

/** `3 of 4 pods available`. */
function availableText(available: Available): string {
  switch (available.is) {
    case "pods": {
      const { least, all, isStarted } = available;
      const word = isStarted && least > 0 ? "started" : "available";
      return `${formatNumber(least)} of ${formatNumber(all)} ${pluralize(all, "pod")} ${word}`;
    }
    case "nodes": {
      const { atOnce, isSurge } = available;
      const nodes = typeof atOnce === "string" ? `${atOnce} of the nodes` : `${atOnce} ${pluralize(atOnce, "node")}`;
      return `one pod per node, ${nodes} at a time${isSurge ? ", the new pod first" : ""}`;
    }
    case "none":
      return "no pods";
    case "unknown":
      return available.operator === undefined
        ? "how many pods stay available is unknown"
        : `the operator of ${available.operator} decides how pods are replaced`;
  }
}

function waitsWords({ waits }: Rolling, workloads: Workloads, isCounted: boolean): Words[] {
  if (waits !== true) return [];
  const reasons = new Set(workloads.flatMap(({ next }) => (next?.id === "promote" ? [next.because] : [])));
  const [only, ...others] = reasons;
  const isOne = !isCounted && others.length === 0 && only !== undefined;
  return [[isOne ? only : workloads.length > 1 ? "each waits for promotion" : "waits for promotion"]];
}

function stuckWords(stuck: Stuck, workloads: Workloads): Words {
  const its = pluralize(workloads.length, "its", "their");
  switch (stuck.by) {
    case "lost":
      return [`${its} new pods cannot start`];
    case "lostPort":
      return [
        `${its} new pods never become ready: `,
        code(stuck.field),
        " names the port ",
        code(stuck.port),
        ", which the container ",
        code(stuck.container),
        " does not have",
      ];
    case "start":
      return [`${its} new pods cannot start: ${formatStartProblem(stuck.problem)}`];
    case "volume":
      return [
        "a new pod may not start: ",
        `PersistentVolumeClaim `,
        code(stuck.claim),
        ` is ${stuck.mode}, and an old pod uses it`,
      ];
    case "hostPort":
      return [`a new pod may not start: an old pod holds host port ${stuck.port}`];
    case "antiAffinity":
      return ["a new pod may not start: anti-affinity by ", code(stuck.topologyKey), " may leave no free place"];
  }
}

const MOST_SERVICES = 5;

function trafficWords(traffic: NonNullable<Rolling["traffic"]>, workloads: Workloads, isCounted: boolean): Words {
  if (traffic === "serving") return [isCounted ? "each serves requests" : "it serves requests"];
  if (traffic === "nothing") return [`nothing sends to ${pluralize(workloads.length, "it", "them")}`];
  return serviceWords(workloads, isCounted, ["sends to it", "send to it"]);
}

/** The Services of workloads, if all have the same; `verbs` of one Service and of several. */
export function serviceWords(
  workloads: Workloads,
  isCounted: boolean,
  [one, several]: readonly [string, string],
): Words {
  const services = new Map(workloads.map((workload) => [(workload.traffic?.services ?? []).join("\n"), workload]));
  const [first, ...others] = services.values();
  if (isCounted || others.length > 0 || first === undefined) return ["a Service sends to each"];
  const { services: names = [], moreServices = 0 } = first.traffic ?? {};
  return [
    `${pluralize(names.length, "Service")} `,
    ...codes(names, MOST_SERVICES, moreServices),
    ` ${pluralize(names.length, one, several)}`,
  ];
}
