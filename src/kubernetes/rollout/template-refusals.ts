import { matchesSelector } from "../../base/selector.ts";
import { nameAt } from "../../yaml/read/items.ts";
import { get, getPath, getString, itemsOf } from "../../yaml/read/node.ts";
import { podLabels, selectorAt } from "../workloads/pod-labels.ts";
import type { Workload } from "../workloads/types.ts";
import { longPreStops } from "./pre-stop.ts";
import type { Refusal } from "./rollout-types.ts";

// What the API server rejects in a pod template, and in the fields around it.

const VALIDATED: readonly string[] = ["", "apps", "batch", "extensions"];

/** Whether the API server validates the pods of a workload: operators of custom kinds validate themselves. */
export function isValidated({ item: { group } }: Workload): boolean {
  return VALIDATED.includes(group);
}

/** The first rejected field, if there is one. */
export function refusedTemplate(workload: Workload): Refusal | undefined {
  if (!isValidated(workload)) return undefined;
  return longSleep(workload) ?? unselected(workload) ?? missingVolume(workload);
}

/** ValidateSleepAction in pkg/apis/core/validation. */
function longSleep(workload: Workload): Refusal | undefined {
  for (const template of workload.templates) {
    const hook = longPreStops(workload, template).find(({ data }) => data.cause === "rejected");
    if (hook !== undefined) {
      const { grace } = hook.data.params;
      const problem = `must not be more than terminationGracePeriodSeconds (${grace})`;
      return { path: `${hook.field}.sleep.seconds`, problem };
    }
  }
  return undefined;
}

/**
 * ValidateDeploymentSpec, ValidateStatefulSetSpec and others in pkg/apis/apps/validation. Files without labels may be
 * completed before they are applied.
 */
function unselected({ item: { group, tree, node }, templates }: Workload): Refusal | undefined {
  const selector = group === "apps" ? selectorAt(tree, getPath(tree, node, ["spec", "selector"])) : undefined;
  if (selector === undefined || selector.length === 0) return undefined;
  const wrong = templates.find((template) => {
    const labels = podLabels(template);
    return labels.size > 0 && !matchesSelector(selector, labels);
  });
  return wrong && { path: `${wrong.field}.metadata.labels`, problem: "must match spec.selector" };
}

/** ValidateVolumeMounts in pkg/apis/core/validation. The claims of a StatefulSet are volumes, too. */
function missingVolume({ item: { tree, node: object }, templates }: Workload): Refusal | undefined {
  const claims = itemsOf(tree, getPath(tree, object, ["spec", "volumeClaimTemplates"]));
  for (const { node, field } of templates.flatMap(({ podSpecs }) => podSpecs)) {
    const volumes = new Set([
      ...claims.map((claim) => getString(tree, claim, "metadata", "name")),
      ...itemsOf(tree, get(tree, node, "volumes")).map((volume) => nameAt(tree, volume, "name")),
    ]);
    for (const list of ["initContainers", "containers"]) {
      for (const [i, container] of itemsOf(tree, get(tree, node, list)).entries()) {
        const mounts = itemsOf(tree, get(tree, container, "volumeMounts"));
        const missing = mounts.findIndex((mount) => !volumes.has(nameAt(tree, mount, "name")));
        if (missing >= 0)
          return {
            path: `${field}.${list}[${i}].volumeMounts[${missing}].name`,
            problem: "must be a volume of the pod",
          };
      }
    }
  }
  return undefined;
}
