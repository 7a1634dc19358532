import { counted } from "../base/words.ts";
import { describeCaveat } from "../kubernetes/rollout/caveats.ts";
import { causeKey } from "../reports/plan/causes.ts";
import type { Reason } from "../reports/plan/plan-reasons.ts";
import type { Next, PlanFinding, PlannedWorkload } from "../reports/plan/plan-report.ts";
import { severityOf } from "../findings/catalogue/finding.ts";
import {
  diff,
  list,
  paragraph,
  row,
  strong,
  type Block,
  type Item,
  type Member,
  type Row,
  type Words,
} from "./document/document.ts";
import type { PlanFacets } from "./plan-facets.ts";
import { labelOf, signOf, toneOf } from "./plan-levels.ts";
import type { RowGroup } from "./plan-rows.ts";
import {
  becauseText,
  causeWords,
  findingText,
  isImage,
  nextText,
  ownBecause,
  placeOf,
  podsText,
  reasonWords,
  renamedWords,
  strategyWords,
  workloadWords,
} from "./plan-words.ts";

interface Most {
  readonly names: number;
  readonly reasons: number;
}

/** A page folds more changes than these: what has to be done must be visible. */
const FOLD_AFTER = 5;

/** A workload in a row of its own. */
export function workloadRow(workload: PlannedWorkload, facets: PlanFacets, most: Most): Row {
  return ownRow(workload, facets, most, workload.findings);
}

function ownRow(workload: PlannedWorkload, facets: PlanFacets, most: Most, findings: readonly PlanFinding[]): Row {
  const { reasons, namespace, next, pods, podsAtMost } = workload;
  const because = ownBecause(workload);
  const effect = strategyWords(workload);
  const cost = podsText(pods, podsAtMost);
  const tone = toneOf(workload);
  return row(
    {
      label: labelOf(workload),
      tone,
      sign: signOf(workload),
      words: workloadWords(workload),
      ...(cost === undefined ? {} : { cost }),
      ...(effect === undefined ? {} : { effect }),
      isOpen: tone !== "ok",
      facets: { ...facets.shared(workload), ...facets.individual(workload) },
    },
    [
      ...(because === undefined ? [] : [paragraph(becauseText(because), { role: "because" })]),
      ...reasonBlocks(
        shownReasons(reasons, (reason) => reason, most.reasons).map((reason) => reasonItem(reason, namespace)),
        reasons.length,
      ),
      ...(findings.length === 0 ? [] : [list(findings.map(findingItem), { role: "findings" })]),
      ...caveatBlocks(
        workload.caveats
          .filter((caveat) => !findings.some((finding) => isSameAs(finding, caveat)))
          .map((caveat) => describeCaveat(caveat)),
      ),
      ...nextBlocks(next),
    ],
  );
}

/** Whether a finding says what a caveat says. */
function isSameAs(finding: PlanFinding, caveat: PlannedWorkload["caveats"][number]): boolean {
  if (!("cause" in caveat) || finding.id !== caveat.id || finding.cause !== caveat.cause) return false;
  return JSON.stringify(finding.params) === JSON.stringify(caveat.params);
}

function findingItem(finding: PlanFinding): Item {
  const severity = severityOf(finding);
  const isBefore = finding.before === true;
  return {
    words: [`${severity} ${finding.id}${isBefore ? " (existing)" : ""}: ${findingText(finding)}`],
    tone: isBefore || severity === "info" ? "muted" : severity === "error" ? "danger" : "attention",
  };
}

function caveatBlocks(caveats: readonly string[]): Block[] {
  return caveats.length === 0
    ? []
    : [
        list(
          caveats.map((text) => `But: ${text}`),
          { role: "caveats" },
        ),
      ];
}

function nextBlocks(next: Next | undefined): Block[] {
  return next === undefined ? [] : [paragraph([strong("Next: "), nextText(next)], { role: "next" })];
}

function reasonBlocks(items: readonly Item[], all: number): Block[] {
  if (items.length === 0) return [];
  const more = all - items.length;
  return [
    list(items, { role: "reasons", foldAfter: FOLD_AFTER }),
    ...(more > 0 ? [paragraph(`and ${counted(more, "other change")}: --all shows them`)] : []),
  ];
}

