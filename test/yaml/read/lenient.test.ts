import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { YAMLException } from "js-yaml";
import { parseLenient } from "../../../src/yaml/read/lenient.ts";
import { toJson } from "../../../src/yaml/read/node.ts";
import { readTree } from "../../support/trees.ts";

/** Texts that YAML 1.2 refuses and Go's readers take, and what those read (kubectl's, go-yaml v3 and kyaml agree). */
const TAKEN: readonly (readonly [text: string, value: unknown])[] = [
  // kyaml prints the closing quote of a string that ends in a line break at column 0.
  ['data:\n  k: "abc\n    def\n"\nb: "1"\n', { data: { k: "abc def " }, b: "1" }],
  ['data:\n  k: "abc\n\n  def\n  "\n  b: "x"\n', { data: { k: "abc\ndef ", b: "x" } }],
  ["data:\n  k: 'it''s\n\ndef'\n  b: x\n", { data: { k: "it's\ndef", b: "x" } }],
  ['a: "x\\\ny"\n', { a: "xy" }],
  ['k: "a\n\tb"\n', { k: "a b" }],
  ['"x\ny"\n', "x y"],
  ['? "a\nb"\n: c\n', { "a b": "c" }],
  ['- "a\nb"\n- - - "c\nd"\n- e\n', ["a b", [["c d"]], "e"]],
  ['a: "x\r\ny"\r\nb: "1"\r\n', { a: "x y", b: "1" }],
  ['k: "a\n# no comment\nb"\n', { k: "a # no comment b" }],
  ["data:\n  k: [a,\nb]\n  b: c\n", { data: { k: ["a", "b"], b: "c" } }],
  ['data:\n  k: {a: "x\ny", b:\nc}\n  b: d\n', { data: { k: { a: "x y", b: "c" }, b: "d" } }],
  ["k: [\n\ta,\n\tb\n]\n", { k: ["a", "b"] }],
  ["k: {a: b\n}\n", { k: { a: "b" } }],
  ['l: [a, # c "\nb]\n', { l: ["a", "b"] }],
  ["k: [a b\nc]\n", { k: ["a b c"] }],
  ["k: [it's,\nb's]\n", { k: ["it's", "b's"] }],
  // A comment right behind what it follows.
  ['a: "x"# c\nb: [c]# d\ne: {f: g}#h\n', { a: "x", b: ["c"], e: { f: "g" } }],
  ["k: [a,#x\n b]\n", { k: ["a", "b"] }],
  // Elsewhere such characters are text.
  ["k: [a b#c,\nd]\n", { k: ["a b#c", "d"] }],
  ['a: it\'s\nb: "x\ny"\n', { a: "it's", b: "x y" }],
  ['a: foo\n  "bar\nb: "x\n"\n', { a: 'foo "bar', b: "x " }],
  ['a: |\n  "\n  [\nb: "x\ny"\n', { a: '"\n[\n', b: "x y" }],
  ['a:\n- |\n  "x\n- "y\nz"\n', { a: ['"x\n', "y z"] }],
  ['a: &x !!str "b\nc"\nd: *x\n', { a: "b c", d: "b c" }],
  ['--- "a\nb"\n', "a b"],
];

/** Texts that Go's readers refuse as well. */
const REFUSED: readonly string[] = [
  'k: "a\n---\nb"\n',
  "k: [a\n---\n]\n",
  'k: "a\n... \nb"\n',
  "k: [a\nb: c]\nd: e\n",
  '"a\nb": c\n',
  'k: "a\nb\n',
  "k: [a,\nb\n",
  'k: |\n  "a\n b: c\n',
  'k: "a"b\nc: "d\ne"\n',
];

describe("what Go's readers take besides YAML 1.2", () => {
  for (const [text, value] of TAKEN) {
    it(`reads ${JSON.stringify(text)}`, () => {
      const tree = readTree(text, "stdin");
      assert.deepEqual(JSON.parse(JSON.stringify(toJson(tree, tree.documents[0] ?? 0))), value);
    });
  }

  for (const text of REFUSED) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseLenient(text, 20), YAMLException);
      assert.throws(() => readTree(text, "stdin"), { name: "RollstampError", code: "input" });
    });
  }

  it("tells the place in the text as it was given", () => {
    const text = 'a: "x\ny"\nb: [c\nd: "e\n';
    assert.throws(() => readTree(text, "stdin"), { place: { file: "stdin", line: 2, column: 1 } });
  });

  it("takes time in proportion to the text", () => {
    // The processor's time, the least of three (less where the first is): other tests run beside this one.
    const once = (count: number): number => {
      const text = 'k: "x\n"\nl: [a,\nb]\n---\n'.repeat(count);
      const before = process.cpuUsage();
      assert.equal(readTree(text, "stdin").documents.length, count + 1);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    once(500);
    const most = 10 * Math.max(Math.min(...[0, 1, 2].map(() => once(2000))), 5000);
    // In proportion it is four times as much; if it grew with the square, sixteen.
    assert.ok([0, 1, 2].some(() => once(8000) < most));
  });

  it("puts no more spaces in than a few times the text", () => {
    const text = `${"- ".repeat(400)}[${"\n1,".repeat(20_000)}]\n`;
    assert.throws(() => parseLenient(text, 500), YAMLException);
  });
});
