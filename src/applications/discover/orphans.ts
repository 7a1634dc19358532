import { globOf } from "../../base/glob.ts";
import { isMapping, textOrEmpty } from "../../yaml/read/json.ts";
import { readFoundText } from "../../yaml/read/manifest-text.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Application, FoundBy } from "./application.ts";
import { closureOf } from "./kustomizations.ts";
import { isEngineItem, type GitOpsObject } from "./objects.ts";
import type { Repository } from "./repository.ts";

// What nothing deploys, if the repository has objects of Argo CD or Flux (contract, section 8, "What is deployed").

/** Any path. */
export const ANYWHERE = "*";

/** Applications that only their own files define. */
const ALONE: ReadonlySet<FoundBy> = new Set(["Kustomization", "Chart", "Kptfile", "Manifests"]);

/** Objects that lead to applications. */
const LEADING: ReadonlySet<string> = new Set(["Application", "ApplicationSet", "Kustomization", "HelmRelease"]);

/** Whether a repository has objects that lead to applications. */
export function hasLeading({ objects }: Pick<Repository, "objects">): boolean {
  return objects.some(({ kind }) => LEADING.has(kind));
}

/**
 * Tests whether nothing leads to an application. `mayLeadTo` are patterns of paths that something unresolved may lead
 * to.
 */
export function orphans(repository: Repository, mayLeadTo: readonly string[]): (application: Application) => boolean {
  if (!hasLeading(repository)) return () => false;
  const patterns = mayLeadTo.flatMap((pattern) => globOf(pattern, "name") ?? []);
  const leading = repository.objects.filter(({ kind }) => LEADING.has(kind));
  return (application) =>
    ALONE.has(application.foundBy) &&
    !patterns.some((test) => test(application.path)) &&
    !isBootstrap(application, leading, repository);
}

/** Whether it applies objects that lead to others: someone applies it, or those would not exist. */
function isBootstrap(
  { name, path, render }: Application,
  leading: readonly GitOpsObject[],
  repository: Repository,
): boolean {
  if (leading.some(({ shown }) => shown?.by === name)) return true;
  if ("files" in render) return render.files.every((file) => hasEngineObjectsOnly(file, repository));
  const closure = closureOf([path], repository);
  return leading.some(({ file }) => closure.has(file));
}

function hasEngineObjectsOnly(file: string, { tree, objects }: Repository): boolean {
  const read = objects.some((object) => object.file === file) ? tree.read(file) : undefined;
  if (read?.is !== "text") return false;
  const found = readFoundText(read.text, file, tree.limits);
  return found.is === "manifests" && found.manifests.items.every(isEngineItem);
}

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

/** A path with `*` for its variables and templates. */
export function pathPattern(path: string): string {
  const plain = path.replace(/\{\{.*?\}\}|\$\{[^}]*\}|\$\w+/gsu, ANYWHERE);
  return plain.replace(/^(?:\.?\/)+/u, "").replace(/\/+$/u, "") || ".";
}
