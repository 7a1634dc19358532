import { API_VERSION } from "../base/keys.ts";
import { describeFinding } from "../findings/catalogue/describe.ts";
import { jsonText } from "../findings/results/json-text.ts";
import { describeCaveat } from "../kubernetes/rollout/caveats.ts";
import type { Severity } from "../findings/catalogue/severity.ts";
import { isRuleId } from "../findings/catalogue/catalogue.ts";
import type { Level, PlannedLinks, PlannedRange, PlannedRevision, PlanReport } from "../reports/plan/plan-report.ts";
import type { AcceptedFinding, PlanFinding, PlannedWorkload } from "../reports/plan/planned-workload.ts";
import { sealedShard, type PlanShard } from "../reports/plan/shards.ts";
import { verdictText } from "./plan-verdict.ts";
import { becauseText, findingText, limitText, nextText } from "./plan-words.ts";

/** The shape of `plan -o json`. */
export interface PlanJson extends Omit<
  PlanReport,
  "verdict" | "workloads" | "findings" | "exceeded" | "compared" | "unread"
> {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: "RolloutPlan";
  /** Null if nothing was examined. */
  readonly verdict: { readonly level: Level; readonly text: string } | null;
  readonly workloads: readonly WorkloadJson[];
  readonly findings: readonly FindingJson[];
  /** Findings that their objects ignore with a reason; absent if there are none. */
  readonly accepted?: readonly AcceptedJson[];
  readonly exceeded: readonly string[];
  readonly repository?: string;
  readonly base?: PlannedRevision;
  readonly head?: PlannedRevision;
  readonly links?: PlannedLinks;
  readonly unread?: readonly string[];
  readonly shard?: PlanShard;
}

export interface WorkloadJson extends Omit<PlannedWorkload, "because" | "next" | "caveats" | "findings"> {
  readonly because?: string;
  readonly next?: string;
  readonly caveats: readonly { readonly id: string; readonly message: string }[];
  readonly findings: readonly FindingJson[];
}

/** A finding that its object ignores with a reason. */
export interface AcceptedJson extends AcceptedFinding {
  readonly message: string;
  readonly application?: string;
}

export interface FindingJson {
  readonly id: string;
  readonly severity: Severity;
  readonly message: string;
  readonly remedy?: string;
  readonly before?: true;
  readonly application?: string;
}

/** `plan -o json` (contract, section 8; schemas/plan.json): the data of a plan, with words where the contract has them. */
export function planJson(report: PlanReport, shard?: PlanShard): string {
  const { verdict, compared, summary, workloads, findings, exceeded, unread, examined, notExamined, ...plan } = report;
  const shape: PlanJson = {
    apiVersion: API_VERSION,
    kind: "RolloutPlan",
    verdict: verdict && { level: verdict.level, text: verdictText({ ...report, verdict }) },
    ...(compared === undefined ? {} : comparedShape(compared)),
    summary,
    ...plan,
    ...(unread === undefined ? {} : { unread: unread.map(({ path }) => path) }),
    workloads: workloads.map(workloadShape),
    findings: findings.filter(isOpen).map(findingShape),
    ...acceptedShape(findings),
    exceeded: exceeded.map(limitText),
    examined,
    notExamined,
  };
  const json = jsonText(shape, 2);
  if (shard === undefined) return `${json}\n`;
  // Only `plan --merge` reads the data of a shard, which is long: it is one line.
  return `${json.slice(0, -"\n}".length)},\n  "shard": ${jsonText(sealedShard(shard))}\n}\n`;
}

function comparedShape({ repository, base, head, links }: PlannedRange): Partial<PlanJson> {
  return { repository, base, head, ...(links === undefined ? {} : { links }) };
}

function workloadShape({
  because,
  next,
  caveats,
  findings,
  accepted = [],
  ...workload
}: PlannedWorkload): WorkloadJson {
  const all = [...accepted, ...findings.flatMap(acceptedOf)];
  return {
    ...workload,
    ...(all.length === 0 ? {} : { accepted: all }),
    ...(because === undefined ? {} : { because: becauseText(because) }),
    ...(next === undefined ? {} : { next: nextText(next) }),
    caveats: caveats.map((caveat) => ({ id: caveat.id, message: describeCaveat(caveat) })),
    findings: findings.filter(isOpen).map(findingShape),
  };
}

function isOpen({ accepted }: PlanFinding): boolean {
  return accepted === undefined;
}

function acceptedOf({ id, accepted }: PlanFinding): readonly AcceptedFinding[] {
  return accepted === undefined || !isRuleId(id) ? [] : [{ id, reason: accepted }];
}

function acceptedShape(findings: readonly PlanFinding[]): Pick<PlanJson, "accepted"> {
  const accepted = findings.flatMap((finding) => {
    const { application } = finding;
    const named = application === undefined ? {} : { application };
    return acceptedOf(finding).map((one): AcceptedJson => ({ ...one, message: findingText(finding), ...named }));
  });
  return accepted.length === 0 ? {} : { accepted };
}

function findingShape(finding: PlanFinding): FindingJson {
  const { before, application } = finding;
  const { id, severity, remedy } = describeFinding(finding);
  return {
    id,
    severity,
    message: findingText(finding),
    ...(remedy === undefined ? {} : { remedy }),
    ...(before === undefined ? {} : { before }),
    ...(application === undefined ? {} : { application }),
  };
}
