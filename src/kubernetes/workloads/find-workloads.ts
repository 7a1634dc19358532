import { kindKey, objectKey, groupOf } from "../../base/identity.ts";
import { comparing } from "../../base/limits.ts";
import { addTo, groupedBy, onceFor } from "../../base/grouped.ts";
import { isHelmHook, hasOwnName, type Item } from "../../yaml/read/items.ts";
import { getPath, getString } from "../../yaml/read/node.ts";
import { previousNames } from "../sources/kustomize-names.ts";
import { duplicate } from "../sources/source-index.ts";
import { refuseOverriddenKeys, refuseRepeatedKeys } from "./repeated-keys.ts";
import type { ReferenceScope } from "./reference-scope.ts";
import { trustBundlesIn } from "./trust-bundles.ts";
import { podTemplates } from "./pod-templates.ts";
import {
  CHART_SOURCE_GROUP,
  isOptedIn,
  releaseNamespace,
  valueTemplates,
  type FindChartSource,
} from "./value-templates.ts";
import type { BorrowedTemplate, PodTemplate, Reference, Workload, WorkloadKind } from "./types.ts";

export interface WorkloadOptions {
  readonly defaultNamespace: string;
  /** WORKLOAD_KINDS and the kinds of the configuration. */
  readonly kinds: readonly WorkloadKind[];
}

/** The objects with pod templates, with their references. Throws for duplicate objects. */
export function findWorkloads(items: readonly Item[], options: WorkloadOptions): Workload[] {
  const rows = rowsOf(options.kinds);
  const seen = new Map<string, Item>();
  const workloads: Workload[] = [];
  const spend = comparing("rows of 'workloads' with objects");
  for (const item of items) {
    const all = rows.get(kindKey(item));
    const matching = all?.filter((row) => isOptedIn(item, row)) ?? [];
    const [kind] = matching;
    if (all === undefined || kind === undefined) continue;
    const ownNamespace = item.namespace || options.defaultNamespace;
    const holder = all.find(({ holds }) => holds !== undefined);
    const namespace =
      holder?.holds === undefined ? ownNamespace : releaseNamespace(item, holder.holds, options.defaultNamespace);
    // Hooks are not stamped, and a Job may appear once per phase of a release.
    if (hasOwnName(item) && !isHelmHook(item)) {
      const key = objectKey(item, ownNamespace);
      const first = seen.get(key);
      if (first !== undefined) throw duplicate(first, item);
      seen.set(key, item);
    }
    const scope: ReferenceScope = { tree: item.tree, namespace, trustBundles: () => trustBundlesIn(items) };
    // No built-in kind has as many paths; a configuration can.
    const paths = pathsOf(matching);
    if (paths > FEW_PATHS) spend(paths * STEPS_OF_A_PATH, item.tree.limits);
    const templates = [
      ...matching.flatMap((row) => row.templates.flatMap((path) => podTemplates(item, path, scope))),
      ...matching.flatMap(({ holds }) =>
        holds === undefined ? [] : valueTemplates(item, holds, scope, chartSources(items)),
      ),
    ];
    const workload: Workload = { item, kind, namespace, templates: once(templates), runBy: [] };
    refuseRepeatedKeys(workload);
    refuseOverriddenKeys(workload);
    workloads.push(workload);
  }
  return linkBorrowed(workloads);
}

/** Finds the objects that name charts; indexed once per input. */
export const chartSources: (items: readonly Item[]) => FindChartSource = onceFor((items: readonly Item[]) => {
  const found = new Map<string, Item>();
  for (const item of items) {
    if (item.group === CHART_SOURCE_GROUP)
      found.set(objectKey({ kind: item.kind, namespace: item.namespace, name: item.name }), item);
  }
  return (kind, namespace, name) => found.get(objectKey({ kind, namespace, name }));
});

/** The rows by group and kind; indexed once per list. */
const rowsOf = onceFor((kinds: readonly WorkloadKind[]): ReadonlyMap<string, readonly WorkloadKind[]> =>
  groupedBy(kinds, kindKey),
);

