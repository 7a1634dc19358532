import { isStampKey } from "../../base/stamp-keys.ts";
import { labelsPath } from "../../kubernetes/workloads/pod-labels.ts";
import type { PodTemplate, Workload } from "../../kubernetes/workloads/types.ts";
import { BESIDE_THE_PODS } from "../../stamping/stamps/edit-stamps.ts";
import type { Item } from "../../yaml/read/items.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { appliedJson } from "../../yaml/read/kubectl-view.ts";
import { entriesOf, getPath, itemsOf, kindOf, resolve, type Json } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";

/** The content of an object without stamps, and without the pod templates of a workload, which are compared as such. */
export function contentOf({ tree, node }: Item, workload: Workload | undefined): Json {
  const parts: PodParts = { whole: new Set(), specs: new Map() };
  // Pod templates that a chart makes are not in the object.
  if (workload !== undefined && workload.kind.holds === undefined)
    for (const template of workload.templates) addParts(parts, template);
  return contentAt(tree, node, parts);
}

/** The nodes of an object's pod templates. */
interface PodParts {
  /** Mappings that are left out. */
  readonly whole: Set<number>;
  /** Pod specs of custom kinds, and their fields that are not of the pods. */
  readonly specs: Map<number, readonly string[]>;
}

function addParts(parts: PodParts, { item, base, field, annotationsPath, podSpecs }: PodTemplate): void {
  const { tree } = item;
  const [podSpec] = podSpecs;
  if (podSpec?.field === `${field}.spec`) {
    parts.whole.add(base);
    return;
  }
  for (const path of [annotationsPath, labelsPath({ annotationsPath })]) {
    const node = path === undefined ? NONE : getPath(tree, base, path);
    if (node !== NONE) parts.whole.add(resolve(tree, node));
  }
  if (podSpec === undefined) return;
  if (item.kind === "Pod") parts.whole.add(podSpec.node);
  else parts.specs.set(podSpec.node, [...BESIDE_THE_PODS, ...annotationsPath.slice(0, 1)]);
}

function contentAt(tree: YamlTree, node: number, parts: PodParts): Json {
  const resolved = resolve(tree, node);
  switch (kindOf(tree, resolved)) {
    case "mapping": {
      const kept = parts.specs.get(resolved);
      return Object.fromEntries(
        entriesOf(tree, resolved).flatMap(({ key, valueNode }) => {
          const isLeftOut =
            isStampKey(key) || kept?.includes(key) === false || parts.whole.has(resolve(tree, valueNode));
          if (isLeftOut) return [];
          const value = contentAt(tree, valueNode, parts);
          // Annotations that were nothing but stamps: no annotations are the same.
          const isEmpty = key === "annotations" && isMapping(value) && Object.keys(value).length === 0;
          return isEmpty ? [] : [[key, value] as const];
        }),
      );
    }
    case "sequence":
      return itemsOf(tree, resolved).map((element) => contentAt(tree, element, parts));
    default:
      return appliedJson(tree, resolved);
  }
}
