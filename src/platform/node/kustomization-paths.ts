import { isAbsolute, join } from "node:path";
import { quietly, RollstampError } from "../../base/errors.ts";
import type { ApplicationFolder, FolderView } from "../ports/applications.ts";
import { namesIn } from "./generated-resources.ts";
import { outsideOf, type Found } from "./found-in-repository.ts";

// Paths that a kustomization names, and what is wrong with some.

/** What stands at paths from an application's folder; what leads out of the repository is nothing that is there. */
export function folderView({ folder }: ApplicationFolder, find: (path: string) => Found | undefined): FolderView {
  const found = (path: string): Found | undefined => quietly(() => find(pathIn(folder, path)));
  return {
    exists: (path) => found(path) !== undefined,
    namesIn: (path) => {
      const there = found(path);
      return there?.is === "folder" ? namesIn(there.real) : [];
    },
  };
}

/** A path from a folder. Throws a RollstampError for what is none. */
export function pathIn(folder: string, path: string): string {
  // Go takes a NUL, Node throws for it.
  if (isAbsolute(path) || path.includes("\0")) throw outsideOf(path);
  return join(folder, path);
}

/** The error for a plugin's configuration that nobody can read before kustomize does. */
export function pluginsByFolder(path: string, file: string): RollstampError {
  return new RollstampError(
    "input",
    `with plugins a generator, transformer or validator is a file, and '${path}' is none`,
    {
      place: { file },
      remedy: "Name the files of the folder one by one: which programs it would come to can't be known before.",
    },
  );
}

/** The error for a base that would have to be staged twice. */
export function twoNamespaces(file: string): RollstampError {
  return new RollstampError(
    "input",
    "a chart of this kustomization takes its namespace from those that include it, and they have different ones",
    { place: { file }, remedy: "Give the chart a namespace, or make two kustomizations of it." },
  );
}
