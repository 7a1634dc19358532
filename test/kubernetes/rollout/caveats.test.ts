import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeCaveat, type Caveat } from "../../../src/kubernetes/rollout/caveats.ts";

// What each caveat says, word by word: docs/plan.md has them, and people act on them.

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

const ROWS: readonly (readonly [() => Caveat, string])[] = [
  [() => scaledBy(2, 9), "HorizontalPodAutoscaler h keeps 2 to 9 pods: the numbers are those of 2 pods"],
  [() => scaledBy(1, null), "HorizontalPodAutoscaler h keeps 1 pod and more: the numbers are those of 1 pod"],
  [
    () => ({ id: "nodes", params: {} }),
    "one pod a node: how many nodes there are, and so how many pods, only the cluster knows",
  ],
  [
    () => ({ id: "operator", params: { kind: "CloneSet" } }),
    "how its pods are replaced, only the operator of CloneSet knows",
  ],
  [
    () => ({ id: "traffic-router", params: {} }),
    "a traffic router with dynamicStableScale: the old pods go as the traffic does, and how many there are is a matter of the steps' weights",
  ],
  [
    () => ({ id: "invalid", params: { by: "Argo Rollouts" } }),
    "the API server takes it, and Argo Rollouts doesn't: the pods stay as they are",
  ],
  [() => ({ id: "analysis", params: {} }), "an analysis decides whether it goes on, and may take it back"],
  [
    () => ({ id: "auto-promotion", params: {} }),
    "autoPromotionEnabled is false beside autoPromotionSeconds: Argo Rollouts 1.8 leaves the seconds out of account and waits until somebody promotes it",
  ],
  [
    () => ({ id: "feature-gate", params: { maxUnavailable: "40%" } }),
    "maxUnavailable 40% needs the feature gate MaxUnavailableStatefulSet before Kubernetes 1.35: without it one pod at a time changes",
  ],
  [
    () => ({ id: "claim", params: { claim: "data" } }),
    "PersistentVolumeClaim 'data' is not in the input: if only one pod or node can have the volume, the rollout hangs",
  ],
  [
    () => ({ id: "budget", params: { budget: budget("web"), wanted: 4 } }),
    "PodDisruptionBudget a/web wants 4 pods available: a rolling update doesn't ask it, and nobody can drain a node meanwhile",
  ],
  [
    () => ({ id: "budget", params: { budget: budget("web"), wanted: 1 } }),
    "PodDisruptionBudget a/web wants 1 pod available: a rolling update doesn't ask it, and nobody can drain a node meanwhile",
  ],
  [() => evictions([]), "its pods are evicted, and made anew as before"],
  [() => evictions(["one"]), "its pods are evicted, as PodDisruptionBudget a/one allows"],
  [() => evictions(["one"], true), "its pods are evicted, as PodDisruptionBudget a/one allows: that is never"],
  [
    () => evictions(["one", "two"]),
    "its pods are evicted, as PodDisruptionBudget a/one and PodDisruptionBudget a/two allow",
  ],
  [
    () => evictions(["one", "two", "three", "four"]),
    "its pods are evicted, as PodDisruptionBudget a/one, PodDisruptionBudget a/two, PodDisruptionBudget a/three and 1 more allow",
  ],
  [
    () => ({ id: "refused", params: {} }),
    "the apply is refused, and the pods stay as they are: a tool that deletes the object to make it anew leaves none meanwhile",
  ],
  [() => ({ id: "deleted", params: {} }), "its pods go, and none comes in their place"],
];

// A caveat is made inside of `it`, so that mutation testing knows which test reaches it.
describe("a caveat in words", () => {
  for (const [make, expected] of ROWS) it(expected, () => assert.equal(describeCaveat(make()), expected));
});
