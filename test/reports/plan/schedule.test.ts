import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { joinSchedules } from "../../../src/reports/plan/schedule.ts";

const SUNDAY = "2026-11-22T02:00:00Z";
const MONDAY = "2026-11-23T02:00:00Z";
const NOW = "2026-11-20T00:00:00Z";

describe("the schedule of several parts", () => {
  it("is undefined without parts, and that of a single part", () => {
    assert.equal(joinSchedules([]), undefined);
    const only = { waiting: 2, ready: 1, at: NOW, nextWindow: SUNDAY };
    assert.equal(joinSchedules([only]), only);
  });
  it("adds up what waits, and has the earliest next window", () => {
    assert.deepEqual(
      joinSchedules([
        { waiting: 1, ready: 1, at: NOW },
        { waiting: 5, ready: 2, at: NOW, nextWindow: MONDAY },
        { waiting: 3, ready: 0, at: NOW, nextWindow: SUNDAY },
      ]),
      { waiting: 9, ready: 3, at: NOW, nextWindow: SUNDAY },
    );
    assert.deepEqual(
      joinSchedules([
        { waiting: 1, ready: 0, at: NOW, nextWindow: SUNDAY },
        { waiting: 5, ready: 2, at: NOW, nextWindow: MONDAY },
      ]),
      { waiting: 6, ready: 2, at: NOW, nextWindow: SUNDAY },
    );
  });
  it("does not mention windows that are not set", () => {
    assert.deepEqual(joinSchedules([{ waiting: 1 }, { waiting: 2 }]), { waiting: 3 });
    assert.deepEqual(
      joinSchedules([
        { waiting: 1, ready: 1, at: NOW },
        { waiting: 2, ready: 2, at: NOW },
      ]),
      { waiting: 3, ready: 3, at: NOW },
    );
  });
});
