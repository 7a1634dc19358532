import { compareBytes } from "../../base/digest/hash-v1.ts";
import { groupOf, kindKey } from "../../base/identity.ts";
import { isRuleId, type RuleId } from "../../findings/catalogue/catalogue.ts";
import { severityOf } from "../../findings/catalogue/finding.ts";
import { hasTraffic } from "../../kubernetes/rollout/traffic.ts";
import { LABELS, type Label } from "./labels.ts";
import { isApplied, isBroken, isError, isFailing } from "./counted.ts";
import type { Judged, Level, PlanReport, Subject } from "./plan-report.ts";
import type { PlanFinding, PlannedObject, PlannedWorkload } from "./planned-workload.ts";
import { losesPort } from "./lost-port.ts";
import { isRoutine } from "./routine.ts";

// What a plan says about each of its subjects, and how much that matters. Verdict, order, gates and all reports are made
// from this (contract, section 8, "Version 3 of a plan").

/** The parts of a report that are judged. */
export type Judgeable = Pick<PlanReport, "workloads" | "objects" | "findings" | "exceeded"> &
  Partial<Pick<PlanReport, "applications" | "unread">>;

/** All subjects of a plan, the worst first. */
export function judgedOf(plan: Judgeable): readonly Judged[] {
  const { workloads, objects, findings, exceeded, applications = [], unread = [] } = plan;
  // --fail-on changes the exit status, never the level.
  const limits = exceeded.filter(({ limit }) => limit !== "failOn");
  const all = [
    ...applications
      .filter(isBroken)
      .map((application) =>
        rated("failed", isFailing(application) ? "danger" : "attention", { is: "application", application }),
      ),
    ...limits.map((limit) => rated("limit", "danger", { is: "limit", limit })),
    ...workloads.map(judgedWorkload),
    ...objects.map(judgedObject),
    ...workloads
      .filter((workload) => isApplied(workload) && workload.action !== "Fail")
      .flatMap((workload) => workload.findings.flatMap((finding) => judgedFinding(finding, workload))),
    ...findings.flatMap((finding) => judgedFinding(finding)),
    ...unread.map((file) => rated("unread", file.isManifest ? "attention" : undefined, { is: "unread", file })),
  ];
  return inOrder(all, (judged) => judged);
}

/** Workloads in the order of reports. */
export function workloadsInOrder<T>(rows: readonly T[], workloadOf: (row: T) => PlannedWorkload): T[] {
  return inOrder(rows, (row) => judgedWorkload(workloadOf(row)));
}

/** How bad an object is, from 0, and whether it is more than a routine change. */
export function riskOfObject(object: PlannedObject): { readonly rank: number; readonly isRisky: boolean } {
  const { level } = judgedObject(object);
  return { rank: LEVELS.indexOf(level), isRisky: level !== undefined && level !== "ok" };
}

function inOrder<T>(things: readonly T[], judge: (thing: T) => Judged): T[] {
  return things
    .map((thing) => ({ thing, judged: judge(thing) }))
    .map((one) => ({ ...one, key: identityOf(one.judged.subject) }))
    .sort((a, b) => compareJudged(a.judged, b.judged) || compareBytes(a.key, b.key))
    .map(({ thing }) => thing);
}

function rated(label: Label, level: Level | undefined, subject: Subject): Judged {
  return { label, level, subject };
}

/** Worst first; what is not applied comes last. */
const LEVELS: readonly (Level | undefined)[] = ["refused", "danger", "attention", "ok", undefined];

function compareJudged(a: Judged, b: Judged): number {
  return (
    LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) ||
    LABELS.indexOf(a.label) - LABELS.indexOf(b.label) ||
    Number(losesData(b.subject)) - Number(losesData(a.subject)) ||
    podsOf(b.subject) - podsOf(a.subject)
  );
}

/** Whether volumes or objects with data go. */
function losesData(subject: Subject): boolean {
  if (subject.is === "object") return holdsData(subject.object);
  return subject.is === "workload" && subject.workload.kind === "StatefulSet" && subject.workload.action === "Delete";
}

