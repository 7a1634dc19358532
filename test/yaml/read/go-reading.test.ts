import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kubectlKey, kubectlValue } from "../../../src/yaml/read/go-scalars.ts";
import { toJson } from "../../../src/yaml/read/node.ts";
import { readTree } from "../../support/trees.ts";

// What Go's parsers return for each of these (test/hosts/go-readers.test.ts runs them again).

/** Bare keys and what kubectl makes of them. */
const KEYS: Readonly<Record<string, string>> = {
  "012": "10",
  "08": "8",
  "00": "0",
  "-0": "0",
  "-0.0": "-0",
  "+1": "1",
  "1_000": "1000",
  "0_7": "7",
  "0x1F": "31",
  "0b11": "3",
  "0b-1": "-1",
  "0o17": "15",
  "1.20": "1.2",
  "1.": "1",
  ".5": "0.5",
  "-.5": "-0.5",
  "+.5e1": "5",
  "100000.0": "100000",
  "123456.0": "123456",
  "1e6": "1e+06",
  "1234567.0": "1.234567e+06",
  "16777217.0": "1.6777216e+07",
  "0.0001": "0.0001",
  "0.00001": "1e-05",
  "1.5e-7": "1.5e-07",
  "1e-46": "0",
  "1e39": ".inf",
  "-.inf": "-.inf",
  ".nan": ".nan",
  "18446744073709551615": "18446744073709551615",
  "18446744073709551616": "1.8446744e+19",
  on: "true",
  n: "false",
  "12:30": "12:30",
  "2001-01-01": "2001-01-01",
};

const READ: readonly (readonly [text: string, ...values: unknown[]])[] = [
  // Half of a pair of surrogates is no character: encoding/json reads U+FFFD.
  [
    String.raw`{"a": "x\ud83d\ude00", "b": "x\udb40", "\ud800": "\udc00\ud800y"}`,
    { a: "x😀", b: "x\ufffd", "\ufffd": "\ufffd\ufffdy" },
  ],
  // Tags.
  ['a: !!int "3"\nb: !!bool yes\nc: !!float 3\nd: !!int 0b11\n', { a: 3, b: true, c: 3, d: 3 }],
  ["a: !!str 12\nb: ! 12\nc: !x 12\nd: !!foo on\ne: !!str\n", { a: "12", b: "12", c: "12", d: "on", e: "" }],
  ['a: !!null ""\nb: !!null ~\n', { a: null, b: null }],
  ["a: !!binary aGk=\nb: !<tag:yaml.org,2002:binary> aGk=\n", { a: "hi", b: "hi" }],
  ["a: !!binary |\n  aGVs\n  bG8=\nb: !!binary\n", { a: "hello", b: "" }],
  ["a: !!binary /w==\nb: !!binary 4oLigqz/\n", { a: "\uFFFD", b: "\uFFFD\uFFFD\u20AC\uFFFD" }],
  // Line breaks.
  ['a: "x\u0085y"\nb: "x \u0085 y"\nc: \'x\u0085\u0085y\'\n', { a: "x y", b: "x y", c: "x\ny" }],
  ['a: "x \u2028 y"\nb: "x\n\u2028y"\nc: "x\u2028\ny"\n', { a: "x\u2028y", b: "x\u2028y", c: "x\u2028\ny" }],
  ['a: "x\\\u2028y"\nb: "\\\u0085 y"\n', { a: "xy", b: "y" }],
  ["a: |\n  x\u2028  y\n  z\nb: >\n  x\u2028  y\n  z\n", { a: "x\u2028y\nz\n", b: "x\u2028y z\n" }],
  ["a: >\n  x\n\u2028  y\nb: |\n  x\u0085  y\nc: x\u0085  y\n", { a: "x\u2028y\n", b: "x\ny\n", c: "x y" }],
  ['a: "one\\\n\n    two"\nb: "x\\\n \t\n\n"\n', { a: "one\ntwo", b: "x\n\n" }],
  ['a: "x\\\r\n\r\n  y \\\r\n\r\n"\n', { a: "x\ny \n" }],
  ['a: "x\\\\\n\n  y"\nb: "x\\\\\\\n\n  y"\n', { a: "x\\\ny", b: "x\\\ny" }],
  ['a: "x\\  \n\\\n"\nb: "x\\\\  \n\\\n"\nc: "\\\t\t\n\\\n"\n', { a: "x  ", b: "x\\ ", c: "\t " }],
  ["# c\u2028a: b\u2028c: d # e\u0085f: g\n", { a: "b", c: "d", f: "g" }],
  ['{"a": "x \u2028 y\u0085"}', { a: "x \u2028 y\u0085" }],
  // JSON values in a row.
  ['{"a":1}\n{"b":"}{"}\n\n', { a: 1 }, { b: "}{" }],
  ['\uFEFF{"a":"\\\\"} {"b":"\\"{"}{\n\t"c": {}\n}', { a: "\\" }, { b: '"{' }, { c: {} }],
  // Tabs before flow collections.
  ["a:\t{b: c}\nd: {e:\t[f\tg\t]}\nh: &x\t[i]\n", { a: { b: "c" }, d: { e: ["f\tg"] }, h: ["i"] }],
  ['\uFEFFa: {b:\nc}\n"d" : {e:\nf}\n', { a: { b: "c" }, d: { e: "f" } }],
];

