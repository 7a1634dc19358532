import { counted } from "../base/words.ts";
import type { Label } from "../reports/plan/labels.ts";
import type {
  Level,
  PlannedWorkload,
  PlanReport,
  Subject,
  Verdict,
  VerdictReason,
} from "../reports/plan/plan-report.ts";
import { code, plainText, type Part, type Words } from "./document/document.ts";
import { applicationText, findingText, limitText, placeOf, podsText } from "./plan-words.ts";

/** The advice that a verdict begins with. */
export const PHRASES: Readonly<Record<Level, string>> = {
  refused: "Do not merge:",
  danger: "Do not merge:",
  attention: "Review first:",
  ok: "Safe to merge:",
};

/** What happens to the subject of a row, as the verdict says it. */
const EFFECTS: Readonly<Record<Label, string>> = {
  failed: "cannot be rendered",
  limit: "",
  refused: "is refused",
  error: "",
  outage: "has no pod while it rolls",
  "may-stick": "may not finish its rollout",
  "no-pods": "",
  moved: "moves",
  deleted: "is deleted",
  lost: "cannot start its next pod",
  "scaled-to-zero": "is scaled to 0",
  unrendered: "",
  waits: "waits for somebody to promote it",
  reduced: "has fewer pods while it rolls",
  unknown: "changes, impact unknown without the cluster",
  stale: "keeps the old content",
  unread: "is changed, and nothing reads it",
  warning: "",
  rolls: "rolls",
  "next-run": "changes at its next run",
  created: "is created",
  scaled: "is scaled",
  "no-effect": "changes without effect",
  reloads: "reloads",
  waiting: "waits for its stamps",
  other: "changes",
  held: "is held back",
  orphan: "is applied by nothing",
  unchanged: "is unchanged",
};

/** A verdict is one line: the description of a commit status takes no more characters. */
const LONGEST = 140;
const SHORTEST_NAME = 16;

/** The parts of a report with a verdict that word it. */
export interface Reported extends Pick<PlanReport, "applications" | "summary"> {
  readonly verdict: Verdict;
}

/** What decides, in words: `Deployment shop/web has no pod while it rolls (and 3 more)`. */
export function verdictWords(report: Reported): Words {
  const words = wordsOf(report);
  const length = (): number => plainText(words).length + PHRASES[report.verdict.level].length + 1;
  const over = length() - LONGEST;
  return over <= 0 ? words : shortened(words, over);
}

/** A verdict as one line. */
export function verdictText(report: Reported): string {
  return `${PHRASES[report.verdict.level]} ${plainText(verdictWords(report))}`;
}

/** The first line of a report without a verdict. */
export const NOT_CHECKED = { phrase: "Not checked:", text: "no workload was compared" } as const;

function wordsOf({ verdict, applications = [], summary }: Reported): Words {
  const { because, more } = verdict;
  const several = more === 0 ? [] : [` (and ${more} more)`];
  const isNamed = applications.length > 1;
  if (because.id === "no-workload") return ["no workload to compare"];
  if (because.id === "no-rollouts") return [noRolloutsText(because)];
  const { label, subject } = because.row;
  if (label === "rolls" && subject.is === "workload") {
    const pods = podsText(summary.pods, summary.podsAtMost);
    const cost = [...(more === 0 ? [] : [`and ${more} more`]), ...(pods === undefined ? [] : [pods])];
    const behind = cost.length === 0 ? [] : [` (${cost.join(", ")})`];
    return [...workloadName(subject.workload, isNamed), ` ${EFFECTS.rolls}`, ...behind];
  }
  return [...subjectWords(label, subject, isNamed), ...several];
}

function subjectWords(label: Label, subject: Subject, isNamed: boolean): Words {
  switch (subject.is) {
    case "workload":
      return [...workloadName(subject.workload, isNamed), ` ${EFFECTS[label]}`];
    case "object":
      return [...workloadName(subject.object, isNamed), ` ${EFFECTS[label]}`];
    case "finding":
      return [`${subject.finding.id}: `, findingText(subject.finding)];
    case "application":
      return [code(applicationText(subject.application)), ` ${EFFECTS[label]}`];
    case "limit":
      return [limitText(subject.limit)];
    case "unread":
      return [code(subject.file.path), ` ${EFFECTS[label]}`];
  }
}

function workloadName(
  named: Pick<PlannedWorkload, "kind" | "namespace" | "name" | "part" | "application">,
  isNamed: boolean,
): Words {
  const { kind, namespace, name, part } = named;
  const place = isNamed || part !== undefined ? placeOf(named) : undefined;
  const shown = namespace === "" ? name : `${namespace}/${name}`;
  return [...(place === undefined ? [] : [code(place), ": "]), `${kind} `, code(shown)];
}

function noRolloutsText({
  changes,
  waiting,
  otherObjects,
  unread,
  isComplete,
}: Extract<VerdictReason, { readonly id: "no-rollouts" }>): string {
  const counts = [
    ...(changes === 0 ? [] : [counted(changes, "workload changes", "workloads change")]),
    ...(waiting === 0 ? [] : [counted(waiting, "workload waits", "workloads wait")]),
    ...(otherObjects === 0 ? [] : [counted(otherObjects, "other object changes", "other objects change")]),
    ...(unread === 0 ? [] : [`nothing reads ${counted(unread, "changed file")}`]),
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