/** Whether the deletion of an object can delete data. */
export function holdsData(object: PlannedObject): boolean {
  return LOSES_DATA.has(kindOf(object));
}

const LOSES_DATA: ReadonlySet<string> = new Set([
  "/PersistentVolumeClaim",
  "/Namespace",
  "apiextensions.k8s.io/CustomResourceDefinition",
]);

/** How many pods change, as far as Git shows. */
function podsOf(subject: Subject): number {
  if (subject.is !== "workload") return 0;
  const { action, pods, strategy, replicas } = subject.workload;
  if (action === "Delete") return strategy?.replicas ?? 0;
  return action === "Scale" ? Math.abs((replicas?.from ?? 0) - (replicas?.to ?? 0)) : pods;
}

/** Identifies the object that a row is about. A finding of a listed workload is about the workload. */
export function identityOf(subject: Subject): string {
  switch (subject.is) {
    case "application":
      return subject.application.name;
    case "workload":
      return objectIdentity(subject.workload);
    case "object":
      return objectIdentity(subject.object);
    case "unread":
      return subject.file.path;
    case "finding": {
      const { finding, workload } = subject;
      if (workload !== undefined) return objectIdentity(workload);
      const { application = "", id, cause, params } = finding;
      return `${application}\n${JSON.stringify([id, cause, params])}`;
    }
    case "limit":
      return "";
  }
}

/** Identifies an object in the order of reports, with its application and part. */
export function objectIdentity(object: PlannedWorkload | PlannedObject): string {
  const { application = "", part = "", namespace, apiVersion, kind, name } = object;
  return [namespace, kind, name, groupOf(apiVersion), application, part].join("\n");
}

interface WorkloadRow {
  readonly label: Label;
  readonly applies: (workload: PlannedWorkload) => boolean;
  readonly level: Level | ((workload: PlannedWorkload) => Level | undefined);
  /** Someone gave a reason to ignore it. */
  readonly isAccepted?: (workload: PlannedWorkload) => boolean;
}

/** What happens to a workload: the first row that applies, unless it is accepted and a later one is a risk, too. */
const WORKLOAD_ROWS: readonly WorkloadRow[] = [
  { label: "orphan", applies: ({ orphan }) => orphan === true, level: () => undefined },
  { label: "held", applies: ({ held }) => held !== undefined, level: () => undefined },
  { label: "refused", applies: ({ action }) => action === "Fail", level: "refused" },
  {
    label: "outage",
    applies: (workload) => rolls(workload) && workload.safety === "Outage",
    level: (workload) => (sendsTo(workload) ? "danger" : "attention"),
    isAccepted: (workload) => isAccepted(workload, "RS004"),
  },
  {
    label: "may-stick",
    applies: (workload) =>
      workload.safety === "MayStick" ||
      startsWithoutSource(workload) ||
      losesPort(workload) ||
      isStandstillAccepted(workload),
    level: "danger",
    // Its safety is that without what someone accepted.
    isAccepted: (workload) => workload.safety !== "MayStick" && !cannotStart(workload),
  },
  { label: "moved", applies: ({ movedTo }) => movedTo !== undefined, level: deletedLevel },
  // Its other half says it.
  { label: "created", applies: ({ action }) => action === "Create", level: "ok" },
  { label: "deleted", applies: ({ action }) => action === "Delete", level: deletedLevel },
  {
    label: "lost",
    applies: ({ lost }) => lost !== undefined,
    level: "attention",
    isAccepted: isLossAccepted,
  },
  {
    label: "scaled-to-zero",
    applies: ({ action, replicas }) => (action === "Scale" || action === "Roll") && replicas?.to === 0,
    level: "attention",
  },
  { label: "scaled", applies: ({ action }) => action === "Scale", level: "ok" },
  { label: "rolls", applies: (workload) => rolls(workload) && isRoutine(workload), level: "ok" },
  { label: "waits", applies: (workload) => rolls(workload) && workload.safety === "Waits", level: "attention" },
  { label: "reduced", applies: (workload) => rolls(workload) && workload.safety === "Reduced", level: "attention" },
  { label: "unknown", applies: (workload) => rolls(workload) && workload.safety === "Unknown", level: "attention" },
  {
    label: "stale",
    applies: ({ action }) => action === "Stale",
    level: "attention",
    isAccepted: (workload) => isAccepted(workload, "RS025"),
  },
  { label: "rolls", applies: rolls, level: "ok" },
  { label: "next-run", applies: ({ action }) => action === "NextRun", level: "ok" },
  {
    label: "no-effect",
    applies: ({ action }) => action === "NoEffect",
    level: ({ next }) => (next === undefined ? "ok" : "attention"),
    isAccepted: (workload) => isAccepted(workload, "RS005"),
  },
  { label: "reloads", applies: ({ action }) => action === "Reload", level: "ok" },
  { label: "waiting", applies: ({ action }) => action === "Waiting", level: "ok" },
  { label: "unchanged", applies: () => true, level: () => undefined },
];

