import { DONE, FOUND, type ExitStatus } from "../base/exit-status.ts";
import { RollstampError } from "../base/errors.ts";
import type { Io } from "../platform/ports/io.ts";
import type { WaitBoard } from "../reports/status/wait-board.ts";
import { isSettled, summaryOf } from "../reports/status/wait-judge.ts";
import type { WaitEnd, WaitEvent, WorkloadProgress } from "../reports/status/wait-report.ts";

/** Where the lines of a wait go. */
export interface WaitPrinter {
  readonly tell: (event: WaitEvent) => Promise<void>;
  /** How all stand, for a terminal: after each look. */
  readonly progress: (all: readonly WorkloadProgress[], sinceMs: number) => void;
}

/** What comes from outside between two looks. */
export interface Doorbell {
  /** Cuts the present pause short. */
  ring: () => void;
  readonly events: WaitEvent[];
  /** Why the cluster can't be followed any more. */
  failure: unknown;
}

export interface Rounds {
  readonly board: WaitBoard;
  readonly hasPlan: boolean;
  readonly failFast: boolean;
  readonly timeoutMs: number;
  /** The signal by which a person or a job ends it. */
  readonly interrupted: AbortSignal;
}

// Events come in bursts; what is a matter of time is looked at once a second.
const SHORTEST_MS = 100;
const LONGEST_MS = 1000;

/** Looks at the board whenever it has changed, tells what is new, until all have ended or something ends it. */
export async function waitRounds(io: Io, bell: Doorbell, rounds: Rounds, printer: WaitPrinter): Promise<ExitStatus> {
  const { board } = rounds;
  const now = (): number => io.context.systemTime().getTime();
  const began = now();
  const told = new Map<string, string>();
  for (;;) {
    const nudged = new AbortController();
    bell.ring = () => nudged.abort();
    const all = board.look(now());
    const since = now() - began;
    for (const event of bell.events.splice(0)) await printer.tell(event);
    for (const one of all) await tellOnce(one, told, printer);
    const ended = endOf(all, bell, rounds, since);
    if (ended !== undefined) return conclude(board.look(now(), true), ended, bell.failure, since, printer);
    printer.progress(all, since);
    await io.sleep(SHORTEST_MS, rounds.interrupted);
    if (!nudged.signal.aborted)
      await io.sleep(Math.min(LONGEST_MS, Math.max(0, rounds.timeoutMs - since)), nudged.signal);
  }
}

async function tellOnce(one: WorkloadProgress, told: Map<string, string>, printer: WaitPrinter): Promise<void> {
  const key = [one.apiVersion, one.kind, one.namespace, one.name].join("/");
  const text = JSON.stringify({ ...one, problem: undefined });
  if (told.get(key) === text) return;
  told.set(key, text);
  await printer.tell({ type: "Workload", workload: one });
}

function endOf(
  all: readonly WorkloadProgress[],
  { failure }: Doorbell,
  { hasPlan, failFast, timeoutMs, interrupted }: Rounds,
  since: number,
): WaitEnd | undefined {
  if (interrupted.aborted) return "Interrupted";
  if (failure !== undefined) return "Error";
  if (all.every((one) => isSettled(one, hasPlan))) return "Settled";
  if (failFast && all.some(({ problem }) => problem !== undefined)) return "FailedFast";
  return since >= timeoutMs ? "TimedOut" : undefined;
}

async function conclude(
  all: readonly WorkloadProgress[],
  ended: WaitEnd,
  failure: unknown,
  since: number,
  printer: WaitPrinter,
): Promise<ExitStatus> {
  const problems = all.filter(({ problem }) => problem !== undefined);
  const status = problems.length > 0 || ended !== "Settled" ? FOUND : DONE;
  const because = failure instanceof RollstampError ? { because: failure.message } : {};
  await printer.tell({
    type: "End",
    ended,
    status: ended === "Interrupted" ? null : ended === "Error" ? 2 : status,
    seconds: Math.round(since / 1000),
    summary: summaryOf(all),
    problems,
    ...because,
  });
  if (failure !== undefined) throw failure;
  return status;
}
