import { getString } from "../../yaml/read/node.ts";
import type { Workload } from "../workloads/types.ts";
import type { Refusal } from "./rollout-types.ts";

// What the API server rejects in a CronJob: ValidateCronJobCreate, validateScheduleFormat and validateTimeZone in
// pkg/apis/batch/validation. It reads schedules with robfig/cron v3 (ParseStandard). A real API server refused each (test/e2e/refused-changes.ts).

/** A Job is named after its CronJob, with 11 more characters, and has its name in a label. */
const LONGEST_NAME = 52;

/** The first field of a created or changed CronJob that the API server rejects. */
export function refusedSchedule({ item }: Workload, before?: Workload): Refusal | undefined {
  if (item.kind !== "CronJob" || item.group !== "batch") return undefined;
  if (before === undefined && item.name.length > LONGEST_NAME && !isIncomplete(item.name))
    return { path: "metadata.name", problem: `must not have more than ${LONGEST_NAME} characters` };
  const [schedule, zone] = ["schedule", "timeZone"].map((field) => textAt(item, field));
  const old = before === undefined ? "" : (textAt(before.item, "schedule") ?? "");
  if (schedule?.includes("TZ") === true && !old.includes("TZ"))
    return { path: "spec.schedule", problem: "must not set a time zone: use spec.timeZone" };
  if (schedule !== undefined && !isSchedule(schedule))
    return { path: "spec.schedule", problem: "must be a cron expression of five fields, or a macro such as @daily" };
  if (zone !== undefined && !isTimeZone(zone))
    return { path: "spec.timeZone", problem: "must be a time zone of the IANA database" };
  return undefined;
}

/** A string of the spec; undefined for one that is filled in later. */
function textAt({ tree, node }: Workload["item"], field: string): string | undefined {
  const text = getString(tree, node, "spec", field);
  return text === undefined || isIncomplete(text) ? undefined : text;
}

function isIncomplete(text: string): boolean {
  return /[$<{]/u.test(text);
}

interface Field {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  { min: 0, max: 6, names: "sun mon tue wed thu fri sat".split(" ") },
];

const MACRO = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/u;
/** A duration of Go. */
const EVERY = /^@every [+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/u;

function isSchedule(text: string): boolean {
  const expression = text.replace(/^(?:CRON_)?TZ=\S* */u, "").trim();
  if (expression.startsWith("@")) return MACRO.test(expression) || EVERY.test(expression);
  const fields = expression.split(/\s+/u);
  return (
    fields.length === FIELDS.length &&
    FIELDS.every((field, i) => (fields[i] ?? "").split(",").every((part) => part === "" || isRange(part, field)))
  );
}

/** `*`, `5`, `mon-fri`, each also with a step. */
function isRange(text: string, field: Field): boolean {
  const [range = "", step = "1", ...moreSteps] = text.split("/");
  const [low = "", high = low, ...moreEnds] = range.split("-");
  if (moreSteps.length + moreEnds.length > 0 || !(numberOf(step) > 0)) return false;
  if (low === "*" || low === "?") return true;
  const [start, end] = [numberOf(low, field), numberOf(high, field)];
  return start >= field.min && start <= end && end <= field.max;
}

/** A whole number or a name; NaN for anything else. */
function numberOf(text: string, { min = 0, names = [] }: Partial<Field> = {}): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + min;
  return /^\+?\d+$/u.test(text) ? Number(text) : Number.NaN;
}

function isTimeZone(name: string): boolean {
  // Offsets are not names. Go finds a name only as it is written, and each begins with a capital.
  if (!/^[A-Z]/u.test(name) || /\/[a-z]/u.test(name) || /^local$/iu.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions();
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