function judgedWorkload(workload: PlannedWorkload): Judged {
  const subject: Subject = { is: "workload", workload };
  const rows = WORKLOAD_ROWS.filter(({ applies }) => applies(workload)).map(
    ({ label, level, isAccepted: isWaived }) => ({
      isWaived: isWaived?.(workload) === true,
      judged: rated(label, typeof level === "function" ? level(workload) : level, subject),
    }),
  );
  const [first] = rows;
  if (first === undefined) throw new Error("the last row applies to every workload");
  if (!first.isWaived) return first.judged;
  // Whoever accepts one risk does not accept the others.
  const open = rows.find(({ isWaived, judged: { level } }) => !isWaived && level !== undefined && level !== "ok");
  return open?.judged ?? { ...first.judged, level: undefined };
}

function rolls({ action }: PlannedWorkload): boolean {
  return action === "Roll";
}

/** Whether someone gave a reason to ignore the finding. */
function isAccepted({ accepted = [] }: PlannedWorkload, id: string): boolean {
  return accepted.some((one) => one.id === id);
}

/** Whether it could hang, in any cluster, and someone gave a reason. */
function isStandstillAccepted(workload: PlannedWorkload): boolean {
  const { caveats } = workload;
  const hangs = caveats.some((caveat) => caveat.id === "RS015" && severityOf(caveat) !== "info");
  return rolls(workload) && hangs && isAccepted(workload, "RS015");
}

/** Whether it lost a source or key that pods need which this change starts. */
function startsWithoutSource({ action, lost = [], replicas }: PlannedWorkload): boolean {
  const isScaledUp = action === "Scale" && (replicas?.to ?? 0) > (replicas?.from ?? 0);
  return lost.length > 0 && (action === "Roll" || action === "Create" || isScaledUp);
}

/** Whether new pods lack a source or a port, and nobody accepted that. */
export function cannotStart(workload: PlannedWorkload): boolean {
  return losesPort(workload) || (startsWithoutSource(workload) && !isLossAccepted(workload));
}

/** Whether someone gave a reason for each source and key that is gone. */
function isLossAccepted(workload: PlannedWorkload): boolean {
  const { lost = [] } = workload;
  return lost.length > 0 && lost.every(({ keys }) => isAccepted(workload, keys.length === 0 ? "RS001" : "RS002"));
}

function sendsTo({ traffic }: PlannedWorkload): boolean {
  return traffic !== undefined && hasTraffic(traffic);
}

function deletedLevel({ leaves, isAccepted: isDeleteAccepted, isLast }: PlannedWorkload): Level | undefined {
  if (leaves === true || isDeleteAccepted === true) return undefined;
  return isLast === true ? "danger" : "attention";
}

