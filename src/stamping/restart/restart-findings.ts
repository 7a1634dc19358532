import type { Finding, FindingData } from "../../findings/catalogue/finding.ts";
import type { ResourceRef } from "../../base/names.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import type { Severity } from "../../findings/catalogue/severity.ts";
import { ANNOTATION, effectOf } from "../../kubernetes/rollout/effect.ts";
import { leavesNoPod } from "../../kubernetes/rollout/mechanics.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import { isMutable, pulledImages, PULLS_ALWAYS } from "../../kubernetes/workloads/images.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";
import { restartFieldOf } from "../../kubernetes/rollout/restart-fields.ts";
import { formatTime } from "../../base/times.ts";
import type { RestartTarget } from "./options.ts";

/** The effects of a restart that the user may not expect. */
export function costFindings(workload: Workload, rollout: Rollout): Finding[] {
  return [...effectFindings(workload, rollout), ...imageFindings(workload)];
}

/** A target that cannot be restarted: nothing is written. */
export function untouchedFinding(workload: Workload, why: string): Finding {
  return {
    id: "RS005",
    cause: "notRestarted",
    params: { workload: resourceRef(workload.item), because: why },
    ...locationOf(workload.item, workload.item),
  };
}

/** A pod template that another object runs, and that was matched but not named: only the other object is restarted. */
export function leftToRunner({ item }: Workload, { because, pods, runBy = [] }: Rollout): Finding {
  const params = {
    workload: resourceRef(item),
    runners: refsOf(runBy),
    remainingPods: because === undefined ? pods : 0,
  };
  return { id: "restart", cause: "leftToRunner", params, ...locationOf(item, item) };
}

/** A workload that keeps its time: a restart never goes back in time. */
export function keptTime({ item }: Workload, time: Date): Finding {
  const params = { workload: resourceRef(item), time: formatTime(time) };
  return { id: "restart", cause: "keptTime", params, ...locationOf(item, item) };
}

/** The targets that match nothing in the input. */
export function unmetFindings(
  targets: readonly RestartTarget[],
  met: ReadonlySet<RestartTarget>,
  severityOf: (target: RestartTarget) => Severity = () => "warning",
): Finding[] {
  return targets
    .filter((target) => !met.has(target))
    .map((target) => ({
      id: "restart",
      cause: "noMatch",
      params: { target: target.text },
      severityOverride: severityOf(target),
    }));
}

function effectFindings(workload: Workload, rollout: Rollout): Finding[] {
  const { item } = workload;
  const location = locationOf(item, item);
  const isByField = restartFieldOf(item) !== undefined;
  const { effect, because, next } = effectOf(
    workload,
    rollout,
    isByField ? { ...ANNOTATION, byRestartField: true } : ANNOTATION,
  );
  if (effect === "NoEffect") {
    const params = { workload: resourceRef(item), because: because ?? "no pod is replaced", next };
    return [{ id: "RS005", cause: "restartLater", params, ...location }];
  }
  const cost: Finding = { ...costOf(workload, rollout), ...location };
  if (rollout.runBy !== undefined) return [cost, newRevision(workload, rollout.runBy)];
  if (isByField || !leavesNoPod(rollout)) return [cost];
  return [cost, { id: "RS004", cause: "restart", params: { workload: resourceRef(item) }, ...location }];
}

type Runners = NonNullable<Rollout["runBy"]>;

/** The effect of a restart in a template that another object runs, and a cheaper way. */
function newRevision({ item }: Workload, runners: Runners): Finding {
  const cheaper = runners.flatMap((runner) => {
    const row = restartFieldOf(runner.item);
    return row === undefined ? [] : [{ kind: runner.item.kind, name: runner.item.name, field: row.field }];
  });
  const params = { workload: resourceRef(item), runners: refsOf(runners), cheaper };
  return { id: "restart", cause: "newRevision", params, ...locationOf(item, item) };
}

function refsOf(runners: Runners): ResourceRef[] {
  return runners.map(({ item }) => resourceRef(item));
}

function costOf({ item, kind }: Workload, { effect, because, strategy, pods, runBy }: Rollout): FindingData<"restart"> {
  const workload = resourceRef(item);
  const how = restartFieldOf(item)?.how;
  if (how !== undefined) return { id: "restart", cause: "restartField", params: { workload, pods, how } };
  if (runBy !== undefined) {
    const runners = runBy.map((runner) => ({ runner: resourceRef(runner.item), pods: runner.rollout?.pods ?? 0 }));
    return { id: "restart", cause: "runners", params: { workload, pods, runners } };
  }
  if (effect !== "Roll" && because !== undefined)
    return { id: "restart", cause: "noRollout", params: { workload, because } };
  if (strategy === null || strategy.replicas === null)
    return { id: "restart", cause: "controller", params: { workload, isOnePodPerNode: kind.kind === "DaemonSet" } };
  const { minAvailable, maxTotal } = strategy;
  return { id: "restart", cause: "rollout", params: { workload, pods, minAvailable, maxTotal } };
}

/** A restart is often intended to pull a newer image, which not every pull policy does. */
function imageFindings(workload: Workload): Finding[] {
  return workload.templates.flatMap((template) =>
    pulledImages(template)
      .filter(({ image, policy }) => isMutable(image) && policy !== undefined && policy !== PULLS_ALWAYS)
      .map(({ image, policy, user, node, field }): Finding => ({
        id: "RS003",
        cause: "restart",
        params: { workload: resourceRef(workload.item), user, image, policy: policy ?? "" },
        ...locationOf(workload.item, { node, field }),
      })),
  );
}
