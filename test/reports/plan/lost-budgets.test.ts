import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned } from "./planned.ts";

const pods = (labels: string, name = "web"): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: ${name}, namespace: shop}, spec: {replicas: 4, selector: {matchLabels: {app: web}}, ` +
  `template: {metadata: {labels: {app: web, ${labels}}}, spec: {containers: [{name: app, image: "web:1"}]}}}}\n---\n`;
const budget = (selector: string, name = "web", version = "v1"): string =>
  `{apiVersion: policy/${version}, kind: PodDisruptionBudget, metadata: {name: ${name}, namespace: shop}, spec: {minAvailable: 1${selector}}}\n---\n`;
const labels = (text: string): string => `, selector: {matchLabels: {${text}}}`;
const tiers = (operator: string, values: string): string =>
  `, selector: {matchExpressions: [{key: tier, operator: ${operator}, values: [${values}]}]}`;

describe("a PodDisruptionBudget that no longer selects pods", () => {
  const WEB = pods("tier: front");
  const FRONT = labels("tier: front");
  const LOST = ["attention", "shop/web", "shop/web"];
  const BASE = WEB + budget(FRONT);
  const CASES: readonly (readonly [what: string, base: string, head: string, found: readonly unknown[]])[] = [
    ["because its selector changes", BASE, WEB + budget(labels("tier: back")), LOST],
    ["because an expression changes", WEB + budget(tiers("In", "front")), WEB + budget(tiers("NotIn", "front")), LOST],
    ["because its selector is removed, which selects no pods", BASE, WEB + budget(""), LOST],
    [
      "because policy/v1beta1 reads its empty selector in another way",
      WEB + budget(", selector: {}"),
      WEB + budget(", selector: {}", "web", "v1beta1"),
      LOST,
    ],
    ["because the labels of the pods change", BASE, pods("tier: back") + budget(FRONT), LOST],
    [
      "of one of two workloads",
      pods("tier: front", "api") + BASE,
      pods("tier: front", "api") + pods("tier: back") + budget(FRONT),
      LOST,
    ],
    ["but an empty selector selects all", BASE, WEB + budget(", selector: {}"), ["ok"]],
    ["but another budget does", BASE, WEB + budget(labels("tier: back")) + budget(FRONT, "other"), ["ok"]],
    ["whose labels change too", BASE, pods("tier: back") + budget(labels("tier: back")), ["ok"]],
    ["that it did not select before", WEB + budget(labels("tier: a")), WEB + budget(labels("tier: b")), ["ok"]],
    ["because it is deleted, which has a row of its own", BASE, WEB, ["attention"]],
    [
      "because the workload is deleted",
      pods("tier: back", "api") + BASE,
      pods("tier: back", "api") + budget(FRONT),
      ["attention"],
    ],
  ];
  for (const [what, base, head, expected] of CASES)
    it(what, () => {
      const { verdict, findings } = planned(base, head);
      const found = findings.flatMap((finding) =>
        finding.id === "lost-budget"
          ? [finding.params.budget, ...finding.params.workloads].map(({ namespace, name }) => `${namespace}/${name}`)
          : [],
      );
      assert.deepEqual([verdict?.level, ...found], expected);
    });
});
