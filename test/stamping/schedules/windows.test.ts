import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { formatTime } from "../../../src/base/times.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { readManifests, type Item } from "../../../src/yaml/read/items.ts";
import { readTree } from "../../../src/yaml/read/tree.ts";
import type { Workload } from "../../../src/kubernetes/workloads/types.ts";
import { findWorkloads } from "../../../src/kubernetes/workloads/find-workloads.ts";
import { WORKLOAD_KINDS } from "../../../src/kubernetes/workloads/workload-kinds.ts";
import { parseCron, timeZone } from "../../../src/stamping/schedules/cron.ts";
import { openingsAt, windowLength, waveMarks } from "../../../src/stamping/schedules/windows.ts";

function itemWith(annotations: Readonly<Record<string, string>>): Item {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", annotations } };
  const [item] = readManifests(readTree(JSON.stringify(object), "a.json", DEFAULT_LIMITS)).items;
  assert.ok(item);
  return item;
}

function web(): Workload {
  const [found] = findWorkloads(
    readManifests(
      readTree(
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {}}}}",
        "a.yaml",
        DEFAULT_LIMITS,
      ),
    ).items,
    { kinds: WORKLOAD_KINDS, defaultNamespace: "default" },
  );
  assert.ok(found);
  return found;
}

function opening(now: string, zone: string, ...texts: readonly string[]): string {
  const windows = texts.flatMap((text) => {
    const annotations = { "rollstamp.dev/rollout-window": text, "rollstamp.dev/rollout-time-zone": zone };
    return waveMarks().windowOf(itemWith(annotations)) ?? [];
  });
  const found = openingsAt(new Date(now))(windows, web());
  return found.isOpen ? "open" : found.opens === undefined ? "never" : formatTime(found.opens);
}

