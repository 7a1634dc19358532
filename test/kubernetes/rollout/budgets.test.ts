import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  budgetsOf,
  budgetSelector,
  indexBudgets,
  wantedHealthy,
  writtenBudget,
} from "../../../src/kubernetes/rollout/budgets.ts";
import { itemsOf, object } from "./input.ts";

const budget = (spec: string, metadata = "name: web", apiVersion = "policy/v1"): string =>
  object("PodDisruptionBudget", spec, metadata, apiVersion);
const only = (text: string): ReturnType<typeof itemsOf>[number] => {
  const [item] = itemsOf(text);
  assert.ok(item !== undefined);
  return item;
};
const SELECTS = "selector: {matchLabels: {app: web}}";
const LABELS = new Map([["app", "web"]]);

describe("a budget requires", () => {
  const ROWS: readonly (readonly [string, number, number])[] = [
    ["minAvailable: 2", 5, 2],
    ["minAvailable: 7", 5, 7],
    ["minAvailable: 0", 5, 0],
    ["minAvailable: 50%", 5, 3],
    ["minAvailable: 0%", 5, 0],
    ["minAvailable: 100%", 5, 5],
    ["maxUnavailable: 1", 5, 4],
    ["maxUnavailable: 0", 5, 5],
    ["maxUnavailable: 7", 5, 0],
    ["maxUnavailable: 50%", 5, 2],
    ["maxUnavailable: 0%", 5, 5],
    // The API server accepts only one of the two.
    ["minAvailable: 5, maxUnavailable: 1", 5, 4],
    [SELECTS, 5, 0],
  ];
  for (const [spec, pods, wanted] of ROWS)
    it(`${wanted} of ${pods} pods with ${spec}`, () => assert.equal(wantedHealthy(only(budget(spec)), pods), wanted));
});

describe("the numbers of a budget", () => {
  it("are a number, a percentage or absent", () => {
    assert.deepEqual(writtenBudget(only(budget("minAvailable: 2"))), { minAvailable: 2, maxUnavailable: undefined });
    assert.deepEqual(writtenBudget(only(budget("maxUnavailable: 30%"))), {
      minAvailable: undefined,
      maxUnavailable: "30%",
    });
    assert.deepEqual(writtenBudget(only(budget("minAvailable: {}, maxUnavailable: true"))), {
      minAvailable: undefined,
      maxUnavailable: undefined,
    });
  });
});

describe("the pods that a budget selects", () => {
  const ROWS: readonly (readonly [string, string, string | undefined])[] = [
    [SELECTS, "policy/v1", "app"],
    [SELECTS, "policy/v1beta1", "app"],
    ["selector: {}", "policy/v1", ""],
    ["selector: {}", "policy/v1beta1", undefined],
    ["minAvailable: 1", "policy/v1", undefined],
    ["selector: web", "policy/v1", undefined],
    ["selector: {matchExpressions: [{key: app, operator: Near}]}", "policy/v1", undefined],
  ];
  for (const [spec, apiVersion, keys] of ROWS) {
    it(`are ${keys === undefined ? "none" : keys === "" ? "all" : "those of a label"} with ${spec} in ${apiVersion}`, () =>
      assert.equal(
        budgetSelector(only(budget(spec, "name: web", apiVersion)))
          ?.map(({ key }) => key)
          .join(","),
        keys,
      ));
  }
});

describe("the budgets of an input", () => {
  const items = (): ReturnType<typeof itemsOf> =>
    itemsOf(
      budget(SELECTS, "name: a"),
      budget(SELECTS, "name: b, namespace: other"),
      budget("selector: {}", "name: c"),
      budget("selector: {}", "name: none", "policy/v1beta1"),
      object("PodDisruptionBudget", SELECTS, "name: foreign", "example.com/v1"),
      object("PodSecurityPolicy", SELECTS, "name: kind", "policy/v1"),
    );
  const names = (found: readonly { readonly name: string }[]): string => found.map(({ name }) => name).join(" ");
  it("have the group policy", () => assert.equal(names(budgetsOf(items())), "a b c none"));
  it("are found by the pods' labels and namespace", () => {
    const find = indexBudgets(items(), "default");
    assert.deepEqual([find("default", LABELS), find("other", LABELS), find("default", new Map())].map(names), [
      "a c",
      "b",
      "c",
    ]);
  });
  it("are none without input", () => assert.deepEqual(indexBudgets([], "default")("default", LABELS), []));
});
