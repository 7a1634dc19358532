import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyPatch, formatPatch, structuredPatch } from "diff";
import fc from "fast-check";
import { unifiedDiff } from "../../../src/findings/results/file-diff.ts";

const PARAMETERS = { numRuns: Number(process.env["FC_RUNS"] ?? 500), seed: Number(process.env["FC_SEED"] ?? 20261121) };

const line = fc.constantFrom("a", "b", "  annotations:", "---", "", "é 🎌", "- x\r");
const text = fc
  .tuple(fc.array(line, { maxLength: 60 }), fc.boolean())
  .map(([lines, ends]) => lines.join("\n") + (ends && lines.length > 0 ? "\n" : ""));

/** A string and some edits of its lines. */
const edited = fc
  .tuple(text, fc.array(fc.tuple(fc.nat(60), fc.nat(2), fc.array(line, { maxLength: 3 })), { maxLength: 5 }))
  .map(([before, edits]) => {
    const lines = before.split("\n");
    for (const [at, gone, come] of edits) lines.splice(Math.min(at, lines.length), gone, ...come);
    return { before, after: lines.join("\n") };
  });

/** The diff without the lines that only git writes. */
function plain(diff: string): string {
  return diff.slice(Math.max(diff.indexOf("--- "), 0));
}

describe("a diff", () => {
  it("gives the new text when it is applied, whatever has changed", () => {
    const apart = fc.tuple(text, text).map(([before, after]) => ({ before, after }));
    fc.assert(
      fc.property(fc.oneof(edited, apart), ({ before, after }) => {
        fc.pre(before !== after);
        const diff = unifiedDiff([{ path: "x.yaml", before, after }]);
        assert.equal(applyPatch(before, plain(diff), { autoConvertLineEndings: false }), after);
      }),
      PARAMETERS,
    );
  });
  it("is a shortest one for a single edit", () => {
    const before = Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join("");
    for (const after of [
      before.replace("line 50\n", "line 50\n  new: 1\n"),
      before.replace("line 50\n", ""),
      before.replace("line 0\n", "first\n"),
      before.replace("line 99\n", "line 99"),
      `${before}more\n`,
    ]) {
      const patch = structuredPatch("a/x", "b/x", before, after, undefined, undefined, { context: 3 });
      assert.equal(unifiedDiff([{ path: "x", before, after }]), formatPatch({ ...patch, isGit: true }));
    }
  });
  it("of thousands of edits is fast", () => {
    const before = Array.from({ length: 200_000 }, (_, i) => `line ${i}\n`).join("");
    const after = before.replaceAll(/(line \d*00)\n/gu, "$1\n      annotations:\n        a: b\n");
    const start = process.cpuUsage();
    const diff = unifiedDiff([{ path: "x", before, after }]);
    const { user } = process.cpuUsage(start);
    assert.equal(diff.match(/^@@ /gmu)?.length, 1999);
    assert.ok(user < 5e6, `${user / 1e6} s`);
  });
});
