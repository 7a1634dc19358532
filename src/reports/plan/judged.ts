import { compareBytes } from "../../base/digest/hash-v1.ts";
import { groupOf, kindKey } from "../../base/identity.ts";
import { isRuleId, type RuleId } from "../../findings/catalogue/catalogue.ts";
import { severityOf } from "../../findings/catalogue/finding.ts";
import { judgedWorkload, rated } from "./judged-workloads.ts";
import { LABELS, type Label } from "./labels.ts";
import { isApplied, isBroken, isError, isFailing } from "./counted.ts";
import type { Judged, Level, PlanReport, Subject } from "./plan-report.ts";
import type { PlanFinding, PlannedObject, PlannedWorkload } from "./planned-workload.ts";

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
    ...unread.map((file) => rated("unread", file.mayApply ? "attention" : undefined, { is: "unread", file })),
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

/** What sends traffic to pods, keeps their number, or is a volume, and what objects of other applications may name. */
const NEEDS_REVIEW: readonly string[] = [
  "/PersistentVolume",
  "/Service",
  "autoscaling/HorizontalPodAutoscaler",
  ...["ClusterIssuer", "Issuer"].map((kind) => `cert-manager.io/${kind}`),
  "extensions/Ingress",
  ...["ClusterSecretStore", "SecretStore"].map((kind) => `external-secrets.io/${kind}`),
  ...["GRPCRoute", "Gateway", "GatewayClass", "HTTPRoute", "TCPRoute", "TLSRoute"].map(
    (kind) => `gateway.networking.k8s.io/${kind}`,
  ),
  "keda.sh/ScaledObject",
  ...["Gateway", "VirtualService"].map((kind) => `networking.istio.io/${kind}`),
  ...["Ingress", "IngressClass"].map((kind) => `networking.k8s.io/${kind}`),
  "node.k8s.io/RuntimeClass",
  "policy/PodDisruptionBudget",
  "projectcontour.io/HTTPProxy",
  "route.openshift.io/Route",
  "scheduling.k8s.io/PriorityClass",
  "storage.k8s.io/StorageClass",
  ...["traefik.io", "traefik.containo.us"].map((group) => `${group}/IngressRoute`),
];

/** How much the deletion of an object matters, by group and kind; other kinds are routine. */
const DELETED_OBJECTS: ReadonlyMap<string, Level> = new Map([
  ...NEEDS_REVIEW.map((kind): [string, Level] => [kind, "attention"]),
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
  ["late-source", { label: "warning", level: "danger" }],
  // The row of the workload says the other causes.
  ["lost-port unused", { label: "warning", level: "attention" }],
  ["cannot-start later", { label: "warning", level: "attention" }],
  ["fewer-nodes", { label: "warning", level: "attention" }],
  ["leaving-copy", { label: "warning", level: "attention" }],
  ["unreadable-manifest becameTemplate", { label: "warning", level: "attention" }],
  ["unreadable-manifest changedTemplate", { label: "warning", level: "attention" }],
  ["lost-budget", { label: "warning", level: "attention" }],
  ["lost-request", { label: "warning", level: "attention" }],
  ["dropped-replicas", { label: "warning", level: "attention" }],
  ["released-rollout", { label: "warning", level: "attention" }],
  ["renamed-application", { label: "warning", level: "attention" }],
  ["taken-over", { label: "warning", level: "attention" }],
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
