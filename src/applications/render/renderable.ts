import { trimmedParts } from "../../base/words.ts";
import { posix } from "node:path";
import { CONFIG_FILE } from "../../base/keys.ts";
import type { OutsidePart } from "../../base/outside.ts";
import { RENDER_YOURSELF } from "../../base/own-rendering.ts";
import type { GivenValue } from "../../platform/ports/applications.ts";
import type { Json } from "../../yaml/read/node.ts";
import type {
  Application,
  ArgoKustomize,
  ChartSource,
  FluxBuild,
  HelmRender,
  KustomizeRender,
  PluginRender,
  Render,
} from "../discover/application.ts";
import { namesIn } from "../discover/argo-variables.ts";
import { isOwnPlugin } from "../discover/stamped-by.ts";
import { patchFiles, revisionTexts } from "./argo-edits.ts";
import type { Root } from "./closure.ts";
import type { DataLookup, NearLookup } from "./data-objects.ts";
import { variablesOf } from "./flux-variables.ts";
import { withoutUserInfo } from "../../base/user-info.ts";
import { postRenders } from "./post-renderers.ts";
import { releaseValues } from "./release-values.ts";
import { type Renderable, type Step, unable } from "./step.ts";

/** How an application is rendered, with the values from objects. The key protects placeholders for values of Secrets. */
export function renderableOf(
  {
    render,
    namespace,
    definedIn: [near] = [],
    path = ".",
  }: Pick<Application, "render" | "namespace"> & Partial<Pick<Application, "definedIn" | "path">>,
  data: DataLookup,
  hmacKey?: Uint8Array,
): Renderable {
  return ofRender(render, namespace, (reference, from) => data(reference, from ?? near ?? path), hmacKey);
}

function ofRender(
  render: Render,
  namespace: string | undefined,
  data: NearLookup,
  hmacKey: Uint8Array | undefined,
): Renderable {
  switch (render.by) {
    case "kustomize":
      return render.flux === undefined ? kustomizeSteps(render) : fluxSteps(render.folder, render.flux, data, hmacKey);
    case "helm":
      return helmSteps(render, namespace, data);
    case "kpt":
    case "files":
      return ofFiles(render.files);
    case "command":
      // It may read anything, at least its folder.
      return {
        is: "steps",
        steps: [{ by: "command", folder: render.folder, command: render.command }],
        roots: [{ is: "folder", folder: render.folder }],
      };
    case "plugin":
      return pluginSteps(render);
    case "outside":
      return { is: "steps", steps: [{ by: "outside", part: render.part, from: render.source, files: [] }], roots: [] };
    case "sources":
      return ofSources(render.sources.map((source) => ofRender(source, namespace, data, hmacKey)));
  }
}

/** Committed manifests. Argo CD would evaluate Jsonnet among them. */
function ofFiles(files: readonly string[]): Renderable {
  const roots = [{ is: "files", paths: files } as const];
  const jsonnet = files.find((file) => file.endsWith(".jsonnet"));
  if (jsonnet === undefined) return { is: "files", files, roots };
  return unable(
    `${jsonnet} is Jsonnet, which Argo CD evaluates and rollstamp does not: commit its output, or ${RENDER_YOURSELF}`,
    roots,
  );
}

/** Several sources, each rendered separately. If one can't be rendered, none is. */
function ofSources(sources: readonly Renderable[]): Renderable {
  const roots = sources.flatMap((source) => source.roots);
  const wrong = sources.find((source) => source.is === "unable");
  if (wrong?.is === "unable") return unable(wrong.because, roots);
  const steps = sources.flatMap((source): readonly Step[] => {
    if (source.is === "steps") return source.steps;
    return source.is === "files" ? [{ by: "files", files: source.files }] : [];
  });
  return { is: "steps", steps, roots };
}

const UNRESTRICTED = "--load-restrictor=LoadRestrictionsNone";

