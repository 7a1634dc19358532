// Compares the values of HelmReleases with Flux's own library (scripts/hosts/flux-values).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import fc from "fast-check";
import { RollstampError } from "../../src/base/errors.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import type { Json } from "../../src/yaml/read/node.ts";
import { mergedValues, type GivenValues } from "../../src/applications/render/merged-values.ts";
import type { Value } from "../../src/applications/render/set-values.ts";
import { installed, unlessFound } from "./programs.ts";

const FLUX_VALUES = installed("flux-values.sh");

interface Case {
  readonly values: Json | undefined;
  readonly given: readonly GivenValues[];
}

const KEYS = ["a", "b", "c", "d.e", "list", "web"];
const SCALARS: readonly Json[] = ["x", "", "true", "10", 7, 1_234_567, 1.5, true, false, null];
const scalar = fc.constantFrom(...SCALARS);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.dictionary(fc.constantFrom(...KEYS), tie("json"), { maxKeys: 3, noNullPrototype: true }),
    fc.array(tie("json"), { maxLength: 3 }),
  ),
}));
const mapping = fc.dictionary(fc.constantFrom(...KEYS), json, { maxKeys: 4, noNullPrototype: true });

const PATHS = [
  "a",
  "b",
  "a.b",
  "a.b.c",
  "list[0]",
  "list[2].a",
  "list[0].b",
  "list[1][0]",
  "a.list[0].b",
  "web.a.a.a",
].concat(
  String.raw`d\.e`,
  String.raw`a.d\.e.b`,
  String.raw`web.x\/y`,
  "a.",
  ".a",
  "a..b",
  "[0]",
  "list[70000]",
  "list[0]a",
  "a\\",
  Array.from({ length: 40 }, () => "a").join("."),
);
const TEXTS = [
  "x",
  "",
  "0",
  "007",
  "-5",
  "+5",
  "-0",
  "1234567",
  "9223372036854775807",
  "9223372036854775808",
  "TRUE",
  "False",
  "null",
].concat(
  "'5'",
  '"a,b"',
  "'",
  `"it's"`,
  "a,b",
  "a,b=c",
  "a,b.c=d,list={1,x}",
  "{}",
  "{a,1,true}",
  "{a,b}c",
  "{a,b},c=d",
  "{a",
  String.raw`{a\,b,c\}}`,
  String.raw`a\,b`,
  "a\\",
  '{"a": [1, 2]}',
  "two\nlines: x\n",
  "1e6",
  "é,ü=ß",
  "=",
  "a=b",
  ",",
  "a,",
);
const DOCUMENTS = [
  "",
  "{}\n",
  "# nothing\n",
  "a: {b: {c: 1}}\n",
  "a: x\nlist: [1, {a: b}]\n",
  "yes: on\nb: 0x10\nc: 010\n",
  "[1]\n",
  "text\n",
  "a: ~\nb:\n",
  "a: &x {b: 1}\nweb:\n  <<: *x\n",
];

const givenValues: fc.Arbitrary<GivenValues> = fc.oneof(
  fc.record({
    is: fc.constant("document" as const),
    shown: fc.constant("an object"),
    text: fc.oneof(
      fc.constantFrom(...DOCUMENTS),
      mapping.map((value) => JSON.stringify(value)),
    ),
  }),
  fc.record({
    is: fc.constant("path" as const),
    shown: fc.constant("an object"),
    path: fc.constantFrom(...PATHS),
    text: fc.oneof(
      fc.constantFrom(...TEXTS),
      fc.string({ unit: fc.constantFrom(...String.raw`ab01,.=[]{}\'" `), maxLength: 8 }),
    ),
    isLiteral: fc.boolean(),
  }),
);
const cases: fc.Arbitrary<Case> = fc.record({
  values: fc.option(mapping, { nil: undefined }),
  given: fc.array(givenValues, { maxLength: 5 }),
});

/** A case as the program takes it: each of the given an object of its own. */
function asked({ values, given }: Case): string {
  return JSON.stringify({
    ...(values === undefined ? {} : { values }),
    refs: given.map((from, at) => ({
      kind: at % 2 === 0 ? "ConfigMap" : "Secret",
      name: `o${at}`,
      ...(from.is === "path" ? { targetPath: from.path, literal: from.isLiteral, valuesKey: "k" } : {}),
    })),
    objects: given.map((from, at) => ({
      kind: at % 2 === 0 ? "ConfigMap" : "Secret",
      name: `o${at}`,
      data: { [from.is === "path" ? "k" : "values.yaml"]: from.text },
    })),
  });
}

function jsonOf(value: Value): Json {
  if (typeof value === "bigint") return { int64: String(value) };
  if (Array.isArray(value)) return value.map(jsonOf);
  return value instanceof Map ? Object.fromEntries([...value].map(([key, inner]) => [key, jsonOf(inner)])) : value;
}

function ours({ values, given }: Case): Json | undefined {
  try {
    return jsonOf(mergedValues(given, values, DEFAULT_LIMITS));
  } catch (cause) {
    assert.ok(cause instanceof RollstampError, String(cause));
    return undefined;
  }
}

describe("values of a HelmRelease", { skip: unlessFound(FLUX_VALUES) }, () => {
  it("are the same as those of Flux's library", () => {
    assert.ok(FLUX_VALUES.found);
    const runs = Number(process.env["FC_RUNS"] ?? 2000);
    const all = fc.sample(cases, { numRuns: runs, seed: Number(process.env["FC_SEED"] ?? 18) });
    const { stdout, status, stderr } = spawnSync(FLUX_VALUES.path, {
      input: all.map((given) => `${asked(given)}\n`).join(""),
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    assert.equal(status, 0, stderr);
    const answers = stdout.trimEnd().split("\n");
    let made = 0;
    for (const [at, given] of all.entries()) {
      const answer: { readonly values?: Json; readonly error?: string } = JSON.parse(answers[at] ?? "");
      if (answer.values !== undefined) made += 1;
      assert.deepEqual(ours(given), answer.values, `${asked(given)}\n${answer.error ?? ""}`);
    }
    assert.ok(made > runs / 4, `${made} of ${runs} have values`);
  });
});
