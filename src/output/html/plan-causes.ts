import { causeKey, keyOfCause } from "../../reports/plan/causes.ts";
import type { Cause, PlannedWorkload, RolloutPlan } from "../../reports/plan/plan-report.ts";
import { causeWords } from "../plan-row-words.ts";
import { BREAK, element, type Child, type Html } from "./html.ts";
import { shown } from "./plan-reasons.ts";

/** Where things stand in a page: the ids of workloads, and the numbers of the causes by which each changes. */
export interface Places {
  readonly idOf: (workload: PlannedWorkload) => string;
  readonly causesOf: (workload: PlannedWorkload) => readonly number[];
  /** The ids that links of causes lead to: those of the causes of which it is the first workload in the page. */
  readonly anchorsOf: (workload: PlannedWorkload) => readonly string[];
  /** Its application and that one's cluster, as a filter has them; nothing where a plan is over one application. */
  readonly applicationOf: (workload: PlannedWorkload) => {
    readonly [name in "data-application" | "data-cluster"]?: string;
  };
  /** The id of the first workload of an application in the page. */
  readonly firstOf: (application: string) => string | undefined;
}

/** The places of a plan. `inOrder` are its workloads as the page has them. */
export function placesOf(
  { workloads, causes, applications = [] }: RolloutPlan,
  inOrder: readonly PlannedWorkload[],
): Places {
  const ids = new Map(workloads.map((workload, at) => [workload, `w${at}`]));
  const numbers = new Map(causes.map((cause, at) => [keyOfCause(cause), at]));
  const own = new Map<PlannedWorkload, readonly number[]>();
  const anchors = new Map<PlannedWorkload, string[]>();
  const met = new Set<number>();
  const clusters = new Map(applications.map(({ name, cluster }) => [name, cluster]));
  const firsts = new Map<string, string>();
  for (const workload of inOrder) {
    const found = [...new Set(workload.reasons.map(causeKey))].flatMap((key) => numbers.get(key) ?? []);
    own.set(workload, found);
    anchors.set(
      workload,
      found.filter((at) => !met.has(at)).map((at) => `c${at}`),
    );
    for (const at of found) met.add(at);
    const { application } = workload;
    if (application !== undefined && !firsts.has(application)) firsts.set(application, ids.get(workload) ?? "");
  }
  return {
    idOf: (workload) => ids.get(workload) ?? "",
    causesOf: (workload) => own.get(workload) ?? [],
    anchorsOf: (workload) => anchors.get(workload) ?? [],
    applicationOf: ({ application }) => {
      if (application === undefined || applications.length < 2) return {};
      const cluster = clusters.get(application);
      return { "data-application": application, ...(cluster === undefined ? {} : { "data-cluster": cluster }) };
    },
    firstOf: (application) => firsts.get(application),
  };
}

// Beyond these a plan is read by its filters.
const MOST_CAUSES = 12;

/** The table of causes, each a link to the workloads that it changes; what replaces the most pods first. */
export function causesSection(causes: readonly Cause[]): Html {
  const rows = causes.map(causeRow);
  const rest = rows.slice(MOST_CAUSES);
  return element(
    "section",
    { class: "causes", "aria-labelledby": "causes-title" },
    element("h2", { id: "causes-title" }, "Causes ", element("span", { class: "total" }, causes.length)),
    causesTable(rows.slice(0, MOST_CAUSES)),
    rest.length === 0
      ? undefined
      : element("details", {}, element("summary", {}, `${rest.length} more`), causesTable(rest)),
  );
}

function causesTable(rows: readonly Html[]): Html {
  const head = ["Changed source or field", "Workloads", "Pods"].map((text) => element("th", { scope: "col" }, text));
  return element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows));
}

function causeRow(cause: Cause, i: number): Html {
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, element("a", { href: `#c${i}`, "data-cause": i }, causeLabel(cause))),
    element("td", { class: "number" }, cause.workloads),
    element("td", { class: "number" }, cause.pods),
  );
}

/** A path breaks behind its parts: the column is narrow. */
function causeLabel(cause: Cause): Child {
  if (cause.source !== undefined) return shown(causeWords(cause));
  const parts = cause.path.split(/(?<=[./\]])(?=.)/u);
  return element(
    "code",
    {},
    parts.map((part, i) => (i === 0 ? part : [BREAK, part])),
  );
}
