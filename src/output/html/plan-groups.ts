import { counted } from "../../base/words.ts";
import { causeKey } from "../../reports/plan/causes.ts";
import type { Reason } from "../../reports/plan/plan-reasons.ts";
import type { PlannedWorkload } from "../../reports/plan/plan-report.ts";
import { findingGroups, findingsOf } from "../plan-finding-groups.ts";
import { placeOf } from "../plan-application-words.ts";
import type { GroupedReason, RowGroup } from "../plan-rows.ts";
import { strategyWords } from "../plan-words.ts";
import { element, type Child, type Html } from "./html.ts";
import { card, costWords, nameLink, nextStep } from "./plan-cards.ts";
import type { Places } from "./plan-causes.ts";
import { findingGroupsList } from "./plan-findings.ts";
import { badge } from "./plan-marks.ts";
import { reasonItem, reasonsList, shown } from "./plan-reasons.ts";

/** Workloads that change alike are one row; its names are there to unfold. One alone is read as it is. */
export function groupCard(group: RowGroup, places: Places): Html | undefined {
  const { action, workloads, pods, podsAtMost, because, next } = group;
  const [first] = workloads;
  if (first === undefined) return undefined;
  if (workloads.length === 1) return card(first, places);
  const cost = costWords(pods, podsAtMost);
  const several = severalOf(group.reasons);
  const findings = findingGroups(findingsOf(workloads));
  return element(
    "li",
    {
      class: `card quiet group ${action.toLowerCase()}`,
      "data-action": action,
      "data-safety": first.safety,
      "data-causes": group.causes.length === 0 ? undefined : places.causesOf(first).join(" "),
    },
    workloads.flatMap((workload) => places.anchorsOf(workload)).map((id) => element("span", { id })),
    element(
      "h3",
      {},
      badge(first),
      " ",
      element("span", { class: "own" }, element("span", { class: "total" }, workloads.length), " workloads"),
      " ",
      cost === undefined ? undefined : element("span", { class: "cost" }, cost),
    ),
    because === undefined ? undefined : element("p", { class: "because" }, because),
    groupReasons(group),
    group.caveats.length === 0
      ? undefined
      : element(
          "ul",
          { class: "caveats" },
          group.caveats.map(({ id, message, workloads: n }) =>
            element("li", {}, element("span", { class: "rule" }, id), ofHow(n, workloads.length), ` ${message}`),
          ),
        ),
    nextStep(next),
    findings.length === 0 ? undefined : findingGroupsList(findings),
    element(
      "details",
      { class: "members" },
      element("summary", {}, "Which: ", namesOf(workloads)),
      element(
        "ul",
        {},
        workloads.map((workload) => member(workload, several, places)),
      ),
    ),
  );
}

/** Beyond these, reasons stand with their workloads only. */
const MOST_REASONS = 3;
const MOST_NAMES = 3;

function groupReasons({ reasons, workloads }: RowGroup): Html | undefined {
  if (reasons.length === 0) return undefined;
  const more = reasons.length - MOST_REASONS;
  return element(
    "ul",
    { class: "reasons" },
    reasons
      .slice(0, MOST_REASONS)
      // By its whole name: the group tells no namespace.
      .map(({ reason, workloads: n }) => reasonItem(reason, "", ofHow(n, workloads.length))),
    more > 0
      ? element("li", {}, `and ${counted(more, "more value or key", "more values or keys")}: see which`)
      : undefined,
  );
}

/** ` (12 of them)`; nothing where all are meant. */
function ofHow(n: number, all: number): Child {
  return n === all ? undefined : element("span", { class: "part" }, ` (${n} of them)`);
}

function namesOf(workloads: readonly PlannedWorkload[]): string {
  const isTwice = new Set(workloads.map(identity)).size < workloads.length;
  const names = workloads.slice(0, MOST_NAMES).map((workload) => {
    const place = isTwice ? placeOf(workload) : undefined;
    return place === undefined ? identity(workload) : `${identity(workload)} in ${place}`;
  });
  const more = workloads.length - names.length;
  return `${names.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

function identity({ namespace, name }: PlannedWorkload): string {
  return `${namespace}/${name}`;
}

/** One of a group: its name, how it rolls, and what it doesn't share with the others. */
function member(workload: PlannedWorkload, several: ReadonlySet<string>, places: Places): Html {
  const words = strategyWords(workload);
  return element(
    "li",
    {
      id: places.idOf(workload),
      class: "member",
      "data-namespace": workload.namespace,
      "data-kind": workload.kind,
      ...places.applicationOf(workload),
      "data-findings": ruleIds(workload),
    },
    nameLink(workload, places),
    words === undefined ? undefined : [" ", element("span", { class: "how" }, shown(words))],
    reasonsList(ownReasons(workload, several), workload.namespace),
  );
}

/** The reasons that not all of a group have alike. */
function ownReasons({ reasons }: PlannedWorkload, several: ReadonlySet<string>): Reason[] {
  return reasons.filter((reason) => several.has(causeKey(reason)));
}

/** The causes that read differently from one workload of a group to the next: a field with other values. */
function severalOf(reasons: readonly GroupedReason[]): ReadonlySet<string> {
  const met = new Set<string>();
  const several = new Set<string>();
  for (const { reason } of reasons) {
    const key = causeKey(reason);
    if (met.has(key)) several.add(key);
    met.add(key);
  }
  return several;
}

function ruleIds({ findings }: PlannedWorkload): string | undefined {
  return findings.length === 0 ? undefined : [...new Set(findings.map(({ id }) => id))].join(" ");
}
