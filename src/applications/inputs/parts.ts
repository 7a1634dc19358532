import { objectKey } from "../../base/identity.ts";
import { dirname } from "node:path";
import type { ManifestFile } from "../../yaml/read/manifest-text.ts";
import { type Item, placeIn } from "../../yaml/read/items.ts";
import { groupedBy } from "../../base/grouped.ts";
import {
  filesByRoot,
  nearestRoot,
  partsOfRepeats,
  repeatsOf,
  type PartFile,
  type Roots,
  type Twice,
} from "../discover/repeats.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { formatPlace, type Place } from "../../base/errors.ts";
import type { Parts } from "../../stamping/pipeline.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";

/** Files that see each other's sources: all of a run, each folder separately, or each file. */
export const SCOPES = ["all", "directory", "file"] as const;
export type Scope = (typeof SCOPES)[number];

/** The files of each scope, in order. */
export function scopes(files: readonly ManifestFile[], scope: Scope): (readonly ManifestFile[])[] {
  if (scope === "all") return [files];
  return scope === "directory" ? byFolder(files) : files.map((file) => [file]);
}

/**
 * Divides files into the largest scopes without duplicate objects: the run, else each folder, else each file. A base and its
 * patches define an object several times, as do renderings of several environments.
 */
export function scopesWithoutRepeats(
  files: readonly ManifestFile[],
  defaultNamespace: string,
): (readonly ManifestFile[])[] {
  const isSplit = (scope: readonly ManifestFile[]): boolean => scope.length > 1 && hasRepeats(scope, defaultNamespace);
  if (!isSplit(files)) return [files];
  return byFolder(files).flatMap((folder) => (isSplit(folder) ? folder.map((file) => [file]) : [folder]));
}

/** The largest scope without duplicate objects. */
export function scopeWithoutRepeats(files: readonly ManifestFile[], defaultNamespace: string): Scope {
  const found = SCOPES.find((scope) => scopes(files, scope).every((each) => !hasRepeats(each, defaultNamespace)));
  return found ?? "file";
}

function byFolder(files: readonly ManifestFile[]): (readonly ManifestFile[])[] {
  return [...groupedBy(files, ({ path }) => dirname(path)).values()];
}

function hasRepeats(files: readonly ManifestFile[], defaultNamespace: string): boolean {
  const seen = new Map<string, Item>();
  return files
    .flatMap(({ manifests }) => manifests.items)
    .some((item) => {
      const key = objectKey(item, item.namespace || defaultNamespace);
      const first = seen.get(key);
      seen.set(key, first ?? item);
      return first !== undefined && first.tree !== item.tree;
    });
}

/** The scopes of commands that only read: `auto` is the run, divided only if an object is duplicated. */
export type ReadScope = "auto" | Scope;
export const READ_SCOPES: readonly ReadScope[] = ["auto", ...SCOPES];

/** The files of each part, in order. Files in none of the parts are a part of their own, which comes first. */
export function partFiles(files: readonly PartFile[], scope: ReadScope, roots: Roots): Map<string, PartFile[]> {
  return filesByRoot(files, (path) => rootOf(path, scope, roots));
}

function rootOf(path: string, scope: ReadScope, roots: Roots): string {
  switch (scope) {
    case "all":
      return "";
    case "directory":
      return dirname(path);
    case "file":
      return path;
    case "auto":
      return nearestRoot(path, roots);
  }
}

/** The parts of a run. */
export function partsOf(
  files: readonly ManifestFile[],
  scope: ReadScope,
  spec: ConfigHashSpec,
): Parts & { readonly findings: readonly Finding<"duplicate-object">[] } {
  const all = files.map((file) => ({ path: file.path, file }));
  const { roots, repeated, twice } = scope === "auto" ? partsOfRepeats(all, spec) : NO_REPEATS;
  const parts = [...partFiles(all, scope, roots)].map(([root, of]) => ({
    root,
    manifests: of.map(({ file }) => file.manifests),
  }));
  const findings = twice === undefined ? [] : [duplicateObject(twice, [...roots])];
  return { parts, repeats: repeated && repeatsOf([repeated], roots), findings };
}

/** The files of each part of a run that may have duplicate objects. */
export function filesOfParts(files: readonly ManifestFile[], spec: ConfigHashSpec): ManifestFile[][] {
  const all = files.map((file) => ({ path: file.path, file }));
  const { roots } = partsOfRepeats(all, spec);
  return [...partFiles(all, "auto", roots).values()].map((of) => of.map(({ file }) => file));
}

const NO_REPEATS = { roots: new Set<string>(), repeated: undefined, twice: undefined } as const;

/** The finding that a run is divided into parts. */
export function duplicateObject({ first, second, more }: Twice, roots: readonly string[]): Finding<"duplicate-object"> {
  const params = { object: resourceRef(second), first: placeOf(first), second: placeOf(second), more, parts: roots };
  return { id: "duplicate-object", cause: "severalFiles", params, ...locationOf(second, { node: second.node }) };
}

function placeOf(item: Item): string {
  const { column: _, ...at }: Place = placeIn(item, item.node);
  return formatPlace(at);
}
