import { onceFor } from "../../base/grouped.ts";
import type { FindingData } from "../../findings/catalogue/finding.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { containerLimits } from "../../kubernetes/rollout/limit-ranges.ts";
import { numberAt } from "../../kubernetes/rollout/numbers.ts";
import { rolloutKind } from "../../kubernetes/rollout/rollout-kinds.ts";
import { autoscalerOf } from "../../kubernetes/rollout/scalers.ts";
import { lastingContainers } from "../../kubernetes/workloads/containers.ts";
import type { Item } from "../../yaml/read/items.ts";
import { get, getPath, getString, hasEntries, itemsOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { templatesOf } from "./pair.ts";
import type { Side, SideWorkload, WorkloadPair } from "./side.ts";

/**
 * What a HorizontalPodAutoscaler can no longer measure: a utilization is a share of the requests, and each container and
 * sidecar must have one (calculateRequests in pkg/controller/podautoscaler, replica_calculator.go).
 */
export function lostRequests({ base, head, from, to }: WorkloadPair): FindingData<"lost-request">[] {
  const { item } = to.workload;
  const scaler = autoscalerOf(to.workload, head.surroundings.autoscalers);
  // An operator may set requests.
  if (scaler?.kind !== "HorizontalPodAutoscaler" || rolloutKind(item.group, item.kind)?.strategy === undefined)
    return [];
  const old = autoscalerOf(from.workload, base.surroundings.autoscalers);
  const known = utilizations(old === undefined ? scaler.item : old.item);
  return utilizations(scaler.item).flatMap((metric): FindingData<"lost-request">[] => {
    const container = lackingIn(head, to, metric);
    // What the base could not measure, too; it may have measured something else.
    const isOld = known.some((one) => one.resource === metric.resource && one.container === metric.container);
    if (container === undefined || (isOld && lackingIn(base, from, metric) !== undefined)) return [];
    const { resource } = metric;
    const params = { workload: resourceRef(item), scaler: resourceRef(scaler.item), resource, container };
    return [{ id: "lost-request", cause: "unmeasured", params }];
  });
}

interface Utilization {
  readonly resource: string;
  /** Undefined for the whole pod. */
  readonly container: string | undefined;
}

/** Without metrics it is that of the CPU: autoscaling/v1, and the default of v2. */
function utilizations(scaler: Item): readonly Utilization[] {
  const { tree, node } = scaler;
  const metrics = itemsOf(tree, getPath(tree, node, ["spec", "metrics"]));
  if (metrics.length === 0) return [{ resource: "cpu", container: undefined }];
  return metrics.flatMap((metric) =>
    ["resource", "containerResource"].flatMap((field): Utilization[] => {
      const source = get(tree, metric, field);
      const resource = getString(tree, source, "name");
      const isShare = numberAt(scaler, ["target", "averageUtilization"], source) !== undefined;
      return resource === undefined || !isShare ? [] : [{ resource, container: getString(tree, source, "container") }];
    }),
  );
}

const limitsIn = onceFor(({ analysis, spec }: Side) => containerLimits(analysis.items, spec.defaultNamespace));

/** The first container without a request; a limit is one, too. */
function lackingIn(side: Side, own: SideWorkload, { resource, container }: Utilization): string | undefined {
  const { namespace } = own.workload;
  const ranges = limitsIn(side).get(namespace) ?? [];
  if (ranges.some(({ requests }) => requests.has(resource))) return undefined;
  return templatesOf(side, own).flatMap((template) => {
    const { tree } = template.item;
    const isSet = (node: number): boolean =>
      ["requests", "limits"].some((list) => get(tree, getPath(tree, node, ["resources", list]), resource) !== NONE);
    // What the pod requests as a whole counts instead.
    const isWhole = template.podSpecs.some(({ node }) => hasEntries(tree, get(tree, node, "resources")));
    const measured = lastingContainers(template).filter(({ name }) => container === undefined || name === container);
    return isWhole ? [] : measured.filter(({ node }) => !isSet(node)).map(({ name }) => name);
  })[0];
}