/** How a kustomization is rendered, with the edits of Argo CD if there are any. */
export function kustomizeSteps({ folder, argo, isUnrestricted }: Omit<KustomizeRender, "flux">): Renderable {
  const kustomization: Root = { is: "kustomization", folder };
  const options = ["--enable-helm", ...(isUnrestricted === true ? [UNRESTRICTED] : [])];
  if (argo === undefined) return { is: "steps", steps: [{ by: "kustomize", folder, options }], roots: [kustomization] };
  const roots = [kustomization, ...argoRoots(argo, folder)];
  const versions = [argo.kubeVersion ?? "", ...argo.apiVersions];
  // Any other form would be read as an option.
  if (versions.some((version) => /[\s-]/u.test(version.slice(0, 1)) || /\s/u.test(version)))
    return unable("its kubeVersion or one of its apiVersions is invalid", roots);
  if (argo.kubeVersion !== undefined) options.push(`--helm-kube-version=${argo.kubeVersion}`);
  options.push(...argo.apiVersions.map((version) => `--helm-api-versions=${version}`));
  return { is: "steps", steps: [{ by: "kustomize", folder, options, argo }], roots };
}

/** What the edits of an Application read. */
function argoRoots(argo: ArgoKustomize, folder: string): readonly Root[] {
  const files = patchFiles(argo).map((path) => posix.join(folder, path));
  return [
    ...argo.components.map((path): Root => ({ is: "kustomization", folder: posix.join(folder, path) })),
    ...(files.length === 0 ? [] : [{ is: "files", paths: files } as const]),
    ...(hasRevision(revisionTexts(argo)) ? [{ is: "commit" } as const] : []),
  ];
}

/** How a chart is rendered. The namespace of a release takes precedence over the one of its application. */
export function helmSteps(render: HelmRender, namespace: string | undefined, data: NearLookup): Renderable {
  const { chart, fileParameters } = render;
  const values = releaseValues(render, data);
  const isHere = chart.in === "repository" || chart.in === "packed";
  const parameterFiles = isHere ? fileParameters.map(({ path }) => path) : [];
  const roots: readonly Root[] = [...chartRoots(chart), { is: "files", paths: [...values.files, ...parameterFiles] }];
  const outside = (part: OutsidePart): Renderable => ({
    is: "steps",
    steps: [{ by: "outside", part, from: render, files: values.files }],
    roots,
  });
  if (chart.in === "git") return outside({ is: "gitChart", name: gitChartName(chart) });
  if (values.is === "unknown" && values.part !== undefined) return outside(values.part);
  if (!isHere && fileParameters.some((file) => file.in === "repository"))
    return unable("a file of its fileParameters is in the repository, but its chart is fetched", roots);
  if (values.is === "unknown") return unable(values.because, roots);
  const postRender = postRenders(render.postRenderers, {
    labels: render.flux?.commonLabels ?? {},
    annotations: render.flux?.commonAnnotations ?? {},
  });
  const given = parametersOf(render, namespace, values.set);
  // helm-controller does not post-render the objects of the folder `crds`.
  if (postRender.length > 0) given.set("skip-crds", { string: "true" });
  const step = {
    by: "helm",
    chart,
    given,
    values: values.values,
    ...(values.defaults === undefined ? {} : { defaults: values.defaults }),
    postRender,
    ...(render.environment === undefined ? {} : { environment: render.environment }),
  } as const;
  return { is: "steps", steps: [step], roots, unknownValues: values.unknownValues, secrets: values.secrets };
}

function gitChartName({ repository, path, revision }: Extract<ChartSource, { in: "git" }>): string {
  return withoutUserInfo([path, revision, `of ${repository}`].filter((part) => part !== "").join(" "));
}

function chartRoots(chart: ChartSource): readonly Root[] {
  if (chart.in === "repository") return [{ is: "chart", folder: chart.folder }];
  return chart.in === "packed" ? [{ is: "files", paths: [chart.file] }] : [];
}

