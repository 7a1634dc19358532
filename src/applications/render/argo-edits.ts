import type { ArgoKustomize } from "../discover/application.ts";
import { withVariables } from "../discover/argo-variables.ts";
import { RollstampError } from "../../base/errors.ts";
import { folded, foldedGet, isMapping, type Mapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { WILDCARD } from "../../base/glob.ts";
import { editedImages, inOrder, nameOf } from "./edited-images.ts";

// What Argo CD edits into a kustomization before it builds it (util/kustomize/kustomize.go, Build): it runs
// `kustomize edit`, each of which is here what it leaves in the file (kustomize/v5, commands/edit).

/** What an edit knows of the place. */
export interface EditPlace {
  /** What stands at paths from the kustomization's folder. */
  readonly exists: (path: string) => boolean;
  /** The Application's, for `$ARGOCD_APP_NAME` and the like. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A kustomization as Argo CD leaves it for the build. Throws a RollstampError for what `kustomize edit` refuses. */
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

/** The files that an Application's patches name, from the kustomization's folder. */
export function patchFiles({ patches }: ArgoKustomize): readonly string[] {
  return patches.flatMap((patch) => {
    const path = isMapping(patch) ? patch["path"] : undefined;
    return typeof path === "string" && path !== "" ? [path] : [];
  });
}

/** kustomize would also expand patterns, which nobody was seen to use. */
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
  throw refused(`'${field}' of the kustomization is no list`);
}

/** A word of a command line that kustomize reads: with a dash before it, it would be an option. */
function argument(word: string): string {
  if (word.startsWith("-")) throw refused(`'${word}' begins with a dash, which is an option to kustomize`);
  return word;
}

function editedReplicas(own: readonly Json[], given: ArgoKustomize["replicas"]): Json {
  const byName = new Map<string, Json>();
  for (const { name, count } of given) {
    if (!/^[+-]?\d+$/u.test(count)) throw refused(`the count of the replicas of '${name}' is no number`);
    if (name.includes("=")) throw refused(`the name '${name}' of replicas has an equals sign`);
    byName.set(argument(name), { name, count: Number(count) });
  }
  for (const one of own) {
    const name = nameOf(one);
    if (!byName.has(name)) byName.set(name, one);
  }
  return inOrder(byName);
}

/** As `kustomize edit add` reads `key:value`: the key ends at the first colon, and quotes around the rest go. */
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
  own: Json | undefined,
  entries: readonly (readonly [string, string])[],
  what: string,
  isForced: boolean,
): Mapping {
  const all = isMapping(own) ? own : {};
  const twice = entries.find(([key]) => Object.hasOwn(all, key));
  if (twice !== undefined && !isForced)
    throw refused(`the ${what} '${twice[0]}' is in the kustomization already, and nothing forces it`);
  return { ...all, ...Object.fromEntries(entries) };
}

/** Into the first entry with the same settings, else into one of their own. */
function editedLabels(
  own: readonly Json[],
  entries: readonly (readonly [string, string])[],
  { labelIncludeTemplates, forceCommonLabels }: ArgoKustomize,
): Json {
  const at = own.findIndex(
    (one) =>
      isMapping(one) &&
      foldedGet(one, "includeselectors") !== true &&
      (foldedGet(one, "includetemplates") === true) === labelIncludeTemplates,
  );
  const found = own[at];
  if (found === undefined || !isMapping(found)) {
    const pairsOfOwn = { pairs: Object.fromEntries(entries) };
    return [...own, labelIncludeTemplates ? { ...pairsOfOwn, includeTemplates: true } : pairsOfOwn];
  }
  const others = Object.entries(found).filter(([key]) => folded(key) !== "pairs");
  const merged = {
    ...Object.fromEntries(others),
    pairs: added(foldedGet(found, "pairs"), entries, "label", forceCommonLabels),
  };
  return own.toSpliced(at, 1, merged);
}

function refused(why: string): RollstampError {
  return new RollstampError("input", `what its Application edits into the kustomization can't be done: ${why}`);
}
