import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { earliest, formatTime, parseTime } from "../../../src/base/times.ts";

describe("moments", () => {
  const good: readonly (readonly [string, string])[] = [
    ["2026-11-21T00:00:00Z", "2026-11-21T00:00:00Z"],
    ["2026-11-21T09:00:00+09:00", "2026-11-21T00:00:00Z"],
    ["2026-11-21T00:00:00.999Z", "2026-11-21T00:00:00Z"],
    ["1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z"],
    ["2026-11-21 00:00:00z", "2026-11-21T00:00:00Z"],
    ["2028-02-29T23:59:59-05:30", "2028-03-01T05:29:59Z"],
  ];
  for (const [text, expected] of good) {
    it(`${text} is ${expected}`, () => assert.equal(formatTime(parseTime(text) ?? new Date(0)), expected));
  }
  const bad = [
    "",
    "now",
    "2026-11-21",
    "2026-11-21T00:00Z",
    "2026-11-21T00:00:00",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:00:60Z",
    "2026-01-01T00:00:00+24:00",
    "1763683200",
  ];
  for (const text of bad) it(`'${text}' is none`, () => assert.equal(parseTime(text), undefined));
});

describe("the first of some moments", () => {
  it("is found among any number of moments", () => {
    const many = Array.from({ length: 300_000 }, (_, i) => new Date(1_000_000 - (i % 1000)));
    assert.equal(earliest(many)?.getTime(), 999_001);
    assert.equal(earliest([]), undefined);
  });
});
