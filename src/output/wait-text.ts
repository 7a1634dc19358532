import { formatDuration } from "../base/times.ts";
import { workloadKey } from "../base/identity.ts";
import picocolors from "picocolors";
import { counted, pluralize } from "../base/words.ts";
import { printable } from "../findings/results/terminal.ts";
import type { ToldReason, WaitEvent, WaitState, WaitSummary, WorkloadProgress } from "../reports/status/wait-report.ts";

const WORDS: Readonly<Record<WaitState, string>> = {
  Pending: "PENDING",
  RollingOut: "ROLLING",
  Done: "DONE",
  Held: "HELD",
  Waits: "WAITS",
  Failed: "FAILED",
  Stuck: "STUCK",
  Missing: "MISSING",
};

const INDENT = " ".repeat(11);
const MOST_PROBLEMS = 50;

type Colors = ReturnType<typeof picocolors.createColors>;

/**
 * The lines of `status --wait -o text`. What it has told of a workload it tells again only where its state or its
 * reasons are others; one that was done from the beginning is not told at all.
 */
export class WaitText {
  readonly #colors: Colors;
  readonly #told = new Map<string, string>();

  constructor(color: boolean) {
    this.#colors = picocolors.createColors(color);
  }

  /** The lines for an event; empty where it tells nothing new. */
  of(event: WaitEvent): string {
    switch (event.type) {
      case "Start":
        return lines(startLines(event));
      case "Workload":
        return this.#news(event.workload) ? this.#block(event.workload) : "";
      case "Connection":
        return lines([
          event.state === "Lost"
            ? `${event.because ?? "the cluster is not reached"}; trying again`
            : "the cluster is reached again",
        ]);
      case "End":
        return this.#end(event);
    }
  }

  #news(one: WorkloadProgress): boolean {
    const key = workloadKey(one);
    const text = JSON.stringify([one.state, one.because, one.rolled, one.reasons.map(({ reason }) => reason)]);
    const before = this.#told.get(key);
    this.#told.set(key, text);
    if (before === undefined && isQuiet(one)) return false;
    return before !== text;
  }

  #block(one: WorkloadProgress, because?: string): string {
    const word = WORDS[one.state].padEnd(INDENT.length);
    const head = `${one.kind} ${one.namespace}/${one.name}: ${because ?? countsText(one)}`;
    const problem = because === undefined && one.problem !== undefined && one.state === "Done" ? [one.problem] : [];
    const rest = [...(one.because === undefined ? [] : [one.because]), ...problem, ...one.reasons.map(reasonText)];
    return paint(this.#colors, one, word) + lines([head, ...rest.map((line) => INDENT + line)]);
  }

  #end({ ended, seconds, summary, problems, status }: Extract<WaitEvent, { type: "End" }>): string {
    const shown = problems.slice(0, MOST_PROBLEMS).map((one) => this.#block(one, one.problem ?? ""));
    const more = problems.length > shown.length ? lines([`and ${problems.length - shown.length} more`]) : "";
    const head = shown.length === 0 ? "" : "\nnot as it should be:\n";
    const how = {
      Settled: "",
      FailedFast: " (--fail-fast)",
      TimedOut: " (--timeout); the rollouts go on by themselves",
      Interrupted: ": stopped; the rollouts go on by themselves",
      Error: "",
    }[ended];
    const total = `${summaryText(summary)} after ${formatDuration(seconds)}${how}`;
    const word = status === 0 ? this.#colors.green("ok") : undefined;
    return `${head}${shown.join("")}${more}\n${word === undefined ? "" : `${word}: `}${lines([total])}`;
  }
}

/**
 * The line of a terminal while it waits: how many are done, and how far others are. At most 79 characters, fewer on a
 * narrow terminal: a line that it breaks can't be written over.
 */
