import { ROLLOUT_GROUP, ROLLOUT_TIME_ZONE, ROLLOUT_WINDOW } from "../ground/keys.ts";
import { readText, wrongAnnotation } from "../manifest/annotation-values.ts";
import { hasAnnotations, type Item } from "../manifest/items.ts";
import { parseCron, type Schedule } from "../restart/cron.ts";
import { CRON_REMEDY, NEVER_FIRES, ZONE_REMEDY } from "../restart/moment.ts";
import { timeZone, type TimeZone } from "../restart/time-zone.ts";

/** A window in which something may change: it opens when a schedule fires, and is open for so long. */
export interface Window {
  readonly schedule: Schedule;
  readonly zone: TimeZone;
  readonly milliseconds: number;
}

/** Whether several windows are open, and when they all will be; never, where undefined. */
export type Opening = { readonly isOpen: true } | { readonly isOpen: false; readonly opens: Date | undefined };

const MINUTE = 60_000;
const DURATION = /^(?:(?<hours>\d{1,4})h)?(?:(?<minutes>\d{1,5})m)?$/u;

/** `4h`, `30m` or `1h30m` in milliseconds; undefined for what is no duration, or none at all. */
export function parseDuration(text: string): number | undefined {
  const groups = DURATION.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const minutes = Number(groups["hours"] ?? 0) * 60 + Number(groups["minutes"] ?? 0);
  return minutes === 0 ? undefined : minutes * MINUTE;
}

const WINDOW_REMEDY =
  'Write "<cron>; <duration>", such as "0 2 * * SUN; 4h": it opens by the five fields of crontab(5).';
const DURATION_REMEDY = "Write hours, minutes or both: 4h, 30m, 1h30m.";
const GROUP_REMEDY = "Write a name; groups go in the order of their names.";

/** Reads what annotations of ours say of waves. Throws a RollstampError for a value that can't be taken. */
export interface WaveMarks {
  /** The window of a workload or of a source; undefined where it has none. */
  readonly windowOf: (item: Item) => Window | undefined;
  /** The group of a workload; undefined where it is in none. */
  readonly groupOf: (item: Item) => string | undefined;
}

/** Reads each annotation once, each expression and zone once for all objects that have it. */
export function waveMarks(): WaveMarks {
  const zones = new Map<string, TimeZone | undefined>();
  const schedules = new Map<string, ReturnType<typeof parseCron>>();
  const windows = new Map<Item, Window | undefined>();
  const zoneOf = (item: Item): TimeZone => {
    const name = readText(item, ROLLOUT_TIME_ZONE) ?? "UTC";
    if (!zones.has(name)) zones.set(name, timeZone(name));
    const zone = zones.get(name);
    if (zone === undefined) throw wrongAnnotation(item, ROLLOUT_TIME_ZONE, "names no time zone", ZONE_REMEDY);
    return zone;
  };
  const readWindow = (item: Item): Window | undefined => {
    const zone = zoneOf(item);
    const text = readText(item, ROLLOUT_WINDOW);
    if (text === undefined) return undefined;
    const wrong = (problem: string, remedy: string): Error => wrongAnnotation(item, ROLLOUT_WINDOW, problem, remedy);
    const [cron = "", length, ...more] = text.split(";").map((part) => part.trim());
    if (length === undefined || more.length > 0) throw wrong("is no cron expression and a duration", WINDOW_REMEDY);
    const schedule = schedules.get(cron) ?? parseCron(cron);
    schedules.set(cron, schedule);
    if ("problem" in schedule) throw wrong(schedule.problem, CRON_REMEDY);
    const milliseconds = parseDuration(length);
    if (milliseconds === undefined) throw wrong(`is open for '${length}', which is no duration`, DURATION_REMEDY);
    if (schedule.next(new Date(0), zone, "") === undefined) throw wrong("never opens", NEVER_FIRES);
    return { schedule, zone, milliseconds };
  };
  return {
    windowOf: (item) => {
      if (!hasAnnotations(item)) return undefined;
      if (!windows.has(item)) windows.set(item, readWindow(item));
      return windows.get(item);
    },
    groupOf: (item) => {
      if (!hasAnnotations(item)) return undefined;
      const text = readText(item, ROLLOUT_GROUP);
      if (text?.trim() === "") throw wrongAnnotation(item, ROLLOUT_GROUP, "is empty", GROUP_REMEDY);
      return text;
    },
  };
}

/** Whether all windows are open now; `hashedFor` is what an `H` in their expressions is hashed from. */
export function openingOf(windows: readonly Window[], now: Date, hashedFor: string): Opening {
  if (windows.every((window) => isOpen(window, now, hashedFor))) return { isOpen: true };
  let at = now;
  for (let i = 0; i < MOST_STEPS; i++) {
    const closed = windows.filter((window) => !isOpen(window, at, hashedFor));
    if (closed.length === 0) return { isOpen: false, opens: at };
    // Before the last of those that are closed opens, they are not all open.
    const next = closed.map(({ schedule, zone }) => schedule.next(at, zone, hashedFor));
    const times = next.map((moment) => moment?.getTime() ?? Number.POSITIVE_INFINITY);
    const last = Math.max(...times);
    if (last === Number.POSITIVE_INFINITY || last - now.getTime() > FARTHEST) break;
    at = new Date(last);
  }
  return { isOpen: false, opens: undefined };
}

// Windows that are never open together are looked for no longer.
const MOST_STEPS = 1000;
const FARTHEST = 5 * 366 * 24 * 60 * MINUTE;

function isOpen({ schedule, zone, milliseconds }: Window, now: Date, hashedFor: string): boolean {
  const opened = schedule.latest(now, zone, hashedFor);
  return opened !== undefined && now.getTime() - opened.getTime() < milliseconds;
}
