import { folderOfDependency } from "../../base/hosts/helm.ts";
import type { Limits } from "../../base/limits.ts";
import { get, getString, itemsOf, kindOf } from "../../yaml/read/node.ts";
import { NONE, readTree } from "../../yaml/read/tree.ts";

export interface ChartDependency {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
}

/** A dependency on another chart of the repository. */
export interface LocalDependency extends ChartDependency {
  /** Relative to the chart. */
  readonly folder: string;
}

/** The local dependencies in the text of a Chart.yaml or requirements.yaml. Throws a RollstampError. */
export function localDependencies(text: string, file: string, limits: Limits): readonly LocalDependency[] {
  return dependenciesIn(text, file, limits).flatMap((dependency) => {
    const folder = folderOfDependency(dependency.repository);
    return folder === undefined ? [] : [{ ...dependency, folder }];
  });
}

/** The dependencies elsewhere. One without a repository is in the folder `charts`. */
export function remoteDependencies(text: string, file: string, limits: Limits): readonly ChartDependency[] {
  return dependenciesIn(text, file, limits).filter(
    ({ repository }) => repository !== "" && folderOfDependency(repository) === undefined,
  );
}

/** The versions in a lock file, by name. */
export function lockedVersions(text: string, file: string, limits: Limits): readonly (readonly [string, string])[] {
  return dependenciesIn(text, file, limits).map(({ name, version }) => [name, version] as const);
}

function dependenciesIn(text: string, file: string, limits: Limits): readonly ChartDependency[] {
  const tree = readTree(text, file, limits);
  const root = tree.documents[0] ?? NONE;
  if (kindOf(tree, root) !== "mapping") return [];
  return itemsOf(tree, get(tree, root, "dependencies")).map((item) => ({
    name: getString(tree, item, "name") ?? "",
    version: getString(tree, item, "version") ?? "",
    repository: getString(tree, item, "repository") ?? "",
  }));
}
