import { DONE, FOUND, type ExitStatus } from "../../base/errors.ts";
import { isRuleId, RULE_IDS, type RuleId } from "../../findings/catalogue/catalogue.ts";
import { isApplied, isError, isFailing, newFindings, refusedObjects } from "./counted.ts";
import { judgedOf, type Judgeable } from "./judged.ts";
import type { Label } from "./labels.ts";
import type { ExceededLimit, Gate, Judged, Level, PlanReport, RolloutPlan } from "./plan-report.ts";
import type { PlannedObject, PlannedWorkload } from "./planned-workload.ts";

/** The limits of a plan; undefined means no limit. */
export interface Limits {
  readonly maxWorkloads: number | undefined;
  readonly maxPods: number | undefined;
  /** How many workloads and PersistentVolumeClaims may be deleted. */
  readonly maxDeletes?: number | undefined;
  /** Patterns of deletions that the user accepts: `KIND/NAMESPACE/NAME`. */
  readonly acceptDeletes?: readonly string[];
  /** The rules for which a new finding sets the exit status, and the levels and labels that do. */
  readonly failOn: readonly FailOn[];
}

export type FailOn = RuleId | Gate;

/** From worst to best. */
const LEVELS: readonly Level[] = ["refused", "danger", "attention"];

/** The rows that each gate counts. A level includes the worse levels. */
const GATES: Readonly<Record<Gate, (judged: Judged) => boolean>> = {
  refused: reaches("refused"),
  danger: reaches("danger"),
  attention: reaches("attention"),
  outage: has("outage"),
  "may-stick": has("may-stick"),
  stale: has("stale"),
  deletes: has("deleted", "moved"),
  unrendered: has("unrendered"),
};

function reaches(level: Level): (judged: Judged) => boolean {
  const levels = LEVELS.slice(0, LEVELS.indexOf(level) + 1);
  return (judged) => judged.level !== undefined && levels.includes(judged.level);
}

/** Rows of some labels, unless they were accepted or are not applied. */
function has(...labels: readonly Label[]): (judged: Judged) => boolean {
  return ({ label, level }) => level !== undefined && labels.includes(label);
}

/** What --fail-on accepts besides rules. */
export const GATE_NAMES: readonly string[] = Object.keys(GATES);

function isGate(name: string): name is Gate {
  return GATE_NAMES.includes(name);
}

export const FAIL_ON: readonly string[] = [...GATE_NAMES, ...RULE_IDS];

/** Whether --fail-on accepts a value. */
export function isFailOn(name: string): name is FailOn {
  return isGate(name) || isRuleId(name);
}

/** What a plan is made of, as far as its limits count it. */
interface Counted {
  readonly summary: RolloutPlan["summary"];
  readonly deleted: readonly (PlannedWorkload | PlannedObject)[];
}

/** The limits that a plan exceeds, except --fail-on, which also counts what reading found. */
export function exceededLimits(
  { summary: { rolls, podsAtMost }, deleted }: Counted,
  { maxWorkloads = Infinity, maxPods = Infinity, maxDeletes = Infinity }: Limits,
): ExceededLimit[] {
  const deletes = deleted.filter(isCountedDelete).length;
  return [
    ...(rolls > maxWorkloads ? [{ limit: "maxWorkloads", actual: rolls, allowed: maxWorkloads } as const] : []),
    ...(podsAtMost > maxPods ? [{ limit: "maxPods", actual: podsAtMost, allowed: maxPods } as const] : []),
    ...(deletes > maxDeletes ? [{ limit: "maxDeletes", actual: deletes, allowed: maxDeletes } as const] : []),
  ];
}

/** Whether --max-deletes counts a deletion: workloads and claims, unless they stay or the user accepted it. */
function isCountedDelete(deleted: PlannedWorkload | PlannedObject): boolean {
  if (deleted.leaves === true || deleted.isAccepted === true || !isApplied(deleted)) return false;
  return "action" in deleted || (deleted.apiVersion === "v1" && deleted.kind === "PersistentVolumeClaim");
}

/** What --fail-on finds in a whole report. */
export function failedGates(report: Judgeable, failOn: readonly FailOn[]): ExceededLimit[] {
  if (failOn.length === 0) return [];
  const rows = judgedOf(report);
  const findings = newFindings(report);
  return failOn.flatMap((condition): ExceededLimit[] => {
    if (isGate(condition)) {
      const count = rows.filter(GATES[condition]).length;
      return count === 0 ? [] : [{ limit: "failOn", gate: condition, rows: count }];
    }
    const count = findings.filter(({ id }) => id === condition).length;
    return count === 0 ? [] : [{ limit: "failOn", rule: condition, findings: count }];
  });
}

/** 1 if something fails to apply or to render, a new finding is an error, or a limit is exceeded. */
export function planStatus(plan: RolloutPlan): ExitStatus {
  const isFailed = (plan.applications ?? []).some(isFailing);
  const isRefused = plan.summary.fails > 0 || refusedObjects(plan).length > 0;
  const isWrong = isRefused || isFailed || plan.exceeded.length > 0 || newFindings(plan).some(isError);
  return isWrong ? FOUND : DONE;
}

/** The values of --fail-on that block rows of a label. */
const BLOCKING: Partial<Record<Label, FailOn>> = {
  outage: "outage",
  "may-stick": "may-stick",
  moved: "deletes",
  deleted: "deletes",
};

/** The option that would block the first row, if the verdict is `danger` and nothing blocks it; undefined else. */
export function blockingOption(report: PlanReport): string | undefined {
  if (report.verdict === null) return undefined;
  const { level, because } = report.verdict;
  if (level !== "danger" || because.id !== "row" || planStatus(report) !== DONE) return undefined;
  const { label, subject } = because.row;
  const rule = subject.is === "finding" && isRuleId(subject.finding.id) ? subject.finding.id : undefined;
  return `--fail-on ${rule ?? BLOCKING[label] ?? "danger"}`;
}
