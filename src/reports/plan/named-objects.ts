import { kindKey, objectKey } from "../../base/identity.ts";
import { groupedBy, once, onceFor } from "../../base/grouped.ts";
import { nearest } from "../../base/nearest-name.ts";
import { numberAt } from "../../kubernetes/rollout/numbers.ts";
import { ownedSources } from "../../kubernetes/sources/deleted-makers.ts";
import { SERVICE_PATHS } from "../../kubernetes/rollout/services.ts";
import { matchPath } from "../../kubernetes/workloads/paths.ts";
import type { Item } from "../../yaml/read/items.ts";
import { getPath, getString, itemsOf } from "../../yaml/read/node.ts";
import { namespacesIn } from "../../yaml/read/placed.ts";
import { servicesOf } from "../lint/rules/served-pods.ts";
import { sourceOf, type Side } from "./side.ts";

// Secrets and Services that objects name, besides the sources of containers: without them images cannot be pulled, and
// requests from outside reach nothing.

interface Naming {
  readonly names: "Secret" | "Service";
  readonly path: string;
  /** The field of the name. */
  readonly key?: string;
}

const PULLS: readonly Naming[] = [{ names: "Secret", path: "imagePullSecrets.*" }];

/** By group and kind: core/v1 and networking/v1 in k8s.io/api, apis/v1 in gateway-api. */
const SECRETS: ReadonlyMap<string, readonly Naming[]> = new Map<string, readonly Naming[]>([
  ["/ServiceAccount", PULLS],
  ["networking.k8s.io/Ingress", [{ names: "Secret", path: "spec.tls.*", key: "secretName" }]],
  ["gateway.networking.k8s.io/Gateway", [{ names: "Secret", path: "spec.listeners.*.tls.certificateRefs.*" }]],
]);

function namingOf(item: Item): readonly Naming[] {
  const key = kindKey(item);
  const services = (SERVICE_PATHS.get(key) ?? []).map((path): Naming => ({ names: "Service", path }));
  return [...(SECRETS.get(key) ?? []), ...services];
}

interface Named {
  readonly by: Item;
  readonly kind: Naming["names"];
  readonly namespace: string;
  readonly name: string;
  /** The port of a Service, by its number or name. */
  readonly port: number | string | undefined;
  readonly field: string;
}

const keyOf = ({ kind, name, namespace }: Pick<Named, "kind" | "namespace" | "name">): string =>
  objectKey({ group: "", kind, name }, namespace);

const namedIn = onceFor(({ analysis: { items, workloads }, spec }: Side): readonly Named[] => {
  const namespaceOf = namespacesIn(items, spec.defaultNamespace);
  return [
    ...items.flatMap((item) => {
      const rows = namingOf(item);
      return rows.length === 0 ? [] : namedAt(item, item.node, namespaceOf(item), rows);
    }),
    ...workloads.flatMap(({ item: by, namespace, templates }) =>
      templates.flatMap(({ item, podSpecs }) =>
        podSpecs.flatMap(({ node }) => namedAt(item, node, namespace, PULLS).map((named) => ({ ...named, by }))),
      ),
    ),
  ];
});

function namedAt(item: Item, from: number, own: string, rows: readonly Naming[]): Named[] {
  const { tree } = item;
  return rows.flatMap(({ names, path, key = "name" }) =>
    matchPath(tree, from, path).flatMap(({ node, field }): Named[] => {
      const name = getString(tree, node, key);
      const isOther =
        (getString(tree, node, "kind") ?? names) !== names || (getString(tree, node, "group") ?? "") !== "";
      if (name === undefined || isOther || numberAt(item, ["weight"], node) === 0) return [];
      const port =
        numberAt(item, ["port"], node) ??
        numberAt(item, ["port", "number"], node) ??
        getString(tree, node, "port", "name");
      return [{ by: item, kind: names, namespace: getString(tree, node, "namespace") ?? own, name, port, field }];
    }),
  );
}

/** The objects of the head that name an object which it deletes, or a Secret that goes with that object. */
export function usersOfDeleted(base: Side, head: Side): (item: Item, key: string) => readonly Item[] {
  const owned = once(() => ownedSources(head.analysis.items, head.spec.defaultNamespace));
  const isThere = (named: Named): boolean =>
    named.kind === "Secret" &&
    (sourceOf(head, named) !== undefined ||
      head.analysis.sources.isMade(named.kind, named.namespace, named.name) ||
      owned().has(named));
  const users = once(() => groupedBy(namedIn(head), keyOf));
  return (item, key) => {
    const gone = [key, ...ownedSources([item], base.spec.defaultNamespace).keys];
    const found = gone.flatMap((one) => users().get(one) ?? []);
    return [...new Set(found.filter((named) => !isThere(named)).map(({ by }) => by))];
  };
}

