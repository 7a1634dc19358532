import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { caveat } from "../../../src/kubernetes/rollout/caveats.ts";
import type { Caveat } from "../../../src/kubernetes/rollout/safety.ts";
import { inRoot } from "../../support/paths.ts";

const budget = (name: string): { apiVersion: string; kind: string; namespace: string; name: string } => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  namespace: "a",
  name,
});
const scaledBy = (min: number, max: number | null): Caveat =>
  caveat("autoscaled", { scaledBy: { kind: "HorizontalPodAutoscaler", name: "h", min, max } });
const evictions = (names: readonly string[], isForbidden = false): Caveat =>
  caveat("evictions", { budgets: names.map(budget), isForbidden });

const CAVEATS: readonly (() => Caveat)[] = [
  () => scaledBy(2, 9),
  () => scaledBy(1, null),
  () => caveat("nodes", {}),
  () => caveat("operator", { kind: "CloneSet" }),
  () => caveat("traffic-router", {}),
  () => caveat("invalid", { by: "Argo Rollouts" }),
  () => caveat("analysis", {}),
  () => caveat("auto-promotion", {}),
  () => caveat("feature-gate", { maxUnavailable: "40%" }),
  () => caveat("claim", { claim: "data" }),
  () => caveat("budget", { budget: budget("web"), wanted: 4 }),
  () => caveat("budget", { budget: budget("web"), wanted: 1 }),
  () => evictions([]),
  () => evictions(["one"]),
  () => evictions(["one"], true),
  () => evictions(["one", "two"]),
  () => evictions(["one", "two", "three", "four"]),
  () => caveat("refused", {}),
  () => caveat("deleted", {}),
];

describe("caveats", () => {
  it("are worded as in the snapshot", () => {
    const text = CAVEATS.map((make) => `${make().id}: ${make().message}\n`).join("");
    const file = inRoot("test/kubernetes/rollout/caveats.txt");
    if (process.env["UPDATE_FIXTURES"] === "1") writeFileSync(file, text);
    assert.equal(text, readFileSync(file, "utf8"));
  });
});
