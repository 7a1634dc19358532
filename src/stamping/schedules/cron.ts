import { counted } from "../../base/words.ts";
import type { Cron } from "croner";
import { createHash } from "node:crypto";
import { sourceRequire } from "../../base/source-require.ts";

// crontab(5): five fields, names, lists, ranges, steps, macros; and Jenkins' `H`, which spreads events over time.
// croner computes the calendar. Its extensions (L, W, #, ?, seconds, years) are rejected, so that an expression has the
// meaning that cron gives it.

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The highest value of `H`: every month has a day 28. */
  readonly maxHashed?: number;
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31, maxHashed: 28 },
  {
    name: "month",
    min: 1,
    max: 12,
    names: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
  },
  { name: "day of week", min: 0, max: 7, maxHashed: 6, names: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] },
];

const MACROS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** A parsed cron expression. An `H` is a value hashed from a name. */
export interface Schedule {
  /**
   * The latest time at or before `now` at which the schedule fires for this name; undefined if it never does. A local
   * time that a clock change skips fires at the first instant after the gap. A local time that it repeats fires once,
   * at the first occurrence.
   */
  readonly latest: (now: Date, zone: TimeZone, hashedFor: string) => Date | undefined;
  /** The first time after `now` at which it fires; undefined if it never does again. */
  readonly next: (now: Date, zone: TimeZone, hashedFor: string) => Date | undefined;
  /** Whether it has an `H`: it may fire for some names, and never for others. */
  readonly isHashed: boolean;
}

/** The problem of an invalid expression. */
interface CronProblem {
  readonly problem: string;
}

/** Parses a cron expression. */
export function parseCron(text: string): Schedule | CronProblem {
  const trimmed = text.trim();
  const expression = trimmed.startsWith("@") ? MACROS[trimmed.toLowerCase()] : trimmed;
  if (expression === undefined)
    return { problem: `has the unknown macro '${trimmed}': the macros are ${Object.keys(MACROS).join(", ")}` };
  const parts = expression.split(/\s+/u);
  if (parts.length !== FIELDS.length) return { problem: `has ${counted(parts.length, "field")} instead of five` };
  for (const [i, field] of FIELDS.entries()) {
    const problem = fieldProblem(parts[i] ?? "", field);
    if (problem !== undefined) return { problem };
  }
  return {
    latest: (now, zone, hashedFor) => latest(calendar(hashed(parts, hashedFor)), now, zone),
    next: (now, zone, hashedFor) => next(calendar(hashed(parts, hashedFor)), now, zone),
    isHashed: parts.some((part) => part.split(",").some((element) => HASHED.test(element))),
  };
}

const VALUE = "(?:\\d{1,2}|[A-Za-z]{3})";
/** A star, a range or a hash may have a step; a single value may not. */
const ELEMENT = new RegExp(
  `^(?:(?:\\*|(?<from>${VALUE})-(?<to>${VALUE})|H(?:\\((?<low>\\d{1,2})-(?<high>\\d{1,2})\\))?)(?:/(?<step>\\d{1,2}))?|(?<only>${VALUE}))$`,
  "iu",
);

function fieldProblem(part: string, field: Field): string | undefined {
  for (const text of part.split(",")) {
    const groups = ELEMENT.exec(text)?.groups;
    const bad = `has '${text}' as ${field.name}`;
    if (groups === undefined) return bad;
    const { from, to, low, high, only, step } = groups;
    const values = [from ?? low ?? only, to ?? high].flatMap((word) =>
      word === undefined ? [] : [valueOf(word, field)],
    );
    if (values.includes(undefined)) return bad;
    const numbers = values.map(Number);
    if (numbers.some((n) => n < field.min || n > field.max)) return `${bad}, beyond ${field.min}-${field.max}`;
    if ((numbers[0] ?? 0) > (numbers[1] ?? field.max)) return `${bad}: its end is before its beginning`;
    if (step !== undefined && (Number(step) < 1 || Number(step) > field.max)) return `${bad}: its step is out of range`;
  }
  return undefined;
}

/** The number of a value or a name in a field; undefined for an unknown name. */
function valueOf(word: string, field: Field): number | undefined {
  if (/^\d/u.test(word)) return Number(word);
  const index = field.names?.indexOf(word.toUpperCase()) ?? -1;
  return index < 0 ? undefined : index + field.min;
}

const HASHED = /^H(?:\((\d+)-(\d+)\))?(?:\/(\d+))?$/iu;

/**
 * Replaces each `H` with a value: four bytes of the SHA-256 of the name for each field, so that the fields are
 * independent. This must never change: restarts would move.
 */
