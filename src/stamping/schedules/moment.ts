import { RollstampError } from "../../base/errors.ts";
import { RESTART_SCHEDULE, RESTART_TIME_ZONE } from "../../base/keys.ts";
import type { RunContext } from "../function/krm-function.ts";
import { type Item, readText, wrongAnnotation } from "../../yaml/read/items.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";
import { parseCron, type Schedule, timeZone, type TimeZone } from "./cron.ts";
import { parseTime, wholeSeconds } from "../../base/times.ts";
import { onceForText } from "../../base/grouped.ts";

/** When restarts are due: a fixed time, or the latest time of a schedule. */
export type RestartTime =
  | { readonly instant: Date }
  | {
      readonly schedule: Schedule;
      readonly zone: TimeZone;
      readonly now: Date | undefined;
      readonly mayReadClock: boolean;
    };

/** The restart time of each workload. Throws a RollstampError if a schedule has no current time. */
export function momentOf(time: RestartTime, context: RunContext): (workload: Workload) => Date | undefined {
  if ("instant" in time) return () => time.instant;
  const now = time.now ?? environmentTime(context) ?? (time.mayReadClock ? context.systemTime() : undefined);
  if (now === undefined) {
    throw new RollstampError("config", "a schedule needs the current time, but it is not set", {
      configPath: ["spec", "schedule"],
      remedy:
        "Set 'now', or ROLLSTAMP_NOW or SOURCE_DATE_EPOCH in the environment. With 'clock: System' the output depends on the time of the render.",
    });
  }
  return (workload) => {
    const moment = time.schedule.latest(now, time.zone, hashName(workload));
    if (moment !== undefined) return moment;
    throw new RollstampError("config", "the schedule never fires", {
      configPath: ["spec", "schedule"],
      remedy: NEVER_FIRES,
    });
  };
}

export const NEVER_FIRES = "Name an existing day: February has no day 31.";

/** The current time that the environment sets, for reproducible renders. */
export function environmentTime(context: RunContext): Date | undefined {
  const now = context.variable("ROLLSTAMP_NOW");
  if (now !== undefined) {
    const time = parseTime(now);
    if (time !== undefined) return time;
    throw new RollstampError("config", "the environment variable ROLLSTAMP_NOW must be a time", {
      remedy: TIME_REMEDY,
    });
  }
  const epoch = context.variable("SOURCE_DATE_EPOCH");
  if (epoch === undefined) return undefined;
  const time = new Date(/^\d{1,12}$/u.test(epoch) ? Number(epoch) * 1000 : Number.NaN);
  if (!Number.isNaN(time.getTime())) return time;
  throw new RollstampError("config", "the environment variable SOURCE_DATE_EPOCH must be a number of seconds", {
    remedy: "Set it to the seconds since 1970, as 'git log -1 --format=%ct' prints them.",
  });
}

/** The current time of a command: the one that the environment sets, else the clock, in whole seconds. */
export function presentTime(context: RunContext): Date {
  return environmentTime(context) ?? wholeSeconds(context.systemTime());
}

/** The format of times. */
export const TIME_REMEDY = "Write RFC 3339: 2026-11-21T09:00:00Z, or with an offset such as +09:00.";

/** The name of a workload for hashes. */
export function hashName({ item, namespace }: Workload): string {
  return `${namespace}/${item.kind}/${item.name}`;
}

/** The latest time at or before now of the schedule in a workload's annotations; undefined if they have none. */
export function dueMoment(now: Date): (workload: Workload) => Date | undefined {
  const scheduleOf = restartSchedules();
  return (workload) => {
    const marked = scheduleOf(workload.item);
    if (marked === undefined) return undefined;
    const moment = marked.schedule.latest(wholeSeconds(now), marked.zone, hashName(workload));
    if (moment === undefined) throw wrongAnnotation(workload.item, RESTART_SCHEDULE, "never fires", NEVER_FIRES);
    return moment;
  };
}

/** Reads the restart schedule of an object; undefined if it has none. Throws a RollstampError for an invalid value. */
export function restartSchedules(): (
  item: Item,
) => { readonly schedule: Schedule; readonly zone: TimeZone } | undefined {
  const zoneNamed = onceForText(timeZone);
  const scheduleOf = onceForText(parseCron);
  return (item) => {
    if (!item.isAnnotated) return undefined;
    const zone = zoneNamed(readText(item, RESTART_TIME_ZONE) ?? "UTC");
    if (zone === undefined) throw wrongAnnotation(item, RESTART_TIME_ZONE, "must be a time zone", ZONE_REMEDY);
    const cron = readText(item, RESTART_SCHEDULE);
    if (cron === undefined) return undefined;
    const schedule = scheduleOf(cron);
    if ("problem" in schedule) throw wrongAnnotation(item, RESTART_SCHEDULE, schedule.problem, CRON_REMEDY);
    if (!mayFire(schedule, zone)) throw wrongAnnotation(item, RESTART_SCHEDULE, "never fires", NEVER_FIRES);
    return { schedule, zone };
  };
}

/** Whether a schedule may ever fire: its day must exist. With an `H`, that depends on the workload. */
export function mayFire(schedule: Schedule, zone: TimeZone): boolean {
  return schedule.isHashed || schedule.next(new Date(0), zone, "") !== undefined;
}

export const ZONE_REMEDY = "Write a name of the IANA time zone database, such as Asia/Tokyo, or UTC.";
export const CRON_REMEDY = 'Write the five fields of crontab(5), such as "30 4 * * SUN", or a macro such as @daily.';
