import type { Item } from "../manifest/items.ts";
import { itemsOf, kindOf, stringOf } from "../manifest/node.ts";
import { duplicate } from "../sources/source-index.ts";
import { matchPath, type PathMatch } from "./paths.ts";
import { containersReferences, envReferences, podSpecReferences, volumesReferences, type ReferenceScope } from "./references.ts";
import type { PodTemplate, PodTemplatePath, Reference, ReferencePath, Workload, WorkloadKind } from "./types.ts";

export interface WorkloadOptions {
  readonly defaultNamespace: string;
  /** The rows to look for: WORKLOAD_KINDS and those of the configuration. */
  readonly kinds: readonly WorkloadKind[];
}

/** The objects that have pod templates, with their references. Throws where two are one object. */
export function findWorkloads(items: readonly Item[], options: WorkloadOptions): Workload[] {
  const rows = new Map<string, WorkloadKind[]>();
  for (const row of options.kinds) {
    const key = `${row.group}/${row.kind}`;
    rows.set(key, [...(rows.get(key) ?? []), row]);
  }
  const seen = new Map<string, Item>();
  const workloads: Workload[] = [];
  for (const item of items) {
    const matching = rows.get(`${item.group}/${item.kind}`);
    const kind = matching?.[0];
    if (matching === undefined || kind === undefined) continue;
    const namespace = item.namespace || options.defaultNamespace;
    if (item.name !== "") {
      const key = `${item.group}/${item.kind}/${namespace}/${item.name}`;
      const first = seen.get(key);
      if (first !== undefined) throw duplicate(first, item);
      seen.set(key, item);
    }
    const scope: ReferenceScope = { tree: item.tree, namespace };
    const templates = matching.flatMap((row) => row.templates.flatMap((path) => podTemplates(item, path, scope)));
    workloads.push({ item, kind, namespace, templates });
  }
  return workloads;
}

function podTemplates(item: Item, path: PodTemplatePath, scope: ReferenceScope): PodTemplate[] {
  const { tree } = item;
  const annotationsPath = path.annotations.slice(path.anchor === "" ? 0 : path.anchor.length + 1).split(".");
  return matchPath(tree, item.node, path.anchor)
    .filter((anchor) => kindOf(tree, anchor.node) === "mapping")
    .flatMap((anchor) => {
      const specs = path.podSpec === undefined ? [] : matchPath(tree, item.node, path.podSpec, anchor.stars);
      return [
        {
          item,
          base: anchor.node,
          annotationsPath,
          field: anchor.field,
          podSpecs: specs.map(({ node, field }) => ({ node, field })),
          references: [
            ...specs.flatMap((spec) => podSpecReferences(scope, spec.node, spec.field)),
            ...(path.references ?? []).flatMap((reference) => fieldReferences(item, reference, anchor, scope)),
          ],
        },
      ];
    });
}

function fieldReferences(item: Item, reference: ReferencePath, anchor: PathMatch, scope: ReferenceScope): Reference[] {
  const { tree } = item;
  return matchPath(tree, item.node, reference.path, anchor.stars).flatMap(({ node, field }): Reference[] => {
    switch (reference.form) {
      case "env":
        return envReferences(scope, node, field, []);
      case "volumes":
        return volumesReferences(scope, node, field);
      case "containers":
        return containersReferences(scope, node, field);
      case "name":
        return named(item, reference, scope, node, field);
      default:
        return [];
    }
  });
}

function named(item: Item, reference: ReferencePath, scope: ReferenceScope, node: number, field: string): Reference[] {
  const nodes = kindOf(item.tree, node) === "sequence" ? itemsOf(item.tree, node) : [node];
  return nodes.flatMap((at): Reference[] => {
    const name = stringOf(item.tree, at);
    if (name === undefined || name === "") return [];
    return [
      {
        kind: reference.kind,
        namespace: scope.namespace,
        name,
        keys: "*",
        requiredKeys: [],
        via: "volume",
        optional: false,
        containers: [],
        field,
        node: at,
      },
    ];
  });
}
