import { objectKey } from "../../../base/identity.ts";
import { getPath, getString, itemsOf, toJson, type Json } from "../../../yaml/read/node.ts";
import { isMapping } from "../../../yaml/read/json.ts";
import { isOwnKey } from "../../../base/stamp-keys.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { NONE } from "../../../yaml/read/tree.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { changedKeys, isUnchanged } from "../../../kubernetes/sources/changed-keys.ts";
import type { LintContext, Rendering } from "../context.ts";
import { firstField, problem, type LintRule } from "../rule.ts";

/** An object whose controller renders a chart or a folder, and the fields that select it. */
interface Maker {
  readonly group: string;
  readonly kind: string;
  readonly fields: readonly string[];
  /** The fields that refer to the source of the chart: `kind`, `name` and optionally `namespace`. */
  readonly sources: readonly string[];
  /** The list of ConfigMaps and Secrets with values. */
  readonly valuesFrom?: string;
}

// helm.toolkit.fluxcd.io/v2 and source.toolkit.fluxcd.io/v1 (fluxcd/helm-controller and fluxcd/source-controller, api), and
// Argo CD's pkg/apis/application/v1alpha1.
const MAKERS: readonly Maker[] = [
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
    sources: ["spec.chartRef", "spec.chart.spec.sourceRef"],
    valuesFrom: "spec.valuesFrom",
  },
  {
    group: "argoproj.io",
    kind: "Application",
    fields: ["spec.source", "spec.sources", "spec.sourceHydrator.drySource"],
    sources: [],
  },
];

/** For the objects that charts come from, the fields that select the chart. */
const CHART_SOURCES: Readonly<Record<string, readonly string[]>> = {
  OCIRepository: ["spec.url", "spec.ref"],
  HelmRepository: ["spec.url"],
  HelmChart: ["spec.chart", "spec.version", "spec.sourceRef", "spec.valuesFiles"],
};
const SOURCE_GROUP = "source.toolkit.fluxcd.io";

/** Changed values of a HelmRelease or an Application whose result was not rendered. */
export const UNRENDERED_VALUES: LintRule<"RS024"> = {
  id: "RS024",
  about: "rollout",
  check: (context) => {
    const { items, base, isRendered } = context;
    const made = items.flatMap((item) => {
      const maker = makerOf(item);
      return maker === undefined || isRendered?.(item) === true ? [] : [{ item, maker }];
    });
    if (base === undefined || made.length === 0) return [];
    const look = { head: lookOf(context, context), base: lookOf(base, context) };
    return made.flatMap(({ item, maker }) => {
      const key = keyOf(item.group, item.kind, look.base.namespaceOf(item), item.name);
      // If several files use the same name, such as ${APP}, the one with equal fields is the same object.
      const old = look.base.alike.get(`${key}${fieldsText(item, maker)}`) ?? look.base.objects.get(key);
      if (old === undefined) return [];
      const fields = maker.fields.filter((field) => changedPaths(old, item, [field]).length > 0);
      const changed = [
        ...changedPaths(old, item, fields),
        ...maker.sources.flatMap((field) => changedSource(field, old, item, look)),
        ...(maker.valuesFrom === undefined ? [] : changedValues(maker.valuesFrom, old, item, look)),
      ];
      if (changed.length === 0) return [];
      const place = firstField(item, ...fields, ...maker.fields);
      return [
        problem(item, place, { id: "RS024", cause: "notRendered", params: { object: resourceRef(item), changed } }),
      ];
    });
  },
};

/** Lookups in one of the two renderings. */
interface Look {
  readonly objects: ReadonlyMap<string, Item>;
  /** Makers by their key and their fields. */
  readonly alike: ReadonlyMap<string, Item>;
  readonly namespaceOf: (item: Item) => string;
  readonly sources: Rendering["sources"];
}

interface Looks {
  readonly base: Look;
  readonly head: Look;
}

function lookOf({ items, sources }: Rendering, { spec }: LintContext): Look {
  const namespaceOf = (item: Item): string => item.namespace || spec.defaultNamespace;
  const isWanted = ({ group, kind }: Item): boolean =>
    group === SOURCE_GROUP || MAKERS.some((maker) => maker.group === group && maker.kind === kind);
  const wanted = items.filter(isWanted);
  return {
    objects: new Map(wanted.map((item) => [keyOf(item.group, item.kind, namespaceOf(item), item.name), item])),
    alike: new Map(
      wanted.flatMap((item) => {
        const maker = makerOf(item);
        const key = keyOf(item.group, item.kind, namespaceOf(item), item.name);
        return maker === undefined ? [] : [[`${key}${fieldsText(item, maker)}`, item] as const];
      }),
    ),
    namespaceOf,
    sources,
  };
}

function makerOf(item: Item): Maker | undefined {
  return MAKERS.find(({ group, kind }) => group === item.group && kind === item.kind);
}

function fieldsText({ tree, node }: Item, { fields }: Maker): string {
  return JSON.stringify(
    fields.map((field) => {
      const place = getPath(tree, node, field.split("."));
      return place === NONE ? null : toJson(tree, place);
    }),
  );
}

function keyOf(group: string, kind: string, namespace: string, name: string): string {
  return objectKey({ group, kind, namespace, name });
}

/** The paths below the fields where two objects differ. */
function changedPaths(old: Item, item: Item, fields: readonly string[]): string[] {
  const found: string[] = [];
  for (const field of fields) compare(valueAt(old, field), valueAt(item, field), field, found);
  return found;
}

function valueAt(item: Item, field: string): Json | undefined {
  const node = getPath(item.tree, item.node, field.split("."));
  return node === NONE ? undefined : toJson(item.tree, node);
}

/** Messages name the first paths and count the others up to this number. */
const MOST_PATHS = 100;

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

/** The changes of the chart's source, if it is in the input in both renderings. */
function changedSource(field: string, old: Item, item: Item, look: Looks): string[] {
  const [before, after] = [chartSource(field, old, look.base), chartSource(field, item, look.head)];
  if (before === undefined || after === undefined || before.name !== after.name) return [];
  return changedPaths(before, after, CHART_SOURCES[after.kind] ?? []).map(
    (path) => `${after.kind} ${after.name}: ${path}`,
  );
}

function chartSource(field: string, item: Item, { objects, namespaceOf }: Look): Item | undefined {
  const node = getPath(item.tree, item.node, field.split("."));
  const kind = getString(item.tree, node, "kind") ?? "";
  const name = getString(item.tree, node, "name") ?? "";
  const namespace = getString(item.tree, node, "namespace") ?? namespaceOf(item);
  return objects.get(keyOf(SOURCE_GROUP, kind, namespace, name));
}

/** The ConfigMaps and Secrets with values whose content differs. */
function changedValues(list: string, old: Item, item: Item, look: Looks): string[] {
  return itemsOf(item.tree, getPath(item.tree, item.node, list.split("."))).flatMap((node) => {
    const kind = getString(item.tree, node, "kind");
    const name = getString(item.tree, node, "name");
    if ((kind !== "ConfigMap" && kind !== "Secret") || name === undefined) return [];
    const [before, after] = [
      look.base.sources.find(kind, look.base.namespaceOf(old), name, old),
      look.head.sources.find(kind, look.head.namespaceOf(item), name, item),
    ];
    if (before === undefined || after === undefined) return [];
    const keys = changedKeys(look.base.sources.entries(before), look.head.sources.entries(after));
    return isUnchanged(keys) ? [] : [`${kind} ${name}`];
  });
}
