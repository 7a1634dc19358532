import { workloadKey } from "../../../base/identity.ts";
import type { Finding } from "../../../findings/catalogue/finding.ts";
import { isIgnored } from "../../../findings/results/ignores.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { serviceSelector } from "../../../kubernetes/rollout/services.ts";
import type { Workload } from "../../../kubernetes/workloads/types.ts";
import { labelsOf, type Item } from "../../../yaml/read/items.ts";
import { getString } from "../../../yaml/read/node.ts";
import { firstField, problem, type LintRule, type Problem } from "../rule.ts";
import { MOST_WORKLOADS, selectedWorkloads, selectingServices, servicesOf, type Objects } from "./served-pods.ts";

/**
 * A Service that selected pods in the base, and selects none in the head, or none with the port that it names. `plan` finds it
 * with the other changes (comparedFindings).
 */
export const LOST_PODS: LintRule<"RS026"> = { id: "RS026", about: "rollout", check: () => [] };

/** A Service that selects no pod of the head. */
export interface Unserved {
  readonly old: Item;
  readonly item: Item;
  /** The workloads whose pods it selected in the base. */
  readonly workloads: readonly Workload[];
}

/** The Services of both sides that select no pod of the head. */
export function unservedServices(base: Objects, head: Objects, defaultNamespace: string): readonly Unserved[] {
  const before = new Map(servicesOf(base, defaultNamespace).filter(([, item]) => serviceSelector(item) !== undefined));
  const present = servicesOf(head, defaultNamespace).filter(([key]) => before.has(key));
  if (present.length === 0) return [];
  const selecting = selectingServices(head, defaultNamespace);
  const without = present.flatMap(([key, item]) => {
    const old = before.get(key);
    if (old === undefined || selecting.has(item) || isElsewhere(item, head, defaultNamespace)) return [];
    return [{ old, item }];
  });
  if (without.length === 0) return [];
  const selected = selectedWorkloads(base, defaultNamespace, new Set(without.map(({ old }) => old)));
  return without.map(({ old, item }) => ({ old, item, workloads: selected.get(old) ?? [] }));
}

/** The Services that lose their pods. */
export function lostPods(unserved: readonly Unserved[], head: Objects): Problem<"RS026">[] {
  const left = new Set(head.workloads.map(keyOf));
  return unserved.flatMap(({ item, workloads }): Problem<"RS026">[] => {
    if (workloads.length === 0) return [];
    const lost = {
      service: resourceRef(item),
      workloads: workloads.slice(0, MOST_WORKLOADS).map((workload) => resourceRef(workload.item)),
    };
    const place = firstField(item, "spec.selector", "spec");
    if (workloads.every((workload) => !left.has(keyOf(workload))))
      return [problem(item, place, { id: "RS026", cause: "workloadDeleted", params: lost })];
    return [problem(item, place, { id: "RS026", cause: "noMatch", params: { ...lost, labels: labelsIn(item) } })];
  });
}

/**
 * The Services whose selector changes, and that select no pod of either side: pods of another application or of an operator
 * may have the labels, which nothing here shows.
 */
export function changedSelectors(unserved: readonly Unserved[]): Finding<"changed-selector">[] {
  return unserved.flatMap(({ old, item, workloads }): Finding<"changed-selector">[] => {
    const labels = labelsIn(item);
    const isSame = labels.length === 0 || labels.toSorted().join() === labelsIn(old).toSorted().join();
    if (workloads.length > 0 || isSame || isIgnored("RS026", [item])) return [];
    return [{ id: "changed-selector", cause: "noMatch", params: { service: resourceRef(item), labels } }];
  });
}

function labelsIn(service: Item): readonly string[] {
  return (serviceSelector(service) ?? []).map(({ key, values }) => `${key}=${values.join()}`);
}

function keyOf({ item, namespace }: Workload): string {
  return workloadKey(item, namespace);
}

/** Whether a Service without a selector sends its traffic elsewhere: to a name, or to addresses that the input lists. */
function isElsewhere(service: Item, { items }: Objects, defaultNamespace: string): boolean {
  if (getString(service.tree, service.node, "spec", "type") === "ExternalName") return true;
  if (serviceSelector(service) !== undefined) return false;
  const namespaceOf = ({ namespace }: Item): string => namespace || defaultNamespace;
  return items.some(
    (item) =>
      namespaceOf(item) === namespaceOf(service) &&
      ((item.kind === "Endpoints" && item.group === "" && item.name === service.name) ||
        (item.kind === "EndpointSlice" && labelsOf(item).get("kubernetes.io/service-name") === service.name)),
  );
}
