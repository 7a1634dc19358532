import type { BuiltObject } from "./predict-objects.ts";
import { recovered } from "../../base/errors.ts";
import { namesDirectives } from "../../base/hosts/krm.ts";
import type { Limits } from "../../base/limits.ts";
import { matchesSelector, parseSelector } from "../../base/selector.ts";
import { isMapping, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { kubectlDocuments } from "../../yaml/read/kubectl-view.ts";
import type { Json } from "../../yaml/read/node.ts";

// What patches of a kustomization change in objects of Argo CD and Flux. kustomize has no schema of these kinds: it merges
// mappings and replaces all else (kyaml/yaml/merge2). Fields that do not matter may differ in the rendering.

/** Only the rendering shows the result. */
export class Unpredictable extends Error {}

/** The documents of a patch, and its target. */
interface Patch {
  readonly documents: readonly Json[];
  /** Undefined if each document names its object. */
  readonly target: Mapping | undefined;
  /** Those of the patch in the kustomization. */
  readonly options: Mapping | undefined;
}

type Patched = Pick<BuiltObject, "group" | "kind" | "name" | "formerNames" | "spec" | "metadata">;

/** The documents of a patch. Throws Unpredictable if they cannot be read. */
export function readPatch(text: string, limits: Limits): readonly Json[] {
  return recovered(
    () => kubectlDocuments(text, "", limits),
    () => {
      throw new Unpredictable();
    },
  );
}

/**
 * Patches objects. Throws Unpredictable for a patch that may fail, or whose result is not known here. `isPartial`: patches for
 * objects that are not there are skipped.
 */
export function applyPatch({ documents, target, options }: Patch, all: Patched[], isPartial: boolean): void {
  if (target === undefined) {
    if (options !== undefined) throw new Unpredictable();
    for (const document of documents) patchNamed(document, all, isPartial);
    return;
  }
  const targets = all.filter((object) => isTarget(target, object) !== false);
  const areKept = options === undefined && documents.every(keepsIdentity);
  if (!areKept && targets.some(({ spec }) => spec === undefined)) throw new Unpredictable();
  const gitOps = targets.filter(({ spec }) => spec !== undefined);
  if (gitOps.length === 0) return;
  const [document, ...more] = documents;
  if (more.length > 0) throw new Unpredictable();
  for (const object of gitOps) {
    const isMeant = isTarget(target, object) === true;
    patchObject(document, object, isMeant);
    if (options !== undefined) rename(fieldsOf(document), object, isMeant ? options : undefined);
  }
}

/** Renames a HelmRelease, which no field refers to that matters here. */
function rename({ metadata }: Mapping, object: Patched, options: Mapping | undefined): void {
  const { name } = fieldsOf(metadata);
  const isKnown = options !== undefined && Object.keys(options).every((option) => option === "allowNameChange");
  if (!isKnown || object.kind !== "HelmRelease" || typeof name !== "string") throw new Unpredictable();
  if (options["allowNameChange"] !== true || name === object.name) return;
  object.formerNames.add(object.name);
  object.name = name;
}

/** Patches the object that a document names. If there is no such object, the build fails, unless it is partial. */
function patchNamed(document: Json, all: Patched[], isPartial: boolean): void {
  if (!isMapping(document)) throw new Unpredictable();
  const apiVersion = textOrEmpty(document["apiVersion"]);
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  const name = textOrEmpty(fieldsOf(document["metadata"])["name"]);
  const ofKind = all.filter((one) => one.group === group && one.kind === document["kind"]);
  if (ofKind.some(({ formerNames }) => formerNames.has(name))) throw new Unpredictable();
  const intended = ofKind.filter((one) => one.name === name);
  if (intended.length === 0 && !isPartial) throw new Unpredictable();
  // A partial build also compares namespaces and versions.
  const isMeant = intended.length === 1 && !isPartial;
  if (isMeant && document["$patch"] === "delete") {
    if (!Object.keys(document).every((field) => DELETION.has(field))) throw new Unpredictable();
    all.splice(
      all.findIndex((object) => object === intended[0]),
      1,
    );
    return;
  }
  for (const object of intended) if (object.spec !== undefined) patchObject(document, object, isMeant);
}

/** Whether a target selects an object; undefined if only kustomize knows. */
function isTarget(target: Mapping, { group, kind, name, formerNames, metadata }: Patched): boolean | undefined {
  const answers = Object.entries(target).map(([field, value]): boolean | undefined => {
    const text = textOrEmpty(value);
    if (text === "") return true;
    if (field === "group") return isMatch(text, group);
    if (field === "kind") return isMatch(text, kind);
    // kustomize also compares the first name.
    if (field === "name")
      return [...formerNames].every((one) => isMatch(text, one) === false) ? isMatch(text, name) : undefined;
    const selected = { annotationSelector: "annotations", labelSelector: "labels" }[field];
    const selector = selected === undefined ? undefined : parseSelector(text);
    if (selected === undefined || selector === undefined || metadata === undefined) return undefined;
    const entries = Object.entries(fieldsOf(metadata[selected]));
    // kustomize selects by the text of other values, and a null in a patch deletes.
    if (!entries.every((entry): entry is [string, string] => typeof entry[1] === "string")) return undefined;
    return matchesSelector(selector, new Map(entries));
  });
  if (answers.includes(false)) return false;
  return answers.every((answer) => answer === true) ? true : undefined;
}

/** The fields of a target are regular expressions: one with special characters may match anything. */
function isMatch(pattern: string, text: string): boolean | undefined {
  if (/[^\w.-]/u.test(pattern)) return undefined;
  return pattern.length === text.length && [...pattern].every((one, i) => one === "." || one === text[i]);
}

/** Whether an object keeps its kind and name: only JSON patches can change them. */
function keepsIdentity(document: Json): boolean {
  if (!Array.isArray(document)) return true;
  return document.every((operation) => {
    const { op, path } = fieldsOf(operation);
    return (
      ["add", "replace", "remove", "test"].includes(textOrEmpty(op)) &&
      /^\/(?!kind$|apiVersion$|metadata$|metadata\/(?:name|namespace|annotations)$)./u.test(textOrEmpty(path)) &&
      !namesDirectives(JSON.stringify(operation))
    );
  });
}

/** The fields of a patch that only deletes an object. */
const DELETION: ReadonlySet<string> = new Set(["$patch", "apiVersion", "kind", "metadata"]);

const METADATA: ReadonlySet<string> = new Set(["name", "namespace", "labels", "annotations"]);

/** `isMeant`: whether the object is patched for sure. */
function patchObject(document: Json | undefined, object: Patched, isMeant: boolean): void {
  const { kind } = object;
  const text = JSON.stringify(document ?? null);
  // Directives of merges.
  if (/"\$[^"]*":/u.test(text) || namesDirectives(text)) throw new Unpredictable();
  if (Array.isArray(document)) {
    if (!document.every((operation) => isHarmlessOperation(operation, kind))) throw new Unpredictable();
    return;
  }
  const { apiVersion: _version, kind: _kind, metadata = {}, spec = {}, ...others } = fieldsOf(document);
  const isKnown = isMapping(document) && isMapping(metadata) && isMapping(spec) && Object.keys(others).length === 0;
  if (!isKnown || !Object.keys(metadata).every((field) => METADATA.has(field))) throw new Unpredictable();
  const matters = Object.entries(spec).filter(([field, value]) => !isHarmlessField(kind, field, value));
  // A null deletes.
  if (matters.length > 0 && (!isMeant || /[:[,]null[\]},]/u.test(JSON.stringify(matters)))) throw new Unpredictable();
  object.spec = mergedFields(object.spec ?? {}, spec);
  const isLabelled = "labels" in metadata || "annotations" in metadata;
  object.metadata = isLabelled && !isMeant ? undefined : object.metadata && mergedFields(object.metadata, metadata);
}

