import { formatDuration } from "../base/times.ts";
import { counted, pluralize } from "../base/words.ts";
import { API_VERSION } from "../base/keys.ts";
import { jsonText } from "../findings/results/json-text.ts";
import { printable } from "../findings/results/terminal.ts";
import type {
  ClusterReason,
  WaitEvent,
  WaitProblem,
  WaitState,
  WaitSummary,
  WorkloadProgress,
} from "../reports/status/wait-report.ts";
import { list, paragraph, row, titled, type Block, type Tone } from "./document/document.ts";

const LABELS: Readonly<Record<WaitState, string>> = {
  Pending: "pending",
  RollingOut: "rolling",
  Done: "done",
  Held: "held",
  Waits: "waits",
  Failed: "failed",
  Stuck: "stuck",
  Missing: "missing",
};

const MOST_PROBLEMS = 50;

/**
 * The blocks of `status --wait -o text`. A workload is printed again only if its state or its reasons change, and not at
 * all if it was done from the beginning.
 */
export class WaitText {
  readonly #printed = new Map<string, string>();

  /** The blocks for an event; none if it says nothing new. */
  blocks(event: WaitEvent): Block[] {
    switch (event.type) {
      case "Start":
        return [list(startLines(event))];
      case "Workload":
        return this.#isNew(event.workload) ? [workloadRow(event.workload)] : [];
      case "Connection":
        return [
          paragraph(
            event.state === "Lost"
              ? `${event.because ?? "the connection to the cluster is lost"}; trying again`
              : "the connection to the cluster is back",
          ),
        ];
      case "End":
        return endBlocks(event);
    }
  }

  #isNew(workload: WorkloadProgress): boolean {
    const { apiVersion, kind, namespace, name, state, because, rolled, reasons } = workload;
    const key = [apiVersion, kind, namespace, name].join("/");
    const text = JSON.stringify([state, because, rolled, reasons.map(({ reason }) => reason)]);
    const before = this.#printed.get(key);
    this.#printed.set(key, text);
    if (before === undefined && isQuiet(workload)) return false;
    return before !== text;
  }
}

function workloadRow(workload: WorkloadProgress, explanation?: string): Block {
  const { kind, namespace, name, state, problem, because, reasons } = workload;
  const lines = [
    ...(because === undefined ? [] : [because]),
    ...(explanation === undefined && problem !== undefined && state === "Done" ? [describeProblem(problem)] : []),
    ...reasons.map(describeReason),
  ];
  return row(
    {
      label: LABELS[state],
      tone: toneOf(workload),
      words: [`${kind} ${namespace}/${name}: ${explanation ?? describeCounts(workload)}`],
    },
    [list(lines)],
  );
}

const ENDS: Readonly<Record<Extract<WaitEvent, { type: "End" }>["ended"], string>> = {
  Settled: "",
  FailedFast: " (--fail-fast)",
  TimedOut: " (--timeout); the rollouts continue without this command",
  Interrupted: ": interrupted; the rollouts continue without this command",
  Error: "",
};

function endBlocks({ ended, seconds, summary, problems, status }: Extract<WaitEvent, { type: "End" }>): Block[] {
  const more = problems.length - MOST_PROBLEMS;
  return [
    ...(problems.length === 0
      ? []
      : [
          titled(
            "Problems:",
            ...problems
              .slice(0, MOST_PROBLEMS)
              .map((workload) => workloadRow(workload, workload.problem && describeProblem(workload.problem))),
          ),
        ]),
    ...(more > 0 ? [paragraph(`and ${more} more`)] : []),
    paragraph([
      ...(status === 0 ? [{ tone: "ok", words: ["ok"] } as const, ": "] : []),
      `${describeSummary(summary)} after ${formatDuration(seconds)}${ENDS[ended]}`,
    ]),
  ];
}

