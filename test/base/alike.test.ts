import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { alikeGroups, failureOf } from "../../src/base/alike.ts";
import { RollstampError } from "../../src/base/errors.ts";

const lacking = (what: string, file?: string): RollstampError =>
  new RollstampError("input", `it needs ${what}, and nothing is fetched`, {
    place: file === undefined ? undefined : { file },
    remedy: "Commit it.",
    missing: what,
  });

describe("failures that are alike", () => {
  it("are grouped by message, in the order of first occurrence", () => {
    const groups = alikeGroups(["b", "a", "b"], (message) => ({ message }));
    assert.deepEqual(groups, [
      { all: ["b", "b"], message: "b", lines: ["b"] },
      { all: ["a"], message: "a", lines: ["a"] },
    ]);
  });

  it("are one group where only the named missing thing differs", () => {
    const errors = [lacking("x"), lacking("y", "../base"), lacking("x", "."), lacking("z"), lacking("w")].map(
      failureOf,
    );
    assert.equal(errors[1]?.message, "it needs y (../base), and nothing is fetched. Commit it.");
    const groups = alikeGroups(errors, (one) => one);
    assert.deepEqual(
      groups.map(({ all, message }) => [all.length, message]),
      [[5, "it needs x, y (../base), z and 1 more, and nothing is fetched. Commit it."]],
    );
    // Two that name one thing need no list.
    assert.equal(alikeGroups(errors.slice(0, 1), (one) => one)[0]?.message, errors[0]?.message);
  });

  it("stay separate where `apart` differs, or where no missing thing is named", () => {
    const apart = alikeGroups([1, 2], (n) => ({ message: "m", apart: String(n) }));
    assert.equal(apart.length, 2);
    const needsX = { message: "it needs x", missing: "x" };
    assert.equal(alikeGroups([needsX, { message: "it needs " }], (failure) => failure).length, 2);
  });

  it("name the place and the remedy, as errors do", () => {
    const error = new RollstampError("input", "no mapping", { place: { file: "a.yaml", line: 2 }, remedy: "Fix it." });
    assert.deepEqual(failureOf(error), { message: "a.yaml:2: no mapping. Fix it." });
  });
});
