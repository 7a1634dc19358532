import type { Findings } from "../../../findings/catalogue/catalogue.ts";
import type { FindingData } from "../../../findings/catalogue/finding.ts";
import { get, getString, itemsOf } from "../../../yaml/read/node.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { leavesNoPod } from "../../../kubernetes/rollout/mechanics.ts";
import type { Strategy } from "../../../kubernetes/rollout/rollout-types.ts";
import { rolloutKind } from "../../../kubernetes/rollout/rollout-kinds.ts";
import { indexServices } from "../../../kubernetes/rollout/services.ts";
import { podLabels } from "../../../kubernetes/workloads/pod-labels.ts";
import type { LintContext, LintedWorkload } from "../context.ts";
import { firstField, problem, type LintRule } from "../rule.ts";

/** A rollout during which, at some moment, no pod is available. */
export const NO_POD_AVAILABLE: LintRule<"RS004"> = {
  id: "RS004",
  check: (context) => {
    const found = context.workloads.filter(({ rollout }) => leavesNoPod(rollout));
    const isUnserved = unserved(context, found);
    return found.map((linted) => {
      const { item } = linted.workload;
      const at = firstField(item, "spec.strategy", "spec.updateStrategy", "spec.replicas", "spec");
      return problem(item, at, told(linted, isUnserved(linted)));
    });
  },
};

/** Whether nothing sends a workload requests, as far as the input shows: it shows the Services of the workload's namespace. */
function unserved(context: LintContext, found: readonly LintedWorkload[]): (linted: LintedWorkload) => boolean {
  if (found.length === 0) return () => false;
  const { items, spec } = context;
  const all = items.filter(({ group, kind }) => group === "" && kind === "Service");
  const withServices = new Set(all.map(({ namespace }) => namespace || spec.defaultNamespace));
  const named = new Set(all.map(({ namespace, name }) => `${namespace || spec.defaultNamespace}/${name}`));
  const services = indexServices(items, spec.defaultNamespace);
  const isServed = ({ workload }: LintedWorkload): boolean =>
    workload.templates.some((template) => services(workload.namespace, podLabels(template)).length > 0);
  return (linted) => withServices.has(linted.workload.namespace) && isStandIn(linted, named) && !isServed(linted);
}

/** A Deployment; or a StatefulSet whose own Service, by which its pods are found one by one, is not there. */
function isStandIn({ workload: { item, namespace } }: LintedWorkload, services: ReadonlySet<string>): boolean {
  const controller = rolloutKind(item.group, item.kind)?.strategy?.controller;
  if (controller !== "StatefulSet") return controller === "Deployment";
  return !services.has(`${namespace}/${getString(item.tree, item.node, "spec", "serviceName") ?? ""}`);
}

/** What is to be done depends on what leaves no pod. */
function told(linted: LintedWorkload, isUnserved: boolean): FindingData<"RS004"> {
  const { item } = linted.workload;
  const { strategy } = linted.rollout;
  const params = { workload: resourceRef(item), strategy: strategy === null ? null : paramsOf(strategy) };
  const id = "RS004";
  if (isUnserved) return { id, cause: "unserved", params };
  if (strategy === null) return { id, cause: "strategy", params };
  if (strategy.replicas === null) return { id, cause: "allNodes", params };
  if (strategy.type === "Recreate") {
    const claim = claimOf(linted);
    return claim === undefined
      ? { id, cause: "recreate", params }
      : { id, cause: "heldVolume", params: { ...params, claim } };
  }
  if (rolloutKind(item.group, item.kind)?.strategy?.controller === "StatefulSet") {
    return { id, cause: strategy.replicas === 1 ? "onlyPod" : "allAtOnce", params };
  }
  return { id, cause: strategy.replicas > 1 ? "allAtOnce" : "strategy", params };
}

function paramsOf({ type, replicas, maxUnavailable, maxSurge }: Strategy): Findings["RS004"]["strategy"]["strategy"] {
  return { type, replicas, maxUnavailable, maxSurge };
}

/** The claim of a volume that it mounts: whoever writes Recreate beside one mostly means that only one pod may have it. */
function claimOf({ templates: [linted] }: LintedWorkload): string | undefined {
  if (linted === undefined) return undefined;
  const { item, podSpecs } = linted.template;
  return podSpecs
    .flatMap(({ node }) => itemsOf(item.tree, get(item.tree, node, "volumes")))
    .flatMap((volume) => getString(item.tree, volume, "persistentVolumeClaim", "claimName") ?? [])[0];
}
