import { groupOf } from "../../base/identity.ts";
import { RollstampError, type Place } from "../../base/errors.ts";
import { HELM_HOOK } from "../../base/hosts/helm.ts";
import {
  INDEX_ANNOTATIONS,
  isResourceListVersion,
  PATH_ANNOTATIONS,
  TRACKING_ANNOTATIONS,
} from "../../base/hosts/krm.ts";
import { formatObject } from "../../base/names.ts";
import { entriesOf, get, getPath, getString, hasOtherKeys, itemsOf, kindOf, startOf, stringOf } from "./node.ts";
import { tooMany } from "./tree-errors.ts";
import { NONE, type YamlTree } from "./tree.ts";

/** A Kubernetes object in an input: its position and its identity. */
export interface Item {
  readonly tree: YamlTree;
  /** The mapping of the object. */
  readonly node: number;
  readonly apiVersion: string;
  /** The part of the apiVersion before the slash; "" for the core group. */
  readonly group: string;
  readonly kind: string;
  /** The name, or the `generateName`; "" if there is neither. */
  readonly name: string;
  /** As written; "" if the object sets none. */
  readonly namespace: string;
  /** The mapping of its annotations; NONE if it has none. */
  readonly annotations: number;
  /** Whether it has an annotation besides those with which hosts track items. Most have none, which saves lookups. */
  readonly isAnnotated: boolean;
  /** Its index among the items of its tree, from 0. */
  readonly index: number;
}

/** The form of the input, which is also the form of the output. */
type Form = "ResourceList" | "stream";

export interface Manifests {
  readonly form: Form;
  readonly tree: YamlTree;
  readonly items: readonly Item[];
  /** The functionConfig of the ResourceList; NONE if there is none. */
  readonly functionConfig: number;
  /** The root mapping of the ResourceList; NONE in a stream. */
  readonly root: number;
}

/** True for a tree without documents, or with empty documents only. */
export function holdsNothing(tree: YamlTree): boolean {
  return tree.documents.every((root) => kindOf(tree, root) === "null");
}

/**
 * Finds the objects of a tree: the items of a ResourceList, or every document of a stream, and the items of Lists in it.
 * Throws if something is not a Kubernetes object, and if there is none.
 */
export function readManifests(tree: YamlTree): Manifests {
  const roots = tree.documents.filter((root) => kindOf(tree, root) !== "null");
  const list = roots.find((root) => isResourceList(tree, root));
  if (list === undefined) {
    const items: Item[] = [];
    for (const root of roots) addObject(tree, root, items, undefined);
    if (items.length === 0) throw noObjects(tree.file);
    return { form: "stream", tree, items, functionConfig: NONE, root: NONE };
  }
  if (roots.length > 1) {
    throw new RollstampError("input", "a ResourceList must be the only document", {
      place: placeOf(tree, roots[1] ?? list),
      remedy: "Pass only a ResourceList, or a stream of manifests without one.",
    });
  }
  const itemsNode = get(tree, list, "items");
  if (kindOf(tree, itemsNode) !== "sequence") {
    throw new RollstampError("input", "the items of the ResourceList must be a list", {
      place: placeOf(tree, itemsNode === NONE ? list : itemsNode),
      remedy: "Write 'items: []' if it is intended to be empty: hosts read missing items as 'delete everything'.",
    });
  }
  const items: Item[] = [];
  const nodes = itemsOf(tree, itemsNode);
  if (nodes.length > tree.limits.documents) throw tooMany("items", tree.limits, placeOf(tree, itemsNode));
  // kpt passes a List of a package as it is.
  for (const node of nodes) addObject(tree, node, items, undefined);
  return { form: "ResourceList", tree, items, functionConfig: get(tree, list, "functionConfig"), root: list };
}

function noObjects(file: string): RollstampError {
  return new RollstampError("input", "the input contains no Kubernetes object", {
    place: { file, line: 1, column: 1 },
    remedy:
      "Pass rendered manifests or a ResourceList. Empty output would be an error: hosts read it as 'delete everything'.",
  });
}

/** True for a config.kubernetes.io ResourceList. */
export function isResourceList(tree: YamlTree, root: number): boolean {
  return (
    getString(tree, root, "kind") === "ResourceList" && isResourceListVersion(getString(tree, root, "apiVersion") ?? "")
  );
}

interface ListType {
  readonly apiVersion: string;
  readonly kind: string;
}

function addObject(tree: YamlTree, node: number, items: Item[], type: ListType | undefined): void {
  const item = readItem(tree, node, items.length, type);
  const members = listMembers(item);
  if (members === undefined) {
    items.push(item);
    if (items.length > tree.limits.documents) throw tooMany("objects", item.tree.limits, placeOf(item.tree, item.node));
    return;
  }
  // In a typed list from the API server, the objects need not repeat their type.
  const memberType =
    item.kind === "List" ? undefined : { apiVersion: item.apiVersion, kind: item.kind.slice(0, -"List".length) };
  for (const member of members) addObject(tree, member, items, memberType);
}

/** The members of `kind: List` and `kind: <X>List`; undefined for any other object. */
function listMembers(item: Item): number[] | undefined {
  if (!item.kind.endsWith("List")) return undefined;
  const node = get(item.tree, item.node, "items");
  const itemsKind = kindOf(item.tree, node);
  if (itemsKind !== "sequence") {
    // Go writes an empty list as null. A custom kind may be named like a list, but its objects have a name.
    const isEmpty = item.name === "" && (itemsKind === "null" || item.kind === "List");
    return isEmpty ? [] : undefined;
  }
  const members = itemsOf(item.tree, node);
  // A custom kind, such as an allow list, may have items that are not objects.
  return members.every((member) => kindOf(item.tree, member) === "mapping") ? members : undefined;
}

