import { givenText } from "../discover/objects.ts";
import { RollstampError } from "../../base/errors.ts";
import { namesDirectives } from "../../base/hosts/krm.ts";
import type { Limits } from "../../base/limits.ts";
import { isMapping, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { toJson, type Json } from "../../yaml/read/node.ts";
import { readTree } from "../../yaml/read/tree.ts";

// What patches of a kustomization may change in objects of Argo CD and Flux. Nothing is patched here: the question is only
// whether a patch changes nothing but fields that do not matter.

/** Only the rendering shows the result. */
export class Unpredictable extends Error {}

/** The documents of a patch, and its target. */
interface Patch {
  readonly documents: readonly Json[];
  /** Undefined if each document names its object. */
  readonly target: Mapping | undefined;
}

interface Patched {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly isGitOps: boolean;
}

/** The documents of a patch. Throws Unpredictable if they cannot be read. */
export function readPatch(text: string, limits: Limits): readonly Json[] {
  try {
    const tree = readTree(text, "", limits);
    return tree.documents.map((node) => toJson(tree, node));
  } catch (cause) {
    if (cause instanceof RollstampError) throw new Unpredictable();
    throw cause;
  }
}

/** Throws Unpredictable for a patch that may fail, or that may change a field of these objects that matters. */
export function checkPatch({ documents, target }: Patch, all: readonly Patched[]): void {
  if (target === undefined) {
    for (const document of documents) checkNamed(document, all);
    return;
  }
  const targets = all.filter((object) => mayBeTarget(target, object));
  if (targets.some(({ isGitOps }) => !isGitOps) && !documents.every(keepsIdentity)) throw new Unpredictable();
  const gitOps = targets.filter(({ isGitOps }) => isGitOps);
  if (gitOps.length === 0) return;
  const [document, ...more] = documents;
  if (more.length > 0) throw new Unpredictable();
  for (const { kind } of gitOps) checkHarmless(document, kind);
}

/** Checks a document that names its object. If there is no such object, the build fails. */
function checkNamed(document: Json, all: readonly Patched[]): void {
  if (!isMapping(document)) throw new Unpredictable();
  const apiVersion = textOrEmpty(document["apiVersion"]);
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  const name = textOrEmpty(fieldsOf(document["metadata"])["name"]);
  const meant = all.filter((one) => one.group === group && one.kind === document["kind"] && one.name === name);
  if (meant.length === 0) throw new Unpredictable();
  for (const { isGitOps, kind } of meant) if (isGitOps) checkHarmless(document, kind);
}

/** The fields of a target are regular expressions: one with special characters may match any object. */
function mayBeTarget(target: Mapping, { group, kind, name }: Patched): boolean {
  return (
    mayBe(givenText(target["group"]), group) &&
    mayBe(givenText(target["kind"]), kind) &&
    mayBe(givenText(target["name"]), name)
  );
}

function mayBe(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined || /[^\w.-]/u.test(pattern)) return true;
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

const METADATA: ReadonlySet<string> = new Set(["name", "namespace", "labels", "annotations"]);

function checkHarmless(document: Json | undefined, kind: string): void {
  // Directives of merges, and annotations that control kustomize.
  if (/"\$[^"]*":|\.k8s\.io\/|kubernetes\.io\//u.test(JSON.stringify(document ?? null))) throw new Unpredictable();
  const isFine = Array.isArray(document)
    ? document.every((operation) => isHarmlessOperation(operation, kind))
    : isMapping(document) && hasHarmlessFields(document, kind);
  if (!isFine) throw new Unpredictable();
}

/** Operations other than `add` may fail. */
function isHarmlessOperation(operation: Json, kind: string): boolean {
  const { op, path } = fieldsOf(operation);
  const [, field] = /^\/spec\/(\w+)$/u.exec(textOrEmpty(path)) ?? [];
  return op === "add" && field !== undefined && field !== "values" && isHarmless(kind, field);
}

function hasHarmlessFields(document: Mapping, kind: string): boolean {
  return Object.entries(document).every(([key, value]) => {
    if (key === "apiVersion" || key === "kind") return true;
    if (!isMapping(value)) return false;
    if (key === "metadata") return Object.keys(value).every((one) => METADATA.has(one));
    return key === "spec" && Object.entries(value).every(([one, inner]) => isHarmlessField(kind, one, inner));
  });
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