function reasonItem(reason: Reason, namespace: string, end = ""): Item {
  const { diffs = [], moreDiffs = 0 } = reason.type === "Source" ? reason : {};
  return {
    words: [...reasonWords(reason, namespace), end],
    blocks: [
      ...diffs.map(({ key, lines }) => diff(lines, key)),
      ...(moreDiffs === 0 ? [] : [paragraph(`(${counted(moreDiffs, "more key changed", "more keys changed")})`)]),
    ],
  };
}

/** The reasons that are shown if there are too many: what decides, then images and sources; in their own order. */
export function shownReasons<T>(rows: readonly T[], reasonOf: (row: T) => Reason, most: number): readonly T[] {
  if (rows.length <= most) return rows;
  const first = new Set(rows.toSorted((a, b) => weight(reasonOf(a)) - weight(reasonOf(b))).slice(0, most));
  return rows.filter((one) => first.has(one));
}

function weight(reason: Reason): number {
  switch (reason.type) {
    case "Invalid":
    case "Immutable":
      return 0;
    case "FirstStamp":
    case "Restart":
      return 1;
    case "Source":
      return 3;
    case "Stamp":
      return 5;
    case "Template":
      if (isImage(reason.path)) return 2;
      return reason.path.startsWith("metadata") ? 5 : 4;
  }
}

const MOST_CAUSES = 3;

/** Workloads that change alike, as one row; a single one as it is. */
export function groupRow(group: RowGroup, facets: PlanFacets, most: Most): Row {
  const { workloads, pods, podsAtMost, because, next, caveats, causes } = group;
  const [first] = workloads;
  const all = workloads.length;
  // Its findings are listed with all others: nobody has to read this row.
  if (all === 1) return ownRow(first, facets, most, []);
  const cost = podsText(pods, podsAtMost);
  const ofAll = (n: number): string => (n === all ? "" : ` (${n} of them)`);
  const named = causes
    .slice(0, MOST_CAUSES)
    .flatMap((cause, i): Words => [i === 0 ? ": " : ", ", ...causeWords(cause)]);
  const moreCauses = causes.length - MOST_CAUSES;
  return row(
    {
      label: labelOf(first),
      tone: "ok",
      sign: signOf(first),
      words: [],
      count: { number: all, noun: "workloads" },
      ...(cost === undefined ? {} : { cost }),
      brief: [...named, moreCauses > 0 ? ` and ${counted(moreCauses, "more cause")}` : ""],
      facets: facets.shared(first),
    },
    [
      ...(because === undefined ? [] : [paragraph(becauseText(because), { role: "because" })]),
      ...reasonBlocks(
        shownReasons(group.reasons, ({ reason }) => reason, most.reasons).map(({ reason, namespace, workloads: n }) =>
          reasonItem(reason, namespace, ofAll(n)),
        ),
        group.reasons.length,
      ),
      ...caveatBlocks(
        caveats.map(
          ({ caveat, workloads: n }) => `${describeCaveat(caveat)}${n > 1 ? ` (and alike: ${n} of them)` : ""}`,
        ),
      ),
      ...nextBlocks(next),
      { is: "members", most: most.names, members: membersOf(group, facets) },
    ],
  );
}

function membersOf({ workloads, reasons }: RowGroup, facets: PlanFacets): Member[] {
  // A cause that differs from one workload to the next: a field with other values.
  const keys = reasons.map(({ reason }) => causeKey(reason));
  const differing = new Set(keys.filter((key, i) => keys.indexOf(key) < i));
  return workloads.map((workload): Member => {
    const place = placeOf(workload);
    const effect = strategyWords(workload);
    const differingReasons = workload.reasons.filter((reason) => differing.has(causeKey(reason)));
    return {
      kind: workload.kind,
      name: `${workload.namespace}/${workload.name}`,
      ...(place === undefined ? {} : { place }),
      words: renamedWords(workload),
      facets: facets.individual(workload),
      blocks: [
        ...(effect === undefined ? [] : [paragraph(effect, { role: "effect" })]),
        ...reasonBlocks(
          differingReasons.map((reason) => reasonItem(reason, workload.namespace)),
          differingReasons.length,
        ),
      ],
    };
  });
}
