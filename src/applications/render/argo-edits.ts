import type { ArgoKustomize } from "../discover/application.ts";
import { withVariables } from "../discover/argo-variables.ts";
import { RollstampError } from "../../base/errors.ts";
import { folded, foldedGet, isMapping, type Mapping, fieldOf, fieldsOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { WILDCARD } from "../../base/glob-tokens.ts";
import { editedImages, inOrder, nameOf } from "./edited-images.ts";

// The edits of Argo CD in a kustomization before the build (util/kustomize/kustomize.go, Build). Argo CD runs `kustomize edit`;
// this makes the same changes (kustomize/v5, commands/edit).

export interface EditPlace {
  /** The files at paths from the folder of the kustomization. */
  readonly exists: (path: string) => boolean;
  /** Variables of the Application, such as `ARGOCD_APP_NAME`. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Applies the edits of an Application. Throws a RollstampError for an edit that `kustomize edit` rejects. */
export function withArgoEdits(kustomization: Json, argo: ArgoKustomize, { exists, variables }: EditPlace): Json {
  if (kustomization !== null && !isMapping(kustomization)) return kustomization;
  let edited: Mapping = kustomization ?? {};
  const set = (field: string, value: Json): void => {
    const others = Object.entries(edited).filter(([key]) => folded(key) !== field.toLowerCase());
    edited = { ...Object.fromEntries(others), [field]: value };
  };
  const get = (field: string): Json | undefined => foldedGet(edited, field.toLowerCase());
  const list = (field: string): readonly Json[] => listOf(get(field), field);
  if (isGiven(argo.namePrefix)) set("namePrefix", argo.namePrefix);
  if (isGiven(argo.nameSuffix)) set("nameSuffix", argo.nameSuffix);
  if (argo.images.length > 0) {
    const images = argo.images.map((image) => argument(withVariables(image, variables)));
    set("images", editedImages([...list("images"), ...list("imageTags")], images));
    edited = Object.fromEntries(Object.entries(edited).filter(([key]) => folded(key) !== "imagetags"));
  }
  if (argo.replicas.length > 0) set("replicas", editedReplicas(list("replicas"), argo.replicas));
  const labels = pairs(argo.commonLabels, "label", (value) => withVariables(value, variables));
  if (labels.length > 0) {
    if (!argo.labelWithoutSelector && argo.labelIncludeTemplates)
      throw refused("labelIncludeTemplates needs labelWithoutSelector");
    if (argo.labelWithoutSelector) set("labels", editedLabels(list("labels"), labels, argo));
    else set("commonLabels", added(get("commonLabels"), labels, "label", argo.forceCommonLabels));
  }
  const annotations = pairs(argo.commonAnnotations, "annotation", (value) =>
    argo.commonAnnotationsEnvsubst ? withVariables(value, variables) : value,
  );
  if (annotations.length > 0)
    set("commonAnnotations", added(get("commonAnnotations"), annotations, "annotation", argo.forceCommonAnnotations));
  if (isGiven(argo.namespace)) set("namespace", argo.namespace);
  if (argo.patches.length > 0 && kustomization === null && Object.keys(edited).length === 0)
    throw refused("patches need a kustomization that is not empty");
  if (argo.patches.length > 0) set("patches", [...list("patches"), ...argo.patches]);
  const components = argo.components.filter((path) => !argo.ignoreMissingComponents || exists(path));
  if (components.length > 0) {
    const found = components.map(component);
    set("components", [...new Set([...list("components"), ...found])]);
  }
  return edited;
}

/** The texts of an Application's edits in which variables are replaced. */
export function revisionTexts(argo: ArgoKustomize): readonly string[] {
  const annotations = argo.commonAnnotationsEnvsubst ? Object.values(argo.commonAnnotations) : [];
  return [...argo.images, ...Object.values(argo.commonLabels), ...annotations];
}

/** The files that patches name, as paths from the folder of the kustomization. */
export function patchFiles({ patches }: ArgoKustomize): readonly string[] {
  return patches.flatMap((patch) => {
    const path = fieldOf(patch, "path");
    return typeof path === "string" && path !== "" ? [path] : [];
  });
}

/** kustomize would also expand patterns. They are not supported, because no known repository uses them. */
function component(path: string): string {
  if (WILDCARD.test(path)) throw refused(`its component '${path}' is a pattern, which rollstamp does not support`);
  return argument(path);
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

function listOf(value: Json | undefined, field: string): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw refused(`'${field}' of the kustomization must be a list`);
}

/** An argument of kustomize. With a leading dash, it would be an option. */
function argument(word: string): string {
  if (word.startsWith("-")) throw refused(`'${word}' begins with a dash, so kustomize would read it as an option`);
  return word;
}

function editedReplicas(existing: readonly Json[], given: ArgoKustomize["replicas"]): Json {
  const byName = new Map<string, Json>();
  for (const { name, count } of given) {
    if (!/^[+-]?\d+$/u.test(count)) throw refused(`the number of replicas of '${name}' must be a number`);
    if (name.includes("=")) throw refused(`the name '${name}' in replicas contains an equals sign`);
    byName.set(argument(name), { name, count: Number(count) });
  }
  for (const entry of existing) {
    const name = nameOf(entry);
    if (!byName.has(name)) byName.set(name, entry);
  }
  return inOrder(byName);
}

/** Parses `key:value` like `kustomize edit add`: the key ends at the first colon, and quotes around the rest are removed. */
function pairs(
  entries: Readonly<Record<string, string>>,
  what: string,
  valueOf: (value: string) => string,
): readonly (readonly [string, string])[] {
  return Object.entries(entries).map(([name, value]) => {
    const text = argument(`${name}:${valueOf(value)}`);
    const end = text.indexOf(":");
    if (end === 0) throw refused(`a common ${what} has no name`);
    return [text.slice(0, end), text.slice(end + 1).replace(/^"([^]*)"$/u, "$1")];
  });
}

function added(
  existing: Json | undefined,
  entries: readonly (readonly [string, string])[],
  what: string,
  isForced: boolean,
): Mapping {
  const all = fieldsOf(existing);
  const twice = entries.find(([key]) => Object.hasOwn(all, key));
  if (twice !== undefined && !isForced)
    throw refused(`the ${what} '${twice[0]}' is already in the kustomization, and forcing is off`);
  return { ...all, ...Object.fromEntries(entries) };
}

/** Adds labels to the first entry with the same settings, else to a new entry. */
function editedLabels(
  existing: readonly Json[],
  entries: readonly (readonly [string, string])[],
  { labelIncludeTemplates, forceCommonLabels }: ArgoKustomize,
): Json {
  const index = existing.findIndex(
    (entry) =>
      isMapping(entry) &&
      foldedGet(entry, "includeselectors") !== true &&
      (foldedGet(entry, "includetemplates") === true) === labelIncludeTemplates,
  );
  const found = existing[index];
  if (found === undefined || !isMapping(found)) {
    const pairsOfOwn = { pairs: Object.fromEntries(entries) };
    return [...existing, labelIncludeTemplates ? { ...pairsOfOwn, includeTemplates: true } : pairsOfOwn];
  }
  const others = Object.entries(found).filter(([key]) => folded(key) !== "pairs");
  const merged = {
    ...Object.fromEntries(others),
    pairs: added(foldedGet(found, "pairs"), entries, "label", forceCommonLabels),
  };
  return existing.toSpliced(index, 1, merged);
}

function refused(why: string): RollstampError {
  return new RollstampError("input", `the edits of its Application fail: ${why}`);
}
