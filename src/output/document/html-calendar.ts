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
  const head = weeks.map((week, i) => element("th", { scope: "col" }, i === 0 || isMonthIn(week) ? monthOf(week) : ""));
  const rows = NAMES.map((name, weekday) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, name),
      weeks.map((week) => cell(byNumber.get(week + weekday))),
    ),
  );
  return element(
    "div",
    { class: "calendar" },
    element("table", {}, element("thead", {}, element("tr", {}, element("td", {}), head)), element("tbody", {}, rows)),
  );
}

function cell(day: Day | undefined): Html {
  if (day === undefined) return element("td", {});
  const title = `${day.date}: ${day.title}`;
  return element("td", { class: day.tone, title, "aria-label": title });
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
