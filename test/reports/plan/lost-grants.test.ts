import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned } from "./planned.ts";

const rbac = (kind: string, name: string, body: string): string =>
  `---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: ${kind}, metadata: {name: ${name}${kind.startsWith("Cluster") ? "" : ", namespace: shop"}}, ${body}}\n`;
const role = (name: string, kind = "Role"): string =>
  rbac(kind, name, "rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]");
const binding = (name: string, to: string, accounts: readonly string[], kind = "RoleBinding", of = "Role"): string => {
  const subjects = accounts.map((account) => `{kind: ServiceAccount, namespace: shop, name: ${account}}`).join(", ");
  return rbac(kind, name, `roleRef: {kind: ${of}, name: ${to}}, subjects: [${subjects}]`);
};
const cluster = (name: string, to = "all"): string => binding(name, to, ["web"], "ClusterRoleBinding", "ClusterRole");
const pods = (spec = "serviceAccountName: web, "): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {metadata: {labels: {app: web}}, ` +
  `spec: {${spec}containers: [{name: app, image: "web:1"}]}}}}\n`;

describe("the permissions of pods", () => {
  const lost = (base: string, head: string): readonly unknown[] => {
    const { objects, verdict } = planned(base, head);
    const found = objects.flatMap(({ kind, change, loses = "", usedBy }) =>
      usedBy === undefined ? [] : [`${change} ${kind} ${loses}: ${usedBy.map(({ name }) => name).join()}`],
    );
    return [verdict?.level, ...found];
  };
  const READ = role("read");
  const BOUND = binding("a", "read", ["web", "other"]);
  const BASE = pods() + READ + BOUND;
  const TOKEN = "serviceAccountName: web, automountServiceAccountToken: true, ";
  const account =
    "---\n{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}, automountServiceAccountToken: false}\n";
  const CASES: readonly (readonly [what: string, base: string, head: string, lost?: string])[] = [
    ["go with their binding", BASE, pods() + READ, "Delete RoleBinding : web"],
    ["go with a binding of the cluster", pods() + cluster("a"), pods(), "Delete ClusterRoleBinding : web"],
    [
      "go with their subject",
      BASE,
      pods() + READ + binding("a", "read", ["other"]),
      "Change RoleBinding subjects: web",
    ],
    ["go with their role", BASE, pods() + BOUND, "Delete Role : web"],
    ["go with a role that has another name", BASE, pods() + role("reads") + BOUND, "Delete Role : web"],
    [
      "go with a role of the cluster",
      pods() + role("all", "ClusterRole") + cluster("a"),
      pods() + cluster("a"),
      "Delete ClusterRole : web",
    ],
    [
      "are those of the account that pods have by default",
      pods("") + binding("a", "read", ["default"]),
      pods(""),
      "Delete RoleBinding : web",
    ],
    [
      "go although others are left",
      BASE + binding("b", "write", ["web"]),
      pods() + READ + binding("b", "write", ["web"]),
      "Delete RoleBinding : web",
    ],
    ["have another binding", BASE, pods() + READ + binding("b", "read", ["web"])],
    ["have another binding and role", BASE, pods() + role("reads") + binding("b", "reads", ["web"])],
    ["count in the whole cluster now", BASE, pods() + cluster("b")],
    ["are all permissions anyway", BASE + cluster("b", "cluster-admin"), pods() + READ + cluster("b", "cluster-admin")],
    ["are those of no pod", pods("serviceAccountName: api, ") + READ + BOUND, pods("serviceAccountName: api, ")],
    ["are those of pods without a token", BASE, pods("serviceAccountName: web, automountServiceAccountToken: false, ")],
    [
      "are of a binding that the API server refuses: no namespace",
      (pods() + cluster("a")).replaceAll(/, namespace: shop|namespace: shop, /gu, ""),
      pods().replace(", namespace: shop", "") + cluster("a"),
    ],
    ["are those of an account without a token", BASE + account, pods() + READ + account],
    [
      "go with their binding if only the pod gets a token",
      pods(TOKEN) + READ + BOUND + account,
      pods(TOKEN) + READ + account,
      "Delete RoleBinding : web",
    ],
    ["are of a role that was never here", pods() + BOUND, pods() + BOUND + role("b")],
  ];
  for (const [what, base, head, found] of CASES)
    it(what, () => {
      assert.deepEqual(lost(base, head), found === undefined ? ["ok"] : ["attention", found]);
    });
  it("are of no interest without the pods", () => {
    assert.equal(lost(BASE, READ).length, 1);
  });
});
