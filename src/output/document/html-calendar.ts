import { counted } from "../../base/words.ts";
import { element, type Child, type Html } from "../html/html.ts";
import type { Calendar, Day } from "./document.ts";

const DAY_MS = 86_400_000;
const WEEK = 7;
/** A page shows the last weeks only. */
const MOST_WEEKS = 106;
const NAMES = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A calendar: a column for each week, from Monday to Sunday, and the name of a month above its first week. */
export function calendarHtml({ days }: Calendar): Child {
  const numbers = days.map(({ date }) => dayNumber(date));
  const end = lastShown(numbers);
  if (end === undefined) return undefined;
  const monday = mondayOf(numbers.find((day) => day >= firstMonday(end)) ?? end);
  const weeks = Array.from({ length: Math.floor((end - monday) / WEEK) + 1 }, (_, i) => monday + i * WEEK);
  const byNumber = new Map(days.map((day) => [dayNumber(day.date), day]));
  const labels = ["", ...NAMES].map((name) => element("span", { class: "label" }, name));
  const columns = weeks.map((week, i) => [
    element("span", { class: "label" }, i === 0 || isMonthIn(week) ? monthOf(week) : ""),
    NAMES.map((_, weekday) => cell(byNumber.get(week + weekday))),
  ]);
  const left = [
    { count: numbers.filter((day) => day < monday).length, where: `before ${dateOf(monday)}` },
    { count: numbers.filter((day) => day > end).length, where: `after ${dateOf(end)}` },
  ].flatMap(({ count, where }) => (count === 0 ? [] : [`${counted(count, "day")} ${where}`]));
  return [
    element("div", { class: "calendar", role: "img", "aria-label": "Days with changes" }, labels, columns),
    left.length === 0 ? undefined : element("p", { class: "muted" }, `Not shown: ${left.join(", ")}.`),
  ];
}

/** The first week of a calendar that ends with a day. */
function firstMonday(end: number): number {
  return mondayOf(end) - (MOST_WEEKS - 1) * WEEK;
}

/**
 * The last day that is shown: a commit may have any date, and a few of them far in the future must not leave only these. So the
 * weeks must have at least a tenth of the days that the fullest weeks have.
 */
function lastShown(days: readonly number[]): number | undefined {
  let start = 0;
  const counts = days.map((end, i) => {
    while ((days[start] ?? end) < firstMonday(end)) start++;
    return i - start + 1;
  });
  const most = counts.reduce((a, b) => Math.max(a, b), 0);
  const enough = Math.min(most, Math.max(2, most / 10));
  return days.findLast((_, i) => (counts[i] ?? 0) >= enough);
}

function cell(day: Day | undefined): Html {
  return day === undefined
    ? element("span", { class: "day" })
    : element("span", { class: `day ${day.tone}`, title: `${day.date}: ${day.title}` });
}

/** Days since 1970-01-01. */
function dayNumber(date: string): number {
  return Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY_MS);
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, "2026-03-09".length);
}

/** 1970-01-01 was a Thursday. */
function mondayOf(day: number): number {
  return day - ((day + 3) % WEEK);
}

function isMonthIn(week: number): boolean {
  return new Date((week + WEEK - 1) * DAY_MS).getUTCDate() <= WEEK;
}

function monthOf(week: number): string {
  return MONTHS[new Date((week + WEEK - 1) * DAY_MS).getUTCMonth()] ?? "";
}
