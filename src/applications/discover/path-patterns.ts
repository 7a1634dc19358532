import { fieldsOf, isMapping, listOf, textOrEmpty, type Mapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

// Patterns of the paths that objects may lead to which are not resolved here.

/** Any path. */
export const ANYWHERE = "*";

/** Patterns of the paths of the sources in the templates of an ApplicationSet. */
export function templatePaths(spec: Json, key: string = ""): readonly string[] {
  if (Array.isArray(spec)) return spec.flatMap((item) => templatePaths(item, key));
  if (!isMapping(spec)) return [];
  const path = SOURCES.has(key) ? textOrEmpty(spec["path"]) : "";
  return [
    ...(path === "" ? [] : [pathPattern(path)]),
    // A patch may set any path.
    ...(/\bpath\b/u.test(textOrEmpty(spec["templatePatch"])) ? [ANYWHERE] : []),
    ...Object.entries(spec).flatMap(([inner, value]) => templatePaths(value, inner)),
  ];
}

const SOURCES: ReadonlySet<string> = new Set(["source", "sources", "drySource"]);

/** Patterns of the paths of the Kustomizations that a ResourceSet of flux-operator creates. */
export function resourceSetPaths({ resources, resourcesTemplate }: Mapping): readonly string[] {
  if (resourcesTemplate !== undefined) return [ANYWHERE];
  return listOf(resources).flatMap((resource) => {
    const { kind, spec } = fieldsOf(resource);
    return kind === "Kustomization" ? [pathPattern(textOrEmpty(fieldsOf(spec)["path"]))] : [];
  });
}

/** A path with `*` for its variables and templates. */
export function pathPattern(path: string): string {
  const plain = path.replace(/\{\{.*?\}\}|<<.*?>>|\$\{[^}]*\}|\$\w+/gsu, ANYWHERE);
  return plain.replace(/^(?:\.?\/)+/u, "").replace(/\/+$/u, "") || ".";
}
