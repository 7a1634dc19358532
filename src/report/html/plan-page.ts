import type {
  PlanFinding,
  PlannedSource,
  PlannedStrategy,
  PlannedWorkload,
  PlanReport,
  Reason,
} from "../../plan/plan-report.ts";
import {
  ACTIONS,
  actionWord,
  becauseOf,
  inOrder,
  reasonWords,
  strategyWords,
  summaryWords,
  type Words,
} from "../plan-words.ts";
import { counted } from "../../ground/words.ts";
import { element, type Child, type Html } from "./html.ts";
import { page } from "./page.ts";
import { PLAN_SCRIPT } from "./pages.js";
import { choice, compareNames, filterBar, searchField } from "./parts.ts";

/** `plan -o html`: what rolls and why, as one page to read, search and print. */
export function planHtml(report: PlanReport, { title }: { readonly title: string }): string {
  return page({ title, body: planBody(report, title), script: PLAN_SCRIPT });
}

function planBody(report: PlanReport, title: string): Html {
  const workloads = inOrder(report.workloads);
  const causes = causesOf(workloads);
  return element(
    "div",
    { class: "page plan" },
    element(
      "header",
      {},
      element("h1", {}, title),
      element("p", { class: "lead" }, summaryWords(report)),
      report.exceeded.map((limit) => element("p", { class: "exceeded" }, limit)),
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
      workloads.length === 0 ? element("p", {}, "Nothing changes.") : workloadsSection(workloads, causes),
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

/** A source whose change rolls workloads: why is best asked of it, not of each workload. */
interface Cause {
  readonly source: PlannedSource;
  readonly workloads: readonly PlannedWorkload[];
}

function causesOf(workloads: readonly PlannedWorkload[]): Cause[] {
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
  return found.filter((source, i) => found.findIndex((other) => sourceName(other) === sourceName(source)) === i);
}

function podsOf({ workloads }: Cause): number {
  return workloads.reduce((sum, { pods }) => sum + pods, 0);
}

function sourceName({ kind, namespace, name }: PlannedSource): string {
  return `${kind} ${namespace}/${name}`;
}

// Beyond these a plan is read by its filters.
const MOST_CAUSES = 12;

function causesSection(causes: readonly Cause[]): Html {
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

function workloadsSection(workloads: readonly PlannedWorkload[], causes: readonly Cause[]): Html {
  const places = new Map(workloads.map((workload) => [workload, new Set<number>()]));
  causes.forEach((cause, i) => {
    for (const workload of cause.workloads) places.get(workload)?.add(i);
  });
  return element(
    "section",
    { id: "workloads", "aria-labelledby": "workloads-title" },
    element("h2", { id: "workloads-title" }, "Workloads ", element("span", { class: "total" }, workloads.length)),
    element(
      "ul",
      { class: "cards", role: "list" },
      workloads.map((workload, at) => {
        const own = [...(places.get(workload) ?? [])];
        // A link from a cause leads to the first workload that it rolls: without a script that is its filter.
        return card(
          workload,
          at,
          own,
          own.filter((i) => causes[i]?.workloads[0] === workload),
        );
      }),
    ),
  );
}

function card(workload: PlannedWorkload, at: number, places: readonly number[], anchors: readonly number[]): Html {
  const { kind, namespace, name, action, reasons, findings } = workload;
  const how = strategyWords(workload);
  const because = becauseOf(workload);
  return element(
    "li",
    {
      id: `w${at}`,
      class: `card ${action.toLowerCase()}`,
      "data-action": action,
      "data-namespace": namespace,
      "data-kind": kind,
      "data-causes": places.join(" "),
      "data-findings": findings.map(({ id }) => id).join(" "),
    },
    anchors.map((i) => element("span", { id: `c${i}` })),
    element(
      "h3",
      {},
      element("span", { class: "action" }, actionWord(action)),
      " ",
      element(
        "a",
        { href: `#w${at}`, class: "name" },
        element("span", { class: "kind" }, kind),
        " ",
        element("span", { class: "namespace" }, `${namespace}/`),
        element("span", { class: "own" }, name),
      ),
    ),
    how === undefined
      ? undefined
      : element("div", { class: "how" }, bar(workload.strategy, workload.pods), element("span", {}, shown(how))),
    because === undefined ? undefined : element("p", { class: "because" }, because),
    renamed(workload),
    reasons.length === 0
      ? undefined
      : element(
          "ul",
          { class: "reasons" },
          reasons.map((reason) => reasonItem(reason, namespace)),
        ),
    findings.length === 0 ? undefined : findingsList(findings),
  );
}

function renamed({ renamedFrom, renamedTo }: PlannedWorkload): Html | undefined {
  if (renamedFrom !== undefined)
    return element("p", { class: "because" }, "seems to be ", element("code", {}, renamedFrom), " under a new name");
  if (renamedTo !== undefined)
    return element("p", { class: "because" }, "seems to be created as ", element("code", {}, renamedTo));
  return undefined;
}

const MOST_BLOCKS = 24;
const BLOCK = 9;

/** The pods as blocks: those that stay available, those that may be missing, those that come on top. */
function bar(strategy: PlannedStrategy | null, pods: number): Html | undefined {
  if (strategy === null || pods === 0) return undefined;
  const { replicas, minAvailable, maxTotal } = strategy;
  if (replicas === null || minAvailable === null || maxTotal === null || maxTotal > MOST_BLOCKS) return undefined;
  const blocks = Array.from({ length: maxTotal }, (_, i) => {
    const sort = i < minAvailable ? "stays" : i < replicas ? "missing" : "extra";
    return element("rect", { class: sort, x: i * BLOCK + 1, y: 1, width: BLOCK - 2, height: 10, rx: 1.5 });
  });
  const label = `${minAvailable} of ${counted(replicas, "pod")} stay available, ${maxTotal} at most`;
  return element(
    "svg",
    {
      class: "bar",
      role: "img",
      "aria-label": label,
      width: maxTotal * BLOCK,
      height: 12,
      viewBox: `0 0 ${maxTotal * BLOCK} 12`,
    },
    element("title", {}, label),
    blocks,
  );
}

function reasonItem(reason: Reason, namespace: string): Html {
  const diffs = reason.type === "Source" ? (reason.diffs ?? []) : [];
  return element(
    "li",
    {},
    shown(reasonWords(reason, namespace)),
    diffs.map(({ key, lines }) =>
      element("details", {}, element("summary", {}, element("code", {}, key)), element("pre", {}, lines.map(diffLine))),
    ),
  );
}

function diffLine(line: string): Html {
  const sign = line.slice(0, 1);
  return element("span", { class: sign === "+" ? "added" : sign === "-" ? "removed" : "same" }, `${line}`, {
    html: "\n",
  });
}

function findingsList(findings: readonly PlanFinding[]): Html {
  return element(
    "ul",
    { class: "findings" },
    findings.map(({ id, severity, message, remedy }) =>
      element(
        "li",
        { class: severity },
        element("span", { class: "rule" }, `${severity} ${id}`),
        ` ${message}`,
        remedy === undefined ? undefined : [" ", element("span", { class: "remedy" }, remedy)],
      ),
    ),
  );
}

function shown(words: Words): Child {
  return words.map((piece) => (typeof piece === "string" ? piece : element("code", {}, piece.code)));
}
