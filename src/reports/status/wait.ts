import { RollstampError, DONE, FOUND, type ExitStatus } from "../../base/errors.ts";
import type { Cluster } from "../../platform/ports/cluster.ts";
import type { Io } from "../../platform/ports/io.ts";
import { rolloutReader } from "./read-rollouts.ts";
import { WaitBoard, type Seen } from "./wait-board.ts";
import { summaryOf } from "./wait-judge.ts";
import type { WaitEnd, WaitEvent, WorkloadProgress } from "./wait-report.ts";

/** What a wait uses of the process. */
export interface WaitWorld extends Pick<Io, "sleep"> {
  readonly cluster: Cluster;
  /** The time of day, in milliseconds. */
  readonly now: () => number;
  /** Aborted when a person or a job ends the command. */
  readonly interrupted: AbortSignal;
}

export interface WaitOptions {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly timeoutMs: number;
  readonly stuckAfterMs: number;
  readonly failFast: boolean;
}

export interface WaitPrinter {
  readonly print: (event: WaitEvent) => Promise<void>;
  /** Shows the state of all workloads on a terminal, after each round. */
  readonly progress: (all: readonly WorkloadProgress[], elapsedMs: number) => void;
}

// The time between two readings, as of other programs that wait for objects (kstatus). A large cluster is read less often.
const PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 10_000;

/** Follows rollouts to their end: reads them again and again, and prints what is new. */
export async function waitForRollouts(
  { cluster, now, sleep, interrupted }: WaitWorld,
  options: WaitOptions,
  printer: WaitPrinter,
): Promise<ExitStatus> {
  const { namespace, stuckAfterMs, timeoutMs } = options;
  const board = new WaitBoard(stuckAfterMs, cluster.limits);
  const begin = now();
  const interruption = new Promise<undefined>((done) => {
    interrupted.addEventListener("abort", () => done(undefined), { once: true });
  });
  const reader = rolloutReader(cluster, namespace);
  const printed = new Map<string, string>();
  let seen = NOTHING;
  let all: readonly WorkloadProgress[] = [];
  let failure: unknown;
  for (let failures = 0; ;) {
    const started = now();
    try {
      const open = seen === NOTHING ? undefined : new Set(all.filter(isOpen).map((one) => one.namespace));
      const reading = reader.then((readFor) => readFor(open));
      reading.catch(() => undefined);
      const read = await Promise.race([reading, interruption]);
      if (read !== undefined && seen === NOTHING) {
        const followed = board.look(read.seen, now()).length;
        if (followed === 0) throw noWorkloads(namespace);
        const where = namespace === undefined ? {} : { namespace };
        await printer.print({ type: "Start", context: cluster.context, ...where, followed, unseen: read.unseen });
      }
      if (read !== undefined && failures > 0) await printer.print({ type: "Connection", state: "Regained" });
      if (read !== undefined) ({ seen } = read);
      failures = 0;
    } catch (cause) {
      // The first reading is not tried again: a wrong address is reported at once.
      if (seen === NOTHING) throw cause;
      if (!(cause instanceof RollstampError) || !cause.mayPass) failure = cause;
      else if (failures === 0) await printer.print({ type: "Connection", state: "Lost", because: cause.message });
      failures += 1;
    }
    all = board.look(seen, now());
    for (const workload of all) {
      const key = [workload.apiVersion, workload.kind, workload.namespace, workload.name].join("/");
      const text = JSON.stringify({ ...workload, problem: undefined });
      if (printed.get(key) === text) continue;
      printed.set(key, text);
      await printer.print({ type: "Workload", workload });
    }
    const elapsedMs = now() - begin;
    const end = endOf(all, failure, interrupted, options, elapsedMs);
    if (end !== undefined) return conclude(board.look(seen, now(), true), end, failure, elapsedMs, printer);
    printer.progress(all, elapsedMs);
    const pause = Math.min(Math.max(PAUSE_MS * (1 + failures), now() - started), LONGEST_PAUSE_MS);
    await sleep(Math.min(pause, Math.max(0, timeoutMs - elapsedMs)), interrupted);
  }
}

const NOTHING: Seen = { workloads: [], replicaSets: [], revisions: [], pods: [], events: [] };

/** Whether the state may change on its own. */
function isOpen({ state }: WorkloadProgress): boolean {
  return state === "RollingOut";
}

function endOf(
  all: readonly WorkloadProgress[],
  failure: unknown,
  interrupted: AbortSignal,
  { failFast, timeoutMs }: WaitOptions,
  elapsedMs: number,
): WaitEnd | undefined {
  if (interrupted.aborted) return "Interrupted";
  if (failure !== undefined) return "Error";
  if (!all.some(isOpen)) return "Settled";
  if (failFast && all.some(({ problem }) => problem !== undefined)) return "FailedFast";
  return elapsedMs >= timeoutMs ? "TimedOut" : undefined;
}

async function conclude(
  all: readonly WorkloadProgress[],
  ended: WaitEnd,
  failure: unknown,
  elapsedMs: number,
  printer: WaitPrinter,
): Promise<ExitStatus> {
  const problems = all.filter(({ problem }) => problem !== undefined);
  const status = problems.length > 0 || ended !== "Settled" ? FOUND : DONE;
  await printer.print({
    type: "End",
    ended,
    status: ended === "Interrupted" ? null : ended === "Error" ? 2 : status,
    seconds: Math.round(elapsedMs / 1000),
    summary: summaryOf(all),
    problems,
    ...(failure instanceof RollstampError ? { because: failure.message } : {}),
  });
  if (failure !== undefined) throw failure;
  return status;
}

function noWorkloads(namespace: string | undefined): RollstampError {
  const where = namespace === undefined ? "in the cluster" : `in namespace '${namespace}'`;
  return new RollstampError("input", `no Deployment, StatefulSet, DaemonSet or Rollout ${where}`, {
    remedy: "Set the namespace with -n, or use -A for all namespaces.",
  });
}
