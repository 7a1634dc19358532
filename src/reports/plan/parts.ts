import { sumOf } from "../../base/grouped.ts";
import { rankOf } from "../../kubernetes/rollout/safety.ts";
import { acceptedDeletes } from "./accepted-deletes.ts";
import { causesOf } from "./causes.ts";
import { isApplied, rollsIfStamped } from "./counted.ts";
import { withDeletions } from "./deletions.ts";
import { cannotStart } from "./judged-workloads.ts";
import { workloadsInOrder } from "./judged.ts";
import { NO_APPLICATIONS, type Landscape } from "./last-workloads.ts";
import { exceededLimits, type Limits } from "./limits.ts";
import { mostImportantObjects } from "./other-objects.ts";
import { worstFirst } from "./plan-findings.ts";
import type { ComparedAs, PlanSchedule, PlanSummary, RolloutPlan, Rolls } from "./plan-report.ts";
import type { Action, PlanFinding, PlannedObject, PlannedWorkload } from "./planned-workload.ts";
import { joinSchedules } from "./schedule.ts";

/** The result of comparing some pairs of renderings: plain data, without the renderings. */
export interface PlanPart {
  readonly rows: readonly PlanRow[];
  /** How many unchanged workloads there are besides the rows. */
  readonly unlisted?: number;
  readonly schedule: PlanSchedule | undefined;
  /** Findings about refused sources that no row names. */
  readonly refused: readonly PlanFinding[];
  /** Findings about sources that roll many workloads. */
  readonly mass: readonly PlanFinding[];
  /** Findings about all other objects. */
  readonly others: readonly PlanFinding[];
  readonly findingsBefore: number;
  /** The objects that differ besides the workloads in the rows: all risky ones, and the most important others. */
  readonly objects: readonly PlannedObject[];
  /** How many differ in all. */
  readonly otherObjects: number;
  /** The namespaces in which the head has Deployments, StatefulSets, DaemonSets or Rollouts. */
  readonly keeps: readonly string[];
  /** Set if it is a part of one application. */
  readonly application?: string;
}

/** What identifies a workload or another object in its part. */
export type PlannedIdentity = Pick<PlannedWorkload, "apiVersion" | "kind" | "namespace" | "name" | "part">;

export interface PlanRow {
  /** False for a workload that is counted but not listed. */
  readonly isListed: boolean;
  readonly planned: PlannedWorkload;
}

/** The part of an unchanged input. */
export const NOTHING_PLANNED: PlanPart = {
  rows: [],
  schedule: undefined,
  refused: [],
  mass: [],
  others: [],
  findingsBefore: 0,
  objects: [],
  otherObjects: 0,
  keeps: [],
};

/** Joins several parts to one plan, in their order. */
export function joinParts(
  compared: readonly PlanPart[],
  limits: Limits,
  as: ComparedAs,
  landscape: Landscape = NO_APPLICATIONS,
): RolloutPlan {
  const parts = withDeletions(compared, landscape, acceptedDeletes(limits.acceptDeletes ?? []));
  const sum = (count: (part: PlanPart) => number): number => parts.reduce((all, part) => all + count(part), 0);
  const rows = workloadsInOrder(
    parts.flatMap((part) => part.rows.map(withLost)),
    ({ planned }) => planned,
  );
  const workloads = rows.map(({ planned }) => planned);
  const schedule = joinSchedules(parts.flatMap((part) => part.schedule ?? []));
  const summary = summaryOf(
    workloads,
    sum(({ unlisted = 0 }) => unlisted),
    sum(({ otherObjects }) => otherObjects),
  );
  const plan = {
    as,
    summary,
    ifStamped: rollsOf(workloads.filter((one) => isApplied(one) && rollsIfStamped(one))),
    ...(schedule === undefined ? {} : { schedule }),
    causes: causesOf(workloads.filter(isApplied)),
    workloads: rows.filter(({ isListed }) => isListed).map(({ planned }) => planned),
    objects: mostImportantObjects(parts.flatMap(({ objects }) => objects)),
    findings: worstFirst([
      ...parts.flatMap(({ refused }) => refused),
      ...parts.flatMap(({ mass }) => mass),
      ...parts.flatMap(({ others }) => others),
    ]),
    findingsBefore: sum(({ findingsBefore }) => findingsBefore),
  };
  const deleted = [
    ...workloads.filter(({ action }) => action === "Delete"),
    ...parts.flatMap(({ objects }) => objects.filter(({ change }) => change === "Delete")),
  ];
  return { ...plan, exceeded: exceededLimits({ summary, deleted }, limits) };
}

/**
 * A rollout, a creation or a scaling up that needs a lost source, or port, may get stuck: its new pods cannot start. Known only
 * when all parts are joined, because another application of the cluster may have the source.
 */
function withLost(row: PlanRow): PlanRow {
  const { planned } = row;
  if (!cannotStart(planned) || rankOf(planned.safety) < rankOf("MayStick")) return row;
  return { ...row, planned: { ...planned, safety: "MayStick" } };
}

/** Counts the workloads by action, and the pods that are replaced. */
function summaryOf(all: readonly PlannedWorkload[], unlisted: number, otherObjects: number): PlanSummary {
  const planned = all.filter(isApplied);
  const count = (action: Action): number => planned.filter((workload) => workload.action === action).length;
  const rolling = planned.filter(({ action }) => action === "Roll");
  return {
    workloads: planned.length + unlisted,
    rolls: rolling.length,
    nextRuns: count("NextRun"),
    noEffects: count("NoEffect"),
    stale: count("Stale"),
    scales: count("Scale"),
    lost: planned.filter(({ lost }) => lost !== undefined).length,
    reloads: count("Reload"),
    fails: count("Fail"),
    creates: count("Create"),
    deletes: planned.filter(({ action, leaves }) => action === "Delete" && leaves !== true).length,
    pods: rollsOf(rolling).pods,
    podsAtMost: sumOf(rolling, ({ pods, podsAtMost = pods }) => podsAtMost),
    held: rollsOf(all.filter(({ held, action }) => held !== undefined && action !== "None")),
    otherObjects,
  };
}

/** How many workloads there are, and how many pods. */
export function rollsOf(workloads: readonly PlannedWorkload[]): Rolls {
  return { workloads: workloads.length, pods: sumOf(workloads, ({ pods }) => pods) };
}

/** A part whose workloads, objects and findings name their application, if it is known. */
export function namedPart(
  part: PlanPart,
  nameOf: (one: PlannedIdentity) => string | undefined,
  nameOfOthers: string | undefined,
): PlanPart {
  // Object.assign, because spreads would make a hidden class for each application (docs/why/benchmarks.md).
  return Object.assign({}, part, {
    rows: part.rows.map(({ isListed, planned }) => {
      const application = nameOf(planned);
      const findings = named(planned.findings, application);
      return {
        isListed,
        planned: Object.assign({}, planned, { findings }, application === undefined ? {} : { application }),
      };
    }),
    objects: part.objects.map((object) => {
      const application = nameOf(object);
      return application === undefined ? object : { ...object, application };
    }),
    refused: named(part.refused, nameOfOthers),
    mass: named(part.mass, nameOfOthers),
    others: named(part.others, nameOfOthers),
    ...(nameOfOthers === undefined ? {} : { application: nameOfOthers }),
  });
}

function named(findings: readonly PlanFinding[], application: string | undefined): readonly PlanFinding[] {
  return application === undefined ? findings : findings.map((finding) => ({ ...finding, application }));
}