const FEW_PATHS = 200;
/** The cost of matching a path, in comparisons of characters. */
const STEPS_OF_A_PATH = 400;

function pathsOf(rows: readonly WorkloadKind[]): number {
  return rows.reduce(
    (all, row) => all + row.templates.reduce((n, path) => n + 1 + (path.references?.length ?? 0), 0),
    0,
  );
}

/** Merges templates of the same path: a configuration may list a built-in one. */
function once(templates: readonly PodTemplate[]): PodTemplate[] {
  const found = new Map<string, { readonly template: PodTemplate; more?: Reference[]; known?: Set<string> }>();
  for (const template of templates) {
    const first = found.get(template.annotationsField);
    if (first === undefined) {
      found.set(template.annotationsField, { template });
      continue;
    }
    first.more ??= [...first.template.references];
    first.known ??= new Set(first.more.map(({ field }) => field));
    for (const reference of template.references) {
      if (!first.known.has(reference.field)) first.more.push(reference);
    }
    for (const { field } of template.references) first.known.add(field);
  }
  return [...found.values()].map(({ template, more }) =>
    more === undefined ? template : { ...template, references: more },
  );
}

/**
 * Links workloads with those that run their pod template. If an object has several manifests, such as a base and a
 * patch, all are linked.
 */
export function linkBorrowed(workloads: readonly Workload[]): Workload[] {
  if (!workloads.some(({ kind }) => kind.templateOf !== undefined)) return [...workloads];
  const byName = new Map<string, Workload[]>();
  const byPreviousName = new Map<string, Workload[]>();
  for (const workload of workloads) {
    const { item, namespace } = workload;
    const keyOf = (name: string): string => objectKey({ group: item.group, kind: item.kind, name }, namespace);
    addTo(byName, keyOf(item.name), workload);
    for (const name of previousNames(item)) {
      if (!byPreviousName.has(keyOf(name))) byPreviousName.set(keyOf(name), [workload]);
    }
  }
  const borrowed = new Map<Item, BorrowedTemplate>();
  const lists = new Map<readonly Workload[], Item[]>();
  const runners = new Map<Item, (readonly Item[])[]>();
  for (const workload of workloads) {
    const found = borrowedTemplate(
      workload,
      // During kustomize's build, names already have prefixes, but references get them only at the end.
      (key) => byName.get(key) ?? byPreviousName.get(key),
    );
    if (found === undefined) continue;
    borrowed.set(workload.item, found.borrowed);
    // Owners with the same name share a list, so that the size does not grow with their product.
    const list = lists.get(found.owners);
    if (list !== undefined) {
      list.push(workload.item);
      continue;
    }
    const shared = [workload.item];
    lists.set(found.owners, shared);
    for (const { item } of found.owners) addTo(runners, item, shared);
  }
  if (borrowed.size === 0) return [...workloads];
  return workloads.map((workload) => {
    const borrows = borrowed.get(workload.item);
    return {
      ...workload,
      ...(borrows === undefined ? {} : { borrows }),
      runBy: concatenated(runners.get(workload.item)),
    };
  });
}

function concatenated<T>(lists: readonly (readonly T[])[] = []): readonly T[] {
  const [first = []] = lists;
  return lists.length < 2 ? first : lists.flat();
}

function borrowedTemplate(
  workload: Workload,
  find: (key: string) => readonly Workload[] | undefined,
): { readonly borrowed: BorrowedTemplate; readonly owners: readonly Workload[] } | undefined {
  const { item, kind, namespace } = workload;
  if (kind.templateOf === undefined) return undefined;
  const node = getPath(item.tree, item.node, kind.templateOf.split("."));
  const name = getString(item.tree, node, "name");
  const refKind = getString(item.tree, node, "kind");
  if (name === undefined || refKind === undefined) return undefined;
  const group = groupOf(getString(item.tree, node, "apiVersion") ?? "");
  const owners = find(objectKey({ group, kind: refKind, name }, namespace)) ?? [];
  return { borrowed: { kind: refKind, name, field: kind.templateOf, node, item: owners[0]?.item }, owners };
}
