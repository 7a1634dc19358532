import { alikeGroups } from "../../../base/alike.ts";
import { groupedBy, nonEmpty } from "../../../base/grouped.ts";
import { isTouchedOrphan } from "../counted.ts";
import { judgedOf } from "../judged.ts";
import type { Label } from "../labels.ts";
import type { Judged, Level, PlanReport } from "../plan-report.ts";
import type { AcceptedFinding, PlanFinding, PlannedObject, PlannedWorkload } from "../planned-workload.ts";
import { appliedWhenIn, type PlannedApplication } from "../planned-application.ts";
import { effectOf, fixOf } from "./effects.ts";
import { heldRows } from "./held-rows.ts";
import { movedPairs } from "./moved-pairs.ts";
import { otherFindings } from "./other-findings.ts";
import { causesOfWorkload, joinedCauses, type KeyedCause } from "./row-causes.ts";
import type { ApplicationRow, Many, Rated, ReportRow, ReportRows, WorkloadEntry, WorkloadRow } from "./row-types.ts";

/** The rows of a plan, in the order of its judged subjects. */
export function reportRows(report: PlanReport): ReportRows {
  const { applications = [], workloads, objects } = report;
  const context = contextOf(applications);
  const moved = movedPairs(report);
  const unreaching = new Set(workloads.flatMap(unreachingServices));
  const named = new Set(workloads.flatMap((workload) => namedSources(workload, context)));
  const isSaid = (object: PlannedObject): boolean => {
    const key = keyInApplication(object);
    return object.refused === undefined && (isChangedCause(object) || named.has(key) || unreaching.has(key));
  };
  const judged = judgedOf(report).filter(({ label, subject }) => {
    if (label === "held" || label === "orphan") return false;
    if (subject.is === "workload") return !moved.created.has(subject.workload);
    return subject.is !== "object" || (!moved.objects.has(subject.object) && !isSaid(subject.object));
  });
  const rows = [...groupedBy(judged, (one) => keyOf(one, context)).values()].flatMap((group) => rowOf(group, context));
  const isRisky = ({ level }: ReportRow): boolean => level !== undefined && level !== "ok";
  const failedBefore = applications.filter(({ status, failedBefore: before, orphan }) => {
    return status === "Failed" && before === true && orphan !== true;
  });
  const shared = sharedKeys(rows, context);
  const without = (row: ReportRow): ReportRow => withoutShared(row, shared, context);
  const causes = joinedCauses(
    rows.flatMap((row) => keyedCauses(row, context)).filter(({ key }) => shared.has(key)),
  ).map(({ cause }) => cause);
  return {
    causes,
    risky: rows.filter(isRisky).map(without),
    routine: [...rows.filter(({ level }) => level === "ok"), ...moved.rows].map(without),
    aside: [
      ...rows.filter(({ level }) => level === undefined).map(without),
      ...(failedBefore.length === 0 ? [] : failedRows(failedBefore, undefined)),
      ...otherFindings(report, causes),
    ],
    held: heldRows(
      applications,
      workloads.filter(({ orphan }) => orphan !== true),
      objects,
    ),
    orphans: applications.filter(isTouchedOrphan),
  };
}

/** What rows need to know of the applications. */
interface Context {
  readonly isRemoved: (application: string) => boolean;
  readonly appliedWhenOf: ReturnType<typeof appliedWhenIn>;
}

function contextOf(applications: readonly PlannedApplication[]): Context {
  const byName = new Map(applications.map((application) => [application.name, application]));
  return {
    isRemoved: (name) => byName.get(name)?.change === "Removed",
    appliedWhenOf: appliedWhenIn(applications),
  };
}

/** The cause says how its content changes, also that of an object that makes the source. */
function isChangedCause({ isCause, change }: PlannedObject): boolean {
  return isCause === true && change === "Change";
}

/** The sources that the causes of a workload name, with the names that they had: also created and deleted ones. */
function namedSources(workload: PlannedWorkload, { isRemoved }: Context): string[] {
  const { application } = workload;
  return causesOfWorkload(workload, isRemoved).flatMap(({ cause }) => {
    if (cause.is === "lost") return [keyInApplication({ ...cause.lost.source, application })];
    if (cause.is !== "reason" || cause.reason.type !== "Source") return [];
    const { source } = cause.reason;
    const { name, previousName = name } = source;
    return [name, previousName].map((one) => keyInApplication({ ...source, name: one, application }));
  });
}

/** The Services that the row of a refused selector names. */
function unreachingServices({ next, namespace, application }: PlannedWorkload): string[] {
  if (next?.id !== "keep-selector") return [];
  return next.services.map((name) => keyInApplication({ kind: "Service", namespace, name, application }));
}

