import { facet, inOneLine, plainText } from "./document/blocks.ts";
import { groupedBy, sumOf } from "../base/grouped.ts";
import { compareBytes } from "../base/digest/hash-v1.ts";
import { LABELS } from "../reports/plan/labels.ts";
import type { Rolls } from "../reports/plan/plan-report.ts";
import type { PlannedObject, PlannedWorkload } from "../reports/plan/planned-workload.ts";
import type { PlannedApplication } from "../reports/plan/planned-application.ts";
import { causesOfWorkload, joinedCauses, type KeyedCause, type RowCause } from "../reports/plan/rows/row-causes.ts";
import { workloadsOf } from "../reports/plan/rows/report-rows.ts";
import type { ReportRow } from "../reports/plan/rows/row-types.ts";
import type { Facet, Facets, Filter } from "./document/document.ts";
import { causeLine } from "./plan-causes.ts";
import { labelWord } from "./plan-labels.ts";

/** A cause of the whole plan, and how much it changes. */
export interface CauseSum {
  readonly cause: RowCause;
  readonly workloads: number;
  readonly pods: number;
}

/** The values by which a page filters rows and their names. */
export interface PlanFacets {
  readonly ofRow: (row: ReportRow) => Facets;
  readonly ofObjects: (objects: readonly (PlannedWorkload | PlannedObject)[]) => Facets;
  /** The causes of all rows, the one that replaces the most pods first. A facet has their places in this list. */
  readonly causes: readonly CauseSum[];
}

/** For forms without a filter. */
export const NO_FACETS: PlanFacets = { ofRow: () => ({}), ofObjects: () => ({}), causes: [] };

export function planFacets(rows: readonly ReportRow[], applications: readonly PlannedApplication[]): PlanFacets {
  const removed = new Set(applications.flatMap(({ name, change }) => (change === "Removed" ? [name] : [])));
  const isRemoved = (name: string): boolean => removed.has(name);
  const clusters = new Map(applications.map(({ name, cluster }) => [name, cluster]));
  const isNamed = applications.length > 1;
  const causes = causeSums(rows, isRemoved);
  const places = new Map(causes.map(({ key }, i) => [key, String(i)]));
  const valuesOf = (object: PlannedWorkload | PlannedObject): Facets => {
    const { namespace, kind, application } = object;
    return {
      kind: [kind],
      namespace: namespace === "" ? [] : [namespace],
      application: application === undefined || !isNamed ? [] : [application],
      cluster: isNamed ? [clusters.get(application ?? "") ?? []].flat() : [],
      cause: "reasons" in object ? causesOfWorkload(object, isRemoved).flatMap(({ key }) => places.get(key) ?? []) : [],
      finding: "findings" in object ? object.findings.map(({ id }) => id) : [],
    };
  };
  return {
    ofRow: ({ label }) => ({ label: [label] }),
    ofObjects: (objects) => mergedFacets(objects.map(valuesOf)),
    causes,
  };
}

function causeSums(
  rows: readonly ReportRow[],
  isRemoved: (name: string) => boolean,
): readonly (CauseSum & KeyedCause)[] {
  const all = rows.flatMap((row) => (row.is === "workloads" ? workloadsOf(row) : []));
  const keyed = all.flatMap((workload) =>
    causesOfWorkload(workload, isRemoved).map((keyedCause) => ({ workload, keyedCause })),
  );
  const groups = groupedBy(keyed, ({ keyedCause }) => keyedCause.key);
  return joinedCauses(keyed.map(({ keyedCause }) => keyedCause))
    .map(({ key, cause }) => ({ key, cause, ...replacedBy((groups.get(key) ?? []).map(({ workload }) => workload)) }))
    .sort((a, b) => b.pods - a.pods || b.workloads - a.workloads || compareBytes(a.key, b.key));
}

/** How many workloads there are, and how many pods they replace. */
export function replacedBy(workloads: readonly PlannedWorkload[]): Rolls {
  return { workloads: workloads.length, pods: sumOf(workloads, ({ action, pods }) => (action === "Roll" ? pods : 0)) };
}

/** All values of several facets. */
export function mergedFacets(all: readonly Facets[]): Facets {
  const merged = new Map<string, Set<string>>();
  for (const facets of all) {
    for (const [id, values] of Object.entries(facets)) {
      const known = merged.get(id) ?? new Set();
      merged.set(id, known);
      for (const value of values) known.add(value);
    }
  }
  return Object.fromEntries([...merged].map(([id, values]) => [id, [...values]]));
}

/** The choices of a page, from the facets of its rows and names. */
export function planFilter(all: Facets, causes: readonly CauseSum[]): Filter {
  const values = (id: string): readonly string[] => all[id] ?? [];
  const named = (id: string, label: string): Facet => facet(id, label, values(id));
  const labels = LABELS.filter((label) => values("label").includes(label));
  return {
    is: "filter",
    facets: [
      {
        id: "label",
        label: "What happens",
        options: labels.map((label) => ({ value: label, label: labelWord(label) })),
      },
      named("cluster", "Cluster"),
      named("application", "Application"),
      named("namespace", "Namespace"),
      named("kind", "Kind"),
      {
        id: "cause",
        label: "Cause",
        options: causes.map(({ cause }, i) => ({ value: String(i), label: plainText(inOneLine(causeLine(cause))) })),
      },
      named("finding", "Finding"),
    ],
  };
}
