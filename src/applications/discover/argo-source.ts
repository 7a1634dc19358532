import { posix } from "node:path";
import { SKIP_MARK } from "../../base/hosts/argocd.ts";
import { quietly } from "../../base/errors.ts";
import { onceFor, onceForText } from "../../base/grouped.ts";
import { comparing, type Limits } from "../../base/limits.ts";
import type { Json } from "../../yaml/read/node.ts";
import { isManifestName, readFoundText } from "../../yaml/read/manifest-text.ts";
import type { ApplicationKind, ChartSource, Render } from "./application.ts";
import { environmentOf, helmRender, kustomizeOptions, type ArgoApplication } from "./argo-options.ts";
import { globOf } from "../../base/glob.ts";
import { mergePatch, givenText } from "./objects.ts";
import { listOf, isMapping, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { insidePath, pathsIn } from "./paths.ts";
import { contentOf } from "./marked.ts";
import { folderHere, inSubmodule, type Repository } from "./repository.ts";
import type { FileRead } from "../../platform/ports/files.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { elsewhere, shownAddress } from "./remotes.ts";
import { argoRevision, otherRevision } from "./source-revisions.ts";

// How Argo CD renders one source of an Application (reposerver/repository/repository.go, v3.1).

export type SourceRender =
  | {
      readonly is: "render";
      readonly render: Render;
      readonly kind: ApplicationKind;
      readonly path: string | undefined;
      readonly taken: readonly string[];
    }
  | {
      readonly is: "elsewhere" | "wrong" | "incomplete";
      readonly reason: string;
      readonly missing?: string;
      readonly pathHere?: string;
    }
  /** It only contains files that other sources name. */
  | { readonly is: "reference" };

export function renderOfSource(written: Mapping, application: ArgoApplication, repository: Repository): SourceRender {
  const given = normalized(written);
  const address = textOrEmpty(given["repoURL"]);
  const chart = givenText(given["chart"]);
  if (chart !== undefined) {
    if (givenText(given["targetRevision"]) === undefined)
      return { is: "incomplete", reason: `its chart ${chart} has no targetRevision, which Argo CD requires` };
    return remoteChart(given, chart, application);
  }
  const ref = givenText(given["ref"]);
  const path = givenText(given["path"]);
  if (ref !== undefined && path === undefined) return { is: "reference" };
  if (!repository.isOwnAddress(address))
    return (
      chartElsewhere(given, application) ??
      elsewhere(address, folderHere(repository, path === undefined ? undefined : insidePath(path)))
    );
  if (path === undefined) return { is: "incomplete", reason: "its source has no path and no chart" };
  const folder = insidePath(path);
  if (folder === undefined || path.startsWith("/"))
    return { is: "wrong", reason: `its path ${JSON.stringify(path)} is not a path in this repository` };
  if (!repository.folders.has(folder)) {
    const submodule = inSubmodule(repository, folder);
    if (submodule !== undefined) return { is: "elsewhere", reason: `its path ${folder} ${submodule}`, missing: folder };
    const other = otherRevision(argoRevision(given));
    const where = repository.isKnown
      ? other === undefined
        ? ""
        : `, whose revision in its source is ${other}`
      : ", and no remote shows whether this is the right repository";
    return {
      is: repository.isKnown && other === undefined ? "wrong" : "elsewhere",
      reason: `its path ${folder} is not in this repository${where}`,
      missing: folder,
    };
  }
  const source = withOverrides(given, folder, application, repository);
  const explicit = (["helm", "kustomize", "directory", "plugin"] as const).filter((tool) => isMapping(source[tool]));
  if (explicit.length > 1)
    return { is: "wrong", reason: `its source has ${explicit.join(" and ")}: Argo CD allows only one of them` };
  const tool = explicit[0] ?? discovered(folder, repository);
  // Of the source itself: the override files do not change it.
  const environment = environmentOf(given, application);
  switch (tool) {
    case "kustomize":
      return {
        is: "render",
        kind: "Kustomize",
        path: folder,
        taken: [folder],
        render: { by: "kustomize", folder, argo: kustomizeOptions(fieldsOf(source["kustomize"]), environment) },
      };
    case "helm":
      return {
        is: "render",
        kind: "Helm",
        path: folder,
        taken: [folder],
        render: helmRender(fieldsOf(source["helm"]), { in: "repository", folder }, application, environment),
      };
    case "plugin": {
      const plugin = fieldsOf(source["plugin"]);
      return {
        is: "render",
        kind: "Files",
        path: folder,
        taken: [folder, ...pathsIn(folder, repository.tree.files)],
        render: {
          by: "plugin",
          folder,
          name: textOrEmpty(plugin["name"]),
          parameters: listOf(plugin["parameters"]),
          env: listOf(plugin["env"]).map((one) => ({
            name: textOrEmpty(fieldsOf(one)["name"]),
            value: textOrEmpty(fieldsOf(one)["value"]),
          })),
          environment,
        },
      };
    }
    case "directory":
      return directory(fieldsOf(source["directory"]), folder, repository);
  }
}

/**
 * A source without empty options. Argo CD removes them first (NormalizeSource of util/argo/argo.go), so that
 * `directory: {recurse: false}` does not make a plain folder of a chart.
 */
function normalized(source: Mapping): Mapping {
  return Object.fromEntries(
    Object.entries(source).filter(([key, value]) => !TOOLS_OF_OPTIONS.has(key) || !isMapping(value) || says(value)),
  );
}

const TOOLS_OF_OPTIONS: ReadonlySet<string> = new Set(["helm", "kustomize", "directory"]);

/** Options of kustomize that only modify others: without those they count as empty. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  "forceCommonLabels",
  "forceCommonAnnotations",
  "labelWithoutSelector",
  "labelIncludeTemplates",
  "commonAnnotationsEnvsubst",
]);

function says(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isMapping(value)) return Object.entries(value).some(([key, one]) => !OF_OTHERS.has(key) && says(one));
  return value !== undefined && value !== null && value !== "" && value !== false;
}

/** Argo CD's discovery by file names: a kustomization file takes precedence. */
function discovered(folder: string, { kustomizations, charts }: Repository): "kustomize" | "helm" | "directory" {
  if (kustomizations.has(folder)) return "kustomize";
  return charts.has(folder) ? "helm" : "directory";
}

/** The source with the overrides in `.argocd-source.yaml` and in the file of the Application beside it. */
function withOverrides(source: Mapping, folder: string, { name }: ArgoApplication, { tree }: Repository): Mapping {
  let merged = source;
  for (const file of [".argocd-source.yaml", `.argocd-source-${name}.yaml`]) {
    const path = folder === "." ? file : `${folder}/${file}`;
    if (tree.read(path).is === "refused") continue;
    const read = contentOf(tree, path);
    if ("content" in read) merged = fieldsOf(mergePatch(merged, read.content));
  }
  return merged;
}

/** A chart of another repository with values files of this one, which a `ref` names: a change of these changes it. */
function chartElsewhere(source: Mapping, application: ArgoApplication): SourceRender | undefined {
  const address = textOrEmpty(source["repoURL"]);
  const revision = textOrEmpty(source["targetRevision"]);
  const path = posix.normalize(textOrEmpty(source["path"]) || ".");
  const [, registry = "", name] = /^(oci:\/\/.+)\/([^/]+)$/u.exec(address) ?? [];
  const from: ChartSource =
    name !== undefined && path === "."
      ? { in: "helm", repository: registry, name, version: revision }
      : { in: "git", repository: shownAddress(address), path, revision };
  const render = helmRender(fieldsOf(source["helm"]), from, application, environmentOf(source, application));
  if (!render.values.some((values) => values.from === "file")) return undefined;
  return { is: "render", kind: "Helm", path: undefined, taken: [], render };
}

function remoteChart(source: Mapping, chart: string, application: ArgoApplication): SourceRender {
  const repository = textOrEmpty(source["repoURL"]);
  const from: ChartSource = {
    in: "helm",
    repository: /^[a-z]+:\/\//u.test(repository) ? repository : `oci://${repository}`,
    name: chart,
    version: textOrEmpty(source["targetRevision"]),
  };
  const render = helmRender(fieldsOf(source["helm"]), from, application, environmentOf(source, application));
  return { is: "render", kind: "Helm", path: undefined, taken: [], render };
}

/** The manifests of a folder. `include` and `exclude` match paths relative to it. */
function directory(options: Mapping, folder: string, { tree }: Repository): SourceRender {
  const patterns = [givenText(options["include"]), givenText(options["exclude"])].map((pattern) =>
    pattern === undefined ? undefined : { pattern, test: globOf(pattern, "argoDirectory") },
  );
  const wrong = patterns.find((pattern) => pattern !== undefined && pattern.test === undefined);
  if (wrong !== undefined) return { is: "wrong", reason: `${JSON.stringify(wrong.pattern)} is not a valid pattern` };
  const [include, exclude] = patterns;
  const { spend, isTaken } = directoriesOf(tree);
  const counted = (steps: number): void => spend(steps, tree.limits);
  const isChosen = (file: string): boolean => {
    const way = posix.relative(folder, file);
    if (options["recurse"] !== true && way.includes("/")) return false;
    if (!isManifestName(file) && !file.endsWith(".jsonnet")) return false;
    return include?.test?.(way, counted) !== false && exclude?.test?.(way, counted) !== true;
  };
  const chosen = quietly(() => pathsIn(folder, tree.files).filter(isChosen));
  if (chosen === undefined)
    return { is: "wrong", reason: "its include and exclude take too many comparisons with paths (--max-comparisons)" };
  const files = chosen.filter((file) => file.endsWith(".jsonnet") || isTaken(file));
  return {
    is: "render",
    kind: "Files",
    path: folder,
    taken: files,
    render: { by: "files", folder, files },
  };
}

/** What Applications of one repository share: the steps of their patterns, and which files are manifests. */
const directoriesOf = onceFor((tree: Snapshot) => ({
  spend: comparing("paths with include and exclude of Applications"),
  isTaken: onceForText((file) => isManifest(tree.read(file), file, tree.limits)),
}));

/** Argo CD skips files with its mark, and YAML that is not a Kubernetes object. */
function isManifest(read: FileRead, file: string, limits: Limits): boolean {
  if (read.is === "refused") return true;
  return !read.text.includes(SKIP_MARK) && readFoundText(read.text, file, limits).is !== "other";
}
