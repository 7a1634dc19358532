import { entriesOf, get, getPath, kindOf, stringOf } from "../../yaml/read/node.ts";
import type { PodTemplate } from "./types.ts";

/** The annotations of a pod template; those that are no strings have the value "". */
export function templateAnnotations(template: PodTemplate): ReadonlyMap<string, string> {
  const { tree } = template.item;
  const node = templateAnnotationsNode(template);
  const found = new Map<string, string>();
  if (kindOf(tree, node) !== "mapping") return found;
  for (const { key, valueNode } of entriesOf(tree, node)) found.set(key, stringOf(tree, valueNode) ?? "");
  return found;
}

/** The node of one of a pod template's annotations; NONE where there is none. */
export function templateAnnotationNode(template: PodTemplate, key: string): number {
  return get(template.item.tree, templateAnnotationsNode(template), key);
}

/** The node of the mapping of a pod template's annotations; NONE where there is none. */
export function templateAnnotationsNode(template: PodTemplate): number {
  return getPath(template.item.tree, template.base, template.annotationsPath);
}
