import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { columnOf, eolAt, lineEnd, lineStart, nextLine } from "../../../src/yaml/edit/lines.ts";
import { hasOtherBreaks } from "../../../src/yaml/read/go-breaks.ts";
import { Lines } from "../../../src/yaml/read/position.ts";
import { applySplices } from "../../../src/yaml/edit/splice.ts";
import { scalarText } from "../../../src/yaml/read/tree.ts";
import { readTree } from "../../support/trees.ts";

// Lines around an offset, short or megabytes long, against the plain definition.

const LENGTHS = [0, 1, 2, 2046, 2047, 2048, 2049, 2050, 4096, 5000];

interface Line {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\r|\n/gu)) {
    lines.push({ start, end: match.index, next: match.index + match[0].length });
    start = match.index + match[0].length;
  }
  return [...lines, { start, end: text.length, next: text.length }];
}

describe("lines", () => {
  for (const eol of ["\n", "\r\n", "\r"]) {
    for (const last of ["", eol]) {
      const text =
        LENGTHS.flatMap((a) => [a, 7, a])
          .map((length) => "x".repeat(length))
          .join(eol) + last;
      const tree = { text, lines: new Lines(text), otherBreaks: hasOtherBreaks(text) };
      it(`with ${JSON.stringify(eol)}, ${last === "" ? "without" : "with"} one at the end, are found from everywhere`, () => {
        for (const { start, end, next } of linesOf(text)) {
          const offsets = new Set([start, start + 1, (start + end) >> 1, end - 2048, end - 2047, end - 1, end]);
          for (const extra of [2047, 2048, 2049]) offsets.add(start + extra);
          for (const offset of offsets) {
            if (offset < start || offset > end) continue;
            assert.deepEqual(
              [lineStart(tree, offset), lineEnd(tree, offset), nextLine(tree, offset)],
              [start, end, next],
              `from ${offset} of ${start} to ${end}`,
            );
            assert.equal(eolAt(tree, offset), eol);
          }
        }
      });
    }
  }
  it("end with LF if the text has no line break", () =>
    assert.equal(eolAt({ text: "abc", lines: new Lines("abc"), otherBreaks: false }, 1), "\n"));
  it("end as they do themselves, the last one as the first", () => {
    const text = "a\r\nb\nc\rd";
    const tree = { text, lines: new Lines(text), otherBreaks: hasOtherBreaks(text) };
    assert.deepEqual(
      [0, 3, 5, 7].map((offset) => eolAt(tree, offset)),
      ["\r\n", "\n", "\r", "\r\n"],
    );
  });
});

describe("the column of a key", () => {
  const CASES: readonly (readonly [string, string, number])[] = [
    ["a: 1\n", "a", 0],
    ["x:\n  a: 1\n", "a", 2],
    ["- a: 1\n", "a", 2],
    ["x:\n  ? a\n  : 1\n", "a", 2],
    // The mark is no column.
    ["\uFEFFa: 1\n", "a", 0],
    ["\uFEFF  a: 1\n", "a", 2],
  ];
  for (const [text, key, column] of CASES) {
    it(`${JSON.stringify(text)}: ${column}`, () => {
      const tree = readTree(text, "x.yaml");
      const node = tree.events.heads.findIndex((_, i) => scalarText(tree, i) === key);
      assert.equal(columnOf(tree, node), column);
    });
  }
});

describe("splices", () => {
  it("leave the very text where there are none", () => assert.equal(applySplices("text", []), "text"));
  it("apply in the order of their places; at one place in the order given", () => {
    const splices = [
      { offset: 3, remove: 1, insert: "D" },
      { offset: 1, remove: 0, insert: "1" },
      { offset: 0, remove: 1, insert: "" },
      { offset: 1, remove: 1, insert: "2" },
      { offset: 4, remove: 0, insert: "!" },
    ];
    assert.equal(applySplices("abcd", splices), "12cD!");
  });
  it("must not overlap", () =>
    assert.throws(
      () =>
        applySplices("abcd", [
          { offset: 0, remove: 2, insert: "" },
          { offset: 1, remove: 0, insert: "x" },
        ]),
      /overlap/u,
    ));
  it("may meet", () =>
    assert.equal(
      applySplices("abcd", [
        { offset: 0, remove: 2, insert: "x" },
        { offset: 2, remove: 2, insert: "y" },
      ]),
      "xy",
    ));
});
