import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { combinedDigest, digestOf, digestText } from "../../../src/base/digest/hash-v1.ts";
import { entriesOfObject } from "../../support/entries.ts";
import { inRoot } from "../../support/paths.ts";

interface Vectors {
  readonly digests: readonly {
    name: string;
    object: { kind: string };
    keys?: string[];
    hmacKey?: string;
    text: string;
  }[];
  readonly combined: readonly {
    name: string;
    sources: readonly { kind: string; namespace: string; name: string; object: { kind: string } }[];
    text: string;
  }[];
}

const vectors = JSON.parse(readFileSync(inRoot("fixtures/hash-v1/vectors.json"), "utf8")) as Vectors;

describe("hash-v1 vectors", () => {
  it("are there", () => assert.ok(vectors.digests.length > 30 && vectors.combined.length > 3));
  for (const vector of vectors.digests) {
    it(vector.name, () => {
      const keys = vector.keys === undefined ? "*" : new Set(vector.keys);
      const hmacKey = vector.hmacKey === undefined ? undefined : Buffer.from(vector.hmacKey);
      assert.equal(digestText(digestOf(entriesOfObject(vector.object), keys, hmacKey)), vector.text);
    });
  }
  for (const vector of vectors.combined) {
    it(`combined: ${vector.name}`, () => {
      const parts = vector.sources.map(({ kind, namespace, name, object }) => ({
        kind,
        namespace,
        name,
        digest: digestOf(entriesOfObject(object), "*"),
      }));
      assert.equal(digestText(combinedDigest(parts)), vector.text);
    });
  }
});