export function waitProgress(all: readonly WorkloadProgress[], seconds: number, columns: number = WIDTH + 1): string {
  const width = Math.min(WIDTH, columns - 1);
  const done = all.filter(({ state }) => state === "Done").length;
  const open = all.filter(({ state }) => state === "RollingOut" || state === "Pending" || state === "Missing");
  const head = `${done}/${all.length} done, ${formatDuration(seconds)}`;
  const parts = open.map(({ name, updated, desired, reasons, state }) => {
    const far = state === "RollingOut" ? `${updated ?? 0}/${desired ?? 0}` : WORDS[state].toLowerCase();
    const why = reasons[0] === undefined ? "" : ` ${reasons[0].reason}`;
    return printable(`${name} ${far}${why}`);
  });
  let line = head;
  for (const [i, part] of parts.entries()) {
    const rest = parts.length - i;
    const end = rest > 1 ? ` +${rest}` : "";
    if (line.length + part.length + end.length + 3 > width) return `${line} +${rest}`;
    line = `${line} | ${part}`;
  }
  return line;
}

const WIDTH = 79;

function lines(all: readonly string[]): string {
  return all.map((line) => `${printable(line)}\n`).join("");
}

/** What was never seen to roll, and is as it should be. */
function isQuiet({ state, planned, problem }: WorkloadProgress): boolean {
  if (problem !== undefined) return false;
  return state === "Done"
    ? planned !== "Roll" && planned !== "Create"
    : state === "Missing" && planned !== "Roll" && planned !== "Create";
}

function startLines({
  context,
  namespaces,
  followed,
  since,
  notFollowed,
  unseen,
}: Extract<WaitEvent, { type: "Start" }>): string[] {
  const where =
    namespaces === undefined
      ? "all namespaces"
      : `${pluralize(namespaces.length, "namespace")} ${namespaces.join(", ")}`;
  const from = since === undefined ? "" : `; what has rolled since ${since} counts`;
  return [
    `following ${counted(followed, "workload")} in ${where} of ${context}${from}`,
    ...notFollowed.map(
      ({ kind, namespace, name, because }) => `not followed: ${kind} ${namespace}/${name} (${because})`,
    ),
    ...unseen.map(({ what, because }) => `not seen: ${what} (${because})`),
  ];
}

function countsText({ state, updated, desired, available, planned, rolled }: WorkloadProgress): string {
  if (updated === null || desired === null) return `not in the cluster (the plan says ${planned ?? ""})`;
  const unplanned = planned === null && rolled === true ? ", has rolled, and the plan does not list it" : "";
  const serve = state === "Done" || available === null ? "" : `, ${available} available`;
  return `${updated} of ${counted(desired, "pod")} updated${serve}${unplanned}`;
}

function reasonText({ reason, message, object, more }: ToldReason): string {
  const about = object === undefined ? "" : `${object}: `;
  const others = more === undefined ? "" : ` (and ${counted(more, "pod")} more)`;
  return `${about}${reason}${message === undefined ? "" : `: ${message}`}${others}`;
}

function paint(colors: Colors, { state, problem }: WorkloadProgress, word: string): string {
  if (state === "Failed" || state === "Stuck" || (problem !== undefined && state !== "Waits")) return colors.red(word);
  if (state === "Waits" || state === "Held" || state === "Pending" || state === "Missing") return colors.yellow(word);
  return state === "Done" ? colors.green(word) : colors.cyan(word);
}

function summaryText({ followed, done, held, waiting, failed, stuck, unfinished }: WaitSummary): string {
  const parts = [
    `${done} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(stuck > 0 ? [`${stuck} stuck`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for a person`] : []),
    ...(held > 0 ? [`${held} held`] : []),
    ...(unfinished > 0 ? [`${unfinished} not at an end`] : []),
  ];
  return `${counted(followed, "workload")}: ${parts.join(", ")}`;
}

/** A length of time as a person reads it: `45 s`, `2 m 5 s`, `1 h 3 m`. */
