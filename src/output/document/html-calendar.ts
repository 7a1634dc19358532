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
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const end = dayNumber(last.date);
  const monday = Math.max(mondayOf(dayNumber(first.date)), mondayOf(end) - (MOST_WEEKS - 1) * WEEK);
  const weeks = Array.from({ length: Math.floor((end - monday) / WEEK) + 1 }, (_, i) => monday + i * WEEK);
  const byNumber = new Map(days.map((day) => [dayNumber(day.date), day]));
  const labels = ["", ...NAMES].map((name) => element("span", { class: "label" }, name));
  const columns = weeks.map((week, i) => [
    element("span", { class: "label" }, i === 0 || isMonthIn(week) ? monthOf(week) : ""),
    NAMES.map((_, weekday) => cell(byNumber.get(week + weekday))),
  ]);
  return element("div", { class: "calendar", role: "img", "aria-label": "Days with changes" }, labels, columns);
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

/** 1970-01-01 was a Thursday. */
function mondayOf(day: number): number {
  return day - ((day + 3) % WEEK);
}

/** Whether a month begins in a week. */
function isMonthIn(week: number): boolean {
  return new Date((week + WEEK - 1) * DAY_MS).getUTCDate() <= WEEK;
}

function monthOf(week: number): string {
  return MONTHS[new Date((week + WEEK - 1) * DAY_MS).getUTCMonth()] ?? "";
}
