import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keysOfAll } from "../../../src/base/digest/hash-v1.ts";

describe("the keys that several uses see together", () => {
  const a = new Set(["a"]);
  it("are those of each", () => assert.deepEqual(keysOfAll([a, new Set(["b", "a"])]), new Set(["a", "b"])));
  it("are all where one sees all", () => {
    assert.equal(keysOfAll([a, "*", new Set(["b"])]), "*");
    assert.equal(keysOfAll(["*"]), "*");
  });
  it("are the one shared set, not a copy, so that derived data is computed once", () => {
    assert.equal(keysOfAll([a, a]), a);
    assert.notEqual(keysOfAll([a, new Set(["a"])]), a);
  });
  it("of the same two sets are one set, whatever the source", () => {
    const b = new Set(["b"]);
    assert.equal(keysOfAll([a, b]), keysOfAll([a, b, a]));
    assert.deepEqual(keysOfAll([a, b]), new Set(["a", "b"]));
    assert.deepEqual(keysOfAll([a, b, new Set(["c"])]), new Set(["a", "b", "c"]));
    assert.equal(keysOfAll([a, b, "*"]), "*");
    assert.equal(keysOfAll([b]), b);
  });
  it("of no use are none", () => assert.deepEqual(keysOfAll([]), new Set()));
});
