import type { PlannedSource, PlannedWorkload, Reason } from "../../plan/plan-report.ts";
import { element, type Html } from "./html.ts";

/** A source whose change rolls workloads: why is best asked of it, not of each workload. */
export interface Cause {
  readonly source: PlannedSource;
  readonly workloads: readonly PlannedWorkload[];
}

/** The causes of a plan; first the one that replaces the most pods. */
export function causesOf(workloads: readonly PlannedWorkload[]): Cause[] {
  const causes = new Map<string, { source: PlannedSource; workloads: PlannedWorkload[] }>();
  for (const workload of workloads) {
    for (const source of sourcesOf(workload.reasons)) {
      const name = sourceName(source);
      const known = causes.get(name);
      if (known === undefined) causes.set(name, { source, workloads: [workload] });
      else known.workloads.push(workload);
    }
  }
  return [...causes.values()].sort((a, b) => podsOf(b) - podsOf(a) || b.workloads.length - a.workloads.length);
}

function sourcesOf(reasons: readonly Reason[]): PlannedSource[] {
  const found = reasons.flatMap((reason) => (reason.type === "Source" ? [reason.source] : []));
  const told = new Set<string>();
  return found.filter((source) => !told.has(sourceName(source)) && told.add(sourceName(source)));
}

function podsOf({ workloads }: Cause): number {
  return workloads.reduce((sum, { pods }) => sum + pods, 0);
}

export function sourceName({ kind, namespace, name }: PlannedSource): string {
  return `${kind} ${namespace}/${name}`;
}

// Beyond these a plan is read by its filters.
const MOST_CAUSES = 12;

/** The table of causes, each a link to the workloads that it rolls. */
export function causesSection(causes: readonly Cause[]): Html {
  const rows = causes.map(causeRow);
  const rest = rows.slice(MOST_CAUSES);
  return element(
    "section",
    { class: "causes" },
    element("h2", {}, "Causes ", element("span", { class: "total" }, causes.length)),
    causesTable(rows.slice(0, MOST_CAUSES)),
    rest.length === 0
      ? undefined
      : element("details", {}, element("summary", {}, `${rest.length} more`), causesTable(rest)),
  );
}

function causesTable(rows: readonly Html[]): Html {
  const head = ["Changed source", "Workloads", "Pods"].map((text) => element("th", { scope: "col" }, text));
  return element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows));
}

function causeRow(cause: Cause, i: number): Html {
  const name = sourceName(cause.source);
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, element("a", { href: `#c${i}`, "data-cause": i }, name)),
    element("td", { class: "number" }, cause.workloads.length),
    element("td", { class: "number" }, podsOf(cause)),
  );
}
