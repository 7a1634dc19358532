import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEFAULT_LIMITS } from "../../src/ground/limits.ts";
import { parseSelector } from "../../src/ground/selector.ts";
import { indexSelectors } from "../../src/rollout/selectors.ts";

/** Rows of `namespace selector`, by their own text. */
const finding = (
  rows: readonly string[],
  comparisons = DEFAULT_LIMITS.comparisons,
): ((namespace: string, labels: Readonly<Record<string, string>>) => readonly string[]) => {
  const find = indexSelectors(
    rows.map((value) => {
      const [namespace = "", selector = ""] = value.split(" ");
      return { namespace, selector: parseSelector(selector) ?? [], value };
    }),
    { ...DEFAULT_LIMITS, comparisons },
  );
  return (namespace: string, labels: Readonly<Record<string, string>>): readonly string[] =>
    find(namespace, new Map(Object.entries(labels)));
};

describe("what selects pods", () => {
  const find = finding([
    "a app=web,tier=x",
    "a app=web",
    "b app=web",
    "a app!=web",
    "a tier",
    "a app=db",
    "a app=web,part=all",
  ]);
  const CASES: readonly (readonly [Readonly<Record<string, string>>, readonly string[]])[] = [
    [{ app: "web" }, ["a app=web"]],
    [{ tier: "x", app: "web" }, ["a app=web,tier=x", "a app=web", "a tier"]],
    [{ app: "db" }, ["a app!=web", "a app=db"]],
    [{}, ["a app!=web"]],
    [{ app: "web", part: "all" }, ["a app=web", "a app=web,part=all"]],
  ];
  for (const [labels, expected] of CASES) {
    it(`of ${JSON.stringify(labels)} is found in the order of the input`, () => {
      assert.deepEqual(find("a", labels), expected);
      assert.deepEqual(find("a", labels), expected);
    });
  }
  it("is of one namespace", () => {
    assert.deepEqual(find("b", { app: "web" }), ["b app=web"]);
    assert.deepEqual(find("c", { app: "web" }), []);
  });
  it("is looked at only by the rarest label that it asks for", () => {
    const rows = Array.from({ length: 100 }, (_, i) => `a app=${i},part=all`);
    const few = finding(rows, 1000);
    for (let i = 0; i < 10; i++) assert.deepEqual(few("a", { app: `${i}`, part: "all" }), [`a app=${i},part=all`]);
    assert.throws(
      () => few("a", { app: "10", part: "all" }),
      /comparing selectors with pods takes more than 1000 steps/u,
    );
  });
});
