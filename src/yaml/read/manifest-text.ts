import { RollstampError } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { isResourceList, readManifests, type Manifests } from "./items.ts";
import { getString, toJson, type Json } from "./node.ts";
import { readTree, type YamlTree } from "./tree.ts";

/** A file with manifests, read and parsed. */
export interface ManifestFile {
  /** As messages and lists show it; `stdin` for standard input. */
  readonly path: string;
  /** The file itself, behind symbolic links; undefined for standard input. */
  readonly real: string | undefined;
  readonly manifests: Manifests;
  /** It was given by itself, not found in a folder. */
  readonly isNamed?: boolean;
  /** What is in the file, where the manifests were read from another text. */
  readonly written?: string;
}

/** True for the name, or the path, of a file in which manifests are looked for: those that kubectl and Argo CD take. */
export function isManifestName(name: string): boolean {
  return /\.(?:yaml|yml|json)$/u.test(name);
}

/** What a file that nobody named turned out to be. */
export type FoundText =
  | { readonly is: "manifests"; readonly manifests: Manifests }
  /** No manifest. */
  | { readonly is: "other" }
  /** What makes manifests, not one. */
  | { readonly is: "template"; readonly problem: string }
  /** It looks like a manifest and can't be read. */
  | { readonly is: "broken"; readonly error: RollstampError };

/** Tells what is in the text of a file that nobody said holds manifests. Never throws for what is in it. */
export function readFoundText(text: string, path: string, limits: Limits): FoundText {
  try {
    const manifests = readManifestText(text, path, limits);
    return manifests === undefined ? { is: "other" } : { is: "manifests", manifests };
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    if (text.includes("{{")) return { is: "template", problem: cause.message };
    return looksLikeManifest(text) ? { is: "broken", error: cause } : { is: "other" };
  }
}

// At the beginning of a line: what a values file or a workflow holds of manifests is indented.
const API_VERSION = /^(?:[-[{,]\s*)*["']?apiVersion["']?\s*:/mu;
const KIND = /^(?:[-[{,]\s*)*["']?kind["']?\s*:/mu;

/** True for a text that has what every manifest has, where a manifest has it. */
export function looksLikeManifest(text: string): boolean {
  if (/^\s*[[{]/u.test(text)) return /["']?apiVersion["']?\s*:/u.test(text) && /["']?kind["']?\s*:/u.test(text);
  return API_VERSION.test(text) && KIND.test(text);
}

/** The manifests in the text of a file that nobody said holds any; undefined where it holds none. */
export function readManifestText(text: string, path: string, limits: Limits): Manifests | undefined {
  // Both words stand in every manifest: what lacks one is none, and need not even be valid YAML.
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
  // A ResourceList in a folder is the input of someone's function, nothing that is applied.
  return tree.documents.some((root) => isObject(root) && !isResourceList(tree, root)) ? readManifests(tree) : undefined;
}

/** True for valid JSON that is no Kubernetes object: our reader is stricter with its white space. */
function isOtherJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/u, ""));
    return !(value !== null && typeof value === "object" && "apiVersion" in value && "kind" in value);
  } catch {
    return false;
  }
}

/** What the first document of a text says; null where there is none. Throws a RollstampError for what can't be read. */
export function firstDocument(text: string, file: string, limits: Limits): Json {
  const tree = readTree(text, file, limits);
  const [root] = tree.documents;
  return root === undefined ? null : toJson(tree, root);
}
