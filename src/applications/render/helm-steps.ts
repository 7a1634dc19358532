import type { ChartSource, HelmRender } from "../discover/application.ts";
import type { GivenValue } from "../../platform/ports/applications.ts";
import type { Root } from "./closure.ts";
import type { NearLookup } from "./data-objects.ts";
import { postRenders } from "./post-renderers.ts";
import { releaseValues } from "./release-values.ts";
import { unable, type Renderable } from "./step.ts";

/** How a chart is rendered; a release's own namespace goes over that of its application. */
export function helmSteps(render: HelmRender, namespace: string | undefined, data: NearLookup): Renderable {
  const { chart, fileParameters } = render;
  const values = releaseValues(render, data);
  const isHere = chart.in === "repository" || chart.in === "packed";
  const parameterFiles = isHere ? fileParameters.map(({ path }) => path) : [];
  const roots: readonly Root[] = [...rootsOf(chart), { is: "files", paths: [...values.files, ...parameterFiles] }];
  if (chart.in === "git") {
    return unable(`its chart is in another Git repository, which is not fetched: ${chart.repository}`, roots);
  }
  if (!isHere && fileParameters.some((file) => file.in === "repository"))
    return unable("a file of its fileParameters is not in its chart, which is fetched", roots);
  if (values.is === "unknown") return unable(values.because, roots);
  const postRender = postRenders(render.postRenderers, {
    labels: render.flux?.commonLabels ?? {},
    annotations: render.flux?.commonAnnotations ?? {},
  });
  const given = parametersOf(render, namespace, values.set);
  // Those of the folder `crds` are none of what helm-controller has post-rendered.
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
  return { is: "steps", steps: [step], roots, told: values.told, secrets: values.secrets };
}

function rootsOf(chart: ChartSource): readonly Root[] {
  if (chart.in === "repository") return [{ is: "chart", folder: chart.folder }];
  return chart.in === "packed" ? [{ is: "files", paths: [chart.file] }] : [];
}

/** What `cmp` takes as parameters, but for values. */
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
