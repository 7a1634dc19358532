import { givenText } from "../discover/objects.ts";
import { RollstampError } from "../../base/errors.ts";
import { namesDirectives } from "../../base/hosts/krm.ts";
import type { Limits } from "../../base/limits.ts";
import { isMapping, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { toJson, type Json } from "../../yaml/read/node.ts";
import { readTree } from "../../yaml/read/tree.ts";
import { isHarmless } from "./harmless-fields.ts";

// What patches of a kustomization may do to objects of Argo CD and Flux. Nothing is patched here: it is only told whether a
// patch keeps to fields that don't matter.

/** Only the rendering tells. */
export class Unclear extends Error {}

/** What a patch says, and of which objects. */
export interface Patch {
  readonly documents: readonly Json[];
  /** Undefined where each document names its object. */
  readonly target: Mapping | undefined;
}

interface Patched {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly isGitOps: boolean;
}

export function readPatch(text: string, { target }: Pick<Patch, "target">, limits: Limits): Patch {
  try {
    const tree = readTree(text, "", limits);
    return { documents: tree.documents.map((node) => toJson(tree, node)), target };
  } catch (cause) {
    if (cause instanceof RollstampError) throw new Unclear();
    throw cause;
  }
}

/** Throws Unclear for a patch that may change more of these than fields that don't matter, and for one that may fail. */
export function changesOnly({ documents, target }: Patch, all: readonly Patched[]): void {
  if (target === undefined) {
    for (const document of documents) ofItsOwn(document, all);
    return;
  }
  const hit = all.filter((one) => mayMean(target, one));
  if (hit.some(({ isGitOps }) => !isGitOps) && !documents.every(leavesIdentity)) throw new Unclear();
  const ofGitOps = hit.filter(({ isGitOps }) => isGitOps);
  if (ofGitOps.length === 0) return;
  const [document, ...more] = documents;
  if (more.length > 0) throw new Unclear();
  for (const { kind } of ofGitOps) keepsTo(document, kind);
}

/** A document that names its object: one that is there, or the build fails. */
function ofItsOwn(document: Json, all: readonly Patched[]): void {
  if (!isMapping(document)) throw new Unclear();
  const apiVersion = textOrEmpty(document["apiVersion"]);
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  const name = textOrEmpty(fieldsOf(document["metadata"])["name"]);
  const meant = all.filter((one) => one.group === group && one.kind === document["kind"] && one.name === name);
  if (meant.length === 0) throw new Unclear();
  for (const { isGitOps, kind } of meant) if (isGitOps) keepsTo(document, kind);
}

/** A target is of regular expressions: one that has more than letters, digits, dots and dashes may mean any. */
function mayMean(target: Mapping, { group, kind, name }: Patched): boolean {
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

/** Only a list of operations may make an object of another kind or name. */
function leavesIdentity(document: Json): boolean {
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

function keepsTo(document: Json | undefined, kind: string): void {
  // What says how lists are merged, or that all goes; and what makes kustomize treat an object otherwise.
  if (/"\$[^"]*":|\.k8s\.io\/|kubernetes\.io\//u.test(JSON.stringify(document ?? null))) throw new Unclear();
  const isFine = Array.isArray(document)
    ? document.every((operation) => keepsOperation(operation, kind))
    : isMapping(document) && keepsFields(document, kind);
  if (!isFine) throw new Unclear();
}

/** Others may fail. */
function keepsOperation(operation: Json, kind: string): boolean {
  const { op, path } = fieldsOf(operation);
  const [, field] = /^\/spec\/(\w+)$/u.exec(textOrEmpty(path)) ?? [];
  return op === "add" && field !== undefined && field !== "values" && isHarmless(kind, field);
}

function keepsFields(document: Mapping, kind: string): boolean {
  return Object.entries(document).every(([key, value]) => {
    if (key === "apiVersion" || key === "kind") return true;
    if (!isMapping(value)) return false;
    if (key === "metadata") return Object.keys(value).every((one) => METADATA.has(one));
    return key === "spec" && Object.entries(value).every(([one, inner]) => keepsField(kind, one, inner));
  });
}

/** What the chart flux-instance is given says with which Kustomization a cluster begins. */
function keepsField(kind: string, field: string, value: Json): boolean {
  return isHarmless(kind, field) && !(field === "values" && (!isMapping(value) || "instance" in value));
}
