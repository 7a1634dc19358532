import type { Reason } from "../reports/plan/plan-reasons.ts";
import type { Cause, PlanFinding, PlannedWorkload, PlanReport } from "../reports/plan/plan-report.ts";
import { counted } from "../base/words.ts";
import type { Caveat } from "../kubernetes/rollout/safety.ts";
import { findingGroups, findingsOf, type FindingGroup } from "./plan-finding-groups.ts";
import { actionWord, rowWord } from "./plan-levels.ts";
import { placeOf } from "./plan-application-words.ts";
import type { PlanRows, RowGroup } from "./plan-rows.ts";
import { code, isImage, type Words } from "./plan-words.ts";

// What the forms of a plan say of its rows (plan-rows.ts), in no form yet.

/** `ConfigMap shop/env`; of a field its path. */
export function causeWords(cause: Cause): Words {
  if (cause.source === undefined) return [code(cause.path)];
  const { kind, namespace, name } = cause.source;
  return [`${kind} `, code(`${namespace}/${name}`)];
}

/** The word that a group begins with. */
export function groupWord({ action, workloads: [first] }: RowGroup): string {
  return first === undefined ? actionWord(action) : rowWord(first);
}

/** `300 workloads, 900 pods`: with a range where autoscalers decide. */
export function groupSize({ workloads, pods, podsAtMost }: RowGroup): string {
  const size = counted(workloads.length, "workload");
  if (podsAtMost > pods) return `${size}, ${pods} to ${podsAtMost} pods`;
  return pods === 0 ? size : `${size}, ${counted(pods, "pod")}`;
}

/** The workloads of a group by name, each kind named once: the first so many, and how many there are beside these. */
export function groupNames({ workloads }: RowGroup, most: number): Words {
  const more = workloads.length - most;
  const words = workloads.slice(0, most).flatMap((workload, i, shown): Words => {
    const isSame = shown[i - 1]?.kind === workload.kind;
    const before = i === 0 ? [] : [isSame ? ", " : "; "];
    return [
      ...before,
      ...(isSame ? [] : [code(workload.kind), " "]),
      code(nameOf(workload)),
      ...renamedWords(workload),
    ];
  });
  return more > 0 ? [...words, ` and ${more} more`] : words;
}

function nameOf({ namespace, name, ...at }: PlannedWorkload): string {
  const place = placeOf(at);
  return `${namespace}/${name}${place === undefined ? "" : ` in ${place}`}`;
}

/** `(seems to be web, renamed)`; nothing where it seems to be no other. */
export function renamedWords({ renamedFrom, renamedTo }: PlannedWorkload): Words {
  if (renamedFrom !== undefined) return [" (seems to be ", code(renamedFrom), ", renamed)"];
  return renamedTo === undefined ? [] : [" (seems to be renamed to ", code(renamedTo), ")"];
}

/** What is to be said of a workload's numbers that none of its findings says. */
export function caveatsOf({ caveats, findings }: PlannedWorkload): readonly Caveat[] {
  return caveats.filter(({ message }) => !findings.some((finding) => finding.message === message));
}

/** What the rows of a plan don't say of what was found. */
export interface OtherFindings {
  /** Errors of objects without a row: a verdict comes of them, and they are never left out. */
  readonly errors: readonly PlanFinding[];
  /** All others with those that stand in rows: what to do about them, and what no row says of them. */
  readonly groups: readonly FindingGroup[];
}

/** What was found: errors first, then what to do about all of them. */
export function otherFindings({ findings }: Pick<PlanReport, "findings">, rows: PlanRows): OtherFindings {
  const errors = findings.filter(({ severity, before }) => severity === "error" && before !== true);
  const inRows = findingsOf(rows.own);
  const told = new Set([...errors, ...inRows].map(saidOf));
  const all = [...inRows, ...rows.groups.flatMap(({ workloads }) => findingsOf(workloads)), ...findings];
  return {
    errors,
    groups: findingGroups(all, (finding) => told.has(saidOf(finding))),
  };
}

function saidOf({ message, application = "" }: PlanFinding): string {
  return `${application}\n${message}`;
}

/** The rows that stand by themselves, in two parts: what stops a reviewer, and what is to be read. */
export function inTwo({ own }: PlanRows): { readonly stop: PlannedWorkload[]; readonly look: PlannedWorkload[] } {
  const stops = ({ action, safety }: PlannedWorkload): boolean =>
    action === "Fail" || safety === "Outage" || safety === "MayStick";
  return { stop: own.filter(stops), look: own.filter((workload) => !stops(workload)) };
}

/** Whether a table of causes says more than the rows: those of one workload stand with it. */
export function hasCausesTable({ workloads, causes }: Pick<PlanReport, "workloads" | "causes">): boolean {
  return causes.length > 0 && workloads.filter(({ reasons }) => reasons.length > 0).length > 1;
}

/** The causes that a table has. */
export interface ShownCauses {
  readonly causes: readonly Cause[];
  /** What the table leaves out, in words; none where it has all. */
  readonly more: readonly string[];
}

/** So few are shown whatever they cause. */
const FEW_CAUSES = 5;

/** The causes that a table has: what rows don't say already, which is what several workloads have in common. */
export function shownCauses(report: Pick<PlanReport, "workloads" | "causes">, most: number): ShownCauses {
  if (!hasCausesTable(report)) return { causes: [], more: [] };
  const { causes } = report;
  const shared =
    causes.length <= FEW_CAUSES || most === Infinity ? causes : causes.filter((cause) => cause.workloads > 1);
  const shown = shared.slice(0, most);
  const own = causes.length - shared.length;
  const more = [
    ...(shared.length > shown.length ? [`and ${counted(shared.length - shown.length, "more cause")}`] : []),
    ...(own > 0 ? [`and ${counted(own, "cause", "causes")} of one workload each`] : []),
  ];
  return { causes: shown, more: shown.length === 0 ? [] : more };
}

/** The reasons that a row has where it can't have all: first what decides, then images and sources; in their own order. */
export function shownReasons<T>(rows: readonly T[], of: (row: T) => Reason, most: number): readonly T[] {
  if (rows.length <= most) return rows;
  const first = rows.toSorted((a, b) => weight(of(a)) - weight(of(b))).slice(0, most);
  const shown = new Set(first);
  return rows.filter((row) => shown.has(row));
}

function weight(reason: Reason): number {
  switch (reason.type) {
    case "Invalid":
    case "Immutable":
      return 0;
    case "Restart":
      return 1;
    case "Template":
      if (isImage(reason.path)) return 2;
      return reason.path.startsWith("metadata") ? 5 : 4;
    default:
      return 3;
  }
}
