import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { objectReader } from "../../src/node/git-batch.ts";

interface Seen {
  readonly name: string;
  readonly content: string;
}

/** Reads the output of git in chunks of a given size. */
function readIn(pieces: number, names: readonly string[], printed: string, most = 1000): readonly Seen[] {
  const seen: Seen[] = [];
  let content: Buffer[] = [];
  let isWanted = false;
  const reader = objectReader(names, {
    begin: (_i, size, type) => (isWanted = type === "blob" && size <= most),
    take: (piece) => content.push(Buffer.from(piece)),
    end: (i) => {
      seen.push({ name: names[i] ?? "", content: isWanted ? Buffer.concat(content).toString("utf8") : "(not wanted)" });
      content = [];
    },
    missing: (i) => seen.push({ name: names[i] ?? "", content: "(missing)" }),
  });
  const bytes = Buffer.from(printed, "utf8");
  for (let start = 0; start < bytes.length; start += pieces) reader.take(bytes.subarray(start, start + pieces));
  assert.equal(reader.isWhole(), seen.length === names.length);
  return seen;
}

const ID = "0123456789012345678901234567890123456789";
const object = (content: string, type = "blob"): string =>
  `${ID} ${type} ${Buffer.byteLength(content, "utf8")}\n${content}\n`;

describe("the objects that git prints", () => {
  const rows: readonly (readonly [what: string, printed: readonly (readonly [name: string, printed: string])[]])[] = [
    ["one", [["a", object("text\n")]]],
    [
      "an empty one",
      [
        ["a", object("")],
        ["b", object("b")],
      ],
    ],
    [
      "a content that looks like a header",
      [
        ["a", object(`${ID} blob 3\nabc\nb missing\n`)],
        ["b", object("b")],
      ],
    ],
    [
      "a content with other letters",
      [
        ["a", object("Grüße, 世界")],
        ["b", object("b")],
      ],
    ],
    [
      "a missing object",
      [
        ["c:a", "c:a missing\n"],
        ["b", object("b")],
      ],
    ],
    [
      "a missing object with a line break and spaces in its name",
      [
        ["c:a b\nblob 3\nx", "c:a b\nblob 3\nx missing\n"],
        ["b", object("b")],
      ],
    ],
    [
      "a missing object with a name like an id",
      [
        [ID, `${ID} missing\n`],
        [ID, object("b")],
      ],
    ],
    [
      "a missing object with a long name",
      [
        [`c:${"d/".repeat(500)}`, `c:${"d/".repeat(500)} missing\n`],
        ["b", object("b")],
      ],
    ],
    [
      "a folder",
      [
        ["a", object("whatever", "tree")],
        ["b", object("b")],
      ],
    ],
    [
      "an object that is too large",
      [
        ["a", object("x".repeat(1001))],
        ["b", object("b")],
      ],
    ],
  ];
  for (const [what, all] of rows) {
    it(`are read in any chunks: ${what}`, () => {
      const names = all.map(([name]) => name);
      const printed = all.map(([, text]) => text).join("");
      const whole = readIn(printed.length + 1000, names, printed);
      assert.equal(whole.length, names.length);
      assert.deepEqual(
        whole.map(({ name }) => name),
        names,
      );
      for (const pieces of [1, 2, 3, 7, 64]) assert.deepEqual(readIn(pieces, names, printed), whole);
    });
  }
  it("are read by name, with missing and unwanted objects", () =>
    assert.deepEqual(
      readIn(5, ["a", "b", "c", "d"], `${object("text")}b missing\n${object("t", "tree")}${object("")}`),
      [
        { name: "a", content: "text" },
        { name: "b", content: "(missing)" },
        { name: "c", content: "(not wanted)" },
        { name: "d", content: "" },
      ],
    ));
  it("are checked for completeness", () => {
    assert.deepEqual(readIn(9, ["a", "b"], object("text")), [{ name: "a", content: "text" }]);
    assert.deepEqual(readIn(9, ["a"], object("text").slice(0, -1)), []);
  });
  for (const [what, printed] of [
    ["another name", "x missing\n"],
    ["words", "fatal: no\n"],
    ["a line without an end", "x".repeat(500)],
  ] as const)
    it(`are rejected for invalid output: ${what}`, () => {
      assert.throws(() => readIn(50, ["a"], printed), /git failed/u);
    });
});
