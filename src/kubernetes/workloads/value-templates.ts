import { posix } from "node:path";
import type { SourceName } from "../../base/names.ts";
import { STAMP } from "../../base/keys.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import { getPath, getString, kindOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { matchPath, type PathMatch } from "./paths.ts";
import { podTemplates } from "./pod-templates.ts";
import type { ReferenceScope } from "./reference-scope.ts";
import type { PodTemplate, Reference, ValuesHolder, WorkloadKind } from "./types.ts";
import { VALUE_CHARTS, type ValueChart } from "./value-charts.ts";

// Objects that hold the values of a chart: the workloads themselves exist in its rendering only. What of the values reaches
// the pods is known for some charts (value-charts.ts).

/** The objects that hold values; stamped only with an annotation of ours that says so. */
export const VALUE_KINDS: readonly WorkloadKind[] = [
  {
    group: "helm.toolkit.fluxcd.io",
    kind: "HelmRelease",
    templates: [],
    rollsBy: "template",
    holds: {
      releases: ["spec"],
      values: "values",
      chart: ["chart.spec.chart"],
      chartRef: "chartRef",
      releaseName: "releaseName",
      namespace: "spec.targetNamespace",
      ownNamespace: true,
    },
  },
  {
    group: "argoproj.io",
    kind: "Application",
    templates: [],
    rollsBy: "template",
    holds: {
      releases: ["spec.source", "spec.sources.*"],
      values: "helm.valuesObject",
      text: "helm.values",
      chart: ["chart", "path"],
      releaseName: "helm.releaseName",
      namespace: "spec.destination.namespace",
      ownNamespace: false,
    },
  },
];

/** True where objects of a kind count only with an annotation of ours: a change of their values rolls what they make. */
export function isOptedIn(item: Item, kind: Pick<WorkloadKind, "holds">): boolean {
  return kind.holds === undefined || annotationOf(item, STAMP) !== undefined;
}

/** Finds an object that a chart comes from. */
export type FindChartSource = (kind: string, namespace: string, name: string) => Item | undefined;

/** The group of the objects that charts of Flux come from. */
export const CHART_SOURCE_GROUP = "source.toolkit.fluxcd.io";

/** The namespace in which a release looks for what its values name. */
export function releaseNamespace(item: Item, holds: ValuesHolder, fallback: string): string {
  const given = getString(item.tree, item.node, ...holds.namespace.split(".")) ?? "";
  return given !== "" ? given : (holds.ownNamespace ? item.namespace : "") || fallback;
}

/** The pods that the values of an object give annotations to, as far as its charts are known. */
export function valueTemplates(
  item: Item,
  holds: ValuesHolder,
  scope: ReferenceScope,
  findSource: FindChartSource,
): PodTemplate[] {
  return releasesOf(item, holds).flatMap((release) => {
    const values = matchPath(item.tree, release.node, holds.values)[0];
    if (values === undefined || kindOf(item.tree, values.node) !== "mapping") return [];
    const chart = chartOf(item, holds, release, values, findSource);
    const name = releaseName(item, holds, release);
    const root = { node: values.node, field: `${release.field}.${values.field}` };
    return (chart?.pods ?? [])
      .flatMap((path) => podTemplates(item, path, scope, root))
      .map((template) => ({
        ...template,
        references: template.references.map((reference) => withRelease(reference, name)),
      }));
  });
}

/** Why the values of a HelmRelease or Application cannot hold stamps. */
export type UnstampedRelease =
  | { readonly cause: "unknownChart"; readonly chart: string }
  | { readonly cause: "missingSource"; readonly source: SourceName }
  | { readonly cause: "stringValues" | "noReferences" };

/** The reason for the first release of an object that cannot hold stamps; undefined if all can. */
export function unstampedRelease(
  item: Item,
  holds: ValuesHolder,
  findSource: FindChartSource,
): UnstampedRelease | undefined {
  for (const release of releasesOf(item, holds)) {
    const values = matchPath(item.tree, release.node, holds.values)[0];
    const isText = holds.text !== undefined && matchPath(item.tree, release.node, holds.text).length > 0;
    if (values === undefined && isText) return { cause: "stringValues" };
    const chart = chartOf(item, holds, release, values, findSource);
    const source = chartSource(item, holds, release);
    const isSourceMissing =
      source !== undefined && findSource(source.kind, source.namespace, source.name) === undefined;
    if (chart === undefined && isSourceMissing) return { cause: "missingSource", source };
    if (chart === undefined)
      return { cause: "unknownChart", chart: chartNames(item, holds, release, findSource)[0] ?? "" };
    if (values === undefined) return { cause: "noReferences" };
  }
  return undefined;
}

/** The object that a chart comes from, as the release names it. */
function chartSource(
  { tree, namespace: own }: Item,
  { chartRef }: ValuesHolder,
  { node }: PathMatch,
): SourceName | undefined {
  const ref = chartRef === undefined ? NONE : getPath(tree, node, chartRef.split("."));
  const [kind = "", namespace = own, name = ""] = ["kind", "namespace", "name"].map((key) => getString(tree, ref, key));
  return kind === "" || name === "" ? undefined : { kind, namespace, name };
}

function releasesOf(item: Item, { releases }: ValuesHolder): PathMatch[] {
  return releases.flatMap((path) => matchPath(item.tree, item.node, path));
}

function chartOf(
  item: Item,
  holds: ValuesHolder,
  release: PathMatch,
  values: PathMatch | undefined,
  findSource: FindChartSource,
): ValueChart | undefined {
  const names = chartNames(item, holds, release, findSource);
  return (
    VALUE_CHARTS.find(({ chart }) => names.includes(chart)) ??
    VALUE_CHARTS.find(
      ({ shape }) => shape !== undefined && values !== undefined && matchPath(item.tree, values.node, shape).length > 0,
    )
  );
}

/** The names that a chart may have: as the release writes it, and of what it comes from. */
function chartNames(item: Item, holds: ValuesHolder, release: PathMatch, findSource: FindChartSource): string[] {
  const { tree } = item;
  const { node } = release;
  const written = holds.chart.map((path) => getString(tree, node, ...path.split(".")));
  const named = chartSource(item, holds, release);
  const source = named === undefined ? undefined : findSource(named.kind, named.namespace, named.name);
  const from = source === undefined ? [] : SOURCE_NAMES.map((path) => getString(source.tree, source.node, ...path));
  return [...written, ...from].flatMap((name) => {
    const last = posix.basename(name ?? "");
    return last === "" ? [] : [last];
  });
}

/** Of an OCIRepository the last step of its address, of a HelmChart its chart. */
const SOURCE_NAMES = [
  ["spec", "url"],
  ["spec", "chart"],
] as const;

/** The name that Helm gives the release: what helm-controller and Argo CD make it from where none is written. */
function releaseName(
  item: Item,
  { releaseName: path, ownNamespace, namespace }: ValuesHolder,
  { node }: PathMatch,
): string {
  const given = getString(item.tree, node, ...path.split(".")) ?? "";
  if (given !== "") return given;
  const target = ownNamespace ? (getString(item.tree, item.node, ...namespace.split(".")) ?? "") : "";
  return target === "" ? item.name : `${target}-${item.name}`;
}

const RELEASE_NAME = /\{\{-?\s*\$?\.Release\.Name\s*-?\}\}/gu;

/** Charts fill the release's name in; any other template's text stays, and is told as a source that isn't there. */
function withRelease(reference: Reference, release: string): Reference {
  return reference.name.includes("{{")
    ? { ...reference, name: reference.name.replace(RELEASE_NAME, () => release) }
    : reference;
}
