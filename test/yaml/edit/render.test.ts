import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { blockLines, flowEntries, flowValue, quote, renderKey, renderScalar } from "../../../src/yaml/edit/render.ts";

// What is written is the same text for readers of YAML 1.1, YAML 1.2 and JSON.

const VERSIONS = ["1.1", "1.2"] as const;

const TEXTS = [
  "",
  "h1-00",
  "true",
  "null",
  "1",
  "0x1f",
  " a ",
  "a: b # c",
  'a "quoted" one',
  "back\\slash",
  "line\nbreak\r\n\ttab",
  "\u0000\u001f",
  "\u007f\u0080\u0085\u009f\u00a0",
  "\u2028\u2029\ufeff\ufffe\uffff",
  "\u00e9\u{1f600}",
];

describe("a quoted value", () => {
  for (const text of TEXTS) {
    it(`${JSON.stringify(text)} is read as it was`, () => {
      const quoted = quote(text);
      assert.equal(JSON.parse(quoted), text);
      for (const version of VERSIONS) assert.equal(parse(quoted, { version }), text);
      assert.match(quoted, /^"[ -~\u00a0-\u2027\u202a-\ufefe\u{10000}-\u{10ffff}]*"$/u);
    });
  }
  it("escapes with four digits", () => assert.equal(quote("\u007f\u2028\ufeff"), '"\\u007f\\u2028\\ufeff"'));
  it("is none for a number", () => assert.deepEqual([renderScalar(3), renderScalar("3")], ["3", '"3"']));
});

describe("a key", () => {
  const PLAIN = ["configmap.rollstamp.dev/a", "a/b", "A-1_b.c/d", "annotations", "pod-metadata", "Name"];
  const QUOTED = [
    "",
    "a b/c",
    "a/b c",
    ..."y n No on ON yes Yes off true TRUE False null Null ~".split(" "),
    ..."a ab 1abc -abc 1/a -a/b /a a:/b pod-1 a.b pod- pod--x << 1e3 \u00e9t\u00e9".split(" "),
  ];
  for (const key of PLAIN) it(`${key} is plain`, () => assert.equal(renderKey(key), key));
  for (const key of QUOTED) it(`'${key}' is quoted`, () => assert.equal(renderKey(key), JSON.stringify(key)));
  for (const version of VERSIONS) {
    it(`is text for YAML ${version}`, () => {
      for (const key of [...PLAIN, ...QUOTED]) {
        assert.deepEqual(parse(`${renderKey(key)}: x`, { version }), { [key]: "x" });
      }
    });
  }
});

describe("entries", () => {
  const ENTRIES = [
    ["metadata", [["annotations", [["a/b", "1"]]]]],
    ["count", 3],
  ] as const;
  const style = { quoteKeys: false, colon: ": ", comma: ", ", lines: undefined };
  it("are lines of a block, each level one step further", () =>
    assert.deepEqual(blockLines(ENTRIES, 4, 3), [
      "    metadata:",
      "       annotations:",
      '          a/b: "1"',
      "    count: 3",
    ]));
  it("are flow on one line", () => {
    assert.equal(flowEntries(ENTRIES, style), 'metadata: {annotations: {a/b: "1"}}, count: 3');
    const json = { ...style, quoteKeys: true, colon: ":", comma: "," };
    assert.equal(flowValue(ENTRIES, json), '{"metadata":{"annotations":{"a/b":"1"}},"count":3}');
  });
  it("are flow with a line for each", () => {
    const lines = { indent: "\t", step: "  ", eol: "\r\n" };
    assert.equal(
      flowValue(ENTRIES, { ...style, lines }),
      [
        "{",
        "\t  metadata: {",
        "\t    annotations: {",
        '\t      a/b: "1"',
        "\t    }",
        "\t  },",
        "\t  count: 3",
        "\t}",
      ].join("\r\n"),
    );
  });
});
