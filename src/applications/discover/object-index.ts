import { addTo } from "../../base/grouped.ts";
import { kustomizationOf } from "../kustomize/kustomization.ts";
import type { Marked } from "./marked.ts";
import { givenText, placeOfObject, type GitOpsObject } from "./objects.ts";
import { listOf, fieldsOf } from "../../yaml/read/json.ts";
import { folderOf, foldersAround } from "./paths.ts";

/** Finds the objects that others reference. */
export interface ObjectIndex {
  /** The namespace of an object, or of the kustomization around it; "" if there is none. */
  readonly namespaceOf: (object: GitOpsObject) => string;
  /** The object of a kind and name: in the namespace if possible, and the one nearest to the file. */
  readonly nearest: (kind: string, name: string, namespace: string, file: string) => GitOpsObject | undefined;
  readonly named: (kind: string, name: string) => readonly GitOpsObject[];
}

/** The artifacts of an ArtifactGenerator are found by their own names. */
export const ARTIFACT = "ExternalArtifact";

/** Indexes each object that is looked up at every folder around it: the first match on the way up from a file is the nearest. */
export function objectIndex(
  objects: readonly GitOpsObject[],
  kustomizations: ReadonlyMap<string, Marked>,
): ObjectIndex {
  const namespaces = new Map<string, string>([["", ""]]);
  const namespaceAt = (folder: string): string => {
    const known = namespaces.get(folder);
    if (known !== undefined) return known;
    const content = kustomizations.get(folder)?.content;
    const given = content === undefined ? "" : kustomizationOf(content).namespace;
    const found = given || (folder === "." ? "" : namespaceAt(folderOf(folder)));
    namespaces.set(folder, found);
    return found;
  };
  const namespaceOf = (object: GitOpsObject): string =>
    object.namespace || (object.shown === undefined ? namespaceAt(folderOf(object.file)) : "");
  const byName = new Map<string, GitOpsObject[]>();
  for (const object of objects) {
    const names =
      object.kind === "ArtifactGenerator"
        ? listOf(object.spec["artifacts"]).flatMap((one) => givenText(fieldsOf(one)["name"]) ?? [])
        : [object.name];
    const kind = object.kind === "ArtifactGenerator" ? ARTIFACT : object.kind;
    for (const name of names) addTo(byName, `${kind}/${name}`, object);
  }
  const placed = new Map<string, ReadonlyMap<string, GitOpsObject>>();
  const placesOf = (what: string, namespace: string | undefined): ReadonlyMap<string, GitOpsObject> => {
    const key = namespace === undefined ? what : `${what}/${namespace}`;
    let known = placed.get(key);
    if (known === undefined) {
      const named = byName.get(what) ?? [];
      const found = namespace === undefined ? named : named.filter((one) => namespaceOf(one) === namespace);
      placed.set(key, (known = byFolder(found)));
    }
    return known;
  };
  const lookUp = (what: string, file: string, namespace?: string): GitOpsObject | undefined => {
    const places = placesOf(what, namespace);
    if (places.size === 0) return undefined;
    for (const folder of foldersAround(file)) {
      const found = places.get(folder);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    namespaceOf,
    nearest: (kind, name, namespace, file) =>
      lookUp(`${kind}/${name}`, file, namespace) ?? lookUp(`${kind}/${name}`, file),
    named: (kind, name) => byName.get(`${kind}/${name}`) ?? [],
  };
}

/** The first object at every folder around it. */
function byFolder(objects: readonly GitOpsObject[]): ReadonlyMap<string, GitOpsObject> {
  const places = new Map<string, GitOpsObject>();
  for (const object of objects)
    for (const folder of foldersAround(placeOfObject(object))) if (!places.has(folder)) places.set(folder, object);
  return places;
}
