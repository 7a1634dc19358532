import { dirname } from "node:path";
import type { ManifestFile } from "../yaml/read/manifest-text.ts";
import type { Item } from "../yaml/read/items.ts";
import { groupedBy } from "../base/grouped.ts";

/** Files that see each other's sources: everything in the run, each folder by itself, or each file. */
export const SCOPES = ["run", "directory", "file"] as const;
export type Scope = (typeof SCOPES)[number];

/** The files of each scope, in their order. */
export function scopes(files: readonly ManifestFile[], scope: Scope): (readonly ManifestFile[])[] {
  if (scope === "run") return [files];
  return scope === "directory" ? byFolder(files) : files.map((file) => [file]);
}

/**
 * The largest scopes in which no object stands twice: the run, else each folder, else each file. A
 * base and its patches are one object in several files, as are renderings of several environments.
 */
export function scopesWithoutRepeats(
  files: readonly ManifestFile[],
  defaultNamespace: string,
): (readonly ManifestFile[])[] {
  const isSplit = (scope: readonly ManifestFile[]): boolean => scope.length > 1 && hasRepeats(scope, defaultNamespace);
  if (!isSplit(files)) return [files];
  return byFolder(files).flatMap((folder) => (isSplit(folder) ? folder.map((file) => [file]) : [folder]));
}

/** The largest of the scopes in which no object stands twice. */
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
      const key = `${item.group}/${item.kind}/${item.namespace || defaultNamespace}/${item.name}`;
      const first = seen.get(key);
      seen.set(key, first ?? item);
      return first !== undefined && first.tree !== item.tree;
    });
}
