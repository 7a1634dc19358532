import { RollstampError } from "../../base/errors.ts";
import { objectKey } from "../../base/identity.ts";
import { API_VERSION } from "../../base/keys.ts";
import { formatTime } from "../../base/times.ts";
import type { WorkloadKind } from "../../kubernetes/workloads/types.ts";
import type { Cluster, Deletion } from "../../platform/ports/cluster.ts";
import type { CopiesReport, CopiesSummary, CopyState, CopyStatus } from "./copies-report.ts";
import { readCopies, type LiveCopies, type LiveCopy } from "./read-copies.ts";
import { findUsers, userKinds, type ShowProgress } from "./users.ts";

export interface CollectOptions {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly now: Date;
  readonly olderThanSeconds: number;
  /** Kinds of the configuration that may name copies. */
  readonly workloads: readonly WorkloadKind[];
}

type Judged = Pick<CopyStatus, "state" | "usedBy" | "because">;

/** The copies of a cluster, with what was found out about each and done to it. */
export interface JudgedCopies extends Omit<LiveCopies, "copies"> {
  /** By namespace, kind and name. */
  readonly copies: Map<LiveCopy, Judged>;
}

/**
 * Finds out which copies are used. Copies are read before what may use them, so one that is created meanwhile is not
 * looked at.
 */
export async function judgeCopies(
  cluster: Cluster,
  { namespace, now, olderThanSeconds, workloads }: CollectOptions,
  progress: ShowProgress,
): Promise<JudgedCopies> {
  const { copies, ...others } = await readCopies(cluster, namespace);
  const isRecent = ({ createdAt }: LiveCopy): boolean => now.getTime() - createdAt.getTime() < olderThanSeconds * 1000;
  const old = copies.filter((copy) => !isRecent(copy));
  const kinds = old.length === 0 ? [] : await userKinds(cluster, workloads);
  const named = await findUsers(cluster, namespace, kinds, old, progress);
  const judge = (copy: LiveCopy): Judged => {
    const usedBy = named.usersOf(copy);
    return { state: isRecent(copy) ? "Recent" : usedBy.length > 0 ? "Used" : "Unused", usedBy };
  };
  const sorted = [...copies].sort((a, b) => (objectKey(a) < objectKey(b) ? -1 : 1));
  return { ...others, copies: new Map(sorted.map((copy) => [copy, judge(copy)])) };
}

const RESULTS: Readonly<Record<Deletion, Judged>> = {
  deleted: { state: "Deleted", usedBy: [] },
  changed: { state: "Changed", usedBy: [] },
  notFound: { state: "Gone", usedBy: [] },
  forbidden: { state: "Failed", usedBy: [], because: "forbidden" },
};

/** Deletes the unused copies one after the other, up to a signal or a failure of the cluster. */
export async function deleteUnused(
  cluster: Pick<Cluster, "remove">,
  { copies }: Pick<JudgedCopies, "copies">,
  signal: AbortSignal,
  progress: ShowProgress,
): Promise<void> {
  const unused = [...copies].flatMap(([copy, { state }]) => (state === "Unused" ? [copy] : []));
  for (const [i, copy] of unused.entries()) {
    if (signal.aborted) return;
    progress(i, unused.length, copy.name);
    const { uid, resourceVersion } = copy;
    try {
      copies.set(copy, RESULTS[await cluster.remove(copy.path, { uid, resourceVersion })]);
    } catch (cause) {
      if (!(cause instanceof RollstampError)) throw cause;
      copies.set(copy, { state: "Failed", usedBy: [], because: cause.message });
      return;
    }
  }
}

const KEPT: ReadonlySet<CopyState> = new Set(["Used", "Recent"]);

/** The report; `all`: also used and recent copies. */
export function copiesReport(
  { context }: Cluster,
  { copies, unprotected, unseen }: JudgedCopies,
  { namespace, olderThanSeconds }: CollectOptions,
  all: boolean,
): CopiesReport {
  const rows = [...copies].map(([{ kind, namespace: place, name, source, createdAt }, judged]): CopyStatus => ({
    kind,
    namespace: place,
    name,
    source,
    createdAt: formatTime(createdAt),
    ...judged,
  }));
  return {
    apiVersion: API_VERSION,
    kind: "SourceCopies",
    context,
    ...(namespace === undefined ? {} : { namespace }),
    olderThanSeconds,
    summary: summaryOf(rows, unprotected),
    copies: rows.filter(({ state }) => all || !KEPT.has(state)),
    unseen,
  };
}

function summaryOf(rows: readonly CopyStatus[], unprotected: number): CopiesSummary {
  const count = (state: CopyState): number => rows.filter((row) => row.state === state).length;
  return {
    copies: rows.length,
    unused: count("Unused"),
    deleted: count("Deleted"),
    used: count("Used"),
    recent: count("Recent"),
    changed: count("Changed"),
    gone: count("Gone"),
    failed: count("Failed"),
    unprotected,
  };
}