/** The field by whose change others lose what they use, and who they are if the changed object does not say it. */
export interface LostUse {
  readonly field: string;
  readonly users: ReadonlySet<Item>;
}

/**
 * The Services and routes of the head whose change makes a route ask a Service for a port that it does not have, or one that
 * is not there. What the base lacked, too, is not lost.
 */
export function lostBackends(base: Side, head: Side): ReadonlyMap<Item, LostUse> {
  const asked = namedIn(head).filter(({ port }) => port !== undefined);
  const lost = new Map<Item, { field: string; readonly users: Set<Item> }>();
  const [before, after] = [servicesByKey(base), servicesByKey(head)];
  const known = new Set(namedIn(base).map((named) => `${keyOf(named)}\n${named.port ?? ""}`));
  for (const named of asked) {
    const key = keyOf(named);
    const [old, service] = [before.get(key), after.get(key)];
    if (old === undefined || service === undefined || hasPort(service, named.port)) continue;
    if (hasPort(old, named.port)) {
      lost.set(service, { field: "spec.ports", users: (lost.get(service)?.users ?? new Set()).add(named.by) });
    } else if (!known.has(`${key}\n${named.port ?? ""}`)) lost.set(named.by, { field: named.field, users: new Set() });
  }
  for (const { by, field } of renamedBackends(base, head)) lost.set(by, { field, users: new Set() });
  return lost;
}

/**
 * What routes of the head name in place of a Service of the base, if it is probably misspelt: neither revision has it, and the
 * name of a Service there is similar. Other applications of the cluster, and operators, may have any other one.
 */
function renamedBackends(base: Side, head: Side): readonly Named[] {
  const services = servicesByKey(base);
  const known = [base, head].flatMap(({ run, analysis, spec: { defaultNamespace } }) =>
    servicesOf(run ?? analysis, defaultNamespace).map(([name]) => name),
  );
  const isKnown = new Set([...known, ...namedIn(base).map(({ namespace, name }) => `${namespace}/${name}`)]);
  const isMisspelt = ({ namespace, name }: Named): boolean =>
    nearest(
      name,
      known.flatMap((one) => (one.startsWith(`${namespace}/`) ? [one.slice(namespace.length + 1)] : [])),
    ) !== undefined;
  const placeOf = ({ by }: Named): string => objectKey(by, by.namespace);
  const before = groupedBy(namedIn(base), placeOf);
  const unknown = namedIn(head).filter(
    ({ kind, namespace, name, port }) =>
      // Of AWS's controller: it is an annotation, and no Service.
      kind === "Service" && port !== "use-annotation" && !isKnown.has(`${namespace}/${name}`),
  );
  if (unknown.length === 0) return [];
  const after = groupedBy(namedIn(head), placeOf);
  return [...groupedBy(unknown, placeOf)].flatMap(([place, all]) => {
    const old = before.get(place) ?? [];
    const byField = new Map(old.map((named) => [named.field, named]));
    const [times, now] = [countsOf(old), countsOf(after.get(place) ?? [])];
    return all.filter((named) => {
      const from = byField.get(named.field);
      if (from === undefined || from.namespace !== named.namespace) return false;
      const key = keyOf(from);
      // What a rule before it moves is still asked.
      return services.has(key) && (now.get(key) ?? 0) < (times.get(key) ?? 0) && isMisspelt(named);
    });
  });
}

function countsOf(all: readonly Named[]): ReadonlyMap<string, number> {
  return new Map([...groupedBy(all, keyOf)].map(([key, same]) => [key, same.length]));
}

function servicesByKey({ analysis, spec: { defaultNamespace } }: Side): ReadonlyMap<string, Item> {
  return new Map(
    servicesOf(analysis, defaultNamespace).map(([, item]) => [
      objectKey(item, item.namespace || defaultNamespace),
      item,
    ]),
  );
}

/** Whether a Service has a port with a number or name. One for an external name may have any. */
function hasPort(service: Item, port: Named["port"]): boolean {
  const ports = portsOf(service);
  return ports === "any" || ports.has(port);
}

// Thousands of routes may ask one Service.
const portsOf = onceFor((service: Item): "any" | ReadonlySet<number | string | undefined> => {
  const { tree, node } = service;
  if (getString(tree, node, "spec", "type") === "ExternalName") return "any";
  return new Set(
    itemsOf(tree, getPath(tree, node, ["spec", "ports"])).flatMap((port) => [
      numberAt(service, ["port"], port),
      getString(tree, port, "name"),
    ]),
  );
});
