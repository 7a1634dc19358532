import type { FluxBuild } from "../discover/application.ts";
import { listOf, folded, foldedGet, isMapping, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { RollstampError } from "../../base/errors.ts";
import type { KustomizationEdit } from "../../platform/ports/applications.ts";
import type { Json } from "../../yaml/read/node.ts";

// How a Kustomization of Flux changes the kustomization in its path before the build (fluxcd/pkg/kustomize, Generator).

const KIND = { apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization" };
/** A kustomization without resources that kustomize accepts. */
const EMPTY: Mapping = { ...KIND, namespace: "_placeholder" };

/** The changes of Flux before a build. For a folder without a kustomization, Flux generates one. */
export function fluxEdits(build: FluxBuild): {
  readonly edit: KustomizationEdit;
  readonly generate: (resources: readonly string[]) => Mapping;
} {
  return {
    edit: (kustomization, exists) => fluxKustomization(kustomization, build, exists),
    generate: generatedKustomization,
  };
}

/** The generated kustomization of a folder: its manifests, and the folders below with a kustomization. */
function generatedKustomization(resources: readonly string[]): Mapping {
  return resources.length === 0 ? EMPTY : { ...KIND, resources: [...resources] };
}

/** Adds the fields of a Flux Kustomization; `exists` takes paths from the folder of the kustomization. */
function fluxKustomization(given: Json, build: FluxBuild, exists: (path: string) => boolean): Mapping {
  if (given !== null && !isMapping(given)) throw new RollstampError("input", "the kustomization must be a mapping");
  const written = given ?? {};
  const changed: { [key: string]: Json } = {};
  // kustomize rejects an empty kustomization.
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

/** A patch with its target. The patch is always text, never a path. */
function patchOf(given: Json): Json {
  const { patch, target } = fieldsOf(given);
  const selected = Object.entries(fieldsOf(target)).filter(([, value]) => typeof value === "string");
  // With a line break, kustomize does not read it as a path.
  return { patch: textOrEmpty(patch), ...(isMapping(target) ? { target: Object.fromEntries(selected) } : {}) };
}

/** Paths that IsLocalRelativePath rejects. */
const REMOTE = /^(?:git::|gh:|ssh:\/\/|https?:\/\/|git@|github\.com[:/])./iu;

function componentsOf(
  { components, ignoreMissingComponents }: FluxBuild,
  exists: (path: string) => boolean,
): readonly string[] {
  for (const path of components) {
    if (REMOTE.test(path) || /^(?:file:\/\/)?\//iu.test(path))
      throw new RollstampError("input", `the component '${path}' is not a local path`);
  }
  return ignoreMissingComponents ? components.filter(exists) : components;
}

/** Merges images into those of the kustomization. An image with the same name is changed in place. */
function imagesOf(written: readonly Json[], images: readonly Mapping[]): Json[] {
  const all = written.map((entry): { [key: string]: Json } => ({ ...fieldsOf(entry) }));
  for (const image of images) {
    const [name, newName, newTag, digest] = ["name", "newName", "newTag", "digest"].map((key) =>
      textOrEmpty(image[key]),
    );
    const known = all.find((entry) => textOrEmpty(foldedGet(entry, "name")) === name);
    if (known === undefined) {
      const fields = { name, newName, newTag, digest };
      all.push(Object.fromEntries(Object.entries(fields).flatMap(([key, entry]) => (entry ? [[key, entry]] : []))));
      continue;
    }
    if (newName) put(known, "newName", newName);
    if (!newTag && !digest) continue;
    // Setting one of them removes the other.
    put(known, "newTag", newTag ?? "");
    put(known, "digest", digest ?? "");
  }
  return all;
}

function put(mapping: { [key: string]: Json }, key: string, value: string): void {
  for (const entry of Object.keys(mapping)) if (folded(entry) === folded(key)) delete mapping[entry];
  if (value !== "") mapping[key] = value;
}
