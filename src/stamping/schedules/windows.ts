import { parseDuration } from "../../base/times.ts";
import { ROLLOUT_GROUP, ROLLOUT_TIME_ZONE, ROLLOUT_WINDOW } from "../../base/keys.ts";
import { type Item, readText, wrongAnnotation } from "../../yaml/read/items.ts";
import { comparing } from "../../base/limits.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";
import { parseCron, type Schedule, timeZone, type TimeZone } from "./cron.ts";
import { CRON_REMEDY, hashName, mayFire, NEVER_FIRES, restartSchedules, ZONE_REMEDY } from "./moment.ts";
import { onceForText } from "../../base/grouped.ts";

/** A window for changes: it opens when a schedule fires, and stays open for a time. */
export interface Window {
  /** Its text. Windows with the same text are the same, except for `H` in the schedule. */
  readonly text: string;
  readonly schedule: Schedule;
  readonly zone: TimeZone;
  readonly milliseconds: number;
}

/** Whether several windows are open, and when they will all be open; undefined: never. */
export type Opening = { readonly isOpen: true } | { readonly isOpen: false; readonly opens: Date | undefined };

/** How long a window is open, in milliseconds: hours, minutes or both; undefined for any other text. */
export function windowLength(text: string): number | undefined {
  const seconds = /^(?:\d{1,4}h)?(?:\d{1,5}m)?$/u.test(text) ? parseDuration(text) : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}

const WINDOW_REMEDY = 'Write "<cron>; <duration>", such as "0 2 * * SUN; 4h", with the five fields of crontab(5).';
const DURATION_REMEDY = "Write hours, minutes or both: 4h, 30m, 1h30m.";
const GROUP_REMEDY = "Write a name. Groups are released in the order of their names.";

/** Reads our annotations about waves. Throws a RollstampError for an invalid value. */
export interface WaveMarks {
  /** The window of a workload or source; undefined if it has none. */
  readonly windowOf: (item: Item) => Window | undefined;
  /** The group of a workload; undefined if it has none. */
  readonly groupOf: (item: Item) => string | undefined;
}

/** Reads each annotation once, and parses each expression and time zone once for all objects. */
export function waveMarks(): WaveMarks {
  const zoneNamed = onceForText(timeZone);
  const scheduleOf = onceForText(parseCron);
  const windows = new Map<Item, Window | undefined>();
  const zoneOf = (item: Item): TimeZone => {
    const zone = zoneNamed(readText(item, ROLLOUT_TIME_ZONE) ?? "UTC");
    if (zone === undefined) throw wrongAnnotation(item, ROLLOUT_TIME_ZONE, "must be a time zone", ZONE_REMEDY);
    return zone;
  };
  const readWindow = (item: Item): Window | undefined => {
    const zone = zoneOf(item);
    const text = readText(item, ROLLOUT_WINDOW);
    if (text === undefined) return undefined;
    const wrong = (problem: string, remedy: string): Error => wrongAnnotation(item, ROLLOUT_WINDOW, problem, remedy);
    const [cron = "", length, ...more] = text.split(";").map((part) => part.trim());
    if (length === undefined || more.length > 0) throw wrong("must be a cron expression and a duration", WINDOW_REMEDY);
    const schedule = scheduleOf(cron);
    if ("problem" in schedule) throw wrong(schedule.problem, CRON_REMEDY);
    const milliseconds = windowLength(length);
    if (milliseconds === undefined) throw wrong(`is open for '${length}', which is not a duration`, DURATION_REMEDY);
    if (!mayFire(schedule, zone)) throw wrong("never opens", NEVER_FIRES);
    return { text: `${text};${readText(item, ROLLOUT_TIME_ZONE) ?? ""}`, schedule, zone, milliseconds };
  };
  return {
    windowOf: (item) => {
      if (!item.isAnnotated) return undefined;
      if (!windows.has(item)) windows.set(item, readWindow(item));
      return windows.get(item);
    },
    groupOf: (item) => {
      if (!item.isAnnotated) return undefined;
      const text = readText(item, ROLLOUT_GROUP);
      if (text?.trim() === "") throw wrongAnnotation(item, ROLLOUT_GROUP, "is empty", GROUP_REMEDY);
      return text;
    },
  };
}

/** Throws a RollstampError for an invalid schedule, window or group in the annotations of the objects. */
export function checkSchedules(items: readonly Item[]): void {
  const scheduleOf = restartSchedules();
  const { windowOf, groupOf } = waveMarks();
  for (const item of items) {
    scheduleOf(item);
    windowOf(item);
    groupOf(item);
  }
}

/**
 * Returns a function that checks whether all given windows are open at a time. The workload is the one whose windows
 * they are: an `H` in their schedules is hashed from it.
 */
export function openingsAt(now: Date): (windows: readonly Window[], of: Workload) => Opening {
  const known = new Map<string, Opening>();
  const spend = comparing("rollout windows with each other");
  return (windows, of) => {
    if (windows.length === 0) return { isOpen: true };
    const texts = [...new Set(windows.map(({ text }) => text))].sort();
    const key = JSON.stringify(texts.some((text) => HASHED.test(text)) ? [...texts, hashName(of)] : texts);
    let opening = known.get(key);
    if (opening === undefined) {
      const onStep = (): void => spend(windows.length * STEPS_OF_A_WINDOW, of.item.tree.limits);
      known.set(key, (opening = openingOf(windows, now, hashName(of), onStep)));
    }
    return opening;
  };
}

/** An `H` in a cron expression, which has a different value for each workload. */
const HASHED = /^[^;]*(?:^|[\s,])H/iu;

/** The cost of finding when a window opens, in comparisons of characters. */
const STEPS_OF_A_WINDOW = 5000;

function openingOf(windows: readonly Window[], now: Date, hashedFor: string, onStep: () => void): Opening {
  onStep();
  if (windows.every((window) => isOpen(window, now, hashedFor))) return { isOpen: true };
  let time = now;
  for (let i = 0; i < MOST_STEPS; i++) {
    onStep();
    const closed = windows.filter((window) => !isOpen(window, time, hashedFor));
    if (closed.length === 0) return { isOpen: false, opens: time };
    // They are not all open before the last closed window opens.
    const next = closed.map(({ schedule, zone }) => schedule.next(time, zone, hashedFor));
    const times = next.map((moment) => moment?.getTime() ?? Number.POSITIVE_INFINITY);
    const last = Math.max(...times);
    if (last === Number.POSITIVE_INFINITY || last - now.getTime() > FARTHEST) break;
    time = new Date(last);
  }
  return { isOpen: false, opens: undefined };
}

// How far to search for a time at which all windows are open. From one 29 February to the next one it takes at most
// eight years.
const MOST_STEPS = 400;
const FARTHEST = 9 * 366 * 86_400_000;

function isOpen({ schedule, zone, milliseconds }: Window, now: Date, hashedFor: string): boolean {
  const opened = schedule.latest(now, zone, hashedFor);
  return opened !== undefined && now.getTime() - opened.getTime() < milliseconds;
}
