import { RollstampError } from "./errors.ts";

const UNITS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };

/** A length of time in seconds: `90`, `90s`, `15m`, `1h30m`. */
export function duration(text: string): number {
  if (/^\d{1,6}(?:\.\d+)?$/u.test(text) && Number(text) > 0) return Number(text);
  if (/^(?:\d{1,6}(?:\.\d+)?[hms])+$/u.test(text)) {
    const parts = [...text.matchAll(/([\d.]+)([hms])/gu)];
    const seconds = parts.reduce((sum, [, number, unit = ""]) => sum + Number(number) * (UNITS[unit] ?? 0), 0);
    if (seconds > 0) return seconds;
  }
  throw new RollstampError("usage", `'${text}' is no length of time`, {
    remedy: "Write one such as 90s, 15m or 1h30m.",
  });
}
