import { isChecksumKey, VERSION_LABELS } from "../../base/hosts/chart-marks.ts";
import { sumOf } from "../../base/grouped.ts";
import { compareBytes } from "../../base/digest/hash-v1.ts";
import { workloadKey } from "../../base/identity.ts";
import { API_VERSION } from "../../base/keys.ts";
import { metadataEntry } from "../../kubernetes/rollout/compare.ts";
import type { NotExamined } from "../../findings/not-examined/not-examined.ts";
import type { Reason, SeenBy, SourceReason } from "../plan/plan-reasons.ts";
import { byIdentity } from "../plan/side.ts";
import {
  auditReason,
  type AuditedCommit,
  type AuditEntry,
  type Restriction,
  type RolloutAudit,
  type StaleEntry,
  type UnrenderedEntry,
} from "./audit-report.ts";
import { ROOT, WHOLE, type ChangedWorkload, type CommitChanges } from "./commit-changes.ts";
import { podsInHistory, type Followed, type StaleChange } from "./pods-in-history.ts";
import { worstOf } from "./worst.ts";

export interface ComparedCommit extends AuditedCommit {
  readonly changes: CommitChanges;
  /** False if its date is outside of the period: it counts only for how long workloads stay stale. */
  readonly isCounted: boolean;
}

export interface AuditFrame extends Pick<RolloutAudit, "repository" | "branch" | "cut"> {
  /** HEAD, for a period without commits. */
  readonly head: AuditedCommit;
  readonly only: Restriction;
}

/** Entries of each list that a report has; `summary` counts all. */
const MOST_ENTRIES = 10_000;

/** The audit of commits in the order of history, the oldest first. */
export function auditOf(
  commits: readonly ComparedCommit[],
  { head, only, repository, branch, cut }: AuditFrame,
): RolloutAudit {
  const pods = podsInHistory();
  const all: Found[] = [];
  for (const { changes, isCounted, commit, date } of commits) {
    pods.rename(changes.renamed);
    for (const row of changes.workloads.toSorted(byIdentityOfRow)) {
      const found = { row, at: { commit, date }, ...pods.follow(row, { commit, date }) };
      const { namespace } = only;
      if (isCounted && (namespace === undefined || row.workload.namespace === namespace)) all.push(found);
    }
  }
  const counted = commits.filter(({ isCounted }) => isCounted);
  const unrendered = counted.flatMap(({ commit, date, changes }): UnrenderedEntry[] =>
    changes.unrendered.map(({ application, because }) => ({
      commit,
      date,
      application: application === WHOLE ? ROOT : application,
      because,
    })),
  );
  const lists = {
    rolled: all.filter(({ effect }) => effect === "rolled").map(entryOf),
    avoidable: all.filter(isAvoidable).map(entryOf),
    restarts: all.filter(({ row }) => row.reasons.some(isRestart)).map(entryOf),
    down: all.filter(({ row: { action, safety } }) => action === "Roll" && safety === "Outage").map(entryOf),
    stale: all.flatMap((one) => (one.change === undefined ? [] : [staleEntry(one, one.change)])),
  };
  const changed = all.filter(({ effect }) => effect !== undefined);
  const { commit, date } = counted[0] ?? head;
  const last = counted.at(-1) ?? head;
  return {
    apiVersion: API_VERSION,
    kind: "RolloutAudit",
    repository,
    branch,
    from: { commit, date },
    to: { commit: last.commit, date: last.date },
    ...(Object.keys(only).length === 0 ? {} : { only }),
    cut,
    summary: {
      commits: counted.length,
      content: new Set(changed.map(({ at }) => at.commit)).size,
      changes: changed.length,
      rolled: lists.rolled.length,
      stale: lists.stale.length,
      other: changed.filter(({ effect }) => effect === "other").length,
      avoidable: lists.avoidable.length,
      restarts: lists.restarts.length,
      down: lists.down.length,
      unrendered: unrendered.length,
    },
    rolled: lists.rolled.slice(0, MOST_ENTRIES),
    avoidable: lists.avoidable.slice(0, MOST_ENTRIES),
    restarts: lists.restarts.slice(0, MOST_ENTRIES),
    down: lists.down.slice(0, MOST_ENTRIES),
    stale: lists.stale.slice(0, MOST_ENTRIES),
    unrendered: unrendered.slice(0, MOST_ENTRIES),
    notDeployed: sumOf(counted, ({ changes }) => changes.orphans),
    worst: worstOf(lists, last.date),
    notExamined: commits.at(-1)?.changes.notExamined ?? NOTHING,
  };
}

const NOTHING: readonly NotExamined[] = [];

interface Found extends Followed {
  readonly at: AuditedCommit;
  readonly row: ChangedWorkload;
}

function byIdentityOfRow(a: ChangedWorkload, b: ChangedWorkload): number {
  return byIdentity(workloadKey(a.workload), workloadKey(b.workload)) || compareBytes(a.application, b.application);
}

function entryOf({ at, row: { application, workload, pods, reasons, content } }: Found): AuditEntry {
  const isNamed = content.length === 0 || reasons.some(({ type }) => type === "Source");
  return {
    ...at,
    application,
    workload,
    pods,
    reasons: reasons.map(auditReason),
    ...(isNamed ? {} : { content: content.map(auditReason) }),
  };
}

function staleEntry(found: Found, { until }: StaleChange): StaleEntry {
  const { content } = found.row;
  const { content: _, ...entry } = entryOf(found);
  return { ...entry, reasons: content.map(auditReason), seenBy: seenByOf(content), until };
}

function seenByOf(content: readonly SourceReason[]): SeenBy {
  const ways = new Set(content.map(({ seenBy = "env" }) => seenBy));
  const [only = "env"] = ways;
  return ways.size > 1 ? "both" : only;
}

/** A request for a restart, not its removal. */
function isRestart(reason: Reason): boolean {
  return reason.type === "Restart" && reason.to !== null;
}

/** A roll that pods did not need: they have the content, and only marks about content or versions change. */
function isAvoidable({ row: { action, reasons }, effect, wasStale }: Found): boolean {
  if (action !== "Roll" || effect !== undefined || wasStale || reasons.length === 0) return false;
  return reasons.every((reason) => {
    if (reason.type === "Stamp") return true;
    // With `granularity: Object`, keys that no container sees count too. Another name changes the template itself.
    if (reason.type === "Source") return reason.source.previousName === undefined;
    const entry = reason.type === "Template" ? metadataEntry(reason.path) : undefined;
    if (entry === undefined) return false;
    return entry.map === "labels" ? VERSION_LABELS.includes(entry.key) : isChecksumKey(entry.key);
  });
}
