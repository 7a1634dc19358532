import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { getPath } from "../../../src/yaml/read/node.ts";
import { isSameText } from "../../../src/reports/plan/same-text.ts";
import { readTree } from "../../support/trees.ts";

// Two nodes with the same text are equal without parsing their meaning. To say so of two that are
// not would be a rollout that the plan does not see.

function isSame(a: string, b: string, path: readonly string[] = ["a"]): boolean {
  const [one, other] = [a, b].map((text, i) => {
    const { items } = readManifests(readTree(`${text}apiVersion: v1\nkind: X\nmetadata: {name: x}\n`, `${i}.yaml`));
    return items.map(({ tree, node }) => ({ tree, node: getPath(tree, node, path) }))[0];
  });
  assert.ok(one !== undefined && other !== undefined);
  assert.equal(isSameText(other, one), isSameText(one, other), "both ways");
  return isSameText(one, other);
}

describe("two nodes", () => {
  const SAME: readonly (readonly [string, string, string])[] = [
    ["of one text", "a: {b: c}\n", "a: {b: c}\n"],
    ["behind other texts", "a: {b: c}\n", "# other\n# lines\nx: y\na: {b: c}\n"],
    ["before other texts", "a: {b: c}\nd: e\n", "a: {b: c}\nd: [f, g]\n"],
    ["of several lines", "a:\n  b: c\n  d: e\n", "x: 1\na:\n  b: c\n  d: e\n"],
    ["at the beginning", "a: b\n", "a: b\n"],
  ];
  for (const [name, a, b] of SAME) it(`${name} are the same`, () => assert.ok(isSame(a, b)));

  const OTHER: readonly (readonly [string, string, string])[] = [
    ["of another text of that length", "a: {b: c}\n", "a: {b: d}\n"],
    ["of which one is longer", "a: b\n", "a: bc\n"],
    ["of which one goes on behind the same beginning", "a:\n  b: c\n", "a:\n  b: c\n  d: e\n"],
    ["that begin in another column", "a: {b: c}\n", "a:   {b: c}\n"],
    // The content of an alias is written elsewhere.
    ["with an alias", "x: &x 1\na: {b: *x}\n", "x: &x 2\na: {b: *x}\n"],
  ];
  for (const [name, a, b] of OTHER) it(`${name} are looked at`, () => assert.ok(!isSame(a, b)));

  it("next to an alias on one side are compared", () => assert.ok(!isSame("a: b\n", "a: b\nx: &x 1\ny: *x\n")));
  it("of a block scalar are the same only in the same column, where its indentation starts", () => {
    assert.ok(isSame("a:\n  b: |2\n     x\n", "a:\n  b: |2\n     x\n", ["a", "b"]));
  });
  it("are the same on any line", () => {
    const lines = "# a line\n".repeat(20);
    assert.ok(isSame("a:\n  b: {c: d}\n", `${lines}a:\n  b: {c: d}\n`, ["a", "b"]));
    assert.ok(!isSame("a:\n  b: {c: d}\n", `${lines}a:\n   b: {c: d}\n`, ["a", "b"]));
  });
});
