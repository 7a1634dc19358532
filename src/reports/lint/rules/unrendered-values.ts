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

/** An object whose controller makes others of a chart or a folder, and the fields that say of what. */
interface Maker {
  readonly group: string;
  readonly kind: string;
  readonly fields: readonly string[];
  /** The fields that name where the chart comes from: an object with `kind`, `name` and perhaps `namespace`. */
  readonly sources: readonly string[];
  /** The list that names ConfigMaps and Secrets with values. */
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

/** Of the objects that charts come from, what says which chart. */
const CHART_SOURCES: Readonly<Record<string, readonly string[]>> = {
  OCIRepository: ["spec.url", "spec.ref"],
  HelmRepository: ["spec.url"],
  HelmChart: ["spec.chart", "spec.version", "spec.sourceRef", "spec.valuesFiles"],
};
const SOURCE_GROUP = "source.toolkit.fluxcd.io";

/** Values of a HelmRelease or an Application that changed, of which nobody has rendered what they make. */
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
      // Of several that files call alike, such as ${APP}, one that has the same fields is the one.
      const old = look.base.alike.get(`${key}${fieldsText(item, maker)}`) ?? look.base.objects.get(key);
      if (old === undefined) return [];
      const fields = maker.fields.filter((field) => changedPaths(old, item, [field]).length > 0);
      const changed = [
        ...changedPaths(old, item, fields),
        ...maker.sources.flatMap((field) => changedSource(field, old, item, look)),
        ...(maker.valuesFrom === undefined ? [] : changedValues(maker.valuesFrom, old, item, look)),
      ];
      if (changed.length === 0) return [];
      const at = firstField(item, ...fields, ...maker.fields);
      return [problem(item, at, { id: "RS024", cause: "notRendered", params: { object: resourceRef(item), changed } })];
    });
  },
};

/** One of the two renderings, as objects are looked up in it. */
interface Look {
  readonly objects: ReadonlyMap<string, Item>;
  /** Those that make others, by what they make these of, too. */
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
      const at = getPath(tree, node, field.split("."));
      return at === NONE ? null : toJson(tree, at);
    }),
  );
}

function keyOf(group: string, kind: string, namespace: string, name: string): string {
  return objectKey({ group, kind, namespace, name });
}

/** The paths below some fields at which two objects differ. */
function changedPaths(old: Item, item: Item, fields: readonly string[]): string[] {
  const found: string[] = [];
  for (const field of fields) compare(valueAt(old, field), valueAt(item, field), field, found);
  return found;
}

function valueAt(item: Item, field: string): Json | undefined {
  const node = getPath(item.tree, item.node, field.split("."));
  return node === NONE ? undefined : toJson(item.tree, node);
}

/** More than anybody reads: a message names the first, and says how many there are up to so many. */
const MOST_PATHS = 100;

function compare(old: Json | undefined, now: Json | undefined, path: string, found: string[]): void {
  if (found.length >= MOST_PATHS) return;
  if (isMapping(old) && isMapping(now)) {
    for (const key of new Set([...Object.keys(now), ...Object.keys(old)])) {
      // Stamps in values are told as those of a workload.
      if (!isOwnKey(key)) compare(old[key], now[key], `${path}.${key}`, found);
    }
  } else if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
    for (const [i, value] of now.entries()) compare(old[i], value, `${path}[${i}]`, found);
  } else if (old !== now) found.push(path);
}

/** What the chart comes from, where it is in the input and says another chart than before. */
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
