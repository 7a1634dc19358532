import type { Limits } from "../../base/limits.ts";
import { readManifests, type Manifests } from "../../yaml/read/items.ts";
import type { Json } from "../../yaml/read/node.ts";
import { readTree } from "../../yaml/read/tree.ts";

/** Objects of the API server as the manifests that all the rest of the program reads; undefined for none. */
export function liveManifests(objects: readonly Json[], name: string, limits: Limits): Manifests | undefined {
  if (objects.length === 0) return undefined;
  const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  return readManifests(readTree(text.replace(REFUSED_BY_YAML, escaped), name, limits));
}

// JSON allows these in a string as they stand; YAML does not, or takes them for line breaks.
const REFUSED_BY_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