function hashed(parts: readonly string[], name: string): readonly string[] {
  const digest = createHash("sha256").update(name, "utf8").digest();
  return parts.map((part, i) => {
    const field = FIELDS[i];
    if (field === undefined || !/h/iu.test(part)) return part;
    const number = digest.readUInt32BE(4 * i);
    return part
      .split(",")
      .map((text) => hashedElement(text, field, number))
      .join(",");
  });
}

function hashedElement(text: string, field: Field, number: number): string {
  const match = HASHED.exec(text);
  if (match === null) return text;
  const from = Number(match[1] ?? field.min);
  const to = Number(match[2] ?? field.maxHashed ?? field.max);
  const size = to - from + 1;
  const step = match[3] === undefined ? undefined : Number(match[3]);
  if (step === undefined) return String(from + (number % size));
  return `${from + (number % Math.min(step, size))}-${to}/${step}`;
}

/** Few runs need croner, so it is loaded late. */
function loadCroner(): typeof import("croner") {
  return typeof require === "function" ? require("croner") : sourceRequire(import.meta.url)("croner");
}

const calendars = new Map<string, Cron>();

/** The local times of an expression, without clock changes. */
function calendar(parts: readonly string[]): Cron {
  const expression = parts.join(" ");
  const known = calendars.get(expression);
  if (known !== undefined) return known;
  const [, , dayOfMonth = "", , dayOfWeek = ""] = parts;
  // crontab(5): either day matches, unless one of the two fields begins with a star.
  const domAndDow = dayOfMonth.startsWith("*") || dayOfWeek.startsWith("*");
  // With an offset of zero and no time zone, croner does not use Intl and is many times faster.
  const cron = new (loadCroner().Cron)(expression, { utcOffset: 0, mode: "5-part", paused: true, domAndDow });
  calendars.set(expression, cron);
  return cron;
}

const DAY = 86_400_000;

function latest(cron: Cron, now: Date, zone: TimeZone): Date | undefined {
  // After a clock was set back, it may have shown later times within the last day.
  const shown = Math.max(zone.localAt(now).getTime(), zone.localAt(new Date(now.getTime() - DAY)).getTime() + DAY);
  let before = new Date(shown + 1000);
  for (;;) {
    const [local] = cron.previousRuns(1, before);
    if (local === undefined) return undefined;
    const moment = zone.firstShows(local);
    if (moment.getTime() <= now.getTime()) return moment;
    before = local;
  }
}

/** Local times that the clock shows twice fire at the first occurrence. */
function next(cron: Cron, now: Date, zone: TimeZone): Date | undefined {
  // Local times that the clock skipped have fired when it skipped them.
  let [local] = cron.nextRuns(1, zone.localAt(now));
  while (local !== undefined) {
    const moment = zone.firstShows(local);
    if (moment.getTime() > now.getTime()) return moment;
    [local] = cron.nextRuns(1, local);
  }
  return undefined;
}

export interface TimeZone {
  /** The local time at an instant, as a Date whose UTC fields contain it. */
  readonly localAt: (moment: Date) => Date;
  /**
   * The instant at which the clock first shows a local time, or the first later one if a clock change skips it. The
   * local time is a Date whose UTC fields contain it.
   */
  readonly firstShows: (local: Date) => Date;
}

/** The clock of an IANA time zone; undefined if the zone is unknown. */
export function timeZone(name: string): TimeZone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { ...CLOCK_FIELDS, timeZone: name });
  } catch {
    return undefined;
  }
  const offsetAt = (moment: number): number => localOf(format, moment) - moment;
  return {
    localAt: (moment) => new Date(localOf(format, moment.getTime())),
    firstShows: (local) => new Date(firstShows(local.getTime(), offsetAt)),
  };
}

const CLOCK_FIELDS = {
  calendar: "gregory",
  numberingSystem: "latn",
  hourCycle: "h23",
  era: "narrow",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric",
} as const;

function localOf(format: Intl.DateTimeFormat, moment: number): number {
  const fields: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(moment)) fields[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

// Offsets range from -12 to +14 hours, so this is far enough to be on the other side of a clock change.
const FAR = 36 * 3_600_000;

function firstShows(local: number, offsetAt: (moment: number) => number): number {
  const before = offsetAt(local - FAR);
  const after = offsetAt(local + FAR);
  // If two instants show the same local time, the one with the earlier offset is the first.
  for (const offset of [before, after]) if (offsetAt(local - offset) === offset) return local - offset;
  // The clock skips it: search for the instant of the change between the two readings.
  let low = local - after;
  let high = local - before;
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000;
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