describe("windows", () => {
  // Sunday is the 22nd. Each row: now, zone, windows, "open" or when they open.
  const rows: readonly (readonly [string, string, readonly string[], string])[] = [
    ["2026-11-22T01:59:59Z", "UTC", ["0 2 * * SUN; 4h"], "2026-11-22T02:00:00Z"],
    ["2026-11-22T02:00:00Z", "UTC", ["0 2 * * SUN; 4h"], "open"],
    ["2026-11-22T05:59:59Z", "UTC", ["0 2 * * SUN; 4h"], "open"],
    ["2026-11-22T06:00:00Z", "UTC", ["0 2 * * SUN; 4h"], "2026-11-29T02:00:00Z"],
    ["2026-11-21T17:00:00Z", "Asia/Tokyo", ["0 2 * * SUN; 4h"], "open"],
    ["2026-11-22T00:29:00Z", "UTC", ["@daily;30m"], "open"],
    ["2026-11-22T00:30:00Z", "UTC", ["@daily;30m"], "2026-11-23T00:00:00Z"],
    // Windows that overlap: always open.
    ["2026-11-22T00:59:00Z", "UTC", ["@hourly; 1h30m"], "open"],
    // Several have to be open together.
    ["2026-11-22T02:30:00Z", "UTC", ["0 2 * * *; 2h", "0 3 * * *; 2h"], "2026-11-22T03:00:00Z"],
    ["2026-11-22T03:30:00Z", "UTC", ["0 2 * * *; 2h", "0 3 * * *; 2h"], "open"],
    ["2026-11-22T04:30:00Z", "UTC", ["0 2 * * *; 2h", "0 3 * * *; 2h"], "2026-11-23T03:00:00Z"],
    ["2026-11-22T04:30:00Z", "UTC", ["0 2 * * SUN; 2h", "0 2 * * MON; 2h"], "never"],
    ["2028-03-01T00:00:00Z", "UTC", ["0 0 29 2 *; 4h"], "2032-02-29T00:00:00Z"],
    ["2096-03-01T00:00:00Z", "UTC", ["0 0 29 2 *; 4h", "* * * * *; 1m"], "2104-02-29T00:00:00Z"],
    // 29 March 2026 in Berlin: 02:00 becomes 03:00 (01:00Z). What is skipped opens behind the gap, and no shorter.
    ["2026-03-29T00:59:59Z", "Europe/Berlin", ["30 2 * * *; 1h"], "2026-03-29T01:00:00Z"],
    ["2026-03-29T01:59:59Z", "Europe/Berlin", ["30 2 * * *; 1h"], "open"],
    ["2026-03-29T02:00:00Z", "Europe/Berlin", ["30 2 * * *; 1h"], "2026-03-30T00:30:00Z"],
    // 25 October: 03:00 becomes 02:00 (01:00Z). What comes twice opens once.
    ["2026-10-25T00:30:00Z", "Europe/Berlin", ["30 2 * * *; 30m"], "open"],
    ["2026-10-25T01:30:00Z", "Europe/Berlin", ["30 2 * * *; 30m"], "2026-10-26T01:30:00Z"],
  ];
  for (const [now, zone, windows, expected] of rows)
    it(`${windows.join(" and ")} in ${zone} at ${now}: ${expected}`, () =>
      assert.equal(opening(now, zone, ...windows), expected));

  it("opens next at the first time at which the latest one is that time", () => {
    const part = fc.constantFrom(
      "* * * * *",
      "30 2 * * *",
      "0 */5 * * *",
      "0 0 31 * *",
      "H H * * *",
      "15 1-3 * 3,10 SUN",
    );
    const zone = fc.constantFrom("UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/New_York");
    const time = fc.integer({ min: 1_770_000_000, max: 1_800_000_000 });
    fc.assert(
      fc.property(part, zone, time, (cron, name, seconds) => {
        const schedule = parseCron(cron);
        const clock = timeZone(name);
        assert.ok(!("problem" in schedule) && clock);
        const now = new Date(seconds * 1000);
        const next = schedule.next(now, clock, "a");
        assert.ok(next && next > now);
        assert.deepEqual(schedule.latest(next, clock, "a"), next);
        const before = schedule.latest(new Date(next.getTime() - 1000), clock, "a");
        assert.ok(before === undefined || before <= now, "none comes between");
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 100), seed: Number(process.env["FC_SEED"] ?? 20261122) },
    );
  });

  for (const [text, minutes] of [
    ["4h", 240],
    ["30m", 30],
    ["1h30m", 90],
    ["90m", 90],
    ["0h", undefined],
    ["", undefined],
    ["h", undefined],
    ["30m1h", undefined],
    ["1.5h", undefined],
    ["30s", undefined],
    ["-1h", undefined],
  ] as const)
    it(`takes '${text}' for ${minutes ?? "no"} minutes`, () =>
      assert.equal(windowLength(text), minutes === undefined ? undefined : minutes * 60_000));

  const wrong: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ "rollout-window": "0 2 * * SUN" }, /must be a cron expression and a duration/u],
    [{ "rollout-window": "0 2 * * SUN; 4h; 5h" }, /must be a cron expression and a duration/u],
    [{ "rollout-window": "0 2 * *; 4h" }, /4 fields instead of five/u],
    [{ "rollout-window": "0 2 * * SUN; 4 hours" }, /'4 hours', which is not a duration/u],
    [{ "rollout-window": "0 2 31 2 *; 4h" }, /never opens/u],
    [{ "rollout-window": "0 2 * * *; 4h", "rollout-time-zone": "Mars/Base" }, /must be a time zone/u],
    [{ "rollout-group": " " }, /is empty/u],
  ];
  for (const [marks, problem] of wrong)
    it(`refuses ${JSON.stringify(marks)}`, () => {
      const item = itemWith(
        Object.fromEntries(Object.entries(marks).map(([key, value]) => [`rollstamp.dev/${key}`, value])),
      );
      const { windowOf, groupOf } = waveMarks();
      assert.throws(() => [windowOf(item), groupOf(item)], problem);
    });
});
