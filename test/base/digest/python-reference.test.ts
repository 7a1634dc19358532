import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import fc from "fast-check";
import { digestOf, digestText } from "../../../src/base/digest/hash-v1.ts";
import { entriesOfObject } from "../../support/entries.ts";
import { LONG } from "../../support/long.ts";
import { inRoot } from "../../support/paths.ts";
import { codePoint } from "../../support/code-point.ts";

// The reference shares no code with the project and uses only Python's standard library. Its main()
// prints vectors; this driver takes its functions and digests the objects that it is sent.
const DRIVER = `
import sys, json, runpy, io, contextlib
with contextlib.redirect_stdout(io.StringIO()):
    ref = runpy.run_path(sys.argv[1])
for line in sys.stdin:
    case = json.loads(line)
    keys = None if case["keys"] is None else {k.encode() for k in case["keys"]}
    key = None if case["hmacKey"] is None else case["hmacKey"].encode()
    print(ref["text"](ref["digest"](ref["entries"](case["object"]), keys, key), key is not None))
`;

const python = spawnSync("python3", ["--version"]).status === 0;

const text = fc.string({ unit: codePoint, maxLength: 40 }).map((value) => Buffer.from(value).toString());
const key = fc.oneof(
  fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 12 }),
  text.filter((value) => value !== ""),
);
const values = fc.dictionary(key, fc.option(text), { maxKeys: 6, noNullPrototype: true });
const base64 = fc.dictionary(
  key,
  fc.option(fc.uint8Array({ maxLength: 40 }).map((b) => Buffer.from(b).toString("base64"))),
  { maxKeys: 6 },
);

const configMap = fc
  .record({ data: values, binaryData: base64 })
  .filter(({ data, binaryData }) => !Object.keys(data).some((k) => Object.hasOwn(binaryData, k)))
  .map((fields) => ({ kind: "ConfigMap", ...fields }));
const secret = fc.record({ data: base64, stringData: values }).map((fields) => ({ kind: "Secret", ...fields }));
const sealed = fc
  .record({ encryptedData: fc.dictionary(key, text, { maxKeys: 4 }), type: fc.option(text) })
  .map(({ encryptedData, type }) => ({
    kind: "SealedSecret",
    spec: { encryptedData, template: type === null ? {} : { type } },
  }));

const cases = fc.record({
  object: fc.oneof(configMap, secret, sealed),
  keys: fc.option(fc.array(key, { maxLength: 4 })),
  hmacKey: fc.option(fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 20 })),
});

describe("hash-v1 against the Python reference", () => {
  it("is equal over random objects", { skip: python ? false : "python3 is not on PATH" }, () => {
    const sample = fc.sample(cases, { numRuns: LONG ? 2000 : 300, seed: Number(process.env["FC_SEED"] ?? 20261121) });
    const input = sample.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    const { stdout, stderr, status } = spawnSync(
      "python3",
      ["-c", DRIVER, inRoot("test/base/digest/hash_v1_reference.py")],
      {
        input,
        encoding: "utf8",
        env: { ...process.env, PYTHONIOENCODING: "utf-8" },
        maxBuffer: 1 << 26,
      },
    );
    assert.equal(status, 0, stderr);
    const expected = stdout.trimEnd().split("\n");
    assert.equal(expected.length, sample.length);
    for (const [i, { object, keys, hmacKey }] of sample.entries()) {
      const digest = digestOf(
        entriesOfObject(object),
        keys === null ? "*" : new Set(keys),
        hmacKey === null ? undefined : Buffer.from(hmacKey),
      );
      assert.equal(digestText(digest), expected[i], JSON.stringify(object));
    }
  });
});
