import { posix } from "node:path";
import { RollstampError } from "../../base/errors.ts";
import type { HistoryCommit } from "../../platform/ports/git.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { RenderCache } from "../../platform/ports/programs.ts";
import { auditOf } from "../../reports/audit/audit.ts";
import type { Cut, RolloutAudit } from "../../reports/audit/audit-report.ts";
import { networkRemotes, repositoryAddress } from "../discover/remotes.ts";
import { progressOf } from "../inputs/progress.ts";
import { gitEnvironment, noCommitYet } from "../inputs/revision-range.ts";
import { compareHistory } from "./compare-history.ts";

export interface AuditOptions {
  readonly app?: readonly string[];
  readonly jobs?: number;
  readonly fetchCharts?: boolean;
  readonly namespace?: string;
  /** The beginning of the period; by default the whole history counts. */
  readonly since: Date | undefined;
  /** How many commits are compared: the newest ones. */
  readonly maxCommits: number;
  readonly cache: RenderCache | undefined;
  /** Ends the comparison after the current commit. */
  readonly signal: AbortSignal;
}

/** Audits the history of the repository around a folder. Throws a RollstampError. */
export async function auditRepository(given: Io, path: string, options: AuditOptions): Promise<RolloutAudit> {
  const folder = given.files.kindOf(path) === "folder" ? given.files.realPath(path) : undefined;
  if (folder === undefined)
    throw new RollstampError("usage", "folder not found", {
      place: { file: path },
      remedy: "Give the root of a repository, or a folder in it.",
    });
  const io: Io = { ...given, files: { ...given.files, here: () => folder } };
  const place = { cwd: folder, environment: gitEnvironment(io.environment), limits: io.context.limits };
  const git = await io.git.history();
  return io.snapshots.ofHistory(place, async (history) => {
    const all = await git.firstParents(place);
    const [head] = all;
    if (head === undefined) throw noCommitYet();
    const period = periodOf(all, { ...options, isShallow: await git.isShallow(place) });
    // The clone of most CI systems: no commit has a parent to compare it with.
    if (period.commits.length === 0 && period.cut?.by === "Shallow")
      throw new RollstampError("usage", "nothing can be compared: this clone has only the newest commit", {
        remedy: "Fetch the history first: git fetch --unshallow (in CI fetch-depth: 0).",
      });
    const progress = progressOf(io, "comparing commits");
    const results = await compareHistory(io, history, period.commits, {
      ...options,
      path: history.prefix === "" ? "." : history.prefix,
      report: (done, total, { date }) => progress.report(done, total, date.slice(0, "2026-03-01".length)),
    }).finally(progress.end);
    const compared = results.map(({ commit, changes }) => ({
      commit: commit.commit,
      date: commit.date,
      changes,
      isCounted: period.isCounted(commit),
    }));
    const [remote] = networkRemotes(await io.git.remotes(place));
    const root = posix.join(place.cwd, ...history.prefix.split("/").flatMap((part) => (part === "" ? [] : [".."])));
    const cut: Cut | null =
      results.length < period.commits.length
        ? { by: "Interrupted", commits: compared.filter(({ isCounted }) => isCounted).length }
        : period.cut;
    return auditOf(compared, {
      repository: remote === undefined ? posix.basename(root) : repositoryAddress(remote),
      branch: await io.git.branch(place),
      head: { commit: head.commit, date: head.date },
      cut,
      only: {
        ...(history.prefix === "" ? {} : { path: posix.join(history.prefix, ".") }),
        ...(options.app === undefined || options.app.length === 0 ? {} : { applications: options.app }),
        ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
      },
    });
  });
}

interface Period {
  /** The oldest first. */
  readonly commits: readonly HistoryCommit[];
  /** Whether a commit is in the period by its author's date; the others are between commits that are. */
  readonly isCounted: (commit: HistoryCommit) => boolean;
  readonly cut: Cut | null;
}

/** The commits of a period, of a history whose newest commit comes first. */
export function periodOf(
  all: readonly HistoryCommit[],
  { since, maxCommits, isShallow }: Pick<AuditOptions, "since" | "maxCommits"> & { readonly isShallow: boolean },
): Period {
  const isCounted = ({ date }: HistoryCommit): boolean => since === undefined || Date.parse(date) >= since.getTime();
  // Where a shallow clone ends, what the commit changed is unknown.
  const known = all.filter(({ parent }, i) => !(isShallow && parent === undefined && i === all.length - 1));
  const counted = known.filter(isCounted);
  const used = counted.slice(0, maxCommits);
  const oldest = used.at(-1);
  const commits = oldest === undefined ? [] : known.slice(0, known.indexOf(oldest) + 1).toReversed();
  const isShort = all.length > known.length && all.slice(known.length).some(isCounted);
  const by = used.length < counted.length ? "MaxCommits" : isShort ? "Shallow" : undefined;
  return { commits, isCounted, cut: by === undefined ? null : { by, commits: used.length } };
}
