import { API_VERSION } from "../../base/keys.ts";
import type { PlanFinding, PlannedWorkload, PlanSchedule, RolloutPlan } from "./plan-report.ts";
import { causesOf } from "./causes.ts";
import { exceededLimits, type Limits } from "./limits.ts";
import { riskiestFirst } from "./order.ts";
import { worstFirst } from "./plan-findings.ts";
import { summaryOf } from "./plan-summary.ts";
import { joinedSchedule } from "./schedule.ts";
import { byIdentity } from "./side.ts";
import { verdictOf } from "./verdict.ts";

/** What comes of some pairs: plain data, which holds nothing of what it was made from. */
export interface PlanPart {
  readonly rows: readonly PlanRow[];
  /** Workloads beside the rows, in which nothing changes: they only count. */
  readonly unlisted?: number;
  readonly schedule: PlanSchedule | undefined;
  /** Of sources that are refused, and that no row names. */
  readonly refused: readonly PlanFinding[];
  /** Of sources that roll many. */
  readonly mass: readonly PlanFinding[];
  /** Of all other objects. */
  readonly others: readonly PlanFinding[];
  readonly findingsBefore: number;
  /** Objects that differ and are no workload that does. */
  readonly otherObjects: number;
}

/** Of what has not changed. */
export const NOTHING_PLANNED: PlanPart = {
  rows: [],
  schedule: undefined,
  refused: [],
  mass: [],
  others: [],
  findingsBefore: 0,
  otherObjects: 0,
};

export interface PlanRow {
  /** The identity of the workload, by which rows are ordered. */
  readonly id: string;
  /** False for one that only counts. */
  readonly isListed: boolean;
  readonly planned: PlannedWorkload;
}

/** One plan of several parts, in their order. */
export function joinParts(parts: readonly PlanPart[], limits: Limits): RolloutPlan {
  const rows = parts.flatMap((part) => part.rows).sort((a, b) => byIdentity(a.id, b.id));
  const inOrder = riskiestFirst(rows, ({ planned }) => planned);
  const workloads = inOrder.map(({ planned }) => planned);
  const schedule = joinedSchedule(parts.flatMap((part) => part.schedule ?? []));
  const summary = summaryOf(
    workloads,
    parts.reduce((sum, { otherObjects }) => sum + otherObjects, 0),
  );
  const unlisted = parts.reduce((sum, part) => sum + (part.unlisted ?? 0), 0);
  const report = {
    summary: { ...summary, workloads: summary.workloads + unlisted },
    ...(schedule === undefined ? {} : { schedule }),
    causes: causesOf(workloads),
    workloads: inOrder.filter(({ isListed }) => isListed).map(({ planned }) => planned),
    findings: worstFirst([
      ...parts.flatMap(({ refused }) => refused),
      ...parts.flatMap(({ mass }) => mass),
      ...parts.flatMap(({ others }) => others),
    ]),
    findingsBefore: parts.reduce((sum, { findingsBefore }) => sum + findingsBefore, 0),
  };
  const exceeded = exceededLimits(report, limits);
  return {
    apiVersion: API_VERSION,
    kind: "RolloutPlan",
    verdict: verdictOf({ ...report, exceeded }),
    ...report,
    exceeded,
  };
}
