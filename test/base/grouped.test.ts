import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lastFor } from "../../src/base/grouped.ts";

describe("the last result for an object", () => {
  it("is kept as long as all others are identical", () => {
    let made = 0;
    const last = lastFor<object, number>();
    const [one, other, part] = [{}, {}, {}];
    const results = [
      [one, ["a", part]],
      [one, ["a", part]],
      [one, ["b", part]],
      [one, ["b", {}]],
      [one, ["b"]],
      [other, ["b"]],
      [one, ["b"]],
    ] as const;
    assert.deepEqual(
      results.map(([object, others]) => last(object, others, () => (made += 1))),
      [1, 1, 2, 3, 4, 5, 4],
    );
  });
});
