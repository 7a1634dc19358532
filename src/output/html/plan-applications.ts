import type { PlanReport } from "../../reports/plan/plan-report.ts";
import {
  applicationCounts,
  applicationRows,
  clusterRows,
  FAILED_BEFORE,
  failedGroups,
  type ApplicationRow,
  type ClusterRows,
} from "../plan-application-words.ts";
import { element, type Child, type Html } from "./html.ts";
import type { Places } from "./plan-causes.ts";

/** The applications that can't be rendered: first of all, as nobody knows what becomes of them. */
export function failedSection(report: PlanReport): Html | undefined {
  const groups = failedGroups(report);
  if (groups.length === 0) return undefined;
  const failed = (report.applications ?? []).filter(({ status }) => status === "Failed").length;
  return element(
    "section",
    { id: "failed", "aria-labelledby": "failed-title" },
    element("h2", { id: "failed-title" }, "Can't be rendered ", element("span", { class: "total" }, failed)),
    element(
      "ul",
      { class: "findings" },
      groups.map(({ title, names, message, isBefore }) => {
        const [first = "", ...others] = message.split("\n");
        return element(
          "li",
          { class: "error" },
          element("span", { class: "rule" }, title),
          isBefore ? ` (${FAILED_BEFORE})` : undefined,
          ` ${first}`,
          others.map((words) => element("div", {}, words)),
          names.length === 0
            ? undefined
            : element("details", {}, element("summary", {}, "Which"), element("p", {}, names.join(", "))),
        );
      }),
    ),
  );
}

/** What each application comes to, where there are several: by cluster, each a link that leaves only its workloads. */
export function applicationsSection(report: PlanReport, places: Places): Html | undefined {
  const counts = applicationCounts(report);
  if (counts === undefined) return undefined;
  const clusters = clusterRows(applicationRows(report));
  return element(
    "section",
    { id: "applications", class: "applications", "aria-labelledby": "applications-title" },
    element("h2", { id: "applications-title" }, "Applications"),
    element("p", { class: "lead" }, `${counts}.`),
    clusters.map((cluster) => clusterTable(cluster, places)),
  );
}

// Beyond these, a person looks for one by its name.
const MOST_ROWS = 12;

function clusterTable({ cluster, rows, workloads, pods }: ClusterRows, places: Places): Html {
  const lines = rows.map((row) => applicationLine(row, places));
  const rest = lines.slice(MOST_ROWS);
  const first = rows.map(({ application }) => places.firstOf(application.name)).find((id) => id !== undefined);
  const head = cluster === undefined ? undefined : line(["cluster ", link("cluster", cluster, first)], workloads, pods);
  return element(
    "div",
    { class: "cluster" },
    table(head, lines.slice(0, MOST_ROWS)),
    rest.length === 0
      ? undefined
      : element("details", {}, element("summary", {}, `${rest.length} more`), table(undefined, rest)),
  );
}

function table(head: Html | undefined, lines: readonly Html[]): Html {
  const columns = ["Application", "Workloads", "Pods"].map((text) => element("th", { scope: "col" }, text));
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, columns)),
    head === undefined ? undefined : element("tbody", { class: "cluster-sum" }, head),
    element("tbody", {}, lines),
  );
}

function applicationLine(row: ApplicationRow, places: Places): Html {
  const { name, change } = row.application;
  const label = [
    link("application", name, places.firstOf(name)),
    change === undefined ? "" : ` ${change.toLowerCase()}`,
  ];
  return line(label, row.workloads, row.pods);
}

function line(label: Child, workloads: number, pods: number): Html {
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, label),
    element("td", { class: "number" }, workloads),
    element("td", { class: "number" }, pods),
  );
}

/** A name that filters; without a script it leads to its first workload. Without any there is nothing to see. */
function link(filter: "application" | "cluster", name: string, first: string | undefined): Html {
  const label = element("code", {}, name);
  return first === undefined
    ? label
    : element("a", { href: `#${first}`, "data-filter": filter, "data-value": name }, label);
}
