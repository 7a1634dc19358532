import { folderOfDependency, ownReleaseName, REQUIREMENTS_FILE } from "../../base/hosts/helm.ts";
import { type Mapping, fieldOf, textOrEmpty } from "../../yaml/read/json.ts";
import type { HelmRender } from "./application.ts";
import { contentOf, includingContent } from "./marked.ts";
import { pathFrom } from "./paths.ts";
import type { Repository } from "./repository.ts";

/** The folders of the local charts (`file://`) that a chart depends on. */
function dependenciesOf(folder: string, content: Mapping, { tree }: Pick<Repository, "tree">): string[] {
  const old =
    content["apiVersion"] === "v1"
      ? contentOf(tree, `${folder === "." ? "" : `${folder}/`}${REQUIREMENTS_FILE}`)
      : undefined;
  const written = [
    content["dependencies"],
    old !== undefined && "content" in old ? old.content["dependencies"] : undefined,
  ];
  return written
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .flatMap((dependency) => {
      const repository = fieldOf(dependency, "repository");
      const way = typeof repository === "string" ? folderOfDependency(repository) : undefined;
      return way === undefined ? [] : (pathFrom(folder, way) ?? []);
    });
}

/**
 * The folders of the charts that another chart depends on. A chart beside a kustomization file belongs to the
 * kustomization: its dependencies count only if a kustomization inflates it.
 */
export function dependencies(repository: Repository, inflated: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const marked of repository.charts.values()) {
    const { folder } = marked;
    const content = includingContent(marked);
    if (repository.kustomizations.has(folder) && !inflated.has(folder)) continue;
    if (content !== undefined) for (const path of dependenciesOf(folder, content, repository)) found.add(path);
  }
  return found;
}

/** Whether a chart is a library, which cannot be installed. */
export function isLibrary(content: Mapping): boolean {
  return content["type"] === "library";
}

/** A chart as `helm template` renders it without values, with its own name as the release name. */
export function plainChart(folder: string, content: Mapping | undefined): HelmRender {
  return {
    by: "helm",
    chart: { in: "repository", folder },
    releaseName: ownReleaseName(textOrEmpty(content?.["name"])),
    values: [],
    parameters: [],
    fileParameters: [],
    skipCrds: false,
    // Helm runs tests only when `helm test` asks for them.
    skipTests: true,
    skipSchemaValidation: false,
    apiVersions: [],
    postRenderers: [],
  };
}
