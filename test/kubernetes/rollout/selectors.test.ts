import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { parseSelector } from "../../../src/base/selector.ts";
import { indexSelectors } from "../../../src/kubernetes/rollout/selectors.ts";

/** Rows of `namespace selector`, identified by their text. */
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

describe("an object that selects pods", () => {
  // Created in `it`, so that mutation testing knows which test reaches it.
  const some = (): ReturnType<typeof finding> =>
    finding(["a app=web,tier=x", "a app=web", "b app=web", "a app!=web", "a tier", "a app=db", "a app=web,part=all"]);
  const CASES: readonly (readonly [Readonly<Record<string, string>>, readonly string[]])[] = [
    [{ app: "web" }, ["a app=web"]],
    [{ tier: "x", app: "web" }, ["a app=web,tier=x", "a app=web", "a tier"]],
    [{ app: "db" }, ["a app!=web", "a app=db"]],
    [{}, ["a app!=web"]],
    [{ app: "web", part: "all" }, ["a app=web", "a app=web,part=all"]],
  ];
  for (const [labels, expected] of CASES) {
    it(`of ${JSON.stringify(labels)} is found in the order of the input`, () => {
      const find = some();
      assert.deepEqual(find("a", labels), expected);
      assert.deepEqual(find("a", labels), expected);
    });
  }
  it("selects pods of one namespace", () => {
    const find = some();
    assert.deepEqual(find("b", { app: "web" }), ["b app=web"]);
    assert.deepEqual(find("c", { app: "web" }), []);
  });
  it("is compared only by its rarest label", () => {
    const rows = Array.from({ length: 100 }, (_, i) => `a app=${i},part=all`);
    const few = finding(rows, 1000);
    for (let i = 0; i < 10; i++) assert.deepEqual(few("a", { app: `${i}`, part: "all" }), [`a app=${i},part=all`]);
    assert.throws(
      () => few("a", { app: "10", part: "all" }),
      /comparing selectors with pods takes more than 1000 steps/u,
    );
  });
  it("with one of several values is compared by its other label, or with all pods", () => {
    const find = indexSelectors(
      [
        { namespace: "a", selector: parseSelector("app in (web,db)") ?? [], value: "either" },
        { namespace: "a", selector: parseSelector("app in (web,db),tier=x") ?? [], value: "both" },
        { namespace: "a", selector: [{ key: "app", operator: "In", values: [] }], value: "none" },
        { namespace: "a", selector: [], value: "all" },
      ],
      undefined,
    );
    const names = (labels: Readonly<Record<string, string>>): string =>
      find("a", new Map(Object.entries(labels))).join(" ");
    assert.deepEqual(
      [names({ app: "db" }), names({ tier: "x", app: "web" }), names({ app: "other" }), names({})],
      ["either all", "either both all", "all", "all"],
    );
  });
  it("is found for the same labels in any order", () => {
    const find = indexSelectors(
      [{ namespace: "a", selector: parseSelector("app=web") ?? [], value: "web" }],
      undefined,
    );
    const asked = (...keys: readonly string[]): readonly string[] =>
      find("a", new Map(keys.map((key) => [key, "web"])));
    const first = asked("app", "tier");
    assert.deepEqual(first, ["web"]);
    assert.equal(asked("tier", "app"), first);
    assert.notEqual(asked("app"), first);
  });
  it("costs a hundred steps per comparison and per repeated result", () => {
    const labels = { app: "web", tier: "x" };
    const asks = (comparisons: number): ReturnType<typeof finding> =>
      finding(["a app=web", "a tier=x", "a app=web,tier=y"], comparisons);
    assert.deepEqual(asks(200)("a", labels), ["a app=web", "a tier=x"]);
    assert.throws(() => asks(199)("a", labels));
    const twice = asks(400);
    for (let i = 0; i < 2; i++) assert.deepEqual(twice("a", labels), ["a app=web", "a tier=x"]);
    assert.throws(() => twice("a", labels));
  });
  it("is compared without limits too", () => {
    const rows = Array.from({ length: 3 }, (_, i) => ({
      namespace: "a",
      selector: parseSelector("app=web") ?? [],
      value: i,
    }));
    assert.deepEqual(indexSelectors(rows, undefined)("a", new Map([["app", "web"]])), [0, 1, 2]);
  });
});
