import type { PlanReport } from "../../plan/plan-report.ts";
import {
  applicationCounts,
  applicationRows,
  applicationTitle,
  failedApplications,
  rowNotes,
} from "../plan-application-words.ts";
import { element, type Html } from "./html.ts";

/** The applications that can't be rendered: first of all, as nobody knows what becomes of them. */
export function failedSection(report: PlanReport): Html | undefined {
  const failed = failedApplications(report);
  if (failed.length === 0) return undefined;
  return element(
    "section",
    { id: "failed", "aria-labelledby": "failed-title" },
    element("h2", { id: "failed-title" }, "Can't be rendered ", element("span", { class: "total" }, failed.length)),
    element(
      "ul",
      { class: "findings" },
      failed.map((application) =>
        element(
          "li",
          { class: "error" },
          element("span", { class: "rule" }, applicationTitle(application)),
          ` ${application.message ?? ""}`,
        ),
      ),
    ),
  );
}

/** What each application comes to, where there are several. */
export function applicationsSection(report: PlanReport): Html | undefined {
  const counts = applicationCounts(report);
  if (counts === undefined) return undefined;
  const rows = applicationRows(report);
  return element(
    "section",
    { id: "applications", class: "applications", "aria-labelledby": "applications-title" },
    element("h2", { id: "applications-title" }, "Applications"),
    element("p", { class: "lead" }, `${counts}.`),
    rows.length === 0 ? undefined : table(rows),
  );
}

function table(rows: ReturnType<typeof applicationRows>): Html {
  const head = ["Application", "Workloads", "Pods"].map((text) => element("th", { scope: "col" }, text));
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, head)),
    element(
      "tbody",
      {},
      rows.map((row) => {
        const notes = rowNotes(row);
        return element(
          "tr",
          {},
          element("th", { scope: "row" }, element("code", {}, row.application.name), notes === "" ? "" : ` ${notes}`),
          element("td", { class: "number" }, row.workloads),
          element("td", { class: "number" }, row.pods),
        );
      }),
    ),
  );
}
