import { describe } from "../manifest/items.ts";
import type { Finding } from "../results/findings.ts";
import { locationOf } from "../results/location.ts";
import { ANNOTATION, effectOf } from "../rollout/effect.ts";
import { leavesNoPod, type Rollout } from "../rollout/mechanics.ts";
import { isMutable, pulledImages, PULLS_ALWAYS } from "../workloads/images.ts";
import type { Workload } from "../workloads/types.ts";
import { counted } from "../ground/words.ts";
import { restartFieldOf } from "../rollout/restart-fields.ts";
import type { Target } from "./targets.ts";

/** What a restart costs, and what is not as whoever asks for it may think. */
export function costFindings(workload: Workload, rollout: Rollout): Finding[] {
  return [...effectFindings(workload, rollout), ...imageFindings(workload)];
}

/** A target that can't be restarted: nothing is written. */
export function untouchedFinding(workload: Workload, why: string): Finding {
  return {
    rule: "RS005",
    severity: "warning",
    message: `${describe(workload.item)} is not restarted: ${why}`,
    remedy: "Leave it out, or replace it by other means.",
    ...locationOf(workload.item, workload.item),
  };
}

/** A pod template that another object runs, matched but not named: that object is restarted alone. */
export function leftToRunner(workload: Workload, rollout: Rollout): Finding {
  const { item } = workload;
  const own = rollout.because === undefined && rollout.pods > 0 ? `; its own ${counted(rollout.pods, "pod")} stay` : "";
  return {
    rule: "restart",
    severity: "info",
    message: `${describe(item)} is left alone: ${runnersOf(rollout)} its pod template, and restarts by itself${own}`,
    remedy: `Name it to restart it all the same: ${item.kind.toLowerCase()}/${item.name}.`,
    ...locationOf(item, item),
  };
}

/** `Rollout shop/web runs`. */
function runnersOf({ runBy = [] }: Rollout): string {
  return `${runBy.map(({ item }) => describe(item)).join(", ")} ${runBy.length === 1 ? "runs" : "run"}`;
}

/** The targets that name nothing in the input. */
export function unmetFindings(targets: readonly Target[], met: ReadonlySet<Target>): Finding[] {
  return targets
    .filter((target) => !met.has(target))
    .map((target) => ({
      rule: "restart",
      severity: "warning",
      message: `nothing matches the target ${target.text}`,
      remedy: "Check its kind, name, namespace and labels.",
    }));
}

function effectFindings(workload: Workload, rollout: Rollout): Finding[] {
  const { item } = workload;
  const at = locationOf(item, item);
  const isByField = restartFieldOf(item) !== undefined;
  const { effect, because } = effectOf(
    workload,
    rollout,
    isByField ? { ...ANNOTATION, byRestartField: true } : ANNOTATION,
  );
  if (effect === "NoEffect") {
    const message = `the restart of ${describe(item)} has no effect now: ${because ?? "no pod is replaced"}`;
    return [
      {
        rule: "RS005",
        severity: "warning",
        message,
        remedy: "Replace its pods by other means, or let its controller do it.",
        ...at,
      },
    ];
  }
  const cost: Finding = {
    rule: "restart",
    severity: "info",
    message: `${describe(item)} restarts: ${costOf(workload, rollout)}`,
    ...at,
  };
  if (rollout.runBy !== undefined) return [cost, newRevision(workload, rollout)];
  if (isByField || !leavesNoPod(rollout)) return [cost];
  const message = `the restart of ${describe(item)} leaves no pod available for a while`;
  return [
    cost,
    {
      rule: "RS004",
      severity: "warning",
      message,
      remedy: "Let a new pod start before an old one goes: maxUnavailable 0 and maxSurge 1, or more replicas.",
      ...at,
    },
  ];
}

/** What a restart in the template costs where another object runs it, and what would cost less. */
function newRevision({ item }: Workload, rollout: Rollout): Finding {
  const runners = rollout.runBy ?? [];
  const cheaper = runners.flatMap((runner) => {
    const row = restartFieldOf(runner.item);
    return row === undefined ? [] : [`${runner.item.kind.toLowerCase()}/${runner.item.name} (${row.field})`];
  });
  return {
    rule: "restart",
    severity: "warning",
    message: `the restart of ${describe(item)} is a new revision for ${runners.map((one) => describe(one.item)).join(", ")}, with all the steps of its strategy: its pod template is run there`,
    ...(cheaper.length === 0 ? {} : { remedy: `Restart ${cheaper.join(", ")} instead: it makes no new revision.` }),
    ...locationOf(item, item),
  };
}

function costOf(workload: Workload, { effect, because, strategy, pods, runBy }: Rollout): string {
  const how = restartFieldOf(workload.item)?.how;
  if (how !== undefined) return pods > 0 ? `${counted(pods, "pod")}; ${how}` : how;
  if (runBy !== undefined) {
    const theirs = runBy.map(({ item, rollout }) => `${counted(rollout?.pods ?? 0, "pod")} of ${describe(item)}`);
    return [...(pods > 0 ? [counted(pods, "pod")] : []), ...theirs].join(" and ");
  }
  if (effect !== "Roll") return because ?? "no pod is replaced";
  if (strategy === null || strategy.replicas === null)
    return `${workload.kind.kind === "DaemonSet" ? "a pod on every node" : "its pods"}, as its controller replaces them`;
  const { minAvailable, maxTotal } = strategy;
  if (pods === 0) return "no pod is replaced";
  return minAvailable === null
    ? counted(pods, "pod")
    : `${counted(pods, "pod")}, at least ${minAvailable} available, at most ${maxTotal ?? pods} at once`;
}

/** A restart is often meant to fetch a newer image: not every policy does. */
function imageFindings(workload: Workload): Finding[] {
  return workload.templates.flatMap((template) =>
    pulledImages(template)
      .filter(({ image, policy }) => isMutable(image) && policy !== undefined && policy !== PULLS_ALWAYS)
      .map(({ image, policy, user, node, field }): Finding => ({
        rule: "RS003",
        severity: "warning",
        message: `the restart of ${describe(workload.item)} may bring no newer image: ${user} runs '${image}' with imagePullPolicy ${policy ?? ""}`,
        remedy: "Set imagePullPolicy: Always, or pin the image and change the pin.",
        ...locationOf(workload.item, { node, field }),
      })),
  );
}