/** Identifies an object by its kind, without the group: causes and Services are named without it. */
function keyInApplication({
  kind,
  namespace,
  name,
  application = "",
}: Pick<PlannedObject, "kind" | "namespace" | "name"> & { readonly application?: string | undefined }): string {
  return [kind, namespace, name, application].join("\n");
}

function keyOf({ label, level, subject }: Judged, context: Context): string {
  const key = (...parts: readonly unknown[]): string => JSON.stringify([label, level, subject.is, ...parts]);
  switch (subject.is) {
    case "workload": {
      const { workload } = subject;
      const causes = decidingKeys(label, workload, context);
      const fix = fixOf(label, workload);
      if (level === "ok") return key(causes, fix);
      return key(causes, fix, entryKey(label, workload, context), acceptedBy(label, level, workload));
    }
    case "object": {
      const { kind, change, fields, moreFields, refused, application, usedBy } = subject.object;
      if (change === "Change" || refused !== undefined)
        return key(change, fields, moreFields, refused, refused === undefined ? "" : kind);
      if (label === "other") return key(change, fields, moreFields);
      return key(kind, application !== undefined && context.isRemoved(application) ? application : "", level, usedBy);
    }
    case "finding": {
      const { id, cause, before, accepted } = subject.finding;
      return key(id, cause, before, accepted, id === "RS024" ? unrenderedKey(subject.finding) : undefined);
    }
    case "application":
      return key();
    case "unread":
      return key(subject.file.isSubmodule);
    case "limit":
      return key(subject.limit);
  }
}

/** What changes in the same way and is not rendered for one reason is one row. */
function unrenderedKey(finding: PlanFinding): unknown {
  if (finding.id !== "RS024") return finding.params;
  if (finding.cause === "notRendered") {
    const { object: _, ...params } = finding.params;
    return params;
  }
  if (finding.cause !== "notFetched") return finding.params;
  const { application: _, object, ...params } = finding.params;
  return [object === undefined, params];
}

/** The causes by which workloads are in one row. Of a refused one the first: others may have more. */
function decidingKeys(label: Label, workload: PlannedWorkload, { isRemoved }: Context): readonly string[] {
  const keys = causesOfWorkload(workload, isRemoved).map(({ key }) => key);
  return label === "refused" ? keys.slice(0, 1) : keys;
}

function entryKey(label: Label, workload: PlannedWorkload, { appliedWhenOf }: Context): string {
  return JSON.stringify([effectOf(label, workload), appliedWhenOf(workload.application)]);
}

/** The reason for which a row is grey. */
function acceptedBy(
  label: Label,
  level: Level | undefined,
  { accepted = [] }: PlannedWorkload,
): AcceptedFinding | undefined {
  if (level !== undefined) return undefined;
  const ids = ACCEPTING[label] ?? [];
  return accepted.find(({ id }) => ids.includes(id));
}

/** The rules by which a row with a label is accepted. */
const ACCEPTING: Partial<Record<Label, readonly string[]>> = {
  outage: ["RS004"],
  "may-stick": ["RS015", "RS001", "RS002"],
  lost: ["RS001", "RS002"],
  stale: ["RS025"],
  "no-effect": ["RS005"],
};

function rowOf(group: Many<Judged>, context: Context): readonly ReportRow[] {
  const [{ label, level, subject }] = group;
  const rated = { label, level };
  switch (subject.is) {
    case "workload":
      return workloadRow(
        rated,
        group.flatMap((one) => (one.subject.is === "workload" ? one.subject.workload : [])),
        context,
      );
    case "object": {
      const given = group.flatMap((one) => (one.subject.is === "object" ? one.subject.object : []));
      return nonEmpty(given).map((objects): ReportRow => {
        const [{ change, fields, moreFields = 0, application }] = objects;
        if (label === "other" || label === "refused")
          return { ...rated, is: "changes", change, fields, moreFields, objects };
        return { ...rated, is: "objects", objects, causes: [], appliedWhen: context.appliedWhenOf(application) };
      });
    }
    case "finding": {
      const given = group.flatMap((one) => (one.subject.is === "finding" ? one.subject.finding : []));
      return nonEmpty(given).map((findings) => ({ ...rated, is: "findings", findings }));
    }
    case "application":
      return failedRows(
        group.flatMap((one) => (one.subject.is === "application" ? one.subject.application : [])),
        level,
      );
    case "unread": {
      const given = group.flatMap((one) => (one.subject.is === "unread" ? one.subject.file : []));
      return level === undefined ? [] : nonEmpty(given).map((files) => ({ ...rated, is: "unread", files }));
    }
    case "limit":
      return [{ ...rated, is: "limit", limit: subject.limit }];
  }
}

