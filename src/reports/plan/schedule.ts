import { earliest, formatTime } from "../../base/times.ts";
import type { DesiredStamps } from "../../stamping/stamps/desired.ts";
import { NO_MARKS } from "../../stamping/stamps/chart-marks.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { WAITING } from "../../base/keys.ts";
import { annotationOf } from "../../yaml/read/items.ts";
import { windowsFor, isWaitingFor, pendingOf } from "../../stamping/waves/wave.ts";
import { openingsAt, waveMarks } from "../../stamping/waves/windows.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate, Workload } from "../../kubernetes/workloads/types.ts";
import type { PlanSchedule } from "./plan-report.ts";

// A workload that waits for what stamping would write keeps its stamps: a plan takes it as it stands, and says when it
// may go (docs/waves.md).

/** A workload that waits, rightly, and what for. */
export interface PlannedWait {
  readonly workload: Workload;
  readonly wanted: readonly DesiredStamps[];
  /** What it waits for, as its annotation has it. */
  readonly pending: string;
}

/** What a workload waits for; undefined where it doesn't, or for something else than stamping would write. */
export function waitOf(
  workload: Workload,
  desired: (template: PodTemplate) => DesiredStamps | undefined,
): PlannedWait | undefined {
  const waiting = annotationOf(workload.item, WAITING);
  if (waiting === undefined) return undefined;
  const wanted = workload.templates.flatMap((template) => desired(template) ?? []);
  const pending = pendingOf(wanted);
  return pending !== "" && isWaitingFor(waiting, pending) ? { workload, wanted, pending } : undefined;
}

/** The stamps of a template that waits: those that stand there. */
export function standingStamps(desired: DesiredStamps): DesiredStamps {
  const stamps = new Map([...templateAnnotations(desired.decision.template)].filter(([key]) => isStampKey(key)));
  const { combinedAs: _combinedAs, ...rest } = desired;
  return { ...rest, stamps, kept: new Set(stamps.keys()), marks: NO_MARKS };
}

type Desired = (template: PodTemplate) => DesiredStamps | undefined;

/** A workload with the stamps that stand there, those that it is to have notwithstanding. */
export function asItStands<W extends { readonly desired: Desired }>(own: W): W {
  const desired: Desired = (template) => {
    const stamps = own.desired(template);
    return stamps === undefined ? undefined : standingStamps(stamps);
  };
  return { ...own, desired };
}

/** How many wait, and when they may go; undefined where none waits. */
export function scheduleOf(waits: readonly PlannedWait[], now: (() => Date) | undefined): PlanSchedule | undefined {
  if (waits.length === 0) return undefined;
  if (now === undefined) return { waiting: waits.length };
  const moment = now();
  const marks = waveMarks();
  const openingOf = openingsAt(moment);
  const openings = waits.map(({ workload, wanted }) => openingOf(windowsFor(workload, wanted, marks), workload));
  const next = earliest(openings.flatMap((opening) => (opening.isOpen ? [] : (opening.opens ?? []))));
  return {
    waiting: waits.length,
    ready: openings.filter(({ isOpen }) => isOpen).length,
    at: formatTime(moment),
    ...(next === undefined ? {} : { nextWindow: formatTime(next) }),
  };
}

/** The schedules of several parts as one; undefined where there is none. */
export function joinSchedules(schedules: readonly PlanSchedule[]): PlanSchedule | undefined {
  const [first, ...others] = schedules;
  if (first === undefined || others.length === 0) return first;
  const next = schedules.flatMap(({ nextWindow }) => nextWindow ?? []).sort()[0];
  return {
    waiting: schedules.reduce((sum, { waiting }) => sum + waiting, 0),
    ...(first.ready === undefined ? {} : { ready: schedules.reduce((sum, { ready = 0 }) => sum + ready, 0) }),
    ...(first.at === undefined ? {} : { at: first.at }),
    ...(next === undefined ? {} : { nextWindow: next }),
  };
}
