import { onceFor, onceForText } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import { get, getPath, getString, itemsOf, stringOf } from "../../yaml/read/node.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";

const RBAC = "rbac.authorization.k8s.io";
const RESOURCES = { ConfigMap: "configmaps", Secret: "secrets" } as const;

/** The kinds of sources that roles can grant access to. */
export type GrantedKind = keyof typeof RESOURCES;

// Roles of every cluster that allow reading (view: only ConfigMaps) or creating sources.
const BUILT_IN: Readonly<Record<string, readonly GrantedKind[]>> = {
  "cluster-admin": ["ConfigMap", "Secret"],
  admin: ["ConfigMap", "Secret"],
  edit: ["ConfigMap", "Secret"],
  view: ["ConfigMap"],
};

/**
 * In which namespaces a role of the input, or a bound built-in role, grants one of the verbs for all sources of a kind.
 * A ClusterRole that nothing in the input binds may be bound anywhere.
 */
export function grantedIn(
  items: readonly Item[],
  kind: GrantedKind,
  verbs: readonly string[],
  defaultNamespace: string,
): (namespace: string) => boolean {
  const namespaces = new Set<string>();
  let everywhere = false;
  const bound = new Set(items.flatMap((item) => (boundRole(item) === undefined ? [] : [roleKey(item)])));
  const granting = new Set<string>();
  for (const item of items) {
    if (!isRole(item) || !grants(item, kind, verbs)) continue;
    if (item.kind === "Role") namespaces.add(item.namespace || defaultNamespace);
    else if (bound.has(`ClusterRole/${item.name}`)) granting.add(`ClusterRole/${item.name}`);
    else everywhere = true;
  }
  for (const item of items) {
    if (!granting.has(roleKey(item)) && !bindsBuiltIn(item, kind)) continue;
    if (item.kind === "ClusterRoleBinding") everywhere = true;
    else namespaces.add(item.namespace || defaultNamespace);
  }
  return (namespace) => everywhere || namespaces.has(namespace);
}

function roleKey(binding: Item): string {
  return `${getString(binding.tree, binding.node, "roleRef", "kind") ?? ""}/${boundRole(binding) ?? ""}`;
}

/** Whether one of the ServiceAccounts of a workload may create any source of a kind. */
export type Creators = (workload: Workload, accounts: readonly string[]) => boolean;

/** Finds the workloads that may create sources of a kind, through the roles and bindings of the input. */
export function createdBy(items: readonly Item[], kind: GrantedKind): Creators {
  const roles = new Set(
    items
      .filter((item) => isRole(item) && grants(item, kind, ["create"]))
      .map(({ kind: own, name }) => `${own}/${name}`),
  );
  // Account name → its namespaces; "" if the binding sets none.
  const accounts = new Map<string, Set<string>>();
  for (const item of items) {
    if (!roles.has(roleKey(item)) && !bindsBuiltIn(item, kind)) continue;
    const { tree, node, namespace } = item;
    for (const subject of itemsOf(tree, get(tree, node, "subjects"))) {
      const name = getString(tree, subject, "name") ?? "";
      const namespaces = accounts.get(name) ?? new Set();
      accounts.set(name, namespaces.add(getString(tree, subject, "namespace") ?? namespace));
    }
  }
  return ({ item, namespace }, names) =>
    names.some((name) => {
      const namespaces = accounts.get(name);
      return namespaces !== undefined && (item.namespace === "" || namespaces.has(namespace) || namespaces.has(""));
    });
}

/** Whether a Role allows writing a source of a name, not only reading it. The rules of a Role are read once. */
export function writingRoles(): (role: Item, kind: GrantedKind, name: string) => boolean {
  const namesIn = onceForText((kind: GrantedKind) => onceFor((role: Item) => writtenNames(role, kind)));
  return (role, kind, name) => {
    const names = namesIn(kind)(role);
    return names === "*" || names.has(name);
  };
}

function writtenNames(role: Item, kind: GrantedKind): ReadonlySet<string> | "*" {
  const { tree } = role;
  if (grants(role, kind, ["create"])) return "*";
  const names = new Set<string>();
  for (const rule of rulesOf(role, kind)) {
    if (!has(tree, rule, "verbs", ["create", "update", "patch"])) continue;
    for (const entry of itemsOf(tree, get(tree, rule, "resourceNames"))) names.add(stringOf(tree, entry) ?? "");
  }
  return names;
}

function isRole({ group, kind }: Item): boolean {
  return group === RBAC && (kind === "Role" || kind === "ClusterRole");
}

function boundRole({ group, kind, tree, node }: Item): string | undefined {
  if (group !== RBAC || (kind !== "RoleBinding" && kind !== "ClusterRoleBinding")) return undefined;
  return getString(tree, node, "roleRef", "name");
}

function bindsBuiltIn(item: Item, kind: GrantedKind): boolean {
  const role = boundRole(item);
  return role !== undefined && Object.hasOwn(BUILT_IN, role) && BUILT_IN[role]?.includes(kind) === true;
}

function grants(item: Item, kind: GrantedKind, verbs: readonly string[]): boolean {
  const { tree } = item;
  return rulesOf(item, kind).some(
    (rule) => has(tree, rule, "verbs", verbs) && itemsOf(tree, get(tree, rule, "resourceNames")).length === 0,
  );
}

function rulesOf({ tree, node }: Item, kind: GrantedKind): readonly number[] {
  return itemsOf(tree, getPath(tree, node, ["rules"])).filter(
    (rule) => has(tree, rule, "apiGroups", [""]) && has(tree, rule, "resources", [RESOURCES[kind]]),
  );
}

function has(tree: YamlTree, rule: number, field: string, wanted: readonly string[]): boolean {
  return itemsOf(tree, get(tree, rule, field)).some((entry) => {
    const text = stringOf(tree, entry);
    return text === "*" || (text !== undefined && wanted.includes(text));
  });
}