function failedRows(applications: readonly PlannedApplication[], level: Level | undefined): readonly ApplicationRow[] {
  return alikeGroups(applications, ({ message = "", missing, baseFailed }) => ({
    message,
    ...(baseFailed === true ? { apart: "base" } : {}),
    ...(missing === undefined ? {} : { missing }),
  })).map(({ all, lines }) => ({ label: "failed", level, is: "applications", applications: all, lines }));
}

function workloadRow(rated: Rated, workloads: readonly PlannedWorkload[], context: Context): readonly WorkloadRow[] {
  const { label, level } = rated;
  const all = [...groupedBy(workloads, (workload) => entryKey(label, workload, context)).values()].map(
    (alike): WorkloadEntry => ({
      effect: effectOf(label, alike[0]),
      appliedWhen: context.appliedWhenOf(alike[0].application),
      workloads: alike,
    }),
  );
  return nonEmpty(all).map((entries): WorkloadRow => {
    const [workload] = entries[0].workloads;
    const fix = fixOf(label, workload);
    const accepted = acceptedBy(label, level, workload);
    return {
      ...rated,
      is: "workloads",
      entries,
      causes: [],
      also: [],
      ...(fix === undefined ? {} : { fix }),
      ...(accepted === undefined ? {} : { accepted }),
    };
  });
}

/** All causes of a row, those of each workload. */
function keyedCauses(row: ReportRow, context: Context): readonly KeyedCause[] {
  if (row.is === "workloads")
    return workloadsOf(row).flatMap((workload) => causesOfWorkload(workload, context.isRemoved));
  return row.is === "objects" ? row.objects.flatMap((object) => removedWith(object, context)) : [];
}

function removedWith({ application }: PlannedObject, { isRemoved }: Context): readonly KeyedCause[] {
  if (application === undefined || !isRemoved(application)) return [];
  return [{ key: JSON.stringify(["application", application]), cause: { is: "application", name: application } }];
}

/** The workloads of a row. */
export function workloadsOf({ entries }: WorkloadRow): readonly PlannedWorkload[] {
  return entries.flatMap(({ workloads }) => workloads);
}

/** The causes that all rows have. Findings and other objects are rows that need none, and a lost source is a cause itself. */
function sharedKeys(rows: readonly ReportRow[], context: Context): ReadonlySet<string> {
  const sets = rows
    .filter(({ is, label }) => (is === "workloads" && !OWN_CAUSE.has(label)) || is === "objects")
    .flatMap((row): ReadonlySet<string>[] =>
      row.is === "workloads"
        ? workloadsOf(row).map(
            (workload) => new Set(causesOfWorkload(workload, context.isRemoved).map(({ key }) => key)),
          )
        : [new Set(keyedCauses(row, context).map(({ key }) => key))],
    );
  const [first, ...others] = sets;
  return new Set([...(first ?? [])].filter((key) => others.every((keys) => keys.has(key))));
}

const OWN_CAUSE: ReadonlySet<Label> = new Set(["lost", "unchanged"]);

/** A row with its own causes: those that all its workloads have, then those of the workloads of one kind. */
function withoutShared(row: ReportRow, shared: ReadonlySet<string>, context: Context): ReportRow {
  if (row.is === "objects") {
    const causes = joinedCauses(keyedCauses(row, context).filter(({ key }) => !shared.has(key)));
    return { ...row, causes: causes.map(({ cause }) => cause) };
  }
  if (row.is !== "workloads") return row;
  const byWorkload = workloadsOf(row).map((workload) => ({
    kind: workload.kind,
    causes: causesOfWorkload(workload, context.isRemoved).filter(({ key }) => !shared.has(key)),
  }));
  const counts = new Map<string, number>();
  for (const { key } of byWorkload.flatMap(({ causes }) => causes)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const isCommon = ({ key }: KeyedCause): boolean => counts.get(key) === byWorkload.length;
  const all = joinedCauses(byWorkload.flatMap(({ causes }) => causes));
  const also = [...groupedBy(byWorkload, ({ kind }) => kind)].flatMap(([kind, some]) => {
    const rest = joinedCauses(some.flatMap(({ causes }) => causes)).filter((one) => !isCommon(one));
    return rest.length === 0 ? [] : [{ kind, causes: rest.map(({ cause }) => cause) }];
  });
  return { ...row, causes: all.filter(isCommon).map(({ cause }) => cause), also };
}
