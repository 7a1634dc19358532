import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../src/manifest/node.ts";
import { HIDDEN, shownValues } from "../../src/plan/hidden-values.ts";
import { valueDiffs } from "../../src/plan/value-diffs.ts";
import { compare, type Change } from "../../src/rollout/compare.ts";
import { ANY, POD_TEMPLATE } from "../../src/rollout/pod-types.ts";

// What a plan shows of values: of ConfigMaps line by line, of pod templates all but what could be a secret.

const diff = (from: string | Uint8Array | undefined, to: string | Uint8Array | undefined): readonly string[] => {
  const entries = (value: string | Uint8Array | undefined): Map<string, string | Uint8Array> =>
    new Map(value === undefined ? [] : [["key", value]]);
  return valueDiffs(entries(from), entries(to))[0]?.lines ?? [];
};

describe("the diff of a ConfigMap's value", () => {
  const ROWS: readonly (readonly [string, string | undefined, string | undefined, readonly string[]])[] = [
    ["of one line", "a", "b", ["-a", "+b"]],
    ["has the lines that differ", "a\nb\nc\n", "a\nx\nc\n", ["-b", "+x"]],
    ["has every line of several together", "a\nb\nc\n", "a\nx\ny\nc\n", ["-b", "+x", "+y"]],
    ["keeps empty lines", "a\n", "a\n\n\nb\n", ["+", "+", "+b"]],
    ["keeps a line's own ends", "a\n", "  b \n", ["-a", "+  b "]],
    ["of a key that comes", undefined, "a\nb\n", ["+a", "+b"]],
    ["of a key that goes", "a\nb\n", undefined, ["-a", "-b"]],
  ];
  for (const [name, from, to, expected] of ROWS) it(name, () => assert.deepEqual(diff(from, to), expected));

  it("is in the order of the keys: those that come, go and change together", () => {
    const from = new Map([
      ["b", "1"],
      ["c", "1"],
      ["same", "1"],
    ]);
    const to = new Map([
      ["d", "1"],
      ["a", "1"],
      ["c", "2"],
      ["same", "1"],
    ]);
    assert.deepEqual(valueDiffs(from, to), [
      { key: "a", lines: ["+1"] },
      { key: "b", lines: ["-1"] },
      { key: "c", lines: ["-1", "+2"] },
      { key: "d", lines: ["+1"] },
    ]);
  });
  it("shows no bytes, on either side", () => {
    for (const [from, to] of [
      [Buffer.of(0xff), "a"],
      ["a", Buffer.of(0xff)],
      [Buffer.of(0xff), Buffer.of(0xfe)],
    ] as const) {
      assert.deepEqual(diff(from, to), ["(binary)"]);
    }
  });
  it("has twelve lines at most, and counts the others", () => {
    const lines = (n: number): string => Array.from({ length: n }, (_, i) => `l${i}\n`).join("");
    assert.equal(diff("", lines(12)).length, 12);
    assert.deepEqual(diff("", lines(12)).at(-1), "+l11");
    assert.deepEqual(diff("", lines(15)).slice(11), ["+l11", "(3 more lines)"]);
  });
  it("has 200 characters of a line at most", () => {
    assert.deepEqual(diff("", "x".repeat(200)), [`+${"x".repeat(200)}`]);
    assert.deepEqual(diff("", "x".repeat(201)), [`+${"x".repeat(200)}…`]);
  });
  it("is not made of 100,000 characters and more, both sides together", () => {
    assert.deepEqual(diff("x\n".repeat(25_000), `${"x\n".repeat(24_999)}yy`), ["-x", "+yy"]);
    assert.deepEqual(diff("x\n".repeat(25_000), `${"x\n".repeat(24_999)}yyy`), ["(too long to show)"]);
  });
});

