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

// Objects with the values of a chart: their workloads exist only in its rendering. VALUE_CHARTS says which values reach
// the pods.

/** The objects with values. They are stamped only if they have our annotation. */
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

/** Whether an object counts without our annotation: a change of its values rolls out what the chart creates. */
export function isOptedIn(item: Item, kind: Pick<WorkloadKind, "holds">): boolean {
  return kind.holds === undefined || annotationOf(item, STAMP) !== undefined;
}

export type FindChartSource = (kind: string, namespace: string, name: string) => Item | undefined;

/** The group of Flux's objects that name charts. */
export const CHART_SOURCE_GROUP = "source.toolkit.fluxcd.io";

/** The namespace in which a release looks up the sources that its values name. */
export function releaseNamespace(item: Item, holds: ValuesHolder, fallback: string): string {
  const given = getString(item.tree, item.node, ...holds.namespace.split(".")) ?? "";
  return given !== "" ? given : (holds.ownNamespace ? item.namespace : "") || fallback;
}

/** The pods whose annotations the values of an object set, for known charts. */
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

/** The object that names the chart of a release. */
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

/** The names that a chart may have: from the release, and from the object that it references. */
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

/** An OCIRepository has the name at the end of its URL, a HelmChart in its spec. */
const SOURCE_NAMES = [
  ["spec", "url"],
  ["spec", "chart"],
] as const;

/** The name of the Helm release: as written, else as helm-controller and Argo CD derive it. */
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

/** Charts insert the release's name. Other templates stay, and are reported as missing sources. */
function withRelease(reference: Reference, release: string): Reference {
  return reference.name.includes("{{")
    ? { ...reference, name: reference.name.replace(RELEASE_NAME, () => release) }
    : reference;
}
