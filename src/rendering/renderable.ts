import { posix } from "node:path";
import type { Application, ArgoKustomize, HelmRender, KustomizeRender, Render } from "../applications/application.ts";
import type { GivenParameters, GivenValue } from "../cmp/parameters.ts";
import { jsonText } from "../results/json-text.ts";
import type { Root } from "./closure.ts";

/** A run of kustomize or helm; folders are from the root of the repository. */
export type Step =
  | { readonly by: "kustomize"; readonly folder: string; readonly options: string }
  | { readonly by: "helm"; readonly folder: string; readonly given: GivenParameters };

/** How an application is rendered, or why it can't be. */
export type Renderable =
  | { readonly is: "steps"; readonly steps: readonly Step[]; readonly roots: readonly Root[] }
  /** Manifests as they stand. */
  | { readonly is: "files"; readonly files: readonly string[]; readonly roots: readonly Root[] }
  | { readonly is: "unable"; readonly because: string; readonly roots: readonly Root[] };

/** How an application is rendered. */
export function renderableOf({ render, namespace }: Pick<Application, "render" | "namespace">): Renderable {
  return ofRender(render, namespace);
}

function ofRender(render: Render, namespace: string | undefined): Renderable {
  switch (render.by) {
    case "kustomize":
      return ofKustomize(render);
    case "helm":
      return ofHelm(render, namespace);
    case "kpt":
    case "files":
      return { is: "files", files: render.files, roots: [{ is: "files", paths: render.files }] };
    case "command":
      return unable("it is rendered by a command, which is not run", [{ is: "folder", folder: render.folder }]);
    case "plugin": {
      const name = render.name === "" ? "a plugin" : `the plugin '${render.name}'`;
      return unable(`it is rendered by ${name} of Argo CD`, [{ is: "folder", folder: render.folder }]);
    }
    case "sources":
      return ofSources(render.sources.map((source) => ofRender(source, namespace)));
  }
}

/** Several sources, each rendered by itself; one that can't be is told for all of them. */
function ofSources(sources: readonly Renderable[]): Renderable {
  const roots = sources.flatMap((source) => source.roots);
  const wrong = sources.find((source) => source.is === "unable");
  if (wrong?.is === "unable") return unable(wrong.because, roots);
  const steps = sources.flatMap((source) => (source.is === "steps" ? source.steps : []));
  const files = sources.flatMap((source) => (source.is === "files" ? source.files : []));
  if (steps.length > 0 && files.length > 0)
    return unable("some of its sources are rendered, and others are manifests as they stand", roots);
  return steps.length > 0 ? { is: "steps", steps, roots } : { is: "files", files, roots };
}

function unable(because: string, roots: readonly Root[] = []): Renderable {
  return { is: "unable", because, roots };
}

function ofKustomize({ folder, argo, flux }: KustomizeRender): Renderable {
  const roots: readonly Root[] = [{ is: "kustomization", folder }];
  const components = (flux ?? argo)?.components ?? [];
  const added = components.map((path): Root => ({ is: "kustomization", folder: posix.join(folder, path) }));
  if (flux !== undefined)
    return unable("what Flux makes of a Kustomization is not rendered", [{ is: "generated", folder }, ...added]);
  if (argo !== undefined && isEdited(argo))
    return unable("what Argo CD edits into a kustomization is not rendered", [...roots, ...added]);
  return { is: "steps", steps: [{ by: "kustomize", folder, options: "--enable-helm" }], roots };
}

/** Whether an Application edits its kustomization: what it tells of itself is no edit. */
function isEdited(argo: ArgoKustomize): boolean {
  return Object.entries(argo).some(([key, value]) => {
    if (key === "environment") return false;
    if (Array.isArray(value)) return value.length > 0;
    if (typeof value === "object") return Object.keys(value).length > 0;
    return value !== undefined && value !== false && value !== "";
  });
}

/** The values that a chart brings. */
const VALUES_FILE = "values.yaml";

function ofHelm(render: HelmRender, namespace: string | undefined): Renderable {
  const { chart, values, fileParameters } = render;
  const files = values.flatMap((value) => (value.from === "file" ? [value.path] : []));
  const named: Root = { is: "files", paths: [...files, ...fileParameters.map(({ path }) => path)] };
  if (chart.in !== "repository") return unable("its chart is not in the repository, and none is fetched", [named]);
  const roots: readonly Root[] = [{ is: "chart", folder: chart.folder }, named];
  const own = values.at(-1);
  const inline = own?.from === "values" ? jsonText(own.values, 0) : own?.from === "text" ? own.text : undefined;
  if (files.length + (inline === undefined ? 0 : 1) < values.length || files.length < values.length - 1)
    return unable("its values come from objects of the cluster, or from addresses", roots);
  // Where its own file is among them, it has the first word or repeats it: both come to the same.
  if (render.flux?.replacesDefaults === true && !files.includes(posix.join(chart.folder, VALUES_FILE)))
    return unable("its valuesFiles stand in the place of the chart's own values, which helm reads all the same", roots);
  if (render.postRenderers.length > 0) return unable("its postRenderers are not rendered", roots);
  const given = new Map<string, GivenValue>();
  const text = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== "") given.set(name, { string: value });
  };
  const yes = (name: string, value: boolean): void => text(name, value ? "true" : undefined);
  text("release-name", render.releaseName);
  text("release-namespace", render.namespace ?? namespace);
  text("kube-version", render.kubeVersion);
  text("helm-values", inline);
  yes("skip-crds", render.skipCrds);
  yes("skip-tests", render.skipTests);
  yes("skip-schema-validation", render.skipSchemaValidation);
  yes(
    "ignore-missing-values-files",
    values.some((value) => value.from === "file" && value.optional),
  );
  if (render.apiVersions.length > 0) given.set("api-versions", { array: render.apiVersions });
  if (files.length > 0) given.set("values-files", { array: files.map((path) => `/${path}`) });
  const map = (entries: readonly (readonly [string, string])[], name: string): void => {
    if (entries.length > 0) given.set(name, { map: Object.fromEntries(entries) });
  };
  map(
    render.parameters.filter(({ forceString }) => !forceString).map(({ name, value }) => [name, value]),
    "helm-parameters",
  );
  map(
    render.parameters.filter(({ forceString }) => forceString).map(({ name, value }) => [name, value]),
    "helm-string-parameters",
  );
  map(
    fileParameters.map(({ name, path }) => [name, `/${path}`]),
    "helm-file-parameters",
  );
  return { is: "steps", steps: [{ by: "helm", folder: chart.folder, given }], roots };
}
