import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { quantityKey } from "../../../src/kubernetes/rollout/quantity.ts";

// How apimachinery's pkg/api/resource compares and writes quantities: Quantity.Cmp, CanonicalizeBytes, RoundUp.

const EXACT = { milli: false, byText: false };
const AS_RESOURCE = { milli: true, byText: false };
const BY_TEXT = { milli: false, byText: true };

describe("equal quantities", () => {
  const ROWS: readonly (readonly [string, string, boolean])[] = [
    ["1", " 1 ", true],
    ["1", "1000m", true],
    ["1Ki", "1024", true],
    ["1e3", "1k", true],
    ["0", "-0", true],
    ["1", "-1", false],
    ["100u", "1m", false],
    ["1x", "1x", true],
    ["1x", "2x", false],
  ];
  for (const [a, b, same] of ROWS) {
    it(`${a} ${same ? "is" : "is not"} ${b}`, () => {
      assert.equal(quantityKey(a, EXACT) === quantityKey(b, EXACT), same);
    });
  }
});

describe("quantities of resources, rounded to thousandths away from zero", () => {
  const ROWS: readonly (readonly [string, string, boolean])[] = [
    ["100u", "1m", true],
    ["1001u", "2m", true],
    ["-100u", "-1m", true],
    ["-1001u", "-2m", true],
    ["0", "0m", true],
    ["1m", "2m", false],
    ["-100u", "0", false],
  ];
  for (const [a, b, same] of ROWS) {
    it(`${a} ${same ? "is" : "is not"} ${b}`, () => {
      assert.equal(quantityKey(a, AS_RESOURCE) === quantityKey(b, AS_RESOURCE), same);
    });
  }
});

describe("quantities in their serialized form", () => {
  // The family of the suffix is kept, except for binary suffixes below 1024, which are written without one.
  const ROWS: readonly (readonly [string, string, boolean])[] = [
    ["1Gi", "1024Mi", true],
    ["1Gi", "1073741824", false],
    ["1Ki", "1024", false],
    ["-1Ki", "-1024", false],
    ["0.5Ki", "512", true],
    ["-0.5Ki", "-512", true],
    ["2Ki", "2048", false],
    ["0.9765625Ki", "1000", true],
    ["-2Ki", "-2048", false],
    ["0Ki", "0", true],
    ["0e3", "0", true],
    ["1e3", "1k", false],
    ["1e3", "1000", false],
    ["1e3", "10e2", true],
    ["5e0", "5", true],
    ["1500e0", "1500", true],
    ["5e-1", "500m", false],
    ["1500e-3", "1500m", false],
    ["1e3", "1Ki", false],
    ["1000m", "1", true],
    ["1000k", "1M", true],
    ["2Mi", "2097152e0", false],
  ];
  for (const [a, b, same] of ROWS) {
    it(`${a} ${same ? "is" : "is not"} ${b}`, () => {
      assert.equal(quantityKey(a, BY_TEXT) === quantityKey(b, BY_TEXT), same);
    });
  }
});
