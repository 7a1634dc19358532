// Moments as manifests have them: RFC 3339, which we write in UTC and to the second.

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2}))$/u;

/** Reads RFC 3339, to the second; undefined for text that is no moment, such as 30 February. */
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

/** The first of some moments; undefined of none. A call takes fewer arguments than a repository has workloads. */
export function earliest(times: readonly Date[]): Date | undefined {
  let first: Date | undefined;
  for (const time of times) if (first === undefined || time.getTime() < first.getTime()) first = time;
  return first;
}

/** A moment without its fraction of a second. */
export function wholeSeconds(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}

/** A moment as RFC 3339 in UTC: `2026-11-21T00:00:00Z`. */
export function formatTime(time: Date): string {
  return wholeSeconds(time)
    .toISOString()
    .replace(/\.\d+Z$/u, "Z");
}
