import { OBJECT_KEYS } from "../../base/keys.ts";
import { isUnknownKey, nearestKey } from "../../base/stamp-keys.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import { templateAnnotationsNode } from "../../kubernetes/workloads/template-annotations.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";
import { annotationNode, type Item } from "../../yaml/read/items.ts";
import { entriesOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";

/** The annotations in our domain that have no effect: misspelt ones, and those of a workload on its pod template. */
export function unknownAnnotations(items: readonly Item[], workloads: readonly Workload[]): Finding[] {
  const ofItems = items.flatMap((item) => (item.isAnnotated ? unknownIn(item, item.annotations) : []));
  const ofTemplates = workloads
    .flatMap(({ templates }) => templates)
    .flatMap((template) => {
      const node = templateAnnotationsNode(template);
      const { item } = template;
      // The annotations of a bare Pod are those of its template.
      return node === item.annotations ? [] : [...unknownIn(item, node), ...onTemplate(item, node)];
    });
  return [...ofItems, ...ofTemplates];
}

function unknownIn(item: Item, annotations: number): Finding[] {
  return entriesOf(item.tree, annotations)
    .filter(({ key }) => isUnknownKey(key))
    .map(({ key, valueNode }) => ({
      id: "unknown-annotation",
      cause: "unknown",
      params: { object: resourceRef(item), annotation: key, near: nearestKey(key) },
      ...locationOf(item, { node: valueNode }),
    }));
}

function onTemplate(item: Item, annotations: number): Finding[] {
  return (
    entriesOf(item.tree, annotations)
      // kustomize's commonAnnotations writes them to both.
      .filter(({ key }) => OBJECT_KEYS.includes(key) && annotationNode(item, key) === NONE)
      .map(({ key, valueNode }) => ({
        id: "unknown-annotation",
        cause: "onTemplate",
        params: { object: resourceRef(item), annotation: key },
        ...locationOf(item, { node: valueNode }),
      }))
  );
}
