import { addTo, onceForText } from "../../base/grouped.ts";
import { objectKey } from "../../base/identity.ts";
import { rolloutKind } from "../../kubernetes/rollout/rollout-kinds.ts";
import type { Item } from "../../yaml/read/items.ts";
import { get, getPath, getString, isFalse, itemsOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { LostUse } from "./named-objects.ts";
import type { Side } from "./side.ts";

const RBAC = "rbac.authorization.k8s.io";

/** What a binding gives to a ServiceAccount. */
interface Grant {
  readonly binding: Item;
  readonly account: string;
  readonly role: string;
  /** The namespace in which it counts; "" for all. */
  readonly scope: string;
  readonly key: string;
}

/**
 * The bindings and roles whose deletion or change takes permissions from pods of the head, which the API server then refuses
 * (plugin/pkg/auth/authorizer/rbac). Not where the account gets other permissions in the same namespaces: a new name, or another
 * kind of binding.
 */
export function lostGrants(base: Side, head: Side): ReadonlyMap<Item, LostUse> {
  const [before, after] = [grantsIn(base), grantsIn(head)];
  const roles = rolesIn(head);
  const deleted = new Map([...rolesIn(base)].filter(([key]) => !roles.has(key)));
  const left = new Map(after.map((grant) => [grant.key, grant]));
  const gone = before.filter(({ key, role }) => !left.has(key) || deleted.has(role));
  if (gone.length === 0) return new Map();
  const known = new Set(before.map(({ key }) => key));
  const others = new Map<string, Set<string>>();
  for (const { account, key, role, scope } of after)
    if (!known.has(key) || role === ADMIN) others.set(account, (others.get(account) ?? new Set()).add(scope));
  const present = new Map(head.analysis.items.map((item) => [placeOf(item, head), item]));
  const accounts = new Map<Item, Set<string>>();
  for (const { binding, account, role, scope, key } of gone) {
    const scopes = others.get(account) ?? new Set();
    if (scopes.has(scope) || scopes.has("") || (scope === "" && scopes.size > 0)) continue;
    const item = left.has(key) ? deleted.get(role) : (present.get(placeOf(binding, base)) ?? binding);
    if (item !== undefined) accounts.set(item, (accounts.get(item) ?? new Set()).add(account));
  }
  const users = accountUsers(head);
  const lost = new Map<Item, LostUse>();
  // Many bindings often are about one account, which then share the list.
  const usersOf = onceForText((names) => new Set(names.split("\n").flatMap((account) => users.get(account) ?? [])));
  for (const [item, all] of accounts) {
    const pods = usersOf([...all].join("\n"));
    if (pods.size > 0) lost.set(item, { field: "subjects", users: pods });
  }
  return lost;
}

const namespaceOf = ({ namespace }: Item, { spec }: Side): string => namespace || spec.defaultNamespace;

const placeOf = (item: Item, side: Side): string =>
  objectKey(item, item.kind.startsWith("Cluster") ? "" : namespaceOf(item, side));

const roleKey = (kind: string, name: string, namespace: string): string =>
  `${kind}/${kind === "Role" ? `${namespace}/` : ""}${name}`;

const ADMIN = roleKey("ClusterRole", "cluster-admin", "");

function rolesIn(side: Side): ReadonlyMap<string, Item> {
  return new Map(
    side.analysis.items
      .filter(({ group, kind }) => group === RBAC && (kind === "Role" || kind === "ClusterRole"))
      .map((item) => [roleKey(item.kind, item.name, namespaceOf(item, side)), item]),
  );
}

function grantsIn(side: Side): readonly Grant[] {
  return side.analysis.items.flatMap((binding) => {
    const { tree, node, group, kind } = binding;
    if (group !== RBAC || (kind !== "RoleBinding" && kind !== "ClusterRoleBinding")) return [];
    const namespace = namespaceOf(binding, side);
    const reference = getPath(tree, node, ["roleRef"]);
    const role = roleKey(getString(tree, reference, "kind") ?? "", getString(tree, reference, "name") ?? "", namespace);
    const scope = kind === "RoleBinding" ? namespace : "";
    return itemsOf(tree, get(tree, node, "subjects")).flatMap((subject): Grant[] => {
      if (getString(tree, subject, "kind") !== "ServiceAccount") return [];
      // The API server refuses a ClusterRoleBinding without it (ValidateRoleBindingSubject in pkg/apis/rbac/validation).
      const given = getString(tree, subject, "namespace") ?? scope;
      if (given === "") return [];
      const account = `${given}/${getString(tree, subject, "name") ?? ""}`;
      return [{ binding, account, role, scope, key: JSON.stringify([account, role, scope]) }];
    });
  });
}

const AUTOMOUNT = "automountServiceAccountToken";

/** The workloads by the accounts of their pods, without pods that get no token. */
function accountUsers(side: Side): ReadonlyMap<string, readonly Item[]> {
  const { items, workloads } = side.analysis;
  const users = new Map<string, Item[]>();
  const isWithout = ({ tree }: Item, node: number): boolean => isFalse(tree, get(tree, node, AUTOMOUNT));
  const withoutToken = new Set(
    items
      .filter((item) => item.group === "" && item.kind === "ServiceAccount" && isWithout(item, item.node))
      .map((item) => `${namespaceOf(item, side)}/${item.name}`),
  );
  for (const { item: by, namespace, templates } of workloads) {
    // An operator may set another account.
    const isBuiltIn = rolloutKind(by.group, by.kind)?.strategy !== undefined || ["", "batch"].includes(by.group);
    for (const { item, podSpecs } of templates)
      for (const { node } of podSpecs) {
        const written = ["serviceAccountName", "serviceAccount"].flatMap(
          (key) => getString(item.tree, node, key) ?? [],
        );
        const [name = isBuiltIn ? "default" : ""] = written;
        const account = `${namespace}/${name}`;
        // What the pod says overrides its account (plugin/pkg/admission/serviceaccount, shouldAutomount).
        const hasToken = get(item.tree, node, AUTOMOUNT) === NONE ? !withoutToken.has(account) : !isWithout(item, node);
        if (name !== "" && hasToken) addTo(users, account, by);
      }
  }
  return users;
}
