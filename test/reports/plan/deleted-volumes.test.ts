import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned, type PlanSetup } from "./planned.ts";

const set = (replicas: number, policy: string, image = "db:1", claims = "[{metadata: {name: data}}]"): string =>
  `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: ${replicas}, persistentVolumeClaimRetentionPolicy: {${policy}}, ` +
  `selector: {matchLabels: {app: db}}, volumeClaimTemplates: ${claims}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: app, image: "${image}"}]}}}}\n`;
const OTHER =
  "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {}, template: {}}}\n";

describe("the volumes of a StatefulSet", () => {
  const found = (base: string, head: string, setup?: PlanSetup): readonly unknown[] => {
    const { workloads, verdict } = planned(base + OTHER, head + OTHER, setup);
    const causes = workloads.flatMap(({ findings }) => findings.filter(({ id }) => id === "deleted-volumes"));
    return [verdict?.level, ...causes.map(({ cause }) => cause)];
  };
  const SCALED = "whenScaled: Delete";
  const DELETED = "whenDeleted: Delete";
  const CASES: readonly (readonly [what: string, base: string, head: string, found: readonly unknown[]])[] = [
    ["are deleted when it is scaled down", set(3, SCALED), set(1, SCALED), ["danger", "scaled"]],
    ["are deleted when it also rolls", set(3, SCALED), set(2, SCALED, "db:2"), ["danger", "scaled"]],
    ["stay when it is scaled up", set(1, SCALED), set(3, SCALED), ["ok"]],
    ["stay with another policy", set(3, DELETED), set(1, DELETED), ["ok"]],
    ["stay with the policy of the head", set(3, SCALED), set(1, ""), ["ok"]],
    ["are none without a template", set(3, SCALED, "db:1", "[]"), set(1, SCALED, "db:1", "[]"), ["ok"]],
    ["are deleted with it", set(3, DELETED), "", ["danger", "deleted"]],
    ["stay when it is deleted", set(3, SCALED), "", ["attention"]],
  ];
  for (const [what, base, head, expected] of CASES)
    it(what, () => {
      assert.deepEqual(found(base, head), expected);
    });
  it("may go with a deletion that is accepted", () => {
    assert.deepEqual(found(set(3, DELETED), "", { acceptDeletes: ["StatefulSet/default/db"] }), ["ok", "deleted"]);
  });
});
