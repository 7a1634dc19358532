import { groupedBy, onceFor } from "../../../base/grouped.ts";
import { objectKey } from "../../../base/identity.ts";
import { appliedJson } from "../../../yaml/read/kubectl-view.ts";
import { getPath, getString, itemsOf, type Json } from "../../../yaml/read/node.ts";
import type { Item } from "../../../yaml/read/items.ts";
import { NONE } from "../../../yaml/read/tree.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { changedKeys, isUnchanged } from "../../../kubernetes/sources/changed-keys.ts";
import type { LintContext, Rendering } from "../context.ts";
import { firstField, problem, type LintRule, type Problem } from "../rule.ts";
import { changedPaths, controllerFields, RENDERED, SOURCES } from "./controller-fields.ts";
import { isSourceKind } from "../../../base/referenced-kinds.ts";

/** The fields of a HelmRelease that refer to the source of its chart, and to objects with values. */
const CHART_REFERENCES = ["spec.chartRef", "spec.chart.spec.sourceRef"];
const VALUES_FROM = "spec.valuesFrom";
const HELM_RELEASE = "HelmRelease";

/** Objects whose controller renders or fetches something else after the change, and whose result was not rendered. */
export const UNRENDERED_VALUES: LintRule<"RS024"> = {
  id: "RS024",
  about: "rollout",
  check: (context) => {
    const { base } = context;
    if (base === undefined) return [];
    const look = { head: lookOf(context, context), base: lookOf(base, context) };
    if (look.head.objects.size === 0 && look.base.objects.size === 0) return [];
    const covered = new Set<Item>();
    return [
      ...changedMakers(context, look, covered),
      ...removedMakers(context, look),
      ...changedSources(context, look, covered),
    ];
  },
};

/** Objects that are added or changed. Adds to `covered` the sources that these findings name. */
function changedMakers({ isRendered, whyNot }: LintContext, look: Looks, covered: Set<Item>): Problem<"RS024">[] {
  return look.head.makers.flatMap((item) => {
    if (isRendered?.(item) === true) return [];
    const fields = controllerFields(item);
    const key = keyOf(item, look.head);
    const old = formerOf(item, key, look);
    const finding = (
      change: "added" | "changed",
      changed: readonly string[],
      at: readonly string[],
    ): Problem<"RS024"> =>
      problem(item, firstField(item, ...at), {
        id: "RS024",
        cause: "notRendered",
        params: { object: resourceRef(item), change, changed, ...reasonOf(item, whyNot) },
      });
    // Two renderings may contain different objects; all applications of a repository contain what is applied.
    if (old === undefined) return isRendered === undefined ? [] : [finding("added", [], fields)];
    const differing = fields.filter((field) => pathsIn(old, item, [field]).length > 0);
    const changed = [
      ...pathsIn(old, item, differing),
      ...(item.kind === HELM_RELEASE
        ? [...changedCharts(old, item, look, covered), ...changedValues(old, item, look)]
        : []),
    ];
    return changed.length === 0 ? [] : [finding("changed", changed, [...differing, ...fields])];
  });
}

function reasonOf(item: Item, whyNot: LintContext["whyNot"]): { readonly reason?: string } {
  const reason = whyNot?.(item);
  return reason === undefined ? {} : { reason };
}

/** The same object in the base. If several files use the same name, such as ${APP}, the one that differs the least. */
function formerOf(item: Item, key: string, { base, head }: Looks): Item | undefined {
  const [only, ...others] = base.objects.get(key) ?? [];
  if (others.length === 0 || only === undefined) return only;
  const text = fieldsText(item);
  const unchanged = textsOf(head.objects.get(key) ?? NO_ITEMS);
  const left = [only, ...others].filter((old) => fieldsText(old) === text || !unchanged.has(fieldsText(old)));
  const fields = controllerFields(item);
  const [nearest] = left
    .map((old) => ({ old, differences: pathsIn(old, item, fields).length }))
    .sort((a, b) => a.differences - b.differences);
  return nearest?.old;
}

const NO_ITEMS: readonly Item[] = [];
const textsOf = onceFor((items: readonly Item[]): ReadonlySet<string> => new Set(items.map(fieldsText)));

function removedMakers({ isRendered, whyNot }: LintContext, look: Looks): Problem<"RS024">[] {
  if (isRendered === undefined) return [];
  return look.base.makers.flatMap((item) => {
    if (isRendered(item) || look.head.objects.has(keyOf(item, look.base))) return [];
    const object = resourceRef(item);
    const params = { object, change: "removed", changed: [], ...reasonOf(item, whyNot) } as const;
    return [problem(item, { node: item.node }, { id: "RS024", cause: "notRendered", params })];
  });
}

