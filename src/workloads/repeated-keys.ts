import { getPath } from "../manifest/node.ts";
import { isIdentity, repeatedKeyError, repeatedKeys, type RepeatedKey } from "../manifest/repeated-keys.ts";
import type { YamlTree } from "../manifest/tree.ts";
import { CONTAINER_LISTS } from "./containers.ts";
import { templateAnnotationsNode } from "./template-annotations.ts";
import type { PodTemplate, Workload } from "./types.ts";

/** Throws where a key stands twice on the way to what is stamped or refers to sources, or in it. */
export function refuseRepeatedKeys(workload: Workload): void {
  const { item } = workload;
  if (item.tree.repeated.size === 0) return;
  for (const repeated of repeatedKeys(item)) {
    const { path } = repeated;
    if (isIdentity(path) || workload.templates.some((template) => isUsed(template, repeated)))
      throw repeatedKeyError(item, repeated);
  }
}

/** The fields in which a pod spec refers to sources: whichever of two would count. */
const REFERRING: ReadonlySet<string> = new Set(["env", "envFrom", "volumes", "volumeMounts"]);

/** The lists of what has such fields. */
const LISTS: ReadonlySet<string> = new Set(CONTAINER_LISTS);

function isUsed(template: PodTemplate, { mapping, keyNode, path }: RepeatedKey): boolean {
  const { tree } = template.item;
  const value = tree.next[keyNode] ?? keyNode;
  const annotations = templateAnnotationsNode(template);
  const labels = getPath(tree, template.base, [...template.annotationsPath.slice(0, -1), "labels"]);
  const references = template.references.filter(({ item }) => item === undefined).map(({ node }) => node);
  const onTheWay = [template.base, annotations, ...template.podSpecs.map(({ node }) => node), ...references];
  if (onTheWay.some((node) => isWithin(tree, node, value))) return true;
  if ([annotations, labels, ...references].some((node) => isWithin(tree, mapping, node))) return true;
  if (template.podSpecs.some(({ node }) => isWithin(tree, mapping, node))) return isReferring(path);
  return false;
}

/** Of a container only what refers to sources, and its name. */
function isReferring(path: readonly string[]): boolean {
  return LISTS.has(path.at(-1) ?? "") || path.some((step) => REFERRING.has(step));
}

function isWithin(tree: YamlTree, node: number, outer: number): boolean {
  return outer >= 0 && node >= outer && node < (tree.next[outer] ?? 0);
}
