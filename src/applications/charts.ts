import { isMapping, type Mapping } from "../manifest/json-keys.ts";
import { pathFrom } from "./paths.ts";
import { contentOf } from "./marked.ts";
import type { Repository } from "./repository.ts";

const REQUIREMENTS = "requirements.yaml";

/** The folders of the charts that a chart takes from beside it, by `file://`. */
function dependenciesOf(folder: string, content: Mapping, { tree }: Pick<Repository, "tree">): string[] {
  const old =
    content["apiVersion"] === "v1"
      ? contentOf(tree, `${folder === "." ? "" : `${folder}/`}${REQUIREMENTS}`)
      : undefined;
  const written = [
    content["dependencies"],
    old !== undefined && "content" in old ? old.content["dependencies"] : undefined,
  ];
  return written
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .flatMap((dependency) => {
      const repository = isMapping(dependency) ? dependency["repository"] : undefined;
      if (typeof repository !== "string" || !repository.startsWith("file://")) return [];
      return pathFrom(folder, repository.slice("file://".length)) ?? [];
    });
}

/** The folders of the charts that another one of the repository depends on. */
export function dependencies(repository: Repository): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { folder, content } of repository.charts.values()) {
    if (content !== undefined) for (const path of dependenciesOf(folder, content, repository)) found.add(path);
  }
  return found;
}

/** True for a chart that is there for others to use, and can't be installed. */
export function isLibrary(content: Mapping): boolean {
  return content["type"] === "library";
}
