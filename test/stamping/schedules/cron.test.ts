import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseCron, type Schedule, timeZone, type TimeZone } from "../../../src/stamping/schedules/cron.ts";
import { formatTime } from "../../../src/base/times.ts";

function zoneOf(name: string): TimeZone {
  const zone = timeZone(name);
  assert.ok(zone, name);
  return zone;
}

function scheduleOf(cron: string): Schedule {
  const schedule = parseCron(cron);
  assert.ok(!("problem" in schedule), "problem" in schedule ? schedule.problem : "");
  return schedule;
}

function latest(cron: string, zone: string, now: string, hashedFor = "default/Deployment/web"): string | undefined {
  const moment = scheduleOf(cron).latest(new Date(now), zoneOf(zone), hashedFor);
  return moment === undefined ? undefined : formatTime(moment);
}

describe("the latest time of a schedule", () => {
  // Each row: expression, now, the latest time at or before it.
  const tables: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
    "Asia/Tokyo": [
      // No change of the clock: nine hours ahead all year.
      ["0 4 * * *", "2026-03-29T12:00:00Z", "2026-03-28T19:00:00Z"],
      ["0 4 * * *", "2026-03-29T19:00:00Z", "2026-03-29T19:00:00Z"],
      ["0 4 * * *", "2026-03-29T18:59:59Z", "2026-03-28T19:00:00Z"],
      ["30 2 * * *", "2026-10-25T12:00:00Z", "2026-10-24T17:30:00Z"],
      ["0 0 1 * *", "2026-01-31T14:59:59Z", "2025-12-31T15:00:00Z"],
      ["0 0 1 * *", "2026-01-31T15:00:00Z", "2026-01-31T15:00:00Z"],
      ["0 4 * * SUN", "2026-11-21T00:00:00Z", "2026-11-14T19:00:00Z"],
    ],
    "Europe/Berlin": [
      // 29 March 2026, 02:00 becomes 03:00 (01:00Z).
      ["30 2 * * *", "2026-03-29T00:59:59Z", "2026-03-28T01:30:00Z"],
      ["30 2 * * *", "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z"],
      ["30 2 * * *", "2026-03-29T12:00:00Z", "2026-03-29T01:00:00Z"],
      ["0 2 * * *", "2026-03-29T12:00:00Z", "2026-03-29T01:00:00Z"],
      ["59 2 * * *", "2026-03-29T12:00:00Z", "2026-03-29T01:00:00Z"],
      ["0 3 * * *", "2026-03-29T12:00:00Z", "2026-03-29T01:00:00Z"],
      ["30 2 * * *", "2026-03-30T12:00:00Z", "2026-03-30T00:30:00Z"],
      ["30 * * * *", "2026-03-29T01:10:00Z", "2026-03-29T01:00:00Z"],
      ["30 * * * *", "2026-03-29T01:30:00Z", "2026-03-29T01:30:00Z"],
      ["0 4 * * *", "2026-03-29T12:00:00Z", "2026-03-29T02:00:00Z"],
      // 25 October 2026, 03:00 becomes 02:00 (01:00Z).
      ["30 2 * * *", "2026-10-25T00:29:59Z", "2026-10-24T00:30:00Z"],
      ["30 2 * * *", "2026-10-25T00:30:00Z", "2026-10-25T00:30:00Z"],
      ["30 2 * * *", "2026-10-25T01:15:00Z", "2026-10-25T00:30:00Z"],
      ["30 2 * * *", "2026-10-25T01:30:00Z", "2026-10-25T00:30:00Z"],
      ["30 2 * * *", "2026-10-25T12:00:00Z", "2026-10-25T00:30:00Z"],
      ["30 * * * *", "2026-10-25T01:45:00Z", "2026-10-25T00:30:00Z"],
      ["30 * * * *", "2026-10-25T02:30:00Z", "2026-10-25T02:30:00Z"],
      ["0 3 * * *", "2026-10-25T01:59:59Z", "2026-10-24T01:00:00Z"],
      ["0 3 * * *", "2026-10-25T02:00:00Z", "2026-10-25T02:00:00Z"],
      ["30 2 * * *", "2026-10-26T12:00:00Z", "2026-10-26T01:30:00Z"],
    ],
    "America/New_York": [
      // 8 March 2026, 02:00 becomes 03:00 (07:00Z).
      ["15 2 * * *", "2026-03-08T06:59:59Z", "2026-03-07T07:15:00Z"],
      ["15 2 * * *", "2026-03-08T07:00:00Z", "2026-03-08T07:00:00Z"],
      ["15 2 * * SUN", "2026-03-14T00:00:00Z", "2026-03-08T07:00:00Z"],
      ["15 2 * * *", "2026-03-09T12:00:00Z", "2026-03-09T06:15:00Z"],
      ["@daily", "2026-03-08T12:00:00Z", "2026-03-08T05:00:00Z"],
      ["@daily", "2026-03-09T12:00:00Z", "2026-03-09T04:00:00Z"],
      // 1 November 2026, 02:00 becomes 01:00 (06:00Z).
      ["30 1 * * *", "2026-11-01T05:30:00Z", "2026-11-01T05:30:00Z"],
      ["30 1 * * *", "2026-11-01T06:30:00Z", "2026-11-01T05:30:00Z"],
      ["30 1 * * *", "2026-11-01T23:00:00Z", "2026-11-01T05:30:00Z"],
      ["30 1 * * *", "2026-11-02T23:00:00Z", "2026-11-02T06:30:00Z"],
      ["0 2 * * *", "2026-11-01T23:00:00Z", "2026-11-01T07:00:00Z"],
    ],
    UTC: [
      ["0 0 29 2 *", "2027-06-01T00:00:00Z", "2024-02-29T00:00:00Z"],
      // crontab(5): of two restricted days either counts, beside a star both have to.
      ["0 0 13 * FRI", "2026-11-21T00:00:00Z", "2026-11-20T00:00:00Z"],
      ["0 0 13 * *", "2026-11-21T00:00:00Z", "2026-11-13T00:00:00Z"],
      ["0 0 */2 * TUE", "2026-11-21T00:00:00Z", "2026-11-17T00:00:00Z"],
      ["0 0 */2 * WED", "2026-11-21T00:00:00Z", "2026-11-11T00:00:00Z"],
      ["0 0 * JAN-MAR MON,7", "2026-11-21T00:00:00Z", "2026-03-30T00:00:00Z"],
      ["0-30/10 8-18/2 * * 1-5", "2026-11-21T00:00:00Z", "2026-11-20T18:30:00Z"],
      ["@yearly", "2026-11-21T00:00:00Z", "2026-01-01T00:00:00Z"],
      ["@annually", "2026-11-21T00:00:00Z", "2026-01-01T00:00:00Z"],
      ["@monthly", "2026-11-21T00:00:00Z", "2026-11-01T00:00:00Z"],
      ["@weekly", "2026-11-21T00:00:00Z", "2026-11-15T00:00:00Z"],
      ["@midnight", "2026-11-21T00:00:00Z", "2026-11-21T00:00:00Z"],
      ["@hourly", "2026-11-21T00:59:00Z", "2026-11-21T00:00:00Z"],
    ],
  };
  for (const [zone, rows] of Object.entries(tables)) {
    for (const [cron, now, expected] of rows) {
      it(`of '${cron}' in ${zone} at ${now} is ${expected}`, () => assert.equal(latest(cron, zone, now), expected));
    }
  }
  it("is none where the day never comes", () =>
    assert.equal(latest("0 0 30 2 *", "UTC", "2026-11-21T00:00:00Z"), undefined));
});

