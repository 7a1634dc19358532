import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { REFUSED_CHANGES } from "../../e2e/refused-changes.ts";
import { judgedOf } from "../../../src/reports/plan/judged.ts";
import { planStatus } from "../../../src/reports/plan/limits.ts";
import { refusedValue } from "../../../src/reports/plan/refused-objects.ts";
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
    const scaler = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" };
    assert.equal(refusedValue(scaler, "spec.maxReplicas"), "must not be below minReplicas");
    const binding = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding" };
    assert.equal(refusedValue(binding, "roleRef.name"), undefined);
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
