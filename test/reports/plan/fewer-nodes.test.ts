import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned } from "./planned.ts";

const daemonSet = (spec: string, kind = "DaemonSet"): string =>
  `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: agent}, spec: {template: {metadata: {labels: {app: agent}}, ` +
  `spec: {${spec}containers: [{name: app, image: "agent:1"}]}}}}\n`;
const term = (zone: string): string => `{matchExpressions: [{key: zone, operator: In, values: [${zone}]}]}`;
const affinity = (zone: string): string =>
  `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [${term(zone)}]}}}, `;
const PREFERRED = `affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: ${term("a")}}]}}, `;

const SSD = "nodeSelector: {disk: ssd}, ";
const MASTER = "tolerations: [{key: master, operator: Exists}], ";
const REQUIRED = "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";

const CASES: readonly (readonly [what: string, base: string, head: string, field?: string])[] = [
  ["another entry of the node selector", "", SSD, "nodeSelector"],
  ["another value in it", SSD, "nodeSelector: {disk: hdd}, ", "nodeSelector"],
  ["an entry less", SSD, ""],
  ["a required affinity", "", affinity("a"), REQUIRED],
  ["another one", affinity("a"), affinity("b"), REQUIRED],
  ["one that is gone", affinity("a"), ""],
  ["a preferred affinity", "", PREFERRED],
  ["a toleration less", MASTER, "", "tolerations"],
  ["a toleration more", "", MASTER],
  ["one toleration of all taints instead", MASTER, "tolerations: [{operator: Exists}], "],
];

describe("a DaemonSet that may leave nodes", () => {
  const found = (base: string, head: string): readonly unknown[] => {
    const { workloads, verdict } = planned(base, head);
    return [
      verdict?.level,
      ...workloads.flatMap(({ findings }) =>
        findings.flatMap((one) => (one.id === "fewer-nodes" ? [one.params.field] : [])),
      ),
    ];
  };
  for (const [what, base, head, field] of CASES)
    it(what, () => {
      assert.deepEqual(found(daemonSet(base), daemonSet(head)), field === undefined ? ["ok"] : ["attention", field]);
    });
  it("not a Deployment, whose old pods stay until new ones run", () => {
    assert.deepEqual(found(daemonSet("", "Deployment"), daemonSet(SSD, "Deployment")), ["ok"]);
  });
});
