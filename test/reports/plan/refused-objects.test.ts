import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { REFUSED_CHANGES } from "../../e2e/refused-changes.ts";
import { judgedOf } from "../../../src/reports/plan/judged.ts";
import { planStatus } from "../../../src/reports/plan/limits.ts";
import { planned } from "./planned.ts";

// test/e2e/refused-changes.test.ts has a real API server do the same.

describe("a plan says whether the API server refuses", () => {
  for (const [name, { base, head, refused }] of Object.entries(REFUSED_CHANGES)) {
    it(`${name}: ${refused ?? "accepted"}`, () => {
      const plan = planned(base, head);
      const [object] = plan.objects;
      assert.equal(object?.refused, refused);
      if (object === undefined) return;
      const isRefused = refused !== undefined;
      assert.deepEqual(
        { isLevel: plan.verdict?.level === "refused", label: judgedOf(plan)[0]?.label, status: planStatus(plan) },
        { isLevel: isRefused, label: isRefused ? "refused" : "other", status: isRefused ? 1 : 0 },
      );
    });
  }

  it("and what a value must be, if another one is accepted", () => {
    const problemOf = (name: string): string | undefined => {
      const { base, head } = REFUSED_CHANGES[name] ?? assert.fail(`no change '${name}'`);
      return planned(base, head).objects[0]?.problem;
    };
    assert.equal(problemOf("an autoscaler with a maximum below its minimum"), "must not be below minReplicas");
    assert.equal(problemOf("another role"), undefined);
  });

  it("no name that may be replaced before it is applied, and none that the base has", () => {
    const map = (metadata: string, data = "a"): string =>
      `{apiVersion: v1, kind: ConfigMap, metadata: {${metadata}}, data: {a: ${data}}}\n`;
    for (const metadata of ["name: '${NAME}_b'", "name: APP_NAME", "name: a, labels: {'${KEY} a': b, MY_/a: c}"])
      assert.equal(planned("", map(metadata)).objects[0]?.refused, undefined);
    for (const metadata of ["name: a_b", "name: a, labels: {a b: c}"])
      assert.equal(planned(map(metadata), map(metadata, "b")).objects[0]?.refused, undefined);
  });

  it("nothing that a tool deletes and creates", () => {
    const binding = (role: string, annotation: string): string =>
      `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a, annotations: {${annotation}}}, roleRef: {kind: Role, name: ${role}}}\n`;
    const refusedWith = (annotation: string): string | undefined =>
      planned(binding("a", annotation), binding("b", annotation)).objects[0]?.refused;
    assert.deepEqual(
      [
        "a: b",
        "helm.sh/hook: pre-install",
        "argocd.argoproj.io/sync-options: 'Replace=true,Force=true'",
        "kustomize.toolkit.fluxcd.io/force: enabled",
      ].map(refusedWith),
      ["roleRef.name", undefined, undefined, undefined],
    );
  });

  it("what --fail-on refused counts", () => {
    const { base, head } = REFUSED_CHANGES["another role"] ?? assert.fail("no such change");
    assert.deepEqual(planned(base, head, { failOn: ["refused"] }).exceeded, [
      { limit: "failOn", gate: "refused", rows: 1 },
    ]);
  });
});
