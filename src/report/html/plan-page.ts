import { isNothing } from "../../examined/not-examined.ts";
import type { PlannedWorkload, PlanReport } from "../../plan/plan-report.ts";
import { ACTIONS } from "../plan-levels.ts";
import { beforeWords, summaryWords } from "../plan-words.ts";
import { element, type Html } from "./html.ts";
import { page } from "./page.ts";
import { notExaminedSection } from "./not-examined.ts";
import { PLAN_SCRIPT } from "./pages.js";
import { choice, compareNames, filterBar, searchField } from "./parts.ts";
import { workloadsSection } from "./plan-cards.ts";
import { causesOf, causesSection, sourceName, type Cause } from "./plan-causes.ts";
import { findingsList } from "./plan-findings.ts";

/** `plan -o html`: what rolls and why, as one page to read, search and print. */
export function planHtml(
  report: PlanReport,
  { title, verbose = false }: { readonly title: string; readonly verbose?: boolean },
): string {
  return page({ title, body: planBody(report, title, verbose), script: PLAN_SCRIPT });
}

function planBody(report: PlanReport, title: string, verbose: boolean): Html {
  const workloads = report.workloads;
  const causes = causesOf(workloads);
  const before = beforeWords(report);
  return element(
    "div",
    { class: "page plan" },
    element(
      "header",
      {},
      element("h1", {}, title),
      element("p", { class: "lead" }, summaryWords(report)),
      report.exceeded.map((limit) => element("p", { class: "exceeded" }, limit)),
      notExaminedSection(report, { command: "plan", verbose }),
      figures(report),
      filters(workloads, causes),
    ),
    element(
      "main",
      { class: causes.length === 0 ? undefined : "with-causes" },
      causes.length === 0 ? undefined : causesSection(causes),
      report.findings.length === 0
        ? undefined
        : element("section", {}, element("h2", {}, "Findings"), findingsList(report.findings)),
      before === undefined ? undefined : element("p", { class: "before" }, before),
      workloads.length === 0
        ? isNothing(report)
          ? undefined
          : element("p", {}, "Nothing changes.")
        : workloadsSection(workloads, causes),
    ),
  );
}

function figures({ summary }: PlanReport): Html {
  const rows: readonly (readonly [string, number, string])[] = [
    ["workloads", summary.workloads, ""],
    ["roll", summary.rolls, "roll"],
    ["fail to apply", summary.fails, "fail"],
    ["at their next run", summary.nextRuns, "next"],
    ["without effect", summary.noEffects, ""],
    ["created", summary.creates, ""],
    ["deleted", summary.deletes, ""],
    ["pods replaced", summary.pods, "roll"],
  ];
  return element(
    "dl",
    { class: "figures" },
    rows
      .filter(([label, n]) => n > 0 || label === "roll" || label === "pods replaced")
      .map(([label, n, kind]) =>
        element("div", { class: n === 0 ? "" : kind }, element("dt", {}, label), element("dd", {}, n)),
      ),
  );
}

function filters(workloads: readonly PlannedWorkload[], causes: readonly Cause[]): Html {
  const values = (of: (workload: PlannedWorkload) => readonly string[]): string[] =>
    [...new Set(workloads.flatMap(of))].sort(compareNames);
  const actions = ACTIONS.filter(({ action }) => workloads.some((workload) => workload.action === action));
  return filterBar(
    searchField("Search"),
    choice(
      "action",
      "Action",
      actions.map(({ action, word }) => ({ value: action, label: word })),
    ),
    choice(
      "namespace",
      "Namespace",
      values(({ namespace }) => [namespace]),
    ),
    choice(
      "kind",
      "Kind",
      values(({ kind }) => [kind]),
    ),
    choice(
      "cause",
      "Cause",
      causes.map(({ source }, i) => ({ value: String(i), label: sourceName(source) })),
    ),
    choice(
      "finding",
      "Finding",
      values(({ findings }) => findings.map(({ id }) => id)),
    ),
  );
}