describe("H in a schedule", () => {
  const now = "2026-11-21T00:00:00Z";
  const times = (cron: string): (string | undefined)[] =>
    Array.from({ length: 120 }, (_, i) => latest(cron, "UTC", now, `shop/Deployment/web-${i}`));
  const distinct = (values: readonly (string | undefined)[]): number => new Set(values).size;

  it("is always the same for one name", () => {
    // A known answer: SHA-256 of the name, four bytes a field. Another value would move everyone's restarts.
    assert.equal(latest("H H * * *", "UTC", now, "shop/Deployment/web"), "2026-11-20T12:53:00Z");
  });
  it("spreads over its whole range, each field by itself", () => {
    const all = times("H H * * *");
    assert.ok(distinct(all) > 105);
    assert.ok(distinct(all.map((time) => time?.slice(11, 13))) === 24);
    assert.ok(distinct(all.map((time) => time?.slice(14, 16))) > 50);
  });
  it("stays within H(a-b)", () => {
    const hours = new Set(times("0 H(1-4) * * *").map((time) => Number(time?.slice(11, 13))));
    assert.deepEqual([...hours].sort(), [1, 2, 3, 4]);
  });
  it("begins at a hashed value and goes on in steps with H/n", () => {
    const minutes = new Set(times("H/15 23 20 11 *").map((time) => Number(time?.slice(14, 16))));
    assert.deepEqual(
      [...minutes].sort((a, b) => a - b),
      Array.from({ length: 15 }, (_, i) => 45 + i),
    );
    const within = new Set(times("H(10-20)/5 23 20 11 *").map((time) => Number(time?.slice(14, 16))));
    assert.deepEqual(
      [...within].sort((a, b) => a - b),
      [16, 17, 18, 19, 20],
    );
  });
  it("names a day that every month has", () => {
    assert.ok(times("0 0 H * *").every((time) => Number(time?.slice(8, 10)) <= 28));
    assert.ok(distinct(times("0 0 * * H")) === 7);
  });
  it("is not taken out of THU", () => assert.equal(latest("0 0 * * THU", "UTC", now), "2026-11-19T00:00:00Z"));
});

