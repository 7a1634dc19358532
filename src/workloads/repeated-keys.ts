import { RollstampError } from "../ground/errors.ts";
import { isStampKey } from "../ground/stamp-keys.ts";
import { keysOf } from "../manifest/each-mapping.ts";
import { describe, placeIn } from "../manifest/items.ts";
import { isMergeKey, resolve } from "../manifest/node.ts";
import { overriddenKeys } from "../manifest/overridden-keys.ts";
import { isIdentity, repeatedKeyError, repeatedKeys, type RepeatedKey } from "../manifest/repeated-keys.ts";
import { NONE, type YamlTree } from "../manifest/tree.ts";
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

/** Throws where a `<<` behind a stamp brings another one: kubectl would take that. */
export function refuseOverriddenStamps({ item, templates }: Workload): void {
  if (item.tree.aliases.size === 0) return;
  for (const template of templates) {
    const annotations = resolve(item.tree, templateAnnotationsNode(template));
    if (annotations === NONE || !keysOf(item.tree, annotations).some((key) => isMergeKey(item.tree, key))) continue;
    const overridden = overriddenKeys(item).find(
      ({ mapping, path }) => mapping === annotations && isStampKey(path.at(-1) ?? ""),
    );
    if (overridden === undefined) continue;
    throw new RollstampError(
      "input",
      `the stamp '${overridden.path.at(-1)}' of ${describe(item)} is overridden by a '<<' behind it`,
      {
        place: placeIn(item, overridden.keyNode),
        remedy: "Write '<<' before the other annotations, and take the stamp out of what it brings.",
      },
    );
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
  const references = template.references.filter(({ item }) => item === undefined).map(({ node }) => node);
  const onTheWay = [template.base, annotations, ...template.podSpecs.map(({ node }) => node), ...references];
  if (onTheWay.some((node) => isWithin(tree, node, value))) return true;
  if ([annotations, ...references].some((node) => isWithin(tree, mapping, node))) return true;
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