describe("what a plan shows of a pod template's values", () => {
  const shown = (path: string, from: Json, to: Json, showValues = false): unknown =>
    shownValues({ path, from, to, type: ANY }, showValues);

  const HIDES = [
    ...["value", "command", "args"].map((field) => `spec.containers[name=app].env[name=A].${field}`),
    ...["dbPassword", "passwd", "clientSecret", "authToken", "credentials", "privateKeyPem", "apiKeys", "API-KEYS"].map(
      (field) => `spec.${field}`,
    ),
    'metadata.annotations["example.com/password"]',
    "spec.tolerations[0].value.value",
    "spec.tolerations[name=a].value",
    "spec.x[0].value",
    "value",
    'spec.nodeSelector["a.b/c"].value',
    'spec.x["value"]',
    '["password"]',
    "spec.containers[name=app].env",
    "spec.containers[name=app].env[0]",
    "spec.containers[name=app].volumeMounts[12]",
  ];
  for (const path of HIDES) {
    it(`${path} hides a text`, () => {
      assert.deepEqual(shown(path, "a", "b"), { hidden: true });
      assert.deepEqual(shown(path, null, "b"), { hidden: true });
      assert.deepEqual(shown(path, "a", null), { hidden: true });
      assert.deepEqual(shown(path, "a", "b", true), { from: "a", to: "b" });
    });
  }

  const SHOWS = [
    "spec.containers[name=app].image",
    "spec.valueFrom",
    "spec.somevalue",
    "spec.commandLine",
    "spec.myargs",
    "spec.volumes[name=v].secret.secretName",
    "spec.secretNames",
    "spec.tokenRef",
    "spec.passwordRefs",
    "spec.tokenPath",
    "spec.tokenFile",
    "spec.secretKey",
    "spec.apiKey",
    "spec.tolerations[0].value",
    "tolerations[0].value",
    'spec.containers[name=private]["a.b"]',
    "spec.tolerations[12].value",
    'metadata.annotations["example.com/value/x"]',
  ];
  for (const path of SHOWS) {
    it(`${path} shows a text`, () => assert.deepEqual(shown(path, "a", "b"), { from: "a", to: "b" }));
  }

  it("shows numbers and truth of any field: they are none", () => {
    assert.deepEqual(shown("spec.token", 1, 2), { from: 1, to: 2 });
    assert.deepEqual(shown("spec.automountToken", true, null), { from: true, to: null });
  });
  it("hides a list of texts, and looks into one of objects", () => {
    assert.deepEqual(shown("spec.args", ["a"], null), { hidden: true });
    assert.deepEqual(shown("spec.args", [{ a: "x" }, "b"], null), { hidden: true });
    assert.deepEqual(shown("spec.args", [{ a: "x" }], [{ a: "y" }]), { from: [{ a: "x" }], to: [{ a: "y" }] });
  });
  // What comes of `compare` where a text stands for an object, as Compose files have it.
  const WRITTEN: readonly (readonly [string, Json])[] = [
    ["texts for variables", { containers: [{ name: "app", env: ["PASSWORD=hunter2"] }] }],
    ["a text for the variables", { containers: [{ name: "app", env: "PASSWORD=hunter2" }] }],
    ["texts in lists for variables", { containers: [{ name: "app", env: [["PASSWORD=hunter2"]] }] }],
    ["texts for containers", { containers: ["hunter2"] }],
  ];
  for (const [name, pod] of WRITTEN) {
    it(`hides ${name}`, () => {
      for (const before of [{ containers: [{ name: "app" }] }, { containers: [] }, {}]) {
        const both = [compare(POD_TEMPLATE, { spec: before }, { spec: pod }, { quantitiesByText: false })];
        both.push(compare(POD_TEMPLATE, { spec: pod }, { spec: before }, { quantitiesByText: false }));
        for (const changes of both) {
          assert.ok(changes.length > 0);
          const text = JSON.stringify(changes.map((change) => shownValues(change, false)));
          assert.doesNotMatch(text, /hunter2/u);
        }
      }
    });
  }
  it("looks into an object of a list without names", () => {
    assert.deepEqual(shown("spec.tolerations[0]", null, { key: "a" }), { from: null, to: { key: "a" } });
    assert.deepEqual(shown("spec.supplementalGroups[0]", 1, 2), { from: 1, to: 2 });
  });
  it("hides fields inside a value, at any depth", () => {
    const env = (value: string): Json => [{ name: "A", value }, { nested: [{ args: [value], kept: "k" }] }];
    assert.deepEqual(shown("spec.env", null, env("a")), {
      from: null,
      to: [{ name: "A", value: HIDDEN }, { nested: [{ args: HIDDEN, kept: "k" }] }],
    });
    assert.equal(HIDDEN, "(hidden)");
  });
  it("says no more than hidden where nothing else differs", () => {
    assert.deepEqual(shown("spec.env", [{ value: "a" }], [{ value: "b" }]), { hidden: true });
    assert.deepEqual(shown("spec.env", [{ value: "a" }], [{ value: "b" }], true), {
      from: [{ value: "a" }],
      to: [{ value: "b" }],
    });
  });
  it("shows another order as it is: no value comes or goes", () => {
    const change: Change = { path: "spec.args", from: ["a", "b"], to: ["b", "a"], type: ANY, order: true };
    assert.deepEqual(shownValues(change, false), { from: ["a", "b"], to: ["b", "a"] });
  });
});
