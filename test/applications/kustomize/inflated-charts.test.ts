import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { saysNothing } from "../../../src/applications/kustomize/inflated-charts.ts";

describe("what a chart of a kustomization renders to", () => {
  for (const text of ["", "\n", "---\n# Source: a/b.yaml\n", "---\r\n\r\n", "  \t\n  # a\n"])
    it(`is nothing: ${JSON.stringify(text)}`, () => {
      assert.equal(saysNothing(text), true);
    });

  for (const text of ["a: b", "---\n# Source: a/b.yaml\na: b\n", "--- {a: b}\n", "\n\n  a: b\n", "----\n"])
    it(`is something: ${JSON.stringify(text)}`, () => {
      assert.equal(saysNothing(text), false);
    });

  it("handles a million empty lines", () => {
    assert.equal(saysNothing(`${"\n".repeat(1_000_000)}a: b`), false);
    assert.equal(saysNothing("\n".repeat(1_000_000)), true);
  });
});
