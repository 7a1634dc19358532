import type { Item } from "../manifest/items.ts";
import { get, getPath, getString, itemsOf, stringOf } from "../manifest/node.ts";
import type { YamlTree } from "../manifest/tree.ts";

const RBAC = "rbac.authorization.k8s.io";
const RESOURCES = { ConfigMap: "configmaps", Secret: "secrets" } as const;

/** The kinds of sources that roles can be about. */
export type GrantedKind = keyof typeof RESOURCES;

// Roles that every cluster has, by which sources can be read (view: ConfigMaps only) or made.
const BUILT_IN: Readonly<Record<string, readonly GrantedKind[]>> = {
  "cluster-admin": ["ConfigMap", "Secret"],
  admin: ["ConfigMap", "Secret"],
  edit: ["ConfigMap", "Secret"],
  view: ["ConfigMap"],
};

/** True where a role of the input, or one that it binds, lets something do one of the verbs to any source of a kind. */
export function isGranted(items: readonly Item[], kind: GrantedKind, verbs: readonly string[]): boolean {
  return (
    items.some((item) => isRole(item) && grants(item, kind, verbs)) || items.some((item) => bindsBuiltIn(item, kind))
  );
}

/** The Jobs whose ServiceAccounts may do one of the verbs to any source of a kind. */
export function grantedJobs(items: readonly Item[], kind: GrantedKind, verbs: readonly string[]): readonly Item[] {
  const roles = new Set(items.filter((item) => isRole(item) && grants(item, kind, verbs)).map(({ name }) => name));
  const accounts = new Set(
    items
      .filter((item) => roles.has(boundRole(item) ?? "") || bindsBuiltIn(item, kind))
      .flatMap(({ tree, node }) =>
        itemsOf(tree, get(tree, node, "subjects")).map((subject) => getString(tree, subject, "name")),
      ),
  );
  return items.filter(
    ({ group, kind: own, tree, node }) =>
      group === "batch" &&
      own === "Job" &&
      accounts.has(getString(tree, node, "spec", "template", "spec", "serviceAccountName") ?? "default"),
  );
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

function grants({ tree, node }: Item, kind: GrantedKind, verbs: readonly string[]): boolean {
  return itemsOf(tree, getPath(tree, node, ["rules"])).some(
    (rule) =>
      has(tree, rule, "apiGroups", [""]) &&
      has(tree, rule, "resources", [RESOURCES[kind]]) &&
      has(tree, rule, "verbs", verbs) &&
      itemsOf(tree, get(tree, rule, "resourceNames")).length === 0,
  );
}

function has(tree: YamlTree, rule: number, field: string, wanted: readonly string[]): boolean {
  return itemsOf(tree, get(tree, rule, field)).some((entry) => {
    const text = stringOf(tree, entry);
    return text === "*" || (text !== undefined && wanted.includes(text));
  });
}
