/** A clock of a place: what it shows at a moment, and when it shows a time. */
export interface TimeZone {
  /** The local time at a moment, as a Date whose UTC fields hold it. */
  readonly localAt: (moment: Date) => Date;
  /**
   * The moment at which the clock first shows a local time, or first shows a later one where a
   * change of the clock skips it. The local time is a Date whose UTC fields hold it.
   */
  readonly firstShows: (local: Date) => Date;
}

/** The clock of an IANA zone; undefined where there is no such zone. */
export function timeZone(name: string): TimeZone | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { ...FIELDS, timeZone: name });
  } catch {
    return undefined;
  }
  const offsetAt = (moment: number): number => localOf(format, moment) - moment;
  return {
    localAt: (moment) => new Date(localOf(format, moment.getTime())),
    firstShows: (local) => new Date(firstShows(local.getTime(), offsetAt)),
  };
}

const FIELDS = {
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

// Offsets run from -12 to +14 hours: so far away a local time lies on the clock's one side or other.
const FAR = 36 * 3_600_000;

function firstShows(local: number, offsetAt: (moment: number) => number): number {
  const before = offsetAt(local - FAR);
  const after = offsetAt(local + FAR);
  // Of two moments that show one local time the one with the earlier offset is the first.
  for (const offset of [before, after]) if (offsetAt(local - offset) === offset) return local - offset;
  // The clock jumps over it: the moment of the jump, looked for between the two readings.
  let low = local - after;
  let high = local - before;
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000;
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
