import { isOwnKey } from "../../../base/stamp-keys.ts";
import { isMapping } from "../../../yaml/read/json.ts";
import type { Json } from "../../../yaml/read/node.ts";

// The fields of objects whose controllers render or fetch something: a change of another field does not change what
// is applied. helm.toolkit.fluxcd.io/v2, kustomize.toolkit.fluxcd.io/v1 and source.toolkit.fluxcd.io/v1
// (fluxcd/*-controller, api), and Argo CD's pkg/apis/application/v1alpha1.

interface Row {
  readonly group: string;
  readonly kind: string;
  readonly fields: readonly string[];
}

/** Objects that their controllers render. Those in the table of what is not examined are compared as a whole. */
export const RENDERED: readonly Row[] = [
  {
    group: "helm.toolkit.fluxcd.io",
    kind: "HelmRelease",
    fields: [
      "spec.values",
      "spec.valuesFrom",
      "spec.chart.spec.chart",
      "spec.chart.spec.version",
      "spec.chart.spec.sourceRef",
      "spec.chart.spec.valuesFiles",
      "spec.chartRef",
      "spec.postRenderers",
      "spec.releaseName",
      "spec.targetNamespace",
    ],
  },
  {
    group: "kustomize.toolkit.fluxcd.io",
    kind: "Kustomization",
    fields: [
      "spec.path",
      "spec.sourceRef",
      "spec.targetNamespace",
      "spec.patches",
      "spec.images",
      "spec.components",
      "spec.postBuild",
      "spec.namePrefix",
      "spec.nameSuffix",
      "spec.commonMetadata",
    ],
  },
  {
    group: "argoproj.io",
    kind: "Application",
    fields: ["spec.source", "spec.sources", "spec.sourceHydrator.drySource", "spec.destination.namespace"],
  },
  {
    group: "argoproj.io",
    kind: "ApplicationSet",
    fields: ["spec.generators", "spec.template", "spec.templatePatch", "spec.goTemplate"],
  },
  ...[
    ["fluxcd.controlplane.io", "ResourceSet"],
    ["helm.cattle.io", "HelmChart"],
    ["helm.cattle.io", "HelmChartConfig"],
    ["fleet.cattle.io", "GitRepo"],
    ["kappctrl.k14s.io", "App"],
  ].map(([group = "", kind = ""]) => ({ group, kind, fields: ["spec"] })),
];

const SOURCE_GROUP = "source.toolkit.fluxcd.io";

/** Objects that only fetch something for others. */
export const SOURCES: readonly Row[] = [
  { group: SOURCE_GROUP, kind: "OCIRepository", fields: ["spec.url", "spec.ref", "spec.layerSelector"] },
  {
    group: SOURCE_GROUP,
    kind: "GitRepository",
    fields: ["spec.url", "spec.ref", "spec.ignore", "spec.include", "spec.sparseCheckout"],
  },
  { group: SOURCE_GROUP, kind: "HelmRepository", fields: ["spec.url", "spec.type"] },
  {
    group: SOURCE_GROUP,
    kind: "HelmChart",
    fields: ["spec.chart", "spec.version", "spec.sourceRef", "spec.valuesFiles"],
  },
  { group: SOURCE_GROUP, kind: "Bucket", fields: ["spec.endpoint", "spec.bucketName", "spec.prefix", "spec.ignore"] },
];

/** The fields of an object that decide what is rendered; none for other kinds. */
export function controllerFields({ group, kind }: Omit<Row, "fields">): readonly string[] {
  return [...RENDERED, ...SOURCES].find((row) => row.group === group && row.kind === kind)?.fields ?? [];
}

/** Messages name the first paths and count the others up to this number. */
const MOST_PATHS = 100;

/** The paths below some fields where two objects differ. */
export function changedPaths(
  fields: readonly string[],
  before: (field: string) => Json | undefined,
  after: (field: string) => Json | undefined,
): string[] {
  const found: string[] = [];
  for (const field of fields) compare(before(field), after(field), field, found);
  return found;
}

function compare(old: Json | undefined, now: Json | undefined, path: string, found: string[]): void {
  if (found.length >= MOST_PATHS) return;
  if (isMapping(old) && isMapping(now)) {
    for (const key of new Set([...Object.keys(now), ...Object.keys(old)])) {
      // Stamps in values are reported as those of a workload.
      if (!isOwnKey(key)) compare(old[key], now[key], `${path}.${key}`, found);
    }
  } else if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
    for (const [i, value] of now.entries()) compare(old[i], value, `${path}[${i}]`, found);
  } else if (old !== now) found.push(path);
}
