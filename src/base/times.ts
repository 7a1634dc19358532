import { RollstampError } from "./errors.ts";

// Times and durations, as manifests and command lines have them. Times are RFC 3339, written in UTC without fractions.

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2}))$/u;

/** Parses RFC 3339, without the fraction of a second; undefined for any other text, such as 30 February. */
export function parseTime(text: string): Date | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHours = 0, offsetMinutes = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const isDay = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && month >= 1 && month <= 12 && day >= 1;
  if (!isDay || hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return undefined;
  return wholeSeconds(new Date(text.replace(" ", "T").toUpperCase()));
}

/** The earliest of some times; undefined if there are none. (Math.min cannot take as many arguments as a repository has workloads.) */
export function earliest(times: readonly Date[]): Date | undefined {
  let first: Date | undefined;
  for (const time of times) if (first === undefined || time.getTime() < first.getTime()) first = time;
  return first;
}

/** A time without the fraction of a second. */
export function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

/** A time as RFC 3339 in UTC: `2026-11-21T00:00:00Z`. */
export function formatTime(time: Date): string {
  return wholeSeconds(time)
    .toISOString()
    .replace(/\.\d+Z$/u, "Z");
}

const UNITS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };

/** The seconds of a duration such as `90s`, `15m` or `1h30m`; undefined for any other text, and for a duration of 0. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d{1,6}(?:\.\d+)?[hms])+$/u.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)([hms])/gu)];
  return parts.reduce((sum, [, number, unit = ""]) => sum + Number(number) * (UNITS[unit] ?? 0), 0) || undefined;
}

const DAYS: Readonly<Record<string, number>> = { d: 1, w: 7 };
const DAY_MS = 86_400_000;

/** The beginning of a period on the command line: a date, RFC 3339, or `90d` or `12w` before now. */
export function sinceTime(text: string, now: Date): Date {
  const [, count, unit = ""] = /^(\d{1,5})([dw])$/u.exec(text) ?? [];
  if (count !== undefined) return new Date(now.getTime() - Number(count) * (DAYS[unit] ?? 1) * DAY_MS);
  const time = parseTime(/^\d{4}-\d{2}-\d{2}$/u.test(text) ? `${text}T00:00:00Z` : text);
  if (time !== undefined) return time;
  throw new RollstampError(
    "usage",
    `--since must be a date or a number of days or weeks, got ${JSON.stringify(text)}`,
    {
      remedy: "Write 90d, 12w, 2026-03-01 or 2026-03-01T10:00:00Z.",
    },
  );
}

/** Reads the duration of an option in seconds. A number without a unit is in seconds. */
export function duration(option: string): (text: string) => number {
  return (text) => {
    const seconds = parseDuration(/^[\d.]+$/u.test(text) ? `${text}s` : text);
    if (seconds !== undefined) return seconds;
    throw new RollstampError("usage", `${option} must be a duration, got ${JSON.stringify(text)}`, {
      remedy: "Write a duration such as 90s, 15m or 1h30m.",
    });
  };
}

/** A duration for people: `45 s`, `3 m 5 s`, `2 h 10 m`. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} m ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}
