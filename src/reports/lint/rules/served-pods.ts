import { addTo } from "../../../base/grouped.ts";
import { indexServices } from "../../../kubernetes/rollout/services.ts";
import { podLabels } from "../../../kubernetes/workloads/pod-labels.ts";
import type { Workload } from "../../../kubernetes/workloads/types.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { unknownPods } from "../unknown-pods.ts";

// Which Services of a rendering select which of its pods.

export interface Objects {
  readonly items: readonly Item[];
  readonly workloads: readonly Workload[];
}

/** How many workloads a finding has; reports name fewer of them. */
export const MOST_WORKLOADS = 50;

/** The Services, by namespace and name. */
export function servicesOf({ items }: Pick<Objects, "items">, defaultNamespace: string): (readonly [string, Item])[] {
  return items
    .filter(({ group, kind }) => group === "" && kind === "Service")
    .map((item) => [`${item.namespace || defaultNamespace}/${item.name}`, item]);
}

/** The Services that select pods, also those that objects of unknown kinds may make. */
export function selectingServices(objects: Objects, defaultNamespace: string): ReadonlySet<Item> {
  const services = indexServices(objects.items, defaultNamespace);
  const found = new Set(unknownSelected(objects, defaultNamespace));
  for (const { namespace, templates } of objects.workloads)
    for (const template of templates) for (const { item } of services(namespace, podLabels(template))) found.add(item);
  return found;
}

/** The Services that select pods that objects of unknown kinds may make. */
export function unknownSelected({ items, workloads }: Objects, defaultNamespace: string): ReadonlySet<Item> {
  const services = indexServices(items, defaultNamespace);
  const known = new Set(workloads.map(({ item }) => item));
  return new Set(
    unknownPods(items, known).flatMap(({ item, labels }) =>
      services(item.namespace || defaultNamespace, labels).map((service) => service.item),
    ),
  );
}

/** The workloads whose pods some Services select. */
export function selectedWorkloads(
  { items, workloads }: Objects,
  defaultNamespace: string,
  wanted: ReadonlySet<Item>,
): ReadonlyMap<Item, readonly Workload[]> {
  const services = indexServices(
    items.filter((item) => wanted.has(item)),
    defaultNamespace,
  );
  const found = new Map<Item, Workload[]>();
  for (const workload of workloads) {
    const selecting = new Set(
      workload.templates.flatMap((template) => services(workload.namespace, podLabels(template))),
    );
    for (const { item } of selecting) addTo(found, item, workload);
  }
  return found;
}
