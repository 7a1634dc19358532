import type { PlannedWorkload } from "../../reports/plan/plan-report.ts";
import { counted } from "../../base/words.ts";
import { toneOf } from "../plan-levels.ts";
import { caveatsOf, renamedWords } from "../plan-row-words.ts";
import { placeOf } from "../plan-application-words.ts";
import { becauseOf, strategyWords } from "../plan-words.ts";
import { element, type Html } from "./html.ts";
import type { Places } from "./plan-causes.ts";
import { findingsList } from "./plan-findings.ts";
import { badge } from "./plan-marks.ts";
import { reasonsList, shown } from "./plan-reasons.ts";

/** A workload that is read by itself: what fails or isn't safe, or the only one of its causes. */
export function card(workload: PlannedWorkload, places: Places): Html {
  const { kind, namespace, action, safety, findings, reasons, next } = workload;
  return element(
    "li",
    {
      id: places.idOf(workload),
      class: `card ${toneOf(workload)} ${action === "Roll" ? safety.toLowerCase() : action.toLowerCase()}`,
      "data-action": action,
      "data-safety": safety,
      "data-namespace": namespace,
      "data-kind": kind,
      ...places.applicationOf(workload),
      "data-causes": places.causesOf(workload).join(" "),
      "data-findings": findings.length === 0 ? undefined : [...new Set(findings.map(({ id }) => id))].join(" "),
    },
    places.anchorsOf(workload).map((id) => element("span", { id })),
    element(
      "h3",
      {},
      badge(workload),
      " ",
      nameLink(workload, places),
      shown(renamedWords(workload)),
      " ",
      cost(workload),
    ),
    how(workload),
    because(workload),
    reasonsList(reasons, namespace),
    caveatsList(workload),
    nextStep(next),
    findings.length === 0 ? undefined : findingsList(findings),
  );
}

/** The name of a workload, which links to its place in the page. */
export function nameLink(workload: PlannedWorkload, places: Places): Html {
  const { kind, namespace, name } = workload;
  const place = placeOf(workload);
  return element(
    "a",
    { href: `#${places.idOf(workload)}`, class: "name" },
    element("span", { class: "kind" }, kind),
    " ",
    element("span", { class: "namespace" }, `${namespace}/`),
    element("span", { class: "own" }, name),
    place === undefined ? undefined : [" in ", element("code", {}, place)],
  );
}

/** How many pods are replaced: what a row is weighed by. */
export function costWords(pods: number, podsAtMost: number = pods): string | undefined {
  if (podsAtMost === 0) return undefined;
  return podsAtMost === pods ? counted(pods, "pod") : `${pods} to ${podsAtMost} pods`;
}

function cost({ pods, podsAtMost }: PlannedWorkload): Html | undefined {
  const words = costWords(pods, podsAtMost);
  return words === undefined ? undefined : element("span", { class: "cost" }, words);
}

function how(workload: PlannedWorkload): Html | undefined {
  const words = strategyWords(workload);
  if (words === undefined) return undefined;
  return element("div", { class: "how" }, bar(workload), element("span", {}, shown(words)));
}

function because(workload: PlannedWorkload): Html | undefined {
  const words = becauseOf(workload);
  return words === undefined ? undefined : element("p", { class: "because" }, words);
}

/** What a person does about it. */
export function nextStep(next: string | undefined): Html | undefined {
  return next === undefined ? undefined : element("p", { class: "next" }, element("strong", {}, "Next: "), next);
}

/** Why numbers are not certain. */
function caveatsList(workload: PlannedWorkload): Html | undefined {
  const own = caveatsOf(workload);
  if (own.length === 0) return undefined;
  return element(
    "ul",
    { class: "caveats" },
    own.map(({ id, message }) => element("li", {}, element("span", { class: "rule" }, id), ` ${message}`)),
  );
}

const MOST_BLOCKS = 24;
const BLOCK = 9;

/** The pods as blocks: those that stay available, those that may be missing, those that come on top. */
function bar({ strategy, pods, podsAtMost, safety, caveats }: PlannedWorkload): Html | undefined {
  // Where a rollout may stop half-way, or the number of pods is a range, no picture of it is true.
  if (strategy === null || pods === 0 || podsAtMost !== undefined) return undefined;
  if (safety === "MayStick" || safety === "Unknown") return undefined;
  const { replicas, minAvailable, maxTotal } = strategy;
  if (replicas === null || minAvailable === null || maxTotal === null || maxTotal > MOST_BLOCKS) return undefined;
  const blocks = Array.from({ length: maxTotal }, (_, i) => {
    const sort = i < minAvailable ? "stays" : i < replicas ? "missing" : "extra";
    return element("rect", { class: sort, x: i * BLOCK + 1, y: 1, width: BLOCK - 2, height: 10, rx: 1.5 });
  });
  const available = caveats.some(({ id }) => id === "RS016") ? "started" : "available";
  const label = `${minAvailable} of ${counted(replicas, "pod")} stay ${available}, ${maxTotal} at most`;
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
