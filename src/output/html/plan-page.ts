import { isNothing } from "../../findings/not-examined/not-examined.ts";
import type { PlanFinding, PlannedWorkload, PlanReport } from "../../reports/plan/plan-report.ts";
import { ACTIONS, LEVEL_TONES, SAFETY_WORDS } from "../plan-levels.ts";
import { planRows, type RowGroup } from "../plan-rows.ts";
import { causeWords, hasCausesTable } from "../plan-row-words.ts";
import { beforeWords, plainWords, summaryWords } from "../plan-words.ts";
import { upgradeWords } from "../upgrade-words.ts";
import { SAFETIES } from "../../kubernetes/rollout/safety.ts";
import { element, type Html } from "./html.ts";
import { page } from "./page.ts";
import { notExaminedSection } from "./not-examined.ts";
import { PLAN_SCRIPT } from "./pages.js";
import { choice, compareNames, filterBar, searchField } from "./parts.ts";
import { applicationsSection, failedSection } from "./plan-applications.ts";
import { card } from "./plan-cards.ts";
import { causesSection, placesOf, type Places } from "./plan-causes.ts";
import { messageAlone } from "../plan-finding-groups.ts";
import { findingsList } from "./plan-findings.ts";
import { groupCard } from "./plan-groups.ts";
import { levelMark } from "./plan-marks.ts";
import { shown } from "./plan-reasons.ts";
import { tiles } from "./plan-tiles.ts";

/** `plan -o html`: whether it may go on, what rolls and why, as one page to read, search and print. */
export function planHtml(
  report: PlanReport,
  { title, verbose = false }: { readonly title: string; readonly verbose?: boolean },
): string {
  return page({ title, body: planBody(report, title, verbose), script: PLAN_SCRIPT });
}

/** In the order in which a reviewer asks: may it go on, what fails, what is risky, what is it for, what else. */
function planBody(report: PlanReport, title: string, verbose: boolean): Html {
  const { own, groups } = planRows(report);
  const places = placesOf(report, [...own, ...groups.flatMap(({ workloads }) => workloads)]);
  const hasCauses = hasCausesTable(report);
  const before = beforeWords(report);
  const errors = report.findings.filter(isError);
  const others = report.findings.filter((finding) => !isError(finding));
  return element(
    "div",
    { class: "page plan" },
    element(
      "header",
      {},
      element("h1", {}, title),
      verdict(report),
      tiles(report, places.idOf),
      report.exceeded.map((limit) => element("p", { class: "exceeded" }, `Over the limit: ${limit}`)),
      lead(report),
      upgradeLines(report),
      notExaminedSection(report, { command: "plan", verbose }),
      filters(report),
    ),
    element(
      "main",
      { class: hasCauses ? "with-causes" : undefined },
      element(
        "div",
        { class: "first" },
        failedSection(report),
        findingsSection("Errors", "errors", errors),
        rowsSection(
          "Look at these",
          "own",
          own.map((workload) => card(workload, places)),
          own.length,
        ),
      ),
      hasCauses
        ? element("div", { class: "aside" }, causesSection(report.causes), applicationsSection(report, places))
        : undefined,
      element(
        "div",
        { class: "rest" },
        groupsSection(
          "Rolls safely",
          "safe",
          groups.filter(({ action }) => action === "Roll"),
          places,
        ),
        groupsSection(
          "Without a rollout",
          "others",
          groups.filter(({ action }) => action !== "Roll"),
          places,
        ),
        hasCauses ? undefined : applicationsSection(report, places),
        findingsSection("Findings", "findings", others),
        before === undefined ? undefined : element("p", { class: "before" }, before),
        report.workloads.length === 0 && !isNothing(report)
          ? element("p", {}, report.summary.otherObjects === 0 ? "Nothing changes." : "No workload changes.")
          : undefined,
      ),
    ),
  );
}

/** What to do stands out; the sign says it to who doesn't read, the words to who sees no sign. */
function verdict({ verdict: { level, text } }: PlanReport): Html {
  const [what, ...behind] = text.split(": ");
  return element(
    "p",
    { class: `verdict ${LEVEL_TONES[level]}` },
    levelMark(level),
    " ",
    element("strong", {}, `${what}${behind.length > 0 ? ":" : ""}`),
    behind.length > 0 ? ` ${behind.join(": ")}` : "",
  );
}

/** The plan in one sentence, where the tiles don't tell it all. */
function lead(report: PlanReport): Html | undefined {
  const { nextRuns, noEffects, reloads, creates, deletes } = report.summary;
  const waiting = report.schedule?.waiting ?? 0;
  if (nextRuns + noEffects + reloads + creates + deletes + waiting === 0 && !isNothing(report)) return undefined;
  return element("p", { class: "lead" }, summaryWords(report));
}

/** Which versions of a chart are compared, and what of that is needless. */
function upgradeLines({ upgrade }: PlanReport): Html | undefined {
  if (upgrade === undefined) return undefined;
  const lines = upgradeWords(upgrade).map((words) => element("li", {}, shown(words)));
  return element("ul", { class: "upgrade" }, lines);
}

function isError({ severity, before }: PlanFinding): boolean {
  return severity === "error" && before !== true;
}

function groupsSection(title: string, id: string, groups: readonly RowGroup[], places: Places): Html | undefined {
  return rowsSection(
    title,
    id,
    groups.flatMap((group) => groupCard(group, places) ?? []),
    groups.reduce((sum, { workloads }) => sum + workloads.length, 0),
  );
}

function rowsSection(title: string, id: string, rows: readonly Html[], workloads: number): Html | undefined {
  if (rows.length === 0) return undefined;
  return element(
    "section",
    { id, class: "rows", "aria-labelledby": `${id}-title` },
    element("h2", { id: `${id}-title` }, `${title} `, element("span", { class: "total" }, workloads)),
    element("ul", { class: "cards", role: "list" }, rows),
  );
}

function findingsSection(title: string, id: string, findings: readonly PlanFinding[]): Html | undefined {
  if (findings.length === 0) return undefined;
  return element(
    "section",
    { "aria-labelledby": `${id}-title` },
    element("h2", { id: `${id}-title` }, `${title} `, element("span", { class: "total" }, findings.length)),
    findingsList(findings, messageAlone),
  );
}

function filters({ workloads, causes, applications = [] }: PlanReport): Html | undefined {
  if (workloads.length === 0) return undefined;
  const clusters = new Map<string | undefined, string | undefined>(
    applications.map(({ name, cluster }) => [name, cluster]),
  );
  const values = (of: (workload: PlannedWorkload) => string | readonly string[]): string[] =>
    [...new Set(workloads.flatMap(of))].sort(compareNames);
  const actions = ACTIONS.filter(({ action }) => workloads.some((workload) => workload.action === action));
  const safeties = SAFETIES.filter((safety) => workloads.some((workload) => workload.safety === safety));
  return filterBar(
    searchField("Search"),
    choice(
      "action",
      "Action",
      actions.map(({ action, word }) => ({ value: action, label: word })),
    ),
    choice(
      "safety",
      "Safety",
      safeties.map((safety) => ({ value: safety, label: SAFETY_WORDS[safety] })),
    ),
    choice(
      "cluster",
      "Cluster",
      values(({ application }) => clusters.get(application) ?? []),
    ),
    choice(
      "application",
      "Application",
      values(({ application }) => application ?? []),
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
      causes.map((cause, i) => ({ value: String(i), label: plainWords(causeWords(cause)) })),
    ),
    choice(
      "finding",
      "Finding",
      values(({ findings }) => findings.map(({ id }) => id)),
    ),
  );
}