/** A value with the changes of a patch. */
function merged(from: Json | undefined, patch: Json): Json {
  if (isMapping(patch) && (from === undefined || isMapping(from))) return mergedFields(from ?? {}, patch);
  // Another type of value, which the build may refuse.
  if (isMapping(patch) || isMapping(from) || (from !== undefined && Array.isArray(from) !== Array.isArray(patch)))
    throw new Unpredictable();
  return patch;
}

function mergedFields(from: Mapping, patch: Mapping): Mapping {
  const fields = new Map(Object.entries(from));
  for (const [key, value] of Object.entries(patch)) fields.set(key, merged(fields.get(key), value));
  return Object.fromEntries(fields);
}

/** Operations other than `add` may fail. */
function isHarmlessOperation(operation: Json, kind: string): boolean {
  const { op, path } = fieldsOf(operation);
  const [, field] = /^\/spec\/(\w+)$/u.exec(textOrEmpty(path)) ?? [];
  return op === "add" && field !== undefined && field !== "values" && isHarmless(kind, field);
}

/** The values of the chart flux-instance define the root Kustomization of a cluster. */
function isHarmlessField(kind: string, field: string, value: Json): boolean {
  return isHarmless(kind, field) && !(field === "values" && (!isMapping(value) || "instance" in value));
}

/**
 * The fields of `spec` that define neither what an application is made from, nor where it is applied, nor its name: how
 * it is applied, and values in the object itself (except for the chart flux-instance).
 */
const HARMLESS: Readonly<Record<string, ReadonlySet<string>>> = {
  HelmRelease: new Set([
    "values",
    "install",
    "upgrade",
    "rollback",
    "uninstall",
    "test",
    "driftDetection",
    "interval",
    "timeout",
    "maxHistory",
    "postRenderers",
    "commonMetadata",
    "suspend",
  ]),
  Kustomization: new Set([
    "interval",
    "retryInterval",
    "timeout",
    "prune",
    "wait",
    "force",
    "deletionPolicy",
    "healthChecks",
    "healthCheckExprs",
    "decryption",
    "suspend",
  ]),
  Application: new Set(["syncPolicy", "ignoreDifferences", "revisionHistoryLimit", "info"]),
};

export function isHarmless(kind: string, field: string): boolean {
  return Object.hasOwn(HARMLESS, kind) && HARMLESS[kind]?.has(field) === true;
}
