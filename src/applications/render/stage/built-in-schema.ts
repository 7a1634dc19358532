import { groupOf } from "../../../base/identity.ts";
import { fieldsOf, foldedGet, isMapping, textOrEmpty, type Mapping } from "../../../yaml/read/json.ts";
import type { Json } from "../../../yaml/read/node.ts";
import { kustomizationOf, type KustomizationPatch } from "../../kustomize/kustomization.ts";

// Whether kustomize needs its schema of the kinds of Kubernetes. To merge a patch, it looks up each mapping with an apiVersion
// and a kind (kyaml/yaml/walk, GetSchema), and before the first one it reads the whole schema: nine tenths of the time of a
// small build. The schema only says how lists are merged, and has no custom kinds. Which kinds have no namespace comes from
// a list of its own (kyaml/openapi, precomputedIsNamespaceScoped).

/** What merges look up: nothing, only custom kinds, or perhaps kinds of Kubernetes. */
export type Merged = "nothing" | "custom" | "builtIn";

/** A schema without kinds. */
export const EMPTY_SCHEMA = '{"definitions":{}}';

/** What the merges of a kustomization look up, without those that it includes. `documentsOf` reads a patch. */
export function mergedBy(
  kustomization: Json,
  documentsOf: (patch: KustomizationPatch) => readonly Json[] | undefined,
): Merged {
  if (!isMapping(kustomization)) return "nothing";
  const { patches, plugins, fields } = kustomizationOf(kustomization);
  if (plugins.length > 0 || fields.has("openapi")) return "builtIn";
  let merged: Merged = "nothing";
  for (const patch of patches) {
    const documents = documentsOf(patch);
    // A list is a JSON patch, which merges nothing.
    if (documents?.every(Array.isArray) === true) continue;
    if (documents?.every((document) => isOfCustomKind(document, patch)) !== true) return "builtIn";
    merged = "custom";
  }
  return merged;
}

/** Whether a patch changes only objects of custom kinds. */
function isOfCustomKind(document: Json, { target, options }: KustomizationPatch): boolean {
  if (!isMapping(document) || options !== undefined || holdsBuiltIn(document)) return false;
  const { apiVersion } = document;
  const isCustom = isCustomGroup(groupOf(textOrEmpty(apiVersion)));
  return target === undefined ? isCustom : (apiVersion === undefined || isCustom) && selectsCustom(target);
}

/** The fields of a target are regular expressions for the whole text, and a dot is any character. */
function selectsCustom(target: Mapping): boolean {
  const [group, kind] = ["group", "kind"].map((field) => textOrEmpty(foldedGet(target, field)));
  if (CUSTOM_KINDS.has(kind ?? "")) return true;
  return (
    group !== undefined && group.length > LONGEST_OWN && /^[\w-]+(?:\.[\w-]+)+$/u.test(group) && !/k.s.io$/u.test(group)
  );
}

/** The length of `autoscaling`, the longest group of Kubernetes without a dot. */
const LONGEST_OWN = 11;

/** Kinds that users of Argo CD and Flux patch, without a group in the target. Kubernetes has no kinds of these names. */
const CUSTOM_KINDS: ReadonlySet<string> = new Set([
  "Application",
  "ApplicationSet",
  "AppProject",
  "ExternalSecret",
  "GitRepository",
  "HelmRelease",
  "HelmRepository",
  "Kustomization",
  "OCIRepository",
]);

function isCustomGroup(group: string): boolean {
  return group.includes(".") && !group.endsWith(".k8s.io");
}

/** Whether the text of a file may have a list in a mapping of a kind of Kubernetes, below the object itself. */
export function mayHoldBuiltIn(text: string, documents: () => readonly Json[] | undefined): boolean {
  // In a comment, it names the schema of a field (kyaml/fieldmeta).
  if (text.includes("#/definitions/")) return true;
  // Most files name no other object, and need not be read.
  for (const [, apiVersion = ""] of text.matchAll(INNER))
    if (!isCustomGroup(groupOf(apiVersion))) return documents()?.some(holdsBuiltIn) ?? true;
  return false;
}

/** An apiVersion that is not at the beginning of a line, with a value. */
const INNER = /(?<=[^\n])\bapiVersion["']?[ \t]*:[ \t]*["']?([^\s"',}]+)/gu;

/** Lists of custom kinds are replaced: what is in them is not looked up. */
function holdsBuiltIn(object: Json): boolean {
  return Object.values(fieldsOf(object)).some((value) => {
    if (!isMapping(value)) return false;
    const { apiVersion, kind } = value;
    const isBuiltIn = typeof apiVersion === "string" && typeof kind === "string" && !isCustomGroup(groupOf(apiVersion));
    return (isBuiltIn && hasList(value)) || holdsBuiltIn(value);
  });
}

function hasList(value: Json): boolean {
  return Array.isArray(value) || Object.values(fieldsOf(value)).some(hasList);
}