/** Why the exit status is 1 because of a workload. */
function describeProblem(problem: WaitProblem): string {
  switch (problem.is) {
    case "RolledOut":
      return problem.planned === null
        ? "rolled out, but is not in the plan"
        : `rolled out, but planned: ${problem.planned}`;
    case "NotRolledOut": {
      const last = problem.last === undefined ? "" : `; last rollout at ${problem.last}`;
      return `planned: ${problem.planned}, but no rollout since ${problem.since}${last}`;
    }
    case "Refused":
      return `planned: ${problem.planned}. The apply is refused, and there was no rollout`;
    case "Missing":
      return `planned: ${problem.planned}, but not in the cluster`;
    case "Held":
      return `planned: ${problem.planned}, but ${problem.because}`;
    case "Stuck":
      return `no progress for ${counted(problem.seconds, "second")}`;
    case "Failed":
      return "its controller has given up";
    case "NeedsApproval":
      return "waits for approval";
    case "Unfinished":
      return "not finished";
  }
}

/** A line of `status --wait -o json`. */
export function waitJson(event: WaitEvent, time: string): string {
  const withText = (workload: WorkloadProgress): unknown =>
    workload.problem === undefined ? workload : { ...workload, problem: describeProblem(workload.problem) };
  const shown =
    event.type === "Workload"
      ? { workload: withText(event.workload) }
      : event.type === "End"
        ? { problems: event.problems.map(withText) }
        : {};
  return `${jsonText({ apiVersion: API_VERSION, kind: "RolloutProgress", time, ...event, ...shown })}\n`;
}

/**
 * The last line of the terminal during a wait: how many workloads are done, and how far the others are. It has at most 79
 * characters, fewer on a narrow terminal: a wrapped line could not be overwritten.
 */
export function waitProgress(all: readonly WorkloadProgress[], seconds: number, columns: number = WIDTH + 1): string {
  const width = Math.min(WIDTH, columns - 1);
  const done = all.filter(({ state }) => state === "Done").length;
  const open = all.filter(({ state }) => state === "RollingOut" || state === "Pending" || state === "Missing");
  const head = `${done}/${all.length} done, ${formatDuration(seconds)}`;
  const parts = open.map(({ name, updated, desired, reasons, state }) => {
    const far = state === "RollingOut" ? `${updated ?? 0}/${desired ?? 0}` : LABELS[state];
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

/** True for a workload that is as expected and has not been seen to roll out. */
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
  const from = since === undefined ? "" : `; rollouts since ${since} count`;
  return [
    `following ${counted(followed, "workload")} in ${where} of ${context}${from}`,
    ...notFollowed.map(
      ({ kind, namespace, name, because }) => `not followed: ${kind} ${namespace}/${name} (${because})`,
    ),
    ...unseen.map(({ what, because }) => `not read: ${what} (${because})`),
  ];
}

function describeCounts({ state, updated, desired, available, planned, rolled }: WorkloadProgress): string {
  if (updated === null || desired === null) return `not in the cluster (planned: ${planned ?? ""})`;
  const unplanned = planned === null && rolled === true ? ", rolled out, not in the plan" : "";
  const serve = state === "Done" || available === null ? "" : `, ${available} available`;
  return `${updated} of ${counted(desired, "pod")} updated${serve}${unplanned}`;
}

function describeReason({ reason, message, object, more }: ClusterReason): string {
  const about = object === undefined ? "" : `${object}: `;
  const others = more === undefined ? "" : ` (and ${counted(more, "pod")} more)`;
  return `${about}${reason}${message === undefined ? "" : `: ${message}`}${others}`;
}

function toneOf({ state, problem }: WorkloadProgress): Tone {
  if (state === "Failed" || state === "Stuck" || (problem !== undefined && state !== "Waits")) return "danger";
  return state === "Done" || state === "RollingOut" ? "ok" : "attention";
}

function describeSummary({ followed, done, held, waiting, failed, stuck, unfinished }: WaitSummary): string {
  const parts = [
    `${done} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(stuck > 0 ? [`${stuck} stuck`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for approval`] : []),
    ...(held > 0 ? [`${held} held`] : []),
    ...(unfinished > 0 ? [`${unfinished} unfinished`] : []),
  ];
  return `${counted(followed, "workload")}: ${parts.join(", ")}`;
}