/** The parameters of `cmp`, without values. */
function parametersOf(
  render: HelmRender,
  namespace: string | undefined,
  numbers: readonly (readonly [string, string])[],
): Map<string, GivenValue> {
  const { fileParameters, parameters } = render;
  const given = new Map<string, GivenValue>();
  const text = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== "") given.set(name, { string: value });
  };
  const yes = (name: string, value: boolean): void => text(name, value ? "true" : undefined);
  text("release-name", render.releaseName);
  text("release-namespace", render.namespace ?? namespace);
  text("kube-version", render.kubeVersion);
  yes("skip-crds", render.skipCrds);
  yes("skip-tests", render.skipTests);
  yes("skip-schema-validation", render.skipSchemaValidation);
  if (render.apiVersions.length > 0) given.set("api-versions", { array: render.apiVersions });
  const map = (entries: readonly (readonly [string, string])[], name: string): void => {
    if (entries.length > 0) given.set(name, { map: Object.fromEntries(entries) });
  };
  const set = parameters.filter(({ forceString }) => !forceString).map(({ name, value }) => [name, value] as const);
  map([...set, ...numbers], "helm-parameters");
  map(
    parameters.filter(({ forceString }) => forceString).map(({ name, value }) => [name, value]),
    "helm-string-parameters",
  );
  map(
    fileParameters.map(({ name, path }) => [name, `/${path}`]),
    "helm-file-parameters",
  );
  return given;
}

/** How Flux builds a Kustomization: without load restrictions, helm and plugins. */
export function fluxSteps(folder: string, build: FluxBuild, data: NearLookup, hmacKey?: Uint8Array): Renderable {
  const roots = fluxRoots(folder, build);
  const { substitution, commonLabels: labels, commonAnnotations: annotations } = build;
  const found = substitution === undefined ? undefined : variablesOf(build, data, hmacKey);
  if (typeof found === "string") return unable(found, roots);
  const objects = { variables: found?.variables, labels, annotations };
  // Resources keep their order, as in Flux.
  const options = [UNRESTRICTED, "--reorder=none"];
  return {
    is: "steps",
    steps: [{ by: "kustomize", folder, options, flux: { build, objects } }],
    roots: found === undefined || found.files.length === 0 ? roots : [...roots, { is: "files", paths: found.files }],
    unknownValues: found?.unknownValues ?? [],
    secrets: found?.secrets ?? [],
  };
}

/** What a build of Flux reads. */
export function fluxRoots(folder: string, { components }: Pick<FluxBuild, "components">): readonly Root[] {
  const added = components.map((path): Root => ({ is: "kustomization", folder: posix.join(folder, path) }));
  return [{ is: "generated", folder }, ...added];
}

/** How a config-management plugin renders: our plugin like `rollstamp cmp generate`. Other plugins are not supported. */
export function pluginSteps(render: PluginRender): Renderable {
  const { folder, name } = render;
  if (!isOwnPlugin(name)) {
    const which = name === "" ? "a plugin without a name" : `the plugin '${name}'`;
    return unable(
      `Argo CD renders it with ${which}, which does not run here. If it only runs helm or kustomize, set 'render' to that; otherwise ${RENDER_YOURSELF}`,
      [{ is: "folder", folder }],
    );
  }
  const texts = [...render.parameters.flatMap(textsOf), ...render.env.map(({ value }) => value)];
  return {
    is: "steps",
    steps: [{ by: "plugin", folder, plugin: render }],
    roots: [
      { is: "folder", folder },
      // The files decide which of these it is.
      { is: "kustomization", folder },
      { is: "chart", folder },
      { is: "files", paths: [...configFiles(folder), ...texts.flatMap((text) => filesNamed(text, folder))] },
      ...(hasRevision(texts) ? [{ is: "commit" } satisfies Root] : []),
    ],
  };
}

/** Whether a rendering depends on the commit, because texts contain a variable for it. */
function hasRevision(texts: readonly string[]): boolean {
  return texts.flatMap(namesIn).some((name) => name.startsWith("ARGOCD_APP_REVISION"));
}

/** Every place of the configuration file, because the nearest one counts. */
function configFiles(folder: string): readonly string[] {
  const files: string[] = [];
  for (let current = folder; ; current = posix.dirname(current)) {
    files.push(posix.join(current, CONFIG_FILE));
    if (current === "." || current === "/") return files;
  }
}

/** Texts of parameters that may be paths: from the folder, or from the root with a leading slash. Variables use commas. */
function filesNamed(text: string, folder: string): readonly string[] {
  if (text.length > 4096 || /[\r\n\0]/u.test(text)) return [];
  return trimmedParts(text)
    .map((part) => (part.startsWith("/") ? part.replace(/^\/+/u, "") : posix.join(folder, part)))
    .filter((path) => path !== "" && path !== ".." && !path.startsWith("../"));
}

function textsOf(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