describe("a wrong cron expression", () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["", /has 1 field instead of five/u],
    ["0 4 * *", /has 4 fields instead of five/u],
    ["0 0 4 * * *", /has 6 fields instead of five/u],
    ["60 * * * *", /has '60' as minute, beyond 0-59/u],
    ["* 24 * * *", /has '24' as hour, beyond 0-23/u],
    ["0 4 0 * *", /has '0' as day of month, beyond 1-31/u],
    ["0 4 * 13 *", /has '13' as month, beyond 1-12/u],
    ["0 4 * * 8", /has '8' as day of week, beyond 0-7/u],
    ["0 4 L * *", /has 'L' as day of month/u],
    ["0 4 15W * *", /has '15W' as day of month/u],
    ["0 4 * * FRI#2", /has 'FRI#2' as day of week/u],
    ["0 4 ? * *", /has '\?' as day of month/u],
    ["5/15 * * * *", /has '5\/15' as minute/u],
    ["*/0 * * * *", /has '\*\/0' as minute: its step is out of range/u],
    ["*/60 * * * *", /has '\*\/60' as minute: its step is out of range/u],
    ["30-10 * * * *", /has '30-10' as minute: its end is before its beginning/u],
    ["1,,2 * * * *", /has '' as minute/u],
    ["0 4 * * FRI-SUN", /its end is before its beginning/u],
    ["0 4 * XYZ *", /has 'XYZ' as month/u],
    ["0 4 * * sunday", /has 'sunday' as day of week/u],
    ["0 4 MON * *", /has 'MON' as day of month/u],
    ["H(5-2) * * * *", /has 'H\(5-2\)' as minute: its end is before its beginning/u],
    ["0 H(20-24) * * *", /has 'H\(20-24\)' as hour, beyond 0-23/u],
    ["H/0 * * * *", /has 'H\/0' as minute: its step is out of range/u],
    ["@reboot", /has the unknown macro '@reboot'/u],
    ["@every 5m", /has the unknown macro '@every 5m'/u],
  ];
  for (const [cron, problem] of cases) {
    it(`'${cron}' is refused`, () => {
      const parsed = parseCron(cron);
      assert.ok("problem" in parsed, "it is taken");
      assert.match(parsed.problem, problem);
    });
  }
});

