import { fieldsOf, isMapping, listOf, textOrEmpty, type Mapping } from "../../yaml/read/json.ts";
import type { ArgoEnvironment, ArgoKustomize, ChartSource, HelmRender, ValuesSource } from "./application.ts";
import { givenText, givenTexts, textsOf } from "./objects.ts";
import { insidePath, pathFrom } from "./paths.ts";
import { shownAddress } from "./remotes.ts";

// The options of helm and kustomize in a source of an Application (reposerver/repository/repository.go, v3.1).

/** The fields of an Application that its sources need. */
export interface ArgoApplication {
  readonly name: string;
  readonly namespace: string;
  readonly project: string;
  readonly destinationNamespace: string | undefined;
  /** The targets of `$name/…` in values files: the root of this repository, or the address of another one. */
  readonly refs: ReadonlyMap<string, { readonly isOwn: boolean; readonly address: string }>;
}

export function environmentOf(
  source: Mapping,
  { name, destinationNamespace, project }: ArgoApplication,
): ArgoEnvironment {
  return {
    name,
    namespace: destinationNamespace ?? "",
    project,
    path: textOrEmpty(source["path"]),
    repoUrl: textOrEmpty(source["repoURL"]),
    targetRevision: textOrEmpty(source["targetRevision"]),
  };
}

export function helmRender(
  helm: Mapping,
  chart: ChartSource,
  application: ArgoApplication,
  environment: ArgoEnvironment,
): HelmRender {
  const optional = helm["ignoreMissingValueFiles"] === true;
  const namespace = givenText(helm["namespace"]) ?? application.destinationNamespace;
  const object = helm["valuesObject"];
  const text = givenText(helm["values"]);
  return {
    by: "helm",
    chart,
    releaseName: givenText(helm["releaseName"]) ?? application.name,
    ...(namespace === undefined ? {} : { namespace }),
    values: [
      ...listOf(helm["valueFiles"]).map((file) => valuesFile(textOrEmpty(file), optional, chart, application)),
      // An object takes precedence over a string.
      ...(isMapping(object)
        ? [{ from: "values", values: object } as const]
        : text === undefined
          ? []
          : [{ from: "text", text } as const]),
    ],
    parameters: listOf(helm["parameters"]).map((one) => {
      const { name, value, forceString } = fieldsOf(one);
      return { name: textOrEmpty(name), value: textOrEmpty(value), forceString: forceString === true };
    }),
    fileParameters: listOf(helm["fileParameters"]).map((one) => {
      const { name, path } = fieldsOf(one);
      const file = valuesFile(textOrEmpty(path), false, chart, application);
      return { name: textOrEmpty(name), in: file.from === "file" ? "repository" : "chart", path: fileOf(file) };
    }),
    skipCrds: helm["skipCrds"] === true,
    skipTests: helm["skipTests"] === true,
    skipSchemaValidation: helm["skipSchemaValidation"] === true,
    ...givenTexts(helm, "kubeVersion"),
    apiVersions: listOf(helm["apiVersions"]).map(textOrEmpty),
    postRenderers: [],
    environment,
  };
}

/** The path of a file, or the address of a file that has none. */
function fileOf(file: ValuesSource): string {
  return file.from === "file" || file.from === "chart" ? file.path : file.from === "address" ? file.address : "";
}

/**
 * A values file: relative to the chart's folder, with a leading slash to the root, with `$name/` to the root of a
 * source.
 */
function valuesFile(file: string, optional: boolean, chart: ChartSource, { refs }: ArgoApplication): ValuesSource {
  if (/^[a-z][a-z0-9+.-]*:\/\//iu.test(file)) return { from: "address", address: file, optional };
  const [, name, rest = ""] = /^\$([A-Za-z0-9_-]+)\/(.*)$/u.exec(file) ?? [];
  const ref = name === undefined ? undefined : refs.get(`$${name}`);
  if (ref !== undefined) {
    const path = insidePath(rest);
    if (ref.isOwn && path !== undefined) return { from: "file", path, optional };
    return { from: "address", address: `${shownAddress(ref.address)}//${rest}`, optional };
  }
  if (chart.in !== "repository") return { from: "chart", path: file, optional };
  const path = file.startsWith("/") ? insidePath(file) : pathFrom(chart.folder, file);
  return path === undefined ? { from: "address", address: file, optional } : { from: "file", path, optional };
}

export function kustomizeOptions(kustomize: Mapping, environment: ArgoEnvironment): ArgoKustomize {
  return {
    ...givenTexts(kustomize, "namePrefix", "nameSuffix", "namespace", "kubeVersion"),
    images: listOf(kustomize["images"]).map(textOrEmpty),
    replicas: listOf(kustomize["replicas"]).map((one) => {
      const { name, count } = fieldsOf(one);
      return { name: textOrEmpty(name), count: typeof count === "object" ? "" : String(count) };
    }),
    components: listOf(kustomize["components"]).map(textOrEmpty),
    ignoreMissingComponents: kustomize["ignoreMissingComponents"] === true,
    patches: listOf(kustomize["patches"]),
    commonLabels: textsOf(kustomize["commonLabels"]),
    forceCommonLabels: kustomize["forceCommonLabels"] === true,
    labelWithoutSelector: kustomize["labelWithoutSelector"] === true,
    labelIncludeTemplates: kustomize["labelIncludeTemplates"] === true,
    commonAnnotations: textsOf(kustomize["commonAnnotations"]),
    forceCommonAnnotations: kustomize["forceCommonAnnotations"] === true,
    commonAnnotationsEnvsubst: kustomize["commonAnnotationsEnvsubst"] === true,
    apiVersions: listOf(kustomize["apiVersions"]).map(textOrEmpty),
    environment,
  };
}
