import { posix } from "node:path";
import type { HelmRender } from "../applications/application.ts";
import type { GivenValue } from "../cmp/parameters.ts";
import { jsonText } from "../results/json-text.ts";
import type { Root } from "./closure.ts";
import type { NearLookup } from "./data-objects.ts";
import { unable, type Renderable } from "./step.ts";

/** The values that a chart brings. */
const VALUES_FILE = "values.yaml";

/** How a chart is rendered; a release's own namespace goes over that of its application. */
export function helmSteps(render: HelmRender, namespace: string | undefined, _data: NearLookup): Renderable {
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
