import { entriesOf, get, getPath, kindOf, stringOf } from "../../yaml/read/node.ts";
import type { PodTemplate } from "./types.ts";

type Annotated = Pick<PodTemplate, "item" | "base" | "annotationsPath">;

/**
 * The annotations of a pod template; values that are not strings are "". A copy that it names counts as the stamp of its
 * source, with the name of the copy as the value: both roll out the pods with the content.
 */
export function templateAnnotations(template: PodTemplate): ReadonlyMap<string, string> {
  const written = writtenAnnotations(template);
  return template.copies === undefined ? written : new Map([...written, ...template.copies]);
}

/** The annotations in the text of a pod template; values that are not strings are "". */
export function writtenAnnotations(template: Annotated): ReadonlyMap<string, string> {
  const { tree } = template.item;
  const node = templateAnnotationsNode(template);
  const found = new Map<string, string>();
  if (kindOf(tree, node) !== "mapping") return found;
  for (const { key, valueNode } of entriesOf(tree, node)) found.set(key, stringOf(tree, valueNode) ?? "");
  return found;
}

/** The node of one annotation of a pod template; NONE if absent. */
export function templateAnnotationNode(template: PodTemplate, key: string): number {
  return get(template.item.tree, templateAnnotationsNode(template), key);
}

/** The node of the annotations of a pod template; NONE if absent. */
export function templateAnnotationsNode(template: Annotated): number {
  return getPath(template.item.tree, template.base, template.annotationsPath);
}
