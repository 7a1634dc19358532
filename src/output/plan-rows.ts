import { compareBytes } from "../base/digest/hash-v1.ts";
import { causeKey, causesOf } from "../reports/plan/causes.ts";
import type { Reason } from "../reports/plan/plan-reasons.ts";
import type { Action, Cause, PlannedWorkload, PlanReport } from "../reports/plan/plan-report.ts";
import { ACTIONS, toneOf } from "./plan-levels.ts";
import { plainWords, reasonWords } from "./plan-words.ts";
import { addTo } from "../base/grouped.ts";

/*
 * In: `report.workloads`, in the order of the plan. Out: the rows that every form of a plan has, in the order in which
 * they stand. No row is escaped.
 *
 * A workload of its own (`own`) is never left out and never stands with others:
 * - what fails (`Fail`), and what rolls with any other safety than `Safe`;
 * - what is deleted with its pods (`Delete` with the safety `Reduced`);
 * - what changes and reaches no pod (`NoEffect`): somebody expects that it does;
 * - whatever has a finding of severity error that BASE had not: it makes the verdict `danger`.
 *
 * All else stands together (`groups`), one row for each action and set of causes:
 * - what rolls safely (`Roll`), and what takes the change later or by itself (`NextRun`, `Reload`, `Waiting`): by the set of its causes;
 *   with them stands what differs in `because` or `next`, which people read;
 * - what is created, deleted without pods, or unchanged (`--all`): one row for each, as nothing changes in them.
 * A form that has to be cut cuts these, and says how many of which cause it has left out.
 */

/** The rows of a plan. */
export interface PlanRows {
  /** In the order of the plan: the riskiest first. */
  readonly own: readonly PlannedWorkload[];
  /** What rolls comes first, then what replaces the most pods. */
  readonly groups: readonly RowGroup[];
}

/** Workloads that change alike, and that nobody has to look at one by one: there is at least one. */
export interface RowGroup {
  readonly action: Action;
  /** What they change by, each with the numbers of this group; none of what is created, deleted or unchanged. */
  readonly causes: readonly Cause[];
  /** In the order of the plan. */
  readonly workloads: readonly PlannedWorkload[];
  /** The pods that are replaced. */
  readonly pods: number;
  readonly podsAtMost: number;
  /** Why no pod is replaced, of all of them; absent where the action says it all. */
  readonly because?: string;
  /** What a person does, for each of them. */
  readonly next?: string;
  /** Why, once for all that read alike; first what the most have. */
  readonly reasons: readonly GroupedReason[];
  /** What is to be said of numbers, once for all that read alike; first what the most have. */
  readonly caveats: readonly GroupedCaveat[];
}

/** A reason as some workloads of a group have it. */
export interface GroupedReason {
  /** Of the first workload that has it. */
  readonly reason: Reason;
  /** The namespace of that workload, which `reasonWords` takes. */
  readonly namespace: string;
  /** How many workloads have it. */
  readonly workloads: number;
}

export interface GroupedCaveat {
  readonly id: string;
  /** Of the first workload that has it: others may name other objects in theirs. */
  readonly message: string;
  readonly workloads: number;
}

/** The rows of a plan: see above for what stands by itself and what together. */
export function planRows({ workloads }: Pick<PlanReport, "workloads">): PlanRows {
  const groups = new Map<string, PlannedWorkload[]>();
  const own: PlannedWorkload[] = [];
  for (const workload of workloads) {
    if (isOwn(workload)) own.push(workload);
    else {
      const key = groupKey(workload);
      addTo(groups, key, workload);
    }
  }
  const made = [...groups].map(([key, members]) => ({ key, group: groupOf(members) }));
  return { own, groups: made.sort(byWeight).map(({ group }) => group) };
}

/** Whether a workload stands by itself, and is never left out. */
export function isOwn(workload: PlannedWorkload): boolean {
  return toneOf(workload) !== "quiet";
}

/** The actions whose workloads stand together by what they change by. */
const BY_CAUSE: ReadonlySet<Action> = new Set(["Roll", "NextRun", "Reload", "Waiting"]);

function groupKey({ action, because = "", next = "", reasons }: PlannedWorkload): string {
  if (!BY_CAUSE.has(action)) return action;
  return JSON.stringify([action, because, next, ...new Set(reasons.map(causeKey).sort())]);
}

function groupOf(workloads: readonly PlannedWorkload[]): RowGroup {
  const [first] = workloads;
  const { action = "None", because, next } = first ?? {};
  const isByCause = BY_CAUSE.has(action);
  return {
    action,
    causes: isByCause ? causesOf(workloads) : [],
    workloads,
    pods: workloads.reduce((sum, { pods }) => sum + pods, 0),
    podsAtMost: workloads.reduce((sum, { pods, podsAtMost = pods }) => sum + podsAtMost, 0),
    ...(isByCause && because !== undefined ? { because } : {}),
    ...(isByCause && next !== undefined ? { next } : {}),
    reasons: isByCause ? reasonsOf(workloads) : [],
    caveats: isByCause ? caveatsOf(workloads) : [],
  };
}

function reasonsOf(workloads: readonly PlannedWorkload[]): GroupedReason[] {
  const found = new Map<string, { reason: Reason; namespace: string; workloads: number }>();
  for (const { reasons, namespace } of workloads) {
    for (const reason of reasons) {
      const key = JSON.stringify([causeKey(reason), plainWords(reasonWords(reason, namespace))]);
      const known = found.get(key);
      if (known === undefined) found.set(key, { reason, namespace, workloads: 1 });
      else known.workloads += 1;
    }
  }
  return mostFirst([...found.values()]);
}

function caveatsOf(workloads: readonly PlannedWorkload[]): GroupedCaveat[] {
  const found = new Map<string, { id: string; message: string; workloads: number }>();
  for (const { caveats } of workloads) {
    const told = new Map(caveats.map((caveat) => [caveat.id, caveat]));
    for (const { id, message } of told.values()) {
      const known = found.get(id);
      if (known === undefined) found.set(id, { id, message, workloads: 1 });
      else known.workloads += 1;
    }
  }
  return mostFirst([...found.values()]);
}

/** Stable: what comes first in the plan stays first among as many. */
function mostFirst<T extends { readonly workloads: number }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => b.workloads - a.workloads);
}

interface Keyed {
  readonly key: string;
  readonly group: RowGroup;
}

function byWeight(a: Keyed, b: Keyed): number {
  return (
    place(a.group.action) - place(b.group.action) ||
    b.group.pods - a.group.pods ||
    b.group.workloads.length - a.group.workloads.length ||
    compareBytes(a.key, b.key)
  );
}

function place(action: Action): number {
  return ACTIONS.findIndex((row) => row.action === action);
}
