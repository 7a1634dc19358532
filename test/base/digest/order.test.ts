import assert from "node:assert/strict";
import crypto, { createHash, createHmac } from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { describe, it } from "node:test";
import {
  combinedDigest,
  compareBytes,
  digestOf,
  digestsByKey,
  digestText,
  type CombinedPart,
  type Entries,
} from "../../../src/base/digest/hash-v1.ts";

// The order of hash-v1 is that of bytes: of keys, and of kind, namespace and name in the combined digest.

// U+FF5E comes before U+1F600 in UTF-8, and behind its surrogates in UTF-16.
const ORDERED = ["", "A", "Z", "a", "a-b", "a.b", "aa", "ab", "b", "\u007f", "\u0080", "\u00e9", "\uff5e", "\u{1f600}"];

const netstring = (text: string): string => `${Buffer.byteLength(text)}:${text},`;
const sha256 = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();

function part(kind: string, namespace: string, name: string): CombinedPart {
  return {
    kind,
    namespace,
    name,
    digest: { hex: sha256(`${kind} ${namespace} ${name}`).toString("hex"), keyed: false },
  };
}

describe("the order of bytes", () => {
  it("is that of UTF-8, a shorter prefix first", () => {
    for (const [i, a] of ORDERED.entries()) {
      for (const [j, b] of ORDERED.entries()) {
        assert.equal(Math.sign(compareBytes(a, b)), Math.sign(i - j), `${a} and ${b}`);
      }
    }
  });
  it("is that of the encoded text, also around surrogates and for lone ones", () => {
    const units = ["", "a", "b", "\u00e9", "\ud7ff", "\ud800", "\ud83d", "\ude00", "\ue000", "\uffff"];
    const texts = [...new Set(units.flatMap((first) => units.map((second) => `x${first}${second}`)))];
    for (const a of texts)
      for (const b of texts)
        assert.equal(
          Math.sign(compareBytes(a, b)),
          Buffer.compare(Buffer.from(a), Buffer.from(b)),
          JSON.stringify([a, b]),
        );
  });
  it("is that of a source's keys, whatever the order in which they come", () => {
    const pairs = ORDERED.map((key, i): [string, string] => [key, String(i)]);
    const expected = sha256(["rollstamp/1", ...pairs.flat()].map(netstring).join(""));
    assert.deepEqual(digestOf(new Map(pairs), "*").hex, expected.toString("hex"));
    assert.deepEqual(digestOf(new Map(pairs.toReversed()), "*").hex, expected.toString("hex"));
  });
  it("is that of the combined digest: kind, then namespace, then name", () => {
    const parts = [
      part("ConfigMap", "", "a"),
      part("ConfigMap", "", "b"),
      part("ConfigMap", "", "\uff5e"),
      part("ConfigMap", "", "\u{1f600}"),
      part("ConfigMap", "other", "a"),
      part("Secret", "", "a"),
      part("Secret", "another", "b"),
      part("Secret", "other", "a"),
    ];
    const hash = createHash("sha256").update("20:rollstamp/1/combined,");
    for (const { kind, namespace, name, digest } of parts) {
      hash.update([kind, namespace, name].map(netstring).join(""));
      hash.update("32:").update(digest.hex, "hex").update(",");
    }
    const expected = hash.digest();
    for (let turn = 0; turn < parts.length; turn++) {
      const turned = [...parts.slice(turn), ...parts.slice(0, turn)];
      assert.deepEqual(combinedDigest(turned).hex, expected.toString("hex"));
      assert.deepEqual(combinedDigest(turned.toReversed()).hex, expected.toString("hex"));
    }
  });
});

describe("the combined digest", () => {
  const key = Buffer.from("key");
  const plain = part("ConfigMap", "", "a");
  const keyed = { ...part("Secret", "", "b"), digest: { hex: sha256("b").toString("hex"), keyed: true } };
  it("takes the key where one of its sources is keyed, and only then", () => {
    assert.deepEqual(combinedDigest([plain], key), combinedDigest([plain]));
    const message = Buffer.concat([
      Buffer.from("20:rollstamp/1/combined,9:ConfigMap,0:,1:a,32:"),
      Buffer.from(plain.digest.hex, "hex"),
      Buffer.from(",6:Secret,0:,1:b,32:"),
      Buffer.from(keyed.digest.hex, "hex"),
      Buffer.from(","),
    ]);
    const expected = createHmac("sha256", key).update(message).digest();
    assert.deepEqual(combinedDigest([keyed, plain], key), { hex: expected.toString("hex"), keyed: true });
    assert.equal(digestText(combinedDigest([keyed, plain], key)), `k1-${expected.toString("hex").slice(0, 40)}`);
  });
});

describe("the digest of a source", () => {
  it("is the same where Node can't hash the text in one call", () => {
    const entries = new Map([["key", "value \u00e9"]]);
    const expected = sha256(["rollstamp/1", "key", "value \u00e9"].map(netstring).join(""));
    const mixed = new Map<string, string | Uint8Array>([...entries, ["more", Buffer.from("\u00e8")], ["rest", "z"]]);
    const all = sha256(["rollstamp/1", "key", "value \u00e9", "more", "\u00e8", "rest", "z"].map(netstring).join(""));
    assert.equal(digestOf(mixed, "*").hex, all.toString("hex"));
    assert.deepEqual(digestOf(entries, "*").hex, expected.toString("hex"));
    const { hash } = crypto;
    const give = (value: typeof hash | undefined): void => {
      Reflect.set(crypto, "hash", value);
      syncBuiltinESMExports();
    };
    give(undefined);
    try {
      assert.equal(digestOf(mixed, "*").hex, all.toString("hex"));
      assert.deepEqual(digestOf(entries, "*").hex, expected.toString("hex"));
    } finally {
      give(hash);
    }
  });
});

describe("the digests of keys by themselves", () => {
  const KEYS = [undefined, new Uint8Array([1]), new Uint8Array(64).fill(7), new Uint8Array(65).fill(9)];
  const values: readonly (readonly [string, string | Uint8Array])[] = [
    ["z", "last"],
    ["\uff5e", ""],
    ["a", "é\n"],
    ["bytes", new Uint8Array([0, 255, 10])],
    ["\u{1f600}", "x".repeat(200)],
  ];
  for (const declared of [undefined, "{}", '{"spec":"é"}', new Uint8Array([200, 0])]) {
    const kind = declared === undefined ? "nothing declared" : JSON.stringify(declared);
    it(`are those of the source with only that key: ${kind}`, () => {
      const entries: Entries = new Map([...values, ...(declared === undefined ? [] : [["", declared] as const])]);
      for (const key of KEYS) {
        const found = digestsByKey(entries, key);
        assert.deepEqual(
          [...found.keys()],
          values.map(([name]) => name),
        );
        for (const [name, digest] of found) assert.deepEqual(digest, digestOf(entries, new Set([name]), key));
      }
    });
  }
  it("are the same however many other keys are asked for or there", () => {
    const entries: Entries = new Map(values);
    const two = digestOf(new Map(values.filter(([name]) => name === "a" || name === "z")), "*");
    assert.deepEqual(digestOf(entries, new Set(["z", "a"])), two);
    assert.deepEqual(digestOf(entries, new Set(["a", "z", ...Array.from({ length: 9 }, (_, i) => `other${i}`)])), two);
  });
});
