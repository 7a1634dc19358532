import { groupOf } from "../base/api-versions.ts";
import { RollstampError } from "../base/errors.ts";
import type { ExitStatus } from "../base/exit-status.ts";
import { formatTime, parseTime } from "../base/times.ts";
import type { Cluster } from "../platform/ports/cluster.ts";
import type { Io } from "../platform/ports/io.ts";
import { rolloutKind } from "../kubernetes/rollout/rollout-kinds.ts";
import { outlookOf, readPlan, type Expected } from "../reports/status/expected.ts";
import { WaitBoard } from "../reports/status/wait-board.ts";
import type { WaitEvent } from "../reports/status/wait-report.ts";
import { duration } from "../base/durations.ts";
import { STDIN } from "./manifest-files.ts";
import { followCluster, type FollowedCluster } from "./wait-lists.ts";
import { waitRounds, type Doorbell, type WaitPrinter } from "./wait-rounds.ts";

/** What the options of `status --wait` say. */
export interface WaitOptions {
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly plan: string | undefined;
  readonly since: string | undefined;
  readonly timeoutSeconds: number;
  readonly stuckAfterSeconds: number;
  readonly strict: boolean;
  readonly failFast: boolean;
}

interface Plan {
  readonly workloads: readonly Expected[];
  readonly since: number;
}

/** Follows rollouts to their end. */
export async function waitForRollouts(
  io: Io,
  connect: () => Promise<Cluster>,
  options: WaitOptions,
  printer: WaitPrinter,
): Promise<ExitStatus> {
  const plan = await planOf(io, options);
  const cluster = await connect();
  const namespaces = namespacesOf(options, plan, cluster);
  const part = plan && partOf(plan.workloads, namespaces);
  if (part !== undefined) refuseNothing(part);
  const rules = { since: plan?.since, stuckAfterMs: options.stuckAfterSeconds * 1000, strict: options.strict };
  const board = new WaitBoard(rules, part?.followed, io.context.limits);
  const bell: Doorbell = { ring: () => undefined, events: [], failure: undefined };
  const interrupts = io.interrupts();
  const stopped = new AbortController();
  interrupts.signal.addEventListener("abort", () => bell.ring());
  try {
    const begun = followCluster(following(io, cluster, stopped.signal, bell), namespaces, board, () => bell.ring());
    begun.catch(() => undefined);
    const followed = await Promise.race([begun, aborted(interrupts.signal)]);
    if (followed !== undefined) {
      followed.end.catch((cause: unknown) => {
        bell.failure = cause;
        bell.ring();
      });
      const all = board.look(io.context.systemTime().getTime());
      const start = startOf(cluster, namespaces, plan, part, followed, all.length);
      if (start.followed === 0 && plan === undefined) throw nothingThere(namespaces);
      await printer.tell(start);
    }
    const { failFast, timeoutSeconds } = options;
    const rounds = { hasPlan: plan !== undefined, failFast, timeoutMs: timeoutSeconds * 1000 };
    return await waitRounds(io, bell, { ...rounds, board, interrupted: interrupts.signal }, printer);
  } finally {
    stopped.abort();
    interrupts.done();
  }
}

function following(io: Io, cluster: Cluster, signal: AbortSignal, bell: Doorbell): Parameters<typeof followCluster>[0] {
  const lost = new Set<unknown>();
  const tell = (event: WaitEvent): void => {
    bell.events.push(event);
    bell.ring();
  };
  return {
    cluster,
    signal,
    sleep: io.sleep,
    lost: (list, because) => {
      if (lost.size === 0) tell({ type: "Connection", state: "Lost", because });
      lost.add(list);
    },
    regained: (list) => {
      if (lost.delete(list) && lost.size === 0) tell({ type: "Connection", state: "Regained" });
    },
  };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => signal.addEventListener("abort", () => done(undefined), { once: true }));
}

