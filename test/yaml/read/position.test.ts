import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Lines } from "../../../src/yaml/read/position.ts";

/** Line and column by the plainest way: characters, as editors count them. */
function plainly(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split(/\r\n?(?!\n)|\r(?!\n)|\n/u);
  const before = lines.at(-1) ?? "";
  const shown = lines.length === 1 ? before.replace(/^\uFEFF/u, "") : before;
  return { line: lines.length, column: [...shown].length + 1 };
}

describe("places in a file", () => {
  it("are counted in characters, from 1", () => {
    const text = "a: 1\nkey: 💡x\r\nz";
    const lines = new Lines(text);
    assert.deepEqual(lines.placeAt("f", 0), { file: "f", line: 1, column: 1 });
    assert.deepEqual(lines.placeAt("f", text.indexOf("x")), { file: "f", line: 2, column: 7 });
    assert.deepEqual(lines.placeAt("f", text.indexOf("z")), { file: "f", line: 3, column: 1 });
    assert.deepEqual(new Lines("\uFEFFa: b").placeAt("f", 4), { file: "f", line: 1, column: 4 });
  });
  it("are the same whatever was asked for before", () => {
    const unit = fc.constantFrom("a", " ", "é", "💡", "\n", "\uFEFF");
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 8 }), (units, asked) => {
        const text = units.join("");
        const lines = new Lines(text);
        // Only the beginnings of characters are ever asked for.
        const offsets = units.map((_, i) => units.slice(0, i).join("").length);
        for (const n of asked) {
          const offset = offsets.at(n % Math.max(offsets.length, 1)) ?? 0;
          assert.deepEqual(lines.placeAt("f", offset), { file: "f", ...plainly(text, offset) });
        }
      }),
    );
  });
  it("in one line of megabytes are found in no time", { timeout: 5000 }, () => {
    const text = `[${'"x",'.repeat(500_000)}]`;
    const lines = new Lines(text);
    for (let offset = 0; offset < text.length; offset += 200) lines.placeAt("f", offset);
  });
});
