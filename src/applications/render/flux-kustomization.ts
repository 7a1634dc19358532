import type { FluxBuild } from "../discover/application.ts";
import { listOf, folded, foldedGet, isMapping, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { RollstampError } from "../../base/errors.ts";
import type { KustomizationEdit } from "../../platform/ports/applications.ts";
import type { Json } from "../../yaml/read/node.ts";

// What a Kustomization makes of the kustomization in its path before it is built (fluxcd/pkg/kustomize, Generator).

const KIND = { apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization" };
/** One of nothing, which kustomize takes. */
const EMPTY: Mapping = { ...KIND, namespace: "_placeholder" };

/** What Flux makes of a kustomization before it is built; of a folder without one it takes what is below. */
export function fluxEdits(build: FluxBuild): {
  readonly edit: KustomizationEdit;
  readonly generate: (resources: readonly string[]) => Json;
} {
  return {
    edit: (kustomization, exists) => fluxKustomization(kustomization, build, exists),
    generate: generatedKustomization,
  };
}

/** The kustomization of a folder that has none: its manifests, and folders below it with a kustomization. */
function generatedKustomization(resources: readonly string[]): Mapping {
  return resources.length === 0 ? EMPTY : { ...KIND, resources: [...resources] };
}

/** A kustomization with what a Flux Kustomization says; `exists` tells what is at a path from its folder. */
function fluxKustomization(given: Json, build: FluxBuild, exists: (path: string) => boolean): Mapping {
  if (given !== null && !isMapping(given)) throw new RollstampError("input", "the kustomization is no mapping");
  const written = given ?? {};
  const changed: { [key: string]: Json } = {};
  // Otherwise kustomize would refuse one that is empty.
  const isEmpty = listOf(foldedGet(written, "resources")).length === 0;
  if (isEmpty && written !== EMPTY) changed["buildMetadata"] = ["originAnnotations"];
  if (build.targetNamespace !== undefined) changed["namespace"] = build.targetNamespace;
  if (build.namePrefix !== undefined) changed["namePrefix"] = build.namePrefix;
  if (build.nameSuffix !== undefined) changed["nameSuffix"] = build.nameSuffix;
  const added = (field: string, more: readonly Json[]): void => {
    if (more.length > 0) changed[field] = [...listOf(foldedGet(written, field.toLowerCase())), ...more];
  };
  added("patches", build.patches.map(patchOf));
  added("components", componentsOf(build, exists));
  if (build.images.length > 0)
    changed["images"] = imagesOf(listOf(foldedGet(written, "images")), build.images.map(fieldsOf));
  const names = new Set(Object.keys(changed).map(folded));
  const kept = Object.entries(written).filter(([key]) => !names.has(folded(key)));
  return { ...Object.fromEntries(kept), ...changed };
}

/** A patch with its target; it is text, never a path. */
function patchOf(given: Json): Json {
  const { patch, target } = fieldsOf(given);
  const selected = Object.entries(fieldsOf(target)).filter(([, value]) => typeof value === "string");
  // With a line break behind it kustomize takes it for no path.
  return { patch: textOrEmpty(patch), ...(isMapping(target) ? { target: Object.fromEntries(selected) } : {}) };
}

/** What IsLocalRelativePath refuses. */
const REMOTE = /^(?:git::|gh:|ssh:\/\/|https?:\/\/|git@|github\.com[:/])./iu;

function componentsOf(
  { components, ignoreMissingComponents }: FluxBuild,
  exists: (path: string) => boolean,
): readonly string[] {
  for (const path of components) {
    if (REMOTE.test(path) || /^(?:file:\/\/)?\//iu.test(path))
      throw new RollstampError("input", `the component '${path}' is no local path`);
  }
  return ignoreMissingComponents ? components.filter(exists) : components;
}

/** Images over those of the kustomization: one of the same name is changed in its place. */
function imagesOf(written: readonly Json[], images: readonly Mapping[]): Json[] {
  const all = written.map((one): { [key: string]: Json } => ({ ...fieldsOf(one) }));
  for (const image of images) {
    const [name, newName, newTag, digest] = ["name", "newName", "newTag", "digest"].map((key) =>
      textOrEmpty(image[key]),
    );
    const known = all.find((one) => textOrEmpty(foldedGet(one, "name")) === name);
    if (known === undefined) {
      const fields = { name, newName, newTag, digest };
      all.push(Object.fromEntries(Object.entries(fields).flatMap(([key, one]) => (one ? [[key, one]] : []))));
      continue;
    }
    if (newName) put(known, "newName", newName);
    if (!newTag && !digest) continue;
    // They are one: a tag takes a digest away.
    put(known, "newTag", newTag ?? "");
    put(known, "digest", digest ?? "");
  }
  return all;
}

function put(mapping: { [key: string]: Json }, key: string, value: string): void {
  for (const one of Object.keys(mapping)) if (folded(one) === folded(key)) delete mapping[one];
  if (value !== "") mapping[key] = value;
}