/** The plan that is given, with the moment since which a rollout counts: before the apply, after the plan. */
async function planOf(io: Io, { plan, since }: WaitOptions): Promise<Plan | undefined> {
  if (plan === undefined) return undefined;
  const { limits } = io.context;
  const text = plan === STDIN ? await io.readStdin(limits) : io.readNamed(plan, limits);
  const workloads = readPlan(text, plan === STDIN ? "stdin" : plan);
  const moment = since === undefined ? io.writtenAt(plan)?.getTime() : momentOf(since, io.context.systemTime());
  if (moment !== undefined) return { workloads, since: moment };
  throw new RollstampError("usage", "of this plan it is not known when it was written", {
    remedy: "Say with --since from when on a rollout counts: a time before the apply, or a length such as 10m.",
  });
}

function momentOf(text: string, now: Date): number {
  const time = parseTime(text);
  if (time !== undefined) return time.getTime();
  try {
    return now.getTime() - duration(text) * 1000;
  } catch {
    throw new RollstampError("usage", `'${text}' is no time`, {
      remedy: "Write RFC 3339 such as 2026-11-21T10:00:00Z, or how long ago it was: 10m.",
    });
  }
}

// More are read together: each takes some connections.
const MOST_NAMESPACES = 8;

/** The namespaces that are read; undefined: all. */
function namespacesOf(
  { namespace, allNamespaces }: WaitOptions,
  plan: Plan | undefined,
  cluster: Cluster,
): readonly string[] | undefined {
  if (allNamespaces) return undefined;
  if (namespace !== undefined) return [namespace];
  const named = [...new Set((plan?.workloads ?? []).map((one) => one.namespace))].sort();
  if (named.length > MOST_NAMESPACES) return undefined;
  return named.length > 0 ? named : [cluster.namespace];
}

interface Part {
  readonly followed: readonly Expected[];
  readonly unknown: readonly Expected[];
  readonly elsewhere: number;
}

/** What of a plan can be followed. */
function partOf(workloads: readonly Expected[], namespaces: readonly string[] | undefined): Part {
  const meant = workloads.filter(({ action }) => outlookOf(action) !== "open");
  const here = meant.filter(({ namespace }) => namespaces?.includes(namespace) !== false);
  const isKnown = ({ apiVersion, kind }: Expected): boolean =>
    rolloutKind(groupOf(apiVersion), kind)?.strategy !== undefined;
  return {
    followed: here.filter(isKnown),
    unknown: here.filter((one) => !isKnown(one) && outlookOf(one.action) === "rolls"),
    elsewhere: meant.length - here.length,
  };
}

/** A wait that follows nothing of what is to roll would be a success that says nothing. */
function refuseNothing({ followed, unknown, elsewhere }: Part): void {
  if (followed.length > 0 || (unknown.length === 0 && elsewhere === 0)) return;
  throw elsewhere > 0
    ? new RollstampError("usage", "none of the plan's workloads is in the namespace that is given", {
        remedy: "Leave -n out: the plan names the namespaces.",
      })
    : new RollstampError("input", "of no workload of the plan it is known how it rolls", {
        remedy: "Follow it with what its operator brings; docs/wait.md names the kinds that can be followed.",
      });
}

function startOf(
  { context }: Cluster,
  namespaces: readonly string[] | undefined,
  plan: Plan | undefined,
  part: Part | undefined,
  { unseen }: FollowedCluster,
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
      return { apiVersion, kind, namespace, name, because: "how it rolls, only its operator knows" };
    }),
    unseen: [
      ...unseen,
      ...(elsewhere === 0
        ? []
        : [{ what: "other namespaces", because: `${elsewhere} of the plan's workloads are there` }]),
    ],
  };
}

function nothingThere(namespaces: readonly string[] | undefined): RollstampError {
  const where = namespaces === undefined ? "in the cluster" : `in namespace '${namespaces.join("', '")}'`;
  return new RollstampError("input", `there is no Deployment, StatefulSet, DaemonSet or Rollout ${where}`, {
    remedy: "Give the namespace with -n, or -A for all.",
  });
}