/** Changed sources of which no finding names a user. */
function changedSources(
  { isRendered, usersOf }: LintContext,
  look: Looks,
  covered: ReadonlySet<Item>,
): Problem<"RS024">[] {
  return look.head.sourceItems.flatMap((item) => {
    const [old] = look.base.objects.get(keyOf(item, look.head)) ?? [];
    if (old === undefined || covered.has(item) || (isRendered?.(item) === true && isRendered(old))) return [];
    const changed = pathsIn(old, item, controllerFields(item));
    if (changed.length === 0) return [];
    const params = { object: resourceRef(item), changed, users: usersOf?.(item) ?? [] };
    return [problem(item, firstField(item, ...controllerFields(item)), { id: "RS024", cause: "source", params })];
  });
}

/** Lookups in one of the two renderings. */
interface Look {
  /** Makers and sources by their keys. */
  readonly objects: ReadonlyMap<string, readonly Item[]>;
  readonly makers: readonly Item[];
  readonly sourceItems: readonly Item[];
  readonly namespaceOf: (item: Item) => string;
  readonly sources: Rendering["sources"];
}

interface Looks {
  readonly base: Look;
  readonly head: Look;
}

function lookOf({ items, sources }: Rendering, { spec }: LintContext): Look {
  const namespaceOf = (item: Item): string => item.namespace || spec.defaultNamespace;
  const makers = items.filter((item) => isIn(RENDERED, item));
  const sourceItems = items.filter((item) => isIn(SOURCES, item));
  return {
    objects: groupedBy([...makers, ...sourceItems], (item) => keyOf(item, { namespaceOf })),
    makers,
    sourceItems,
    namespaceOf,
    sources,
  };
}

function isIn(rows: typeof RENDERED, { group, kind }: Item): boolean {
  return rows.some((row) => row.group === group && row.kind === kind);
}

const fieldsText = onceFor((item: Item): string =>
  JSON.stringify(controllerFields(item).map((field) => valueAt(item, field) ?? null)),
);

function keyOf(item: Item, { namespaceOf }: Pick<Look, "namespaceOf">): string {
  const { group, kind, name } = item;
  return objectKey({ group, kind, namespace: namespaceOf(item), name });
}

/** The paths below the fields where two objects differ. */
function pathsIn(old: Item, item: Item, fields: readonly string[]): string[] {
  return changedPaths(
    fields,
    (field) => valueAt(old, field),
    (field) => valueAt(item, field),
  );
}

function valueAt(item: Item, field: string): Json | undefined {
  const node = getPath(item.tree, item.node, field.split("."));
  return node === NONE ? undefined : appliedJson(item.tree, node);
}

/** The changes of the chart's source, if it is in the input in both renderings. */
function changedCharts(old: Item, item: Item, look: Looks, covered: Set<Item>): string[] {
  return CHART_REFERENCES.flatMap((field) => {
    const [before, after] = [chartSource(field, old, look.base), chartSource(field, item, look.head)];
    if (before === undefined || after === undefined || before.name !== after.name) return [];
    covered.add(after);
    return pathsIn(before, after, controllerFields(after)).map((path) => `${after.kind} ${after.name}: ${path}`);
  });
}

function chartSource(field: string, item: Item, { sourceItems, namespaceOf }: Look): Item | undefined {
  const node = getPath(item.tree, item.node, field.split("."));
  const kind = getString(item.tree, node, "kind") ?? "";
  const name = getString(item.tree, node, "name") ?? "";
  const namespace = getString(item.tree, node, "namespace") ?? namespaceOf(item);
  return sourceItems.find(
    (source) => source.kind === kind && source.name === name && namespaceOf(source) === namespace,
  );
}

/** The ConfigMaps and Secrets with values whose content differs. */
function changedValues(old: Item, item: Item, look: Looks): string[] {
  return itemsOf(item.tree, getPath(item.tree, item.node, VALUES_FROM.split("."))).flatMap((node) => {
    const kind = getString(item.tree, node, "kind");
    const name = getString(item.tree, node, "name");
    if (!isSourceKind(kind) || name === undefined) return [];
    const [before, after] = [
      look.base.sources.find(kind, look.base.namespaceOf(old), name, old),
      look.head.sources.find(kind, look.head.namespaceOf(item), name, item),
    ];
    if (before === undefined || after === undefined) return [];
    const keys = changedKeys(look.base.sources.entries(before), look.head.sources.entries(after));
    return isUnchanged(keys) ? [] : [`${kind} ${name}`];
  });
}
