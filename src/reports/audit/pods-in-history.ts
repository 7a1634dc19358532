import { workloadKey } from "../../base/identity.ts";
import type { KeyContent } from "../plan/plan-reasons.ts";
import { auditReason, type AuditedCommit, type Until } from "./audit-report.ts";
import type { ChangedWorkload, CommitChanges } from "./commit-changes.ts";

// The content that pods run with, from commit to commit. At the beginning, it is the content in Git.

/**
 * The effect of changed content. `rolled`: the template changes too. `stale`: pods keep the old content. `other`: no roll is
 * needed, because the next run uses it, no pod runs, or Git again has the content that the pods still have.
 */
export type Effect = "rolled" | "stale" | "other";

/** A change that pods do not see; `until` is set by the commit that ends it. */
export interface StaleChange {
  readonly keys: ReadonlySet<string>;
  until: Until | null;
}

/** What a commit does to a workload. */
export interface Followed {
  /** Undefined if no content changes. */
  readonly effect: Effect | undefined;
  /** Whether its pods had other content than Git before. */
  readonly wasStale: boolean;
  /** Of the effect `stale`. */
  readonly change?: StaleChange;
}

export interface PodsInHistory {
  /** Applications get new names. */
  readonly rename: (renamed: CommitChanges["renamed"]) => void;
  readonly follow: (row: ChangedWorkload, at: AuditedCommit) => Followed;
}

type Named = Pick<ChangedWorkload, "application" | "part" | "workload">;

/** A workload whose pods run with other content than that in Git. */
interface OldPods {
  readonly named: Named;
  /** What they have, by source and key: a digest, or null if the key was not there. */
  readonly content: Map<string, string | null>;
  /** The changes that have not ended, which share the keys of the content. */
  readonly changes: Set<StaleChange>;
}

export function podsInHistory(): PodsInHistory {
  const known = new Map<string, OldPods>();
  const add = (pods: OldPods, application: string): void => {
    const named = { ...pods.named, application };
    known.set(keyOf(named), { ...pods, named });
  };
  const end = (pods: OldPods, until: Until): void => {
    for (const change of pods.changes) change.until = until;
    known.delete(keyOf(pods.named));
  };
  return {
    rename: (renamed) => {
      if (known.size === 0) return;
      const names = new Map(renamed);
      // All at once, because two applications may exchange their names.
      const moved = Array.from(known.values()).filter(({ named }) => names.has(named.application));
      for (const { named } of moved) known.delete(keyOf(named));
      for (const pods of moved) add(pods, names.get(pods.named.application) ?? pods.named.application);
    },
    follow: (row, at) => {
      const before = known.get(keyOf(row));
      const wasStale = before !== undefined;
      const old = oldKeys(row, before);
      const effect = effectOf(row, old);
      const { action, isStopped, movedTo } = row;
      if (before !== undefined && action === "Delete" && movedTo !== undefined) {
        known.delete(keyOf(row));
        add(before, movedTo);
      } else if (before !== undefined && (action === "Delete" || isStopped === true))
        end(before, { ...at, reasons: [{ type: "Delete" }] });
      else if (before !== undefined && action === "Roll") end(before, { ...at, reasons: row.reasons.map(auditReason) });
      else if (effect !== undefined && before !== undefined) endReverted(before, row, at);
      if (before?.content.size === 0) known.delete(keyOf(row));
      if (effect !== "stale") return { effect, wasStale };
      const pods: OldPods = known.get(keyOf(row)) ?? { named: row, content: new Map(), changes: new Set() };
      known.set(keyOf(row), pods);
      for (const [key, { from }] of old) if (!pods.content.has(key)) pods.content.set(key, from);
      const change: StaleChange = { keys: new Set(old.map(([key]) => key)), until: null };
      pods.changes.add(change);
      return { effect, wasStale, change };
    },
  };
}

/** The name of an application is unique in a repository, and a workload is once in it, or in each of its parts. */
function keyOf({ application, part = "", workload }: Named): string {
  return `${application}\n${part}\n${workloadKey(workload)}`;
}

function effectOf({ action, content, workload }: ChangedWorkload, old: Keys): Effect | undefined {
  if (content.length === 0) return undefined;
  // An apply never replaces its pods: another template is refused, and the next Job has the content.
  if (workload.kind === "Job") return "other";
  if (action === "Roll" || action === "NoEffect" || action === "Fail") return "rolled";
  if (action !== "Stale" && action !== "Waiting") return "other";
  return old.length === 0 ? "other" : "stale";
}

type Keys = readonly (readonly [id: string, content: KeyContent])[];

/** The changed keys whose content in Git differs from that of the pods. A change may also bring back what the pods have. */
function oldKeys(row: ChangedWorkload, before: OldPods | undefined): Keys {
  return keysOf(row).filter(([key, { to }]) => before?.content.get(key) !== to);
}

/** The changed keys, each with an id that a hash in the name of its source does not change. */
function keysOf({ content }: ChangedWorkload): Keys {
  return content.flatMap(({ source: { kind, namespace, name }, contents = [] }) =>
    contents.map((one) => [JSON.stringify([kind, namespace, name, one.key]), one] as const),
  );
}

/** Ends the changes whose keys all have the content of the pods again. */
function endReverted({ content, changes }: OldPods, row: ChangedWorkload, at: AuditedCommit): void {
  for (const [key, { to }] of keysOf(row)) if (content.get(key) === to) content.delete(key);
  for (const change of changes) {
    if ([...change.keys].some((key) => content.has(key))) continue;
    change.until = { ...at, reasons: [{ type: "Revert" }] };
    changes.delete(change);
  }
}
