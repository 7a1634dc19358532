import { posix } from "node:path";
import { globOf } from "../../base/glob.ts";
import { comparing, type Limits } from "../../base/limits.ts";
import { fieldsOf, isMapping, listOf, textOrEmpty, textsOf, type Mapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

// Patterns of paths, for objects whose paths are not resolved here.

/** Any path. */
export const ANYWHERE = "*";

/** Makes tests of paths that share one limit of steps: thousands of patterns may meet thousands of paths. */
export function pathTests(limits: Limits): (patterns: Iterable<string>) => (path: string) => boolean {
  const compared = comparing("paths with those that objects of Argo CD and Flux name");
  const spend = (steps: number): void => compared(steps, limits);
  return (patterns) => {
    const globs = [...new Set(patterns)].flatMap((pattern) => globOf(pattern, "name") ?? []);
    return (path) => globs.some((test) => test(path, spend));
  };
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

/**
 * Patterns of the files of this repository that an ApplicationSet may read: the values files of its sources, and the files of
 * its git generators.
 */
export function filePatterns(spec: Json, isOwnAddress: (address: string) => boolean): readonly string[] {
  if (Array.isArray(spec)) return spec.flatMap((item) => filePatterns(item, isOwnAddress));
  if (!isMapping(spec)) return [];
  const isHere = (from: Mapping): boolean => {
    const address = textOrEmpty(from["repoURL"]);
    return address.includes("{{") || isOwnAddress(address);
  };
  const sources = [spec["source"], ...listOf(spec["sources"])].map(fieldsOf);
  const refs = new Map(sources.map((source) => [textOrEmpty(source["ref"]), source]));
  const values = sources.flatMap((source) =>
    textsOf(fieldsOf(source["helm"])["valueFiles"]).flatMap((file) => {
      const [, ref, path = ""] = /^\$([^/]+)\/(.+)$/u.exec(file) ?? [];
      const from = ref === undefined ? source : refs.get(ref);
      if (from === undefined || !isHere(from)) return [];
      if (ref !== undefined) return [pathPattern(path)];
      const folder = file.startsWith("/") ? "." : pathPattern(textOrEmpty(source["path"]));
      return source["chart"] === undefined ? [posix.join(folder, pathPattern(file))] : [];
    }),
  );
  const git = fieldsOf(spec["git"]);
  const files = isHere(git) ? listOf(git["files"]).map((file) => pathPattern(textOrEmpty(fieldsOf(file)["path"]))) : [];
  return [
    ...[...values, ...files].filter(namesPart),
    ...Object.values(spec).flatMap((value) => filePatterns(value, isOwnAddress)),
  ];
}

/** Whether a pattern names a file or folder: others match anything. */
function namesPart(pattern: string): boolean {
  return pattern.split("/").some((part) => part !== "." && !part.includes(ANYWHERE));
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

/** Patterns of the paths that the text gives as `path`, such as a template of Helm that other values may turn into an Application. */
export function pathsInText(text: string): readonly string[] {
  const paths = [...text.matchAll(/^[ \t-]*path:(.*)$/gmu)].map(([, path = ""]) => path.trim());
  return paths.map((path) => pathPattern(path.replace(/^["']|["']$/gu, ""))).filter(namesPart);
}

/** With more characters, nothing is a path (PATH_MAX of Linux). */
const LONGEST = 4096;

/** A path with `*` for its variables and templates. */
export function pathPattern(path: string): string {
  if (path.length > LONGEST) return ANYWHERE;
  const plain = path.replace(/\{\{.*?\}\}|<<.*?>>|\$\{[^}]*\}|\$\w+/gsu, ANYWHERE);
  return plain.replace(/^(?:\.?\/)+/u, "").replace(/\/+$/u, "") || ".";
}
