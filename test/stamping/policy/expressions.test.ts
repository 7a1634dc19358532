import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileExpression, splitExpressions } from "../../../src/stamping/policy/expressions.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";

function matches(text: string, name: string): boolean {
  const compiled = compileExpression(text, DEFAULT_LIMITS.expression);
  assert.ok("matches" in compiled, `${text} does not compile`);
  return compiled.matches(name);
}

describe("expressions of names", () => {
  for (const [list, parts] of [
    ["a,b", ["a", "b"]],
    [" a , b ,, ", ["a", "b"]],
    ["a{1,2}b,c", ["a{1,2}b", "c"]],
    ["a{1,},b{2,3}", ["a{1,}", "b{2,3}"]],
    ["x{1,2}y{3,4},z", ["x{1,2}y{3,4}", "z"]],
    ["bad[,app-config", ["bad[", "app-config"]],
    ["a{x,y}", ["a{x", "y}"]],
    ["", []],
  ] as const) {
    it(`splits '${list}'`, () => assert.deepEqual(splitExpressions(list), parts));
  }

  it("match whole names", () => {
    assert.ok(matches("app", "app"));
    assert.ok(!matches("app", "app-1"));
    assert.ok(!matches("pp", "app"));
    assert.ok(matches("app-.*", "app-1"));
    assert.ok(!matches("app|db", "app-unrelated"));
    assert.ok(!matches("app|db", "x-db"));
    assert.ok(matches("^app$|^db$", "db"));
  });
  it("take a dot in a name for any character, as they would in any expression", () => {
    assert.ok(matches("app.config", "app.config"));
    assert.ok(matches("app.config", "app-config"));
    assert.ok(!matches("app.config", "appconfig"));
  });
  it("are RE2's: classes and flags, no look-ahead, no back references", () => {
    assert.ok(matches("(?i)APP-[[:digit:]]+", "app-12"));
    assert.ok(matches("\\pL+", "app"));
    for (const bad of ["bad[", "*", "(?=a)", "(a)\\1", "a{1001}", "("])
      assert.ok("problem" in compileExpression(bad, DEFAULT_LIMITS.expression), bad);
  });
  it("never take long, whatever they are", { timeout: 5000 }, () => {
    const name = `${"a".repeat(250)}c`;
    for (const text of ["(a+)+b", "(a|a)*b", "(a*)*b", "(.*a){20}b", `${"a?".repeat(250)}${"a".repeat(250)}b`]) {
      assert.ok(!matches(text, name), text);
    }
  });
  it("stay small and shallow: what would explode does not compile", { timeout: 5000 }, () => {
    for (const text of ["((a{100}){100}){100}", "(".repeat(100_000), `${"a?".repeat(500)}b`]) {
      assert.ok("problem" in compileExpression(text, DEFAULT_LIMITS.expression));
    }
  });
});
