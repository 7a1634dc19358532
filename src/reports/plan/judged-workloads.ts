import { severityOf } from "../../findings/catalogue/finding.ts";
import { hasTraffic } from "../../kubernetes/rollout/traffic.ts";
import type { Label } from "./labels.ts";
import type { Judged, Level, Subject } from "./plan-report.ts";
import type { PlannedWorkload } from "./planned-workload.ts";
import { isRoutine } from "./routine.ts";

// What a plan says about its workloads.

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
      cannotRun(workload) ||
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

export function judgedWorkload(workload: PlannedWorkload): Judged {
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

/** Whether no new pod of a workload that rolls becomes available, because of what its template says. */
function cannotRun({ action, findings }: PlannedWorkload): boolean {
  if (action !== "Roll") return false;
  return findings.some(
    ({ id, cause }) => (id === "lost-port" && cause !== "unused") || (id === "cannot-start" && cause === "stuck"),
  );
}

/** Whether new pods cannot start or never become ready, and nobody accepted that. */
export function cannotStart(workload: PlannedWorkload): boolean {
  return cannotRun(workload) || (startsWithoutSource(workload) && !isLossAccepted(workload));
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

/** A subject with what a report says about it. */
export function rated(label: Label, level: Level | undefined, subject: Subject): Judged {
  return { label, level, subject };
}
