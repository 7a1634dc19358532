import type { PlannedStrategy, PlannedWorkload, Reason } from "../../plan/plan-report.ts";
import { counted } from "../../ground/words.ts";
import { actionWord } from "../plan-levels.ts";
import { becauseOf, moreDiffs, reasonWords, strategyWords, type Words } from "../plan-words.ts";
import { element, type Child, type Html } from "./html.ts";
import type { Cause } from "./plan-causes.ts";
import { findingsList } from "./plan-findings.ts";

/** The workloads of a plan, a card each. */
export function workloadsSection(workloads: readonly PlannedWorkload[], causes: readonly Cause[]): Html {
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
      ...(workload.part === undefined ? [] : [" in ", element("code", {}, workload.part)]),
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
    moreDiffs(reason).map((line) => element("p", {}, line)),
  );
}

function diffLine(line: string): Html {
  const sign = line.slice(0, 1);
  return element("span", { class: sign === "+" ? "added" : sign === "-" ? "removed" : "same" }, `${line}`, {
    html: "\n",
  });
}

function shown(words: Words): Child {
  return words.map((piece) => (typeof piece === "string" ? piece : element("code", {}, piece.code)));
}
