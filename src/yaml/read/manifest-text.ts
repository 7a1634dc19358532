import { RollstampError, recovered } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { isResourceList, readManifests, type Manifests } from "./items.ts";
import { getString, toJson, type Json } from "./node.ts";
import { readTree, type YamlTree } from "./tree.ts";

export interface ManifestFile {
  /** The name for messages and lists; `stdin` for standard input. */
  readonly path: string;
  /** The path without symbolic links; undefined for standard input. */
  readonly real: string | undefined;
  readonly manifests: Manifests;
  /** The user named the file; it was not found in a folder. */
  readonly isNamed?: boolean;
  /** The text of the file, if the manifests were parsed from a different text. */
  readonly written?: string;
}

/** True for the name or path of a file that may contain manifests, as for kubectl and Argo CD. */
export function isManifestName(name: string): boolean {
  return /\.(?:yaml|yml|json)$/u.test(name);
}

/** What a file that was found turned out to be. */
export type FoundText =
  | { readonly is: "manifests"; readonly manifests: Manifests }
  /** Not a manifest. */
  | { readonly is: "other" }
  /** A template that generates manifests. */
  | { readonly is: "template"; readonly problem: string; readonly text: string }
  /** Looks like a manifest and is invalid. */
  | { readonly is: "broken"; readonly error: RollstampError };

/** Classifies the text of a file that was found. Never throws because of its content. */
export function readFoundText(text: string, path: string, limits: Limits): FoundText {
  return recovered(
    (): FoundText => {
      const manifests = readManifestText(text, path, limits);
      return manifests === undefined ? { is: "other" } : { is: "manifests", manifests };
    },
    (error) => {
      if (text.includes("{{")) return { is: "template", problem: error.message, text };
      return looksLikeManifest(text) ? { is: "broken", error } : { is: "other" };
    },
  );
}

// At the beginning of a line: in a values file or a workflow, manifests are indented.
const API_VERSION = /^(?:[-[{,]\s{0,100}){0,20}["']?apiVersion["']?\s*:/mu;
const KIND = /^(?:[-[{,]\s{0,100}){0,20}["']?kind["']?\s*:/mu;

/** True if the text has the fields of a manifest, in the places of a manifest. */
export function looksLikeManifest(text: string): boolean {
  if (/^\s*[[{]/u.test(text)) return /["']?apiVersion["']?\s*:/u.test(text) && /["']?kind["']?\s*:/u.test(text);
  return API_VERSION.test(text) && KIND.test(text);
}

/** The manifests in the text of a file that was found; undefined if it contains none. */
export function readManifestText(text: string, path: string, limits: Limits): Manifests | undefined {
  // Every manifest contains both words. A file without one of them need not be valid YAML.
  if (!text.includes("apiVersion") || !text.includes("kind")) return undefined;
  let tree: YamlTree;
  try {
    tree = readTree(text, path, limits);
  } catch (cause) {
    if (path.endsWith(".json") && isOtherJson(text)) return undefined;
    throw cause;
  }
  const isObject = (root: number): boolean =>
    getString(tree, root, "apiVersion") !== undefined && getString(tree, root, "kind") !== undefined;
  // A ResourceList in a folder is the input of some function and is not applied.
  return tree.documents.some((root) => isObject(root) && !isResourceList(tree, root)) ? readManifests(tree) : undefined;
}

/** True for valid JSON that is not a Kubernetes object. Our reader is stricter about white space. */
function isOtherJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/u, ""));
    return !(value !== null && typeof value === "object" && "apiVersion" in value && "kind" in value);
  } catch {
    return false;
  }
}

/** The values of all documents. Throws a RollstampError for invalid YAML. */
export function readDocuments(text: string, file: string, limits: Limits): readonly Json[] {
  const tree = readTree(text, file, limits);
  return tree.documents.map((root) => toJson(tree, root));
}

/** The value of the first document; null if there is none. Throws a RollstampError for invalid YAML. */
export function firstDocument(text: string, file: string, limits: Limits): Json {
  const tree = readTree(text, file, limits);
  const [root] = tree.documents;
  return root === undefined ? null : toJson(tree, root);
}
