import { groupOf } from "../../base/identity.ts";
import { RollstampError, DONE, FOUND, type ExitStatus } from "../../base/errors.ts";
import { formatTime } from "../../base/times.ts";
import { rolloutKind } from "../../kubernetes/rollout/rollout-kinds.ts";
import type { Cluster } from "../../platform/ports/cluster.ts";
import type { Io } from "../../platform/ports/io.ts";
import { outlookOf, type Expected } from "./expected.ts";
import { rolloutReader } from "./read-rollouts.ts";
import type { Unseen } from "./status-report.ts";
import { WaitBoard, type Seen } from "./wait-board.ts";
import { isSettled, summaryOf } from "./wait-judge.ts";
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
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly plan: WaitPlan | undefined;
  readonly timeoutMs: number;
  readonly stuckAfterMs: number;
  /** Whether a rollout that the plan does not list is a problem. */
  readonly strict: boolean;
  readonly failFast: boolean;
}

export interface WaitPlan {
  readonly workloads: readonly Expected[];
  /** A rollout at or after this time counts, in milliseconds: after the plan and before the apply. */
  readonly since: number;
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
  const { plan, strict, stuckAfterMs, timeoutMs } = options;
  const namespaces = namespacesToRead(options, cluster);
  const part = plan && followablePart(plan.workloads, namespaces);
  if (part !== undefined) refuseIfEmpty(part);
  const board = new WaitBoard({ since: plan?.since, stuckAfterMs, strict }, part?.followed, cluster.limits);
  const begin = now();
  const interruption = new Promise<undefined>((done) => {
    interrupted.addEventListener("abort", () => done(undefined), { once: true });
  });
  const reader = rolloutReader(cluster, namespaces);
  const printed = new Map<string, string>();
  let seen = NOTHING;
  let all: readonly WorkloadProgress[] = [];
  let failure: unknown;
  for (let failures = 0; ;) {
    const started = now();
    try {
      const open = seen === NOTHING ? undefined : openNamespaces(all, plan !== undefined);
      const reading = reader.then((readFor) => readFor(open));
      reading.catch(() => undefined);
      const read = await Promise.race([reading, interruption]);
      if (read !== undefined && seen === NOTHING) {
        const start = startEvent(cluster, namespaces, plan, part, read.unseen, board.look(read.seen, now()).length);
        if (start.followed === 0 && plan === undefined) throw noWorkloads(namespaces);
        await printer.print(start);
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

function openNamespaces(all: readonly WorkloadProgress[], hasPlan: boolean): ReadonlySet<string> {
  return new Set(all.flatMap((workload) => (isSettled(workload, hasPlan) ? [] : [workload.namespace])));
}

function endOf(
  all: readonly WorkloadProgress[],
  failure: unknown,
  interrupted: AbortSignal,
  { plan, failFast, timeoutMs }: WaitOptions,
  elapsedMs: number,
): WaitEnd | undefined {
  if (interrupted.aborted) return "Interrupted";
  if (failure !== undefined) return "Error";
  if (all.every((workload) => isSettled(workload, plan !== undefined))) return "Settled";
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

// Above this number all namespaces are read together: each namespace needs some connections.
const MOST_NAMESPACES = 8;

/** Undefined: all namespaces. */
function namespacesToRead(
  { namespace, allNamespaces, plan }: WaitOptions,
  cluster: Cluster,
): readonly string[] | undefined {
  if (allNamespaces) return undefined;
  if (namespace !== undefined) return [namespace];
  const named = [...new Set((plan?.workloads ?? []).map((workload) => workload.namespace))].sort();
  if (named.length > MOST_NAMESPACES) return undefined;
  return named.length > 0 ? named : [cluster.namespace];
}

/** The workloads of a plan, by whether they can be followed. */
interface FollowablePart {
  readonly followed: readonly Expected[];
  /** Of kinds whose rollout is not known. */
  readonly unknown: readonly Expected[];
  /** How many are in namespaces that are not read. */
  readonly elsewhere: number;
}

function followablePart(workloads: readonly Expected[], namespaces: readonly string[] | undefined): FollowablePart {
  const relevant = workloads.filter(({ action }) => outlookOf(action) !== "open");
  const here = relevant.filter(({ namespace }) => namespaces?.includes(namespace) !== false);
  const isKnown = ({ apiVersion, kind }: Expected): boolean =>
    rolloutKind(groupOf(apiVersion), kind)?.strategy !== undefined;
  return {
    followed: here.filter(isKnown),
    unknown: here.filter((workload) => !isKnown(workload) && outlookOf(workload.action) === "rolls"),
    elsewhere: relevant.length - here.length,
  };
}

/** A wait that follows none of the planned rollouts must not end with success. */
function refuseIfEmpty({ followed, unknown, elsewhere }: FollowablePart): void {
  if (followed.length > 0 || (unknown.length === 0 && elsewhere === 0)) return;
  throw elsewhere > 0
    ? new RollstampError("usage", "no workload of the plan is in the given namespace", {
        remedy: "Omit -n: the plan names the namespaces.",
      })
    : new RollstampError("input", "no workload of the plan is of a kind that can be followed", {
        remedy: "Use the tool of its operator instead. docs/wait.md lists the kinds that can be followed.",
      });
}

function startEvent(
  { context }: Cluster,
  namespaces: readonly string[] | undefined,
  plan: WaitPlan | undefined,
  part: FollowablePart | undefined,
  unseen: readonly Unseen[],
  count: number,
): Extract<WaitEvent, { type: "Start" }> {
  const elsewhere = part?.elsewhere ?? 0;
  return {
    type: "Start",
    context,
    ...(namespaces === undefined ? {} : { namespaces }),
    followed: part?.followed.length ?? count,
    ...(plan === undefined ? {} : { since: formatTime(new Date(plan.since)) }),
    notFollowed: (part?.unknown ?? []).map(({ apiVersion, kind, namespace, name }) => {
      return { apiVersion, kind, namespace, name, because: "only its operator knows how it rolls out" };
    }),
    unseen: [
      ...unseen,
      ...(elsewhere === 0 ? [] : [{ what: "other namespaces", because: `${elsewhere} workloads of the plan` }]),
    ],
  };
}

function noWorkloads(namespaces: readonly string[] | undefined): RollstampError {
  const where = namespaces === undefined ? "in the cluster" : `in namespace '${namespaces.join("', '")}'`;
  return new RollstampError("input", `no Deployment, StatefulSet, DaemonSet or Rollout ${where}`, {
    remedy: "Set the namespace with -n, or use -A for all namespaces.",
  });
}
