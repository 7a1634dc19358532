import { groupOf } from "../ground/api-versions.ts";
import { getPath, getString } from "../manifest/node.ts";
import { autoscalerOf, findAutoscalers, numberAt, type Autoscalers } from "../rollout/written-rollout.ts";
import type { Workload } from "../workloads/types.ts";
import type { LintContext } from "./context.ts";

/** What sets the number of a workload's pods while it runs. */
export interface Scalers {
  readonly autoscalers: Autoscalers;
  /** `namespace/Kind/name` of what KEDA's ScaledObjects scale. */
  readonly scaledObjects: ReadonlySet<string>;
}

/** Indexes the autoscalers of an input. */
export function scalersOf({ items, spec }: LintContext): Scalers {
  const scaledObjects = items
    .filter(({ group, kind }) => group === "keda.sh" && kind === "ScaledObject")
    .map(({ tree, node, namespace }) => {
      const target = getPath(tree, node, ["spec", "scaleTargetRef"]);
      // KEDA: a Deployment where no kind is said.
      const kind = getString(tree, target, "kind") ?? "Deployment";
      return `${namespace || spec.defaultNamespace}/${kind}/${getString(tree, target, "name") ?? ""}`;
    });
  return { autoscalers: findAutoscalers(items, spec.defaultNamespace), scaledObjects: new Set(scaledObjects) };
}

/** The most pods that something gives a workload; "written" where nothing does, undefined where it can't be told. */
export function mostReplicas(
  workload: Workload,
  { autoscalers, scaledObjects }: Scalers,
): number | "written" | undefined {
  const { item, namespace } = workload;
  if (scaledObjects.has(`${namespace}/${item.kind}/${item.name}`)) return undefined;
  const scaler = autoscalerOf(workload, autoscalers);
  if (scaler === undefined) return "written";
  return groupOf(scaler.item.apiVersion) === "autoscaling" ? numberAt(scaler.item, ["spec", "maxReplicas"]) : undefined;
}