function readItem(tree: YamlTree, node: number, index: number, type: ListType | undefined): Item {
  if (kindOf(tree, node) !== "mapping") throw notAnObject(tree, node, "this is not a Kubernetes object");
  const apiVersion = nameAt(tree, node, "apiVersion") ?? type?.apiVersion;
  const kind = nameAt(tree, node, "kind") ?? type?.kind;
  if (kind === undefined) throw notAnObject(tree, node, "this object has no kind");
  if (apiVersion === undefined) throw notAnObject(tree, node, "this object has no apiVersion");
  const metadata = get(tree, node, "metadata");
  const annotations = get(tree, metadata, "annotations");
  return {
    tree,
    node,
    apiVersion,
    group: groupOf(apiVersion),
    kind,
    name: nameAt(tree, metadata, "name") ?? nameAt(tree, metadata, "generateName") ?? "",
    namespace: nameAt(tree, metadata, "namespace") ?? "",
    annotations,
    isAnnotated: hasOtherKeys(tree, annotations, TRACKING_ANNOTATIONS),
    index,
  };
}

function notAnObject(tree: YamlTree, node: number, message: string): RollstampError {
  return new RollstampError("input", message, {
    place: placeOf(tree, node),
    remedy: "Every document needs apiVersion and kind. Did a tool print a message between its manifests?",
  });
}

/**
 * True for an object with a name. An object with `generateName` is a new object each time it is created, however often
 * its manifest is repeated.
 */
export function hasOwnName({ tree, node }: Item): boolean {
  return (getString(tree, node, "metadata", "name") ?? "") !== "";
}

/** The location of a node, for messages. */
export function placeOf(tree: YamlTree, node: number): Place {
  return tree.lines.placeAt(tree.file, startOf(tree, node));
}

/** `Kind namespace/name`, or `Kind name` if the object sets no namespace. */
export function describe(item: Item): string {
  return formatObject(item);
}

/** The value of an annotation in the metadata of an object; undefined if there is none. */
export function annotationOf(item: Item, key: string): string | undefined {
  return stringOf(item.tree, annotationNode(item, key));
}

/** The node of the value of an annotation in the metadata of an object; NONE if there is none. */
export function annotationNode(item: Item, key: string): number {
  return get(item.tree, item.annotations, key);
}

/** The labels in the metadata of an object. */
export function labelsOf(item: Item): ReadonlyMap<string, string> {
  const labels = getPath(item.tree, item.node, ["metadata", "labels"]);
  const found = new Map<string, string>();
  for (const { key, valueNode } of entriesOf(item.tree, labels)) found.set(key, stringOf(item.tree, valueNode) ?? "");
  return found;
}

/** The location of a node of an object, with the file that the host names for the object. */
export function placeIn(item: Item, node: number): Place {
  const place = placeOf(item.tree, node);
  const origin = hostFile(item)?.path;
  return origin === undefined ? place : { ...place, origin };
}

/** The file that the host names for an item, and the index in it. */
export function hostFile(item: Item): { readonly path: string; readonly index?: number } | undefined {
  const path = PATH_ANNOTATIONS.map((key) => annotationOf(item, key)).find((value) => value !== undefined);
  if (path === undefined) return undefined;
  const index = INDEX_ANNOTATIONS.map((key) => annotationOf(item, key)).find((value) => value !== undefined);
  return index !== undefined && /^\d+$/u.test(index) ? { path, index: Number(index) } : { path };
}

/**
 * The name at a key. Names are part of many messages and lookups, so their length is limited. Throws for a name that is
 * longer than any that Kubernetes accepts.
 */
export function nameAt(tree: YamlTree, mapping: number, key: string): string | undefined {
  const name = getString(tree, mapping, key);
  if (name !== undefined && name.length > tree.limits.name) throw tooLong(tree, mapping, name.length);
  return name;
}

/** The error for a name that is too long, at its node. */
export function tooLong(tree: YamlTree, node: number, length: number): RollstampError {
  return new RollstampError("input", `a name of ${length} characters is longer than ${tree.limits.name}`, {
    place: tree.lines.placeAt(tree.file, startOf(tree, node)),
    remedy: "Kubernetes accepts up to 253. Shorten it, or raise the limit: --max-name.",
  });
}

/** True for an object that Helm creates outside of the release. */
export function isHelmHook(item: Item): boolean {
  return annotationOf(item, HELM_HOOK) !== undefined;
}

/** The value of an annotation of ours; undefined if there is none. Throws if it is not a string. */
export function readText(item: Item, key: string): string | undefined {
  const node = annotationNode(item, key);
  if (node === NONE) return undefined;
  const text = stringOf(item.tree, node);
  if (text !== undefined) return text;
  throw wrongAnnotation(item, key, `is a ${kindOf(item.tree, node)}, not a string`, "Put the value in quotes.");
}

/** The value of an annotation that must be "true" or "false". Throws for any other value. */
export function readFlag(item: Item, key: string): boolean | undefined {
  const text = readText(item, key);
  if (text === undefined) return undefined;
  if (text === "true" || text === "false") return text === "true";
  throw wrongAnnotation(item, key, 'is neither "true" nor "false"', 'Write "true" or "false", in quotes.');
}

/** The error for an annotation with an invalid value. */
export function wrongAnnotation(item: Item, key: string, problem: string, remedy: string): RollstampError {
  return new RollstampError("input", `the annotation '${key}' of ${describe(item)} ${problem}`, {
    place: placeIn(item, annotationNode(item, key)),
    remedy,
  });
}
