import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { printHtml } from "../../src/output/document/html.ts";

const DAY_MS = 86_400_000;

/** One day in each of some weeks since a date. */
function weekly(since: string, weeks: number): string[] {
  return Array.from({ length: weeks }, (_, i) =>
    new Date(Date.parse(since) + i * 7 * DAY_MS).toISOString().slice(0, 10),
  );
}

interface Shown {
  readonly days: readonly string[];
  readonly weeks: number;
  readonly said: string | undefined;
}

/** The days that a calendar shows, how many weeks it has, and what it says about the others. */
function shown(dates: readonly string[]): Shown {
  const days = dates.map((date) => ({ date, tone: "ok", title: "1 change rolled" }) as const);
  const page = printHtml({ title: "x", blocks: [{ is: "calendar", days }] });
  const body = page.slice(page.indexOf("<body"));
  return {
    days: [...body.matchAll(/title="(\S+): 1 change rolled"/gu)].map(([, date = ""]) => date),
    weeks: (body.match(/class="day/gu)?.length ?? 0) / 7,
    said: /Not shown: [^<]*/u.exec(body)?.[0],
  };
}

describe("the calendar of a page", () => {
  const year = weekly("2025-01-06", 52);
  const long = weekly("2020-01-06", 300);
  for (const { name, dates, days, weeks, said } of [
    { name: "has each week once", dates: year, days: year, weeks: 52, said: undefined },
    {
      name: "has the last two years",
      dates: long,
      days: long.slice(-106),
      weeks: 106,
      said: "Not shown: 194 days before 2023-09-25.",
    },
    {
      name: "leaves out a day far in the future, not the others, and says so",
      dates: [...year, "2099-01-01"],
      days: year,
      weeks: 52,
      said: "Not shown: 1 day after 2025-12-29.",
    },
    {
      name: "leaves out days on both sides",
      dates: ["1970-01-01", ...year, "2099-01-01", "2199-01-01"],
      days: year,
      weeks: 52,
      said: "Not shown: 1 day before 2025-01-06, 2 days after 2025-12-29.",
    },
    {
      name: "has the last one of a few days",
      dates: ["2020-01-06", "2025-01-06"],
      days: ["2025-01-06"],
      weeks: 1,
      said: "Not shown: 1 day before 2025-01-06.",
    },
  ])
    it(name, () => assert.deepEqual(shown(dates), { days, weeks, said }));
});