/** How much the deletion of an object matters, by group and kind; other kinds are routine. */
const DELETED_OBJECTS: ReadonlyMap<string, Level> = new Map([
  ["/Service", "attention"],
  ["networking.k8s.io/Ingress", "attention"],
  ["extensions/Ingress", "attention"],
  ["autoscaling/HorizontalPodAutoscaler", "attention"],
  ["policy/PodDisruptionBudget", "attention"],
  ...[...LOSES_DATA].map((kind): [string, Level] => [kind, "danger"]),
]);

function kindOf({ apiVersion, kind }: PlannedObject): string {
  return kindKey({ group: groupOf(apiVersion), kind });
}

function judgedObject(object: PlannedObject): Judged {
  const subject: Subject = { is: "object", object };
  if (object.orphan === true) return rated("orphan", undefined, subject);
  if (object.held !== undefined) return rated("held", undefined, subject);
  if (object.refused !== undefined) return rated("refused", "refused", subject);
  const { isNeeded, usedBy, change } = object;
  const isUsed = usedBy !== undefined ? "attention" : undefined;
  const level =
    isNeeded === true ? "danger" : change === "Delete" ? (DELETED_OBJECTS.get(kindOf(object)) ?? isUsed) : undefined;
  if (level === undefined) return rated("other", object.loses === undefined ? "ok" : "attention", subject);
  return rated("deleted", object.leaves === true || object.isAccepted === true ? undefined : level, subject);
}

/** Findings that are rows of their own, if the base does not have them: by rule, or by rule and cause. */
const FINDING_ROWS: ReadonlyMap<string, { readonly label: Label; readonly level: Level }> = new Map([
  ["RS006", { label: "refused", level: "refused" }],
  ["RS026 noMatch", { label: "no-pods", level: "danger" }],
  ["RS026 noPort", { label: "no-pods", level: "danger" }],
  ["RS026 workloadDeleted", { label: "no-pods", level: "attention" }],
  ["changed-selector", { label: "no-pods", level: "attention" }],
  ["RS024", { label: "unrendered", level: "attention" }],
  // The source is here, and new pods wait for its key. RS001 may be about a source that only the cluster has.
  ["RS002", { label: "warning", level: "attention" }],
  ["RS010", { label: "warning", level: "attention" }],
  ["RS018", { label: "warning", level: "attention" }],
  ["RS027", { label: "warning", level: "attention" }],
  ["cross-application-change", { label: "warning", level: "attention" }],
  ["unrendered-application unknownUses", { label: "warning", level: "attention" }],
  ["deleted-volumes", { label: "warning", level: "danger" }],
  // The row of the workload says the other causes.
  ["lost-port unused", { label: "warning", level: "attention" }],
  ["leaving-copy", { label: "warning", level: "attention" }],
  ["released-rollout", { label: "warning", level: "attention" }],
  ["suspended-application", { label: "warning", level: "attention" }],
]);

/** The rules of such rows: whoever ignores one with a reason accepts it. What the API server refuses, nobody can accept. */
export const ACCEPTABLE_RULES: ReadonlySet<RuleId> = new Set(
  [...FINDING_ROWS]
    .filter(([, { level }]) => level !== "refused")
    .flatMap(([key]) => key.split(" ", 1))
    .filter(isRuleId),
);

function judgedFinding(finding: PlanFinding, workload?: PlannedWorkload): Judged[] {
  if (finding.before === true || finding.isNotApplied === true) return [];
  // The row of the workload says it.
  if (finding.id === "RS002" && workload?.lost !== undefined) return [];
  if (finding.id === "deleted-volumes" && workload?.isAccepted === true) return [];
  const subject: Subject = { is: "finding", finding, ...(workload === undefined ? {} : { workload }) };
  const row = FINDING_ROWS.get(`${finding.id} ${finding.cause}`) ?? FINDING_ROWS.get(finding.id);
  // The configuration can make a rule a note.
  const isRow = row !== undefined && severityOf(finding) !== "info";
  if (isRow) return [rated(row.label, finding.accepted === undefined ? row.level : undefined, subject)];
  return isError(finding) ? [rated("error", "danger", subject)] : [];
}
