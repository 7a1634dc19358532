import { formatDuration } from "../base/times.ts";
import { counted, formatNumber } from "../base/words.ts";
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
import { list, paragraph, row, titled } from "./document/blocks.ts";
import type { Block, Tone } from "./document/document.ts";

const LABELS: Readonly<Record<WaitState, string>> = {
  RollingOut: "rolling",
  Done: "done",
  Held: "held",
  Waits: "waits",
  Failed: "failed",
  Stuck: "stuck",
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
    const { apiVersion, kind, namespace, name, state, because, reasons } = workload;
    const key = [apiVersion, kind, namespace, name].join("/");
    const text = JSON.stringify([state, because, reasons.map(({ reason }) => reason)]);
    const before = this.#printed.get(key);
    this.#printed.set(key, text);
    return before === undefined ? state !== "Done" : before !== text;
  }
}

function workloadRow(workload: WorkloadProgress, explanation?: string): Block {
  const { kind, namespace, name, state, because, reasons } = workload;
  const lines = [...(because === undefined ? [] : [because]), ...reasons.map(describeReason)];
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
  const open = all.filter(({ state }) => state === "RollingOut");
  const head = `${done}/${all.length} done, ${formatDuration(seconds)}`;
  const parts = open.map(({ name, updated, desired, reasons }) => {
    const why = reasons[0] === undefined ? "" : ` ${reasons[0].reason}`;
    return printable(`${name} ${updated}/${desired}${why}`);
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

function startLines({ context, namespace, followed, unseen }: Extract<WaitEvent, { type: "Start" }>): string[] {
  const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
  return [
    `following ${counted(followed, "workload")} in ${where} of ${context}`,
    ...unseen.map(({ what, because }) => `not read: ${what} (${because})`),
  ];
}

function describeCounts({ state, updated, desired, available }: WorkloadProgress): string {
  const serve = state === "Done" ? "" : `, ${available} available`;
  return `${formatNumber(updated)} of ${counted(desired, "pod")} updated${serve}`;
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
    `${formatNumber(done)} done`,
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(stuck > 0 ? [`${formatNumber(stuck)} stuck`] : []),
    ...(waiting > 0 ? [`${formatNumber(waiting)} waiting for approval`] : []),
    ...(held > 0 ? [`${formatNumber(held)} held`] : []),
    ...(unfinished > 0 ? [`${formatNumber(unfinished)} unfinished`] : []),
  ];
  return `${counted(followed, "workload")}: ${parts.join(", ")}`;
}
