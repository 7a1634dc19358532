import { counted } from "../base/words.ts";
import type { Level, PlannedWorkload, PlanReport, VerdictReason, WorkloadEffect } from "../reports/plan/plan-report.ts";
import { code, plainText, type Part, type Words } from "./document/document.ts";
import { applicationText, findingText, limitText, placeOf, podsText } from "./plan-words.ts";

/** The advice that a verdict begins with. */
export const PHRASES: Readonly<Record<Level, string>> = {
  refused: "Do not merge:",
  danger: "Do not merge:",
  attention: "Review first:",
  ok: "Safe to merge:",
};

const EFFECTS: Readonly<Record<WorkloadEffect, string>> = {
  refused: "is refused",
  outage: "has no pod while it rolls",
  "may-stick": "may not finish its rollout",
  waits: "waits for somebody to promote it",
  reduced: "has fewer pods while it rolls",
  deleted: "is deleted",
  unknown: "changes, impact unknown without the cluster",
  rolls: "rolls",
};

/** A verdict is one line: the description of a commit status takes no more characters. */
const LONGEST = 140;
const SHORTEST_NAME = 16;

/** What decides, in words: `Deployment shop/web has no pod while it rolls (and 3 more)`. */
export function verdictWords(report: Pick<PlanReport, "verdict" | "applications" | "summary">): Words {
  const words = wordsOf(report);
  const length = (): number => plainText(words).length + PHRASES[report.verdict.level].length + 1;
  const over = length() - LONGEST;
  return over <= 0 ? words : shortened(words, over);
}

/** A verdict as one line. */
export function verdictText(report: Pick<PlanReport, "verdict" | "applications" | "summary">): string {
  return `${PHRASES[report.verdict.level]} ${plainText(verdictWords(report))}`;
}

function wordsOf({
  verdict,
  applications = [],
  summary,
}: Pick<PlanReport, "verdict" | "applications" | "summary">): Words {
  const { because, more } = verdict;
  const several = more === 0 ? [] : [` (and ${more} more)`];
  if (because.id === "workload" && because.effect === "rolls") {
    const pods = podsText(summary.pods, summary.podsAtMost);
    const cost = [...(more === 0 ? [] : [`and ${more} more`]), ...(pods === undefined ? [] : [pods])];
    const behind = cost.length === 0 ? [] : [` (${cost.join(", ")})`];
    return [...workloadName(because.workload, applications.length > 1), ` ${EFFECTS.rolls}`, ...behind];
  }
  return [...reasonWords(because, applications.length > 1), ...several];
}

function reasonWords(reason: VerdictReason, isNamed: boolean): Words {
  switch (reason.id) {
    case "workload":
      return [...workloadName(reason.workload, isNamed), ` ${EFFECTS[reason.effect]}`];
    case "finding":
      return [`${reason.finding.id}: `, findingText(reason.finding)];
    case "failed-application": {
      const { application } = reason;
      return [
        code(applicationText(application)),
        ` cannot be rendered${application.failedBefore === true ? " in both revisions" : ""}`,
      ];
    }
    case "exceeded-limit":
      return [limitText(reason.limit)];
    case "no-workload":
      return ["no workload to compare"];
    case "no-rollouts":
      return [noRolloutsText(reason)];
  }
}

function workloadName(workload: PlannedWorkload, isNamed: boolean): Words {
  const { kind, namespace, name } = workload;
  const place = isNamed || workload.part !== undefined ? placeOf(workload) : undefined;
  return [...(place === undefined ? [] : [code(place), ": "]), `${kind} `, code(`${namespace}/${name}`)];
}

function noRolloutsText({
  changes,
  waiting,
  otherObjects,
  isComplete,
}: Extract<VerdictReason, { readonly id: "no-rollouts" }>): string {
  const counts = [
    ...(changes === 0 ? [] : [counted(changes, "workload changes", "workloads change")]),
    ...(waiting === 0 ? [] : [counted(waiting, "workload waits", "workloads wait")]),
    ...(otherObjects === 0 ? [] : [counted(otherObjects, "other object changes", "other objects change")]),
  ];
  return `no rollouts${isComplete ? "" : " in what was examined"}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}`;
}

/** The same with its longest names cut in the middle, and at last its end. */
function shortened(words: Words, over: number): Words {
  let left = over;
  const names = words.map((part) => {
    if (typeof part === "string" || !("code" in part) || left <= 0) return part;
    const kept = Math.max(SHORTEST_NAME, part.code.length - left - 1);
    if (kept >= part.code.length) return part;
    left -= part.code.length - kept - 1;
    return code(
      `${part.code.slice(0, Math.ceil(kept / 2))}…${part.code.slice(part.code.length - Math.floor(kept / 2))}`,
    );
  });
  return left <= 0 ? names : cutTexts(names, left);
}

function cutTexts(words: Words, over: number): Words {
  const longest = Math.max(...words.map((part) => (typeof part === "string" ? part.length : 0)));
  return words.map((part): Part =>
    typeof part === "string" && part.length === longest ? `${part.slice(0, Math.max(0, longest - over - 1))}…` : part,
  );
}
