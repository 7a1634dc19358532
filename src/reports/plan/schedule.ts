import { sumOf } from "../../base/grouped.ts";
import { earliest, formatTime } from "../../base/times.ts";
import type { DesiredStamps } from "../../stamping/stamps/types.ts";
import { NO_MARKS } from "../../stamping/stamps/chart-marks.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { WAITING } from "../../base/keys.ts";
import { annotationOf } from "../../yaml/read/items.ts";
import { windowsFor, isWaitingFor, pendingOf } from "../../stamping/waves/wave.ts";
import { openingsAt, waveMarks } from "../../stamping/schedules/windows.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate, Workload } from "../../kubernetes/workloads/types.ts";
import type { PlanSchedule } from "./plan-report.ts";

// A workload that waits for its new stamps keeps the old ones. A plan uses its current stamps and says when it may roll
// (docs/guides/waves.md).

/** A workload that waits for what stamping would write. */
export interface PlannedWait {
  readonly workload: Workload;
  readonly wanted: readonly DesiredStamps[];
  /** What it waits for, as in its annotation. */
  readonly pending: string;
}

/** What a workload waits for; undefined if it does not wait, or waits for stamps that stamping would not write. */
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

/** The stamps of a waiting template: its current ones. */
export function standingStamps(desired: DesiredStamps): DesiredStamps {
  const stamps = new Map([...templateAnnotations(desired.decision.template)].filter(([key]) => isStampKey(key)));
  const { combinedAs: _combinedAs, ...rest } = desired;
  return { ...rest, stamps, kept: new Set(stamps.keys()), marks: NO_MARKS };
}

type Desired = (template: PodTemplate) => DesiredStamps | undefined;

/** A workload with its current stamps, even if stamping would write others. */
export function withStandingStamps<W extends { readonly desired: Desired }>(workload: W): W {
  const desired: Desired = (template) => {
    const stamps = workload.desired(template);
    return stamps === undefined ? undefined : standingStamps(stamps);
  };
  return { ...workload, desired };
}

/** How many workloads wait, and when they may roll; undefined if none wait. */
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

/** Joins the schedules of several parts; undefined if there are none. */
export function joinSchedules(schedules: readonly PlanSchedule[]): PlanSchedule | undefined {
  const [first, ...others] = schedules;
  if (first === undefined || others.length === 0) return first;
  const next = schedules.flatMap(({ nextWindow }) => nextWindow ?? []).sort()[0];
  return {
    waiting: sumOf(schedules, ({ waiting }) => waiting),
    ...(first.ready === undefined ? {} : { ready: sumOf(schedules, ({ ready = 0 }) => ready) }),
    ...(first.at === undefined ? {} : { at: first.at }),
    ...(next === undefined ? {} : { nextWindow: next }),
  };
}