describe("a cron expression of any form", () => {
  const field = (min: number, max: number): fc.Arbitrary<string> => {
    const number = fc.integer({ min, max });
    const range = fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
    const step = fc
      .option(fc.integer({ min: 1, max }), { nil: undefined })
      .map((n) => (n === undefined ? "" : `/${n}`));
    const spans = fc.oneof(
      fc.constant("*"),
      range,
      fc.constant("H"),
      range.map((span) => `H(${span})`),
    );
    const element = fc.oneof(
      number.map(String),
      fc.tuple(spans, step).map(([a, b]) => a + b),
    );
    return fc.array(element, { minLength: 1, maxLength: 3 }).map((elements) => elements.join(","));
  };
  it("is one that the calendar takes", () => {
    fc.assert(
      fc.property(
        fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 7)),
        fc.string(),
        (fields, name) => {
          const now = new Date("2026-11-21T12:00:30Z");
          const moment = scheduleOf(fields.join(" ")).latest(now, zoneOf("UTC"), name);
          assert.ok(moment === undefined || moment.getTime() <= now.getTime());
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("time zones", () => {
  it("are those of the IANA database", () => {
    for (const name of ["UTC", "Asia/Tokyo", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
      assert.ok(timeZone(name), name);
    for (const name of ["", "Mars/Olympus", "JST+9", "Berlin"]) assert.equal(timeZone(name), undefined, name);
  });

  // An oracle without formulas: the minutes of some days, one after another, as the zone's clock shows them.
  const changes: readonly (readonly [string, string])[] = [
    ["Europe/Berlin", "2026-03-28T00:00:00Z"],
    ["Europe/Berlin", "2026-10-24T00:00:00Z"],
    ["America/New_York", "2026-03-07T06:00:00Z"],
    ["America/New_York", "2026-10-31T06:00:00Z"],
    ["Australia/Lord_Howe", "2026-04-04T00:00:00Z"],
    ["Australia/Lord_Howe", "2026-10-03T00:00:00Z"],
    ["Asia/Tokyo", "2026-10-03T00:00:00Z"],
    ["Pacific/Apia", "2011-12-29T12:00:00Z"],
    ["America/Sao_Paulo", "2018-11-03T12:00:00Z"],
  ];
  const MINUTE = 60_000;
  const MINUTES = 2 * 24 * 60;
  for (const [name, from] of changes) {
    it(`agree with the clock of ${name} around ${from}`, () => {
      const zone = zoneOf(name);
      const start = Date.parse(from);
      const shown = Array.from({ length: MINUTES }, (_, i) => zone.localAt(new Date(start + i * MINUTE)).getTime());
      fc.assert(
        fc.property(
          fc.integer({ min: 0, max: 59 }),
          fc.option(fc.integer({ min: 0, max: 23 })),
          fc.integer({ min: 26 * 60, max: MINUTES - 1 }),
          (minute, hour, now) => {
            const expected = expectedTick(shown, minute, hour, now);
            const actual = scheduleOf(`${minute} ${hour ?? "*"} * * *`).latest(
              new Date(start + now * MINUTE),
              zone,
              "",
            );
            assert.equal(actual === undefined ? undefined : (actual.getTime() - start) / MINUTE, expected);
          },
        ),
        { numRuns: 60 },
      );
    });
  }

  /** The last minute up to `now` at which a time is shown first, or at which it is jumped over. */
  function expectedTick(
    shown: readonly number[],
    minute: number,
    hour: number | null,
    now: number,
  ): number | undefined {
    let latestShown = -Infinity;
    let tick: number | undefined;
    shown.slice(0, now + 1).forEach((local, i) => {
      const begin = i === 0 ? local : latestShown + MINUTE;
      for (let candidate = begin; candidate <= local; candidate += MINUTE) {
        const time = new Date(candidate);
        if (time.getUTCMinutes() === minute && (hour === null || time.getUTCHours() === hour)) tick = i;
      }
      latestShown = Math.max(latestShown, local);
    });
    return tick;
  }
});
