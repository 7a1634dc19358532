import { compareBytes } from "../base/digest/hash-v1.ts";
import { addTo } from "../base/grouped.ts";
import type { Caveat } from "../kubernetes/rollout/caveats.ts";
import { causeKey, causesOf } from "../reports/plan/causes.ts";
import type { Reason } from "../reports/plan/plan-reasons.ts";
import type { Action, Because, Cause, Next, PlannedWorkload, PlanReport } from "../reports/plan/plan-report.ts";
import { ACTIONS, toneOf } from "./plan-levels.ts";

/*
 * The rows that every report of a plan has, in their order.
 *
 * A workload has a row of its own (`single`), which is never left out, if a person has to read it:
 * - it is refused, or rolls with another safety than `Safe`;
 * - it is deleted with its pods;
 * - it changes and no pod does (`NoEffect`): somebody expects that one does;
 * - it has a new finding of severity error.
 *
 * All others are grouped, by action:
 * - what rolls safely, or takes the change later or without a rollout: by the set of its causes, `because` and `next`;
 * - what is created, deleted without pods, or unchanged (`--all`): one row for each action.
 * A report that has too little room leaves out groups, and says how many workloads of which cause.
 */

export interface PlanRows {
  /** In the order of the plan: the riskiest first. */
  readonly single: readonly PlannedWorkload[];
  /** What rolls comes first, then what replaces the most pods. */
  readonly groups: readonly RowGroup[];
}

/** Workloads that change alike and that nobody has to read one by one. */
export interface RowGroup {
  readonly action: Action;
  /** Why they change, each cause with the numbers of this group; none for what is created, deleted or unchanged. */
  readonly causes: readonly Cause[];
  /** In the order of the plan; at least one. */
  readonly workloads: readonly [PlannedWorkload, ...PlannedWorkload[]];
  readonly pods: number;
  readonly podsAtMost: number;
  readonly because?: Because;
  readonly next?: Next;
  /** Equal reasons once; what most workloads have comes first. */
  readonly reasons: readonly GroupedReason[];
  /** Caveats of one id once. */
  readonly caveats: readonly GroupedCaveat[];
}

export interface GroupedReason {
  readonly reason: Reason;
  /** The namespace of the first workload that has it. */
  readonly namespace: string;
  /** How many workloads have it. */
  readonly workloads: number;
}

export interface GroupedCaveat {
  /** That of the first workload: others may name other objects. */
  readonly caveat: Caveat;
  readonly workloads: number;
}

/** The rows of a plan: see above. */
export function planRows({ workloads }: Pick<PlanReport, "workloads">): PlanRows {
  const groups = new Map<string, PlannedWorkload[]>();
  for (const workload of workloads) if (!isSingle(workload)) addTo(groups, groupKey(workload), workload);
  const keyed = [...groups].flatMap(([key, [first, ...others]]) =>
    first === undefined ? [] : [{ key, group: groupOf([first, ...others]) }],
  );
  return { single: workloads.filter(isSingle), groups: keyed.sort(byWeight).map(({ group }) => group) };
}

/** Whether a workload has a row of its own. */
export function isSingle(workload: PlannedWorkload): boolean {
  return toneOf(workload) !== "ok";
}

/** The actions whose workloads are grouped by their causes. */
const BY_CAUSE: ReadonlySet<Action> = new Set(["Roll", "NextRun", "Reload", "Waiting"]);

function groupKey({ action, because, next, reasons }: PlannedWorkload): string {
  if (!BY_CAUSE.has(action)) return action;
  return JSON.stringify({ action, because, next, causes: [...new Set(reasons.map(causeKey).sort())] });
}

function groupOf(workloads: RowGroup["workloads"]): RowGroup {
  const [{ action, because, next }] = workloads;
  const isByCause = BY_CAUSE.has(action);
  return {
    action,
    causes: isByCause ? causesOf(workloads) : [],
    workloads,
    pods: workloads.reduce((sum, { pods }) => sum + pods, 0),
    podsAtMost: workloads.reduce((sum, { pods, podsAtMost = pods }) => sum + podsAtMost, 0),
    ...(isByCause && because !== undefined ? { because } : {}),
    ...(isByCause && next !== undefined ? { next } : {}),
    reasons: isByCause ? groupedReasons(workloads) : [],
    caveats: isByCause ? groupedCaveats(workloads) : [],
  };
}

function groupedReasons(workloads: readonly PlannedWorkload[]): GroupedReason[] {
  const all = workloads.flatMap(({ reasons, namespace }) => reasons.map((reason) => ({ reason, namespace })));
  return mostFirst(all, ({ reason }) => JSON.stringify(reason)).map(({ first, count }) => ({
    ...first,
    workloads: count,
  }));
}

function groupedCaveats(workloads: readonly PlannedWorkload[]): GroupedCaveat[] {
  const all = workloads.flatMap(({ caveats }) => [...new Map(caveats.map((caveat) => [caveat.id, caveat])).values()]);
  return mostFirst(all, ({ id }) => id).map(({ first, count }) => ({ caveat: first, workloads: count }));
}

/** Things with one key once, with their number. The sort is stable: of as many the first of the plan comes first. */
function mostFirst<T>(things: readonly T[], keyOf: (thing: T) => string): { first: T; count: number }[] {
  const found = new Map<string, { first: T; count: number }>();
  for (const thing of things) {
    const known = found.get(keyOf(thing));
    if (known === undefined) found.set(keyOf(thing), { first: thing, count: 1 });
    else known.count += 1;
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

interface Keyed {
  readonly key: string;
  readonly group: RowGroup;
}

function byWeight(a: Keyed, b: Keyed): number {
  return (
    placeOf(a.group.action) - placeOf(b.group.action) ||
    b.group.pods - a.group.pods ||
    b.group.workloads.length - a.group.workloads.length ||
    compareBytes(a.key, b.key)
  );
}

function placeOf(action: Action): number {
  return ACTIONS.findIndex((row) => row.action === action);
}
