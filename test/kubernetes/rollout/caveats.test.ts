import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { describeCaveat, type Caveat } from "../../../src/kubernetes/rollout/caveats.ts";
import { inRoot } from "../../support/paths.ts";

const budget = (name: string): { apiVersion: string; kind: string; namespace: string; name: string } => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  namespace: "a",
  name,
});
const scaledBy = (min: number, max: number | null): Caveat => ({
  id: "autoscaled",
  params: { scaledBy: { kind: "HorizontalPodAutoscaler", name: "h", min, max } },
});
const evictions = (names: readonly string[], isForbidden = false): Caveat => ({
  id: "evictions",
  params: { budgets: names.map(budget), isForbidden },
});

const CAVEATS: readonly (() => Caveat)[] = [
  () => scaledBy(2, 9),
  () => scaledBy(1, null),
  () => ({ id: "nodes", params: {} }),
  () => ({ id: "operator", params: { kind: "CloneSet" } }),
  () => ({ id: "traffic-router", params: {} }),
  () => ({ id: "invalid", params: { by: "Argo Rollouts" } }),
  () => ({ id: "analysis", params: {} }),
  () => ({ id: "auto-promotion", params: {} }),
  () => ({ id: "feature-gate", params: { maxUnavailable: "40%" } }),
  () => ({ id: "claim", params: { claim: "data" } }),
  () => ({ id: "budget", params: { budget: budget("web"), wanted: 4 } }),
  () => ({ id: "budget", params: { budget: budget("web"), wanted: 1 } }),
  () => evictions([]),
  () => evictions(["one"]),
  () => evictions(["one"], true),
  () => evictions(["one", "two"]),
  () => evictions(["one", "two", "three", "four"]),
  () => ({ id: "refused", params: {} }),
  () => ({ id: "deleted", params: {} }),
];

describe("caveats", () => {
  it("are worded as in the snapshot", () => {
    const text = CAVEATS.map((make) => `${make().id}: ${describeCaveat(make())}\n`).join("");
    const file = inRoot("test/kubernetes/rollout/caveats.txt");
    if (process.env["UPDATE_FIXTURES"] === "1") writeFileSync(file, text);
    assert.equal(text, readFileSync(file, "utf8"));
  });
});