const REFUSED: Readonly<Record<string, string>> = {
  "a: !!bool foo\n": "1:4",
  "a: !!int 3.5\n": "1:4",
  "a: !!null x\n": "1:4",
  "a: !!bool\n": "1:4",
  "a: !!binary x\n": "1:4",
  "a: !!binary >\n  aGVs\n  bG8=\n": "1:4",
  "a: b\n...\nc: d\n": "3:1",
  '{"a":1}\n["b"]\n': "2:1",
  '{"a":1}\n{b:1}\n': "2:1",
  '{"a":1}\nb: 1\n': "2:1",
  "a: x\u2028y\n": "3:1",
  "a: {{ .Values.x }}\n": "1:5",
  "-\t[a]\n": "1:4",
};

describe("what Go's readers read", () => {
  it("kubectl's keys", () => {
    for (const [key, made] of Object.entries(KEYS)) assert.equal(kubectlKey(kubectlValue(key)), made, key);
    assert.equal(kubectlKey(kubectlValue("~")), undefined);
  });

  for (const [text, ...values] of READ) {
    it(`reads ${JSON.stringify(text)}`, () => {
      const tree = readTree(text, "stdin");
      const read = tree.documents.map((document): unknown => JSON.parse(JSON.stringify(toJson(tree, document))));
      assert.deepEqual(read, values);
    });
  }

  for (const [text, place] of Object.entries(REFUSED)) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const [line, column] = place.split(":").map(Number);
      assert.throws(() => readTree(text, "stdin"), { code: "input", place: { file: "stdin", line, column } });
    });
  }

  it("takes time in proportion to the input with such breaks, with JSON values, with tabs", () => {
    const once = (text: string): number => {
      const before = process.cpuUsage();
      try {
        const tree = readTree(text, "stdin");
        toJson(tree, tree.documents[0] ?? 0);
      } catch (cause) {
        assert.ok(cause instanceof Error);
      }
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const shapes: readonly ((n: number) => string)[] = [
      (n) => `a: "${" ".repeat(n)}\u2028x"\n`,
      (n) => `a: "${" \u2028".repeat(n)}x"\n`,
      (n) => `a: |\n${"  x\u2028".repeat(n)}`,
      (n) => `{"a":"${'\\"'.repeat(n)}`,
      (n) => '{"a":1}\n'.repeat(n / 8),
      (n) => `a: [${"\t[],".repeat(n / 4)}]\n`,
      (n) => `a: !!binary ${"////".repeat(n / 4)}\n`,
    ];
    for (const shape of shapes) {
      once(shape(1000));
      const most = 10 * Math.max(Math.min(...[0, 1, 2].map(() => once(shape(40_000)))), 5000);
      // In proportion it is four times as much; if it grew with the square, sixteen. The least of three is less where the
      // first is.
      assert.ok(
        [0, 1, 2].some(() => once(shape(160_000)) < most),
        shape(12),
      );
    }
  });
});
