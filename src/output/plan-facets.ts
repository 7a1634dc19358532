import { SAFETIES } from "../kubernetes/rollout/safety.ts";
import { causeKey, keyOfCause } from "../reports/plan/causes.ts";
import type { PlannedWorkload, PlanReport } from "../reports/plan/plan-report.ts";
import { plainText, type Block, type Facet, type Facets } from "./document/document.ts";
import { compareNames } from "./html/parts.ts";
import { ACTIONS, SAFETY_LABELS } from "./plan-levels.ts";
import { causeWords } from "./plan-words.ts";

/** The values by which a page filters a workload: those that a row shares, and its own. */
export interface PlanFacets {
  readonly shared: (workload: PlannedWorkload) => Facets;
  readonly individual: (workload: PlannedWorkload) => Facets;
}

export function planFacets({ causes, applications = [] }: PlanReport): PlanFacets {
  const numbers = new Map(causes.map((cause, i) => [keyOfCause(cause), String(i)]));
  const clusters = new Map(applications.map(({ name, cluster }) => [name, cluster]));
  const isNamed = applications.length > 1;
  return {
    shared: ({ action, safety, reasons }) => ({
      action: [action],
      safety: [safety],
      cause: [...new Set(reasons.map(causeKey))].flatMap((key) => numbers.get(key) ?? []),
    }),
    individual: ({ namespace, kind, application, findings }) => ({
      namespace: [namespace],
      kind: [kind],
      ...(application === undefined || !isNamed
        ? {}
        : { application: [application], cluster: asList(clusters.get(application)) }),
      finding: [...new Set(findings.map(({ id }) => id))],
    }),
  };
}

function asList(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

/** The filters of a plan; undefined if there is nothing to filter. */
export function planFilter(report: PlanReport): Block | undefined {
  const { workloads, causes } = report;
  if (workloads.length === 0) return undefined;
  const facets = planFacets(report);
  const values = (id: string): string[] =>
    [...new Set(workloads.flatMap((workload) => facets.individual(workload)[id] ?? []))].sort(compareNames);
  const named = (id: string, label: string): Facet => ({
    id,
    label,
    options: values(id).map((value) => ({ value, label: value })),
  });
  const has = (matches: (workload: PlannedWorkload) => boolean): boolean => workloads.some(matches);
  return {
    is: "filter",
    facets: [
      {
        id: "action",
        label: "Action",
        options: ACTIONS.filter(({ action }) => has((workload) => workload.action === action)).map(
          ({ action, label }) => ({ value: action, label }),
        ),
      },
      {
        id: "safety",
        label: "Safety",
        options: SAFETIES.filter((safety) => has((workload) => workload.safety === safety)).map((safety) => ({
          value: safety,
          label: SAFETY_LABELS[safety],
        })),
      },
      named("cluster", "Cluster"),
      named("application", "Application"),
      named("namespace", "Namespace"),
      named("kind", "Kind"),
      {
        id: "cause",
        label: "Cause",
        options: causes.map((cause, i) => ({ value: String(i), label: plainText(causeWords(cause)) })),
      },
      named("finding", "Finding"),
    ],
  };
}
