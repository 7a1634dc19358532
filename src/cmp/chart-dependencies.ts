import { folderOfDependency } from "../ground/hosts/helm.ts";
import type { Limits } from "../ground/limits.ts";
import { get, getString, itemsOf, kindOf } from "../manifest/node.ts";
import { NONE, readTree } from "../manifest/tree.ts";

/** A dependency that is another chart of the repository. */
export interface LocalDependency {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
  /** Its folder, from the chart's. */
  readonly folder: string;
}

/** The dependencies that are charts of the repository, of the text of a Chart.yaml or requirements.yaml. Throws a RollstampError. */
export function localDependencies(text: string, file: string, limits: Limits): readonly LocalDependency[] {
  const tree = readTree(text, file, limits);
  const root = tree.documents[0] ?? NONE;
  if (kindOf(tree, root) !== "mapping") return [];
  return itemsOf(tree, get(tree, root, "dependencies")).flatMap((item) => {
    const repository = getString(tree, item, "repository") ?? "";
    const folder = folderOfDependency(repository);
    if (folder === undefined) return [];
    const [name = "", version = ""] = [getString(tree, item, "name"), getString(tree, item, "version")];
    return { name, version, repository, folder };
  });
}
