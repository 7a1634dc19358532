import { code, plainText } from "./document/blocks.ts";
import { counted, cutInMiddle, formatNumber } from "../base/words.ts";
import { describeFinding } from "../findings/catalogue/describe.ts";
import type { FindingData } from "../findings/catalogue/finding.ts";
import { printable } from "../findings/results/terminal.ts";
import type { Label } from "../reports/plan/labels.ts";
import { refusedSource } from "../reports/plan/rows/effects.ts";
import { leavesVolumes, moveOf } from "../reports/plan/rows/row-causes.ts";
import type { Level, PlanReport, Subject, VerdictReason } from "../reports/plan/plan-report.ts";
import type { PlannedObject, PlannedWorkload, PlanFinding } from "../reports/plan/planned-workload.ts";
import { appliedWhenIn, type PlannedApplication } from "../reports/plan/planned-application.ts";
import type { Part, Words } from "./document/document.ts";
import { staleKey } from "./plan-effects.ts";
import { objectWords, placeOf } from "./plan-names.ts";
import { unrenderedWords } from "./plan-unrendered.ts";
import { applicationText, appliedWhenWords, failureEffect, findingText, limitText, podsText } from "./plan-words.ts";

/** The advice that a verdict begins with. */
const PHRASES: Readonly<Record<Level, string>> = {
  refused: "Do not merge:",
  danger: "Do not merge:",
  attention: "Review first:",
  ok: "Safe to merge:",
};

type Judged = Pick<PlanReport, "verdict" | "summary" | "workloads" | "as"> &
  Partial<Pick<PlanReport, "applications" | "compared">>;

/** The advice, and how the sides were compared if that is not how they are applied. */
export function verdictPhrase(report: Judged): string {
  const { as, verdict } = report;
  if (verdict === null) return "Not checked:";
  return `${as === "stamped" ? "As if stamped: " : ""}${PHRASES[verdict.level]}`;
}

/** What happens to a workload or an object, as the verdict says it. */
const EFFECTS: Readonly<Record<Label, string>> = {
  failed: "",
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
  unrendered: "is not rendered",
  waits: "waits for promotion",
  reduced: "has fewer pods while it rolls",
  unknown: "changes, impact unknown without the cluster",
  stale: "keeps the old content",
  unread: "changes, and nothing reads it",
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

/** What decides, in words: `Deployment shop/web has no pod while it rolls (and 3 more)`. */
export function verdictWords(report: Judged): Words {
  // Escaped before it is cut: a name with line breaks would make it more than one line.
  const words = wordsOf(report).map((part) =>
    typeof part === "string" ? printable(part) : "code" in part ? code(printable(part.code)) : part,
  );
  const over = plainText(words).length + verdictPhrase(report).length + 1 - LONGEST;
  return over <= 0 ? words : shortened(words, over);
}

/** A verdict as one line. */
export function verdictText(report: Judged): string {
  return `${verdictPhrase(report)} ${plainText(verdictWords(report))}`;
}

function wordsOf(report: Judged): Words {
  const { verdict, applications = [] } = report;
  if (verdict === null) return ["no workload was compared"];
  const { because, more } = verdict;
  const isNamed = applications.length > 1;
  if (because.id === "no-workload") return ["no workload to compare"];
  if (because.id === "no-rollouts") return [noRolloutsText(because)];
  const { label, subject } = because.row;
  if (verdict.level === "ok" && subject.is === "workload")
    return rollingWords(report, subject.workload, { more, isNamed });
  return [
    ...subjectWords(label, subject, applications),
    ...(subject.is === "workload" && subject.workload.action !== "Delete"
      ? whenWords([subject.workload], applications)
      : []),
    ...(more === 0 ? [] : [` (and ${formatNumber(more)} more)`]),
  ];
}

/** What workloads await, if it is the same for all. */
function whenWords(workloads: readonly PlannedWorkload[], applications: readonly PlannedApplication[]): Words {
  const appliedWhenOf = appliedWhenIn(applications);
  const all = new Map(
    workloads.map(({ application }) => appliedWhenOf(application)).map((one) => [JSON.stringify(one), one]),
  );
  const [appliedWhen] = all.values();
  return all.size > 1 || appliedWhen === undefined ? [] : [" ", ...appliedWhenWords(appliedWhen, "it")];
}

/** `Deployment shop/web rolls in 3 applications (9 pods)` if nothing else rolls, else `(and 2 more, 9 pods)`. */
function rollingWords(
  { summary, workloads, applications = [] }: Judged,
  first: PlannedWorkload,
  { more, isNamed }: { readonly more: number; readonly isNamed: boolean },
): Words {
  const rolling = workloads.filter(
    ({ action, held, orphan }) => action === "Roll" && held === undefined && orphan !== true,
  );
  const isOneName = more > 0 && rolling.every(({ kind, name }) => kind === first.kind && name === first.name);
  const places = new Set(rolling.map((workload) => placeOf(workload)));
  const isEverywhere = isOneName && isNamed && places.size === rolling.length;
  const cost = [
    ...(more === 0 || isEverywhere ? [] : [`and ${formatNumber(more)} more`]),
    ...[podsText(summary.pods, summary.podsAtMost)].filter((pods) => pods !== undefined),
  ];
  const isOneNamespace = rolling.every(({ namespace }) => namespace === first.namespace);
  return [
    ...(isEverywhere ? objectWords(isOneNamespace ? first : { ...first, namespace: "" }) : namedWords(first, isNamed)),
    ` ${EFFECTS.rolls}`,
    isEverywhere ? ` in ${counted(rolling.length, "application")}` : "",
    cost.length === 0 ? "" : ` (${cost.join(", ")})`,
    ...whenWords(rolling, applications),
  ];
}

function subjectWords(label: Label, subject: Subject, applications: readonly PlannedApplication[]): Words {
  const isNamed = applications.length > 1;
  switch (subject.is) {
    case "workload":
      return [...namedWords(subject.workload, isNamed), " ", ...workloadEffect(label, subject.workload)];
    case "object":
      return [...namedWords(subject.object, isNamed), ` ${EFFECTS[label]}`];
    case "finding":
      return findingWords(subject.finding, applications);
    case "application":
      return [code(applicationText(subject.application)), ` ${failureEffect(subject.application)}`];
    case "limit":
      return [limitText(subject.limit)];
    case "unread":
      return [
        code(subject.file.path),
        subject.file.isSubmodule === true ? " is a changed submodule, whose files are not read" : ` ${EFFECTS[label]}`,
      ];
  }
}

function workloadEffect(label: Label, workload: PlannedWorkload): Words {
  const { isLast, movedTo } = workload;
  if (label === "stale") {
    const key = staleKey(workload);
    return key === undefined ? [EFFECTS.stale] : ["keeps the old ", code(key)];
  }
  if (label === "moved" && movedTo !== undefined) {
    if (leavesVolumes(workload)) return ["moves without its data"];
    const { place, to } = moveOf({ ...workload, movedTo });
    return place === "release" ? ["is uninstalled and installed again"] : ["moves to ", code(to)];
  }
  if (label === "refused") {
    const source = refusedSource(workload);
    if (source !== undefined) return [`uses ${source.kind} `, code(source.name), ", whose change is refused"];
  }
  if (label === "deleted" && isLast === true) return ["is deleted, the last workload of its namespace"];
  return [EFFECTS[label]];
}

/** For causes of RS024 about an object that is rendered. */
const EFFECTS_OF_CAUSES: Partial<Record<FindingData<"RS024">["cause"], string>> = {
  byHelmfiles: " is released by helmfiles, which are not rendered",
  hiddenByValues: " may change with other values",
  sourceRemoved: " is removed, and still used",
  dependencyMissing: " is not in the repository, and others depend on it",
};

/** An object that is not rendered is named; other findings name their objects. */
function findingWords(finding: PlanFinding, applications: readonly PlannedApplication[]): Words {
  const { application } = finding;
  const isNamed = applications.length > 1 && application !== undefined && application !== ".";
  const place: Words = isNamed ? [code(application), ": "] : [];
  if (finding.id === "RS024") {
    const { title } = unrenderedWords(finding);
    const effect = EFFECTS_OF_CAUSES[finding.cause];
    if (effect !== undefined) return [...title, effect];
    if (finding.cause === "notPermitted") {
      const names = finding.params.applications.slice(0, 1).map((name) => code(name));
      return [...title, " does not permit application ", ...names];
    }
    const isItself = title.some((part) => typeof part !== "string" && "code" in part && part.code === application);
    const isPart =
      finding.cause === "unknownUses" ||
      (finding.cause === "notFetched" && isRenderedInPart(application, applications));
    return [...(isItself ? [] : place), isPart ? "a part of " : "", ...title, ` ${EFFECTS.unrendered}`];
  }
  return [...place, describeFinding(finding).brief ?? findingText(finding), ` (${finding.id})`];
}

function isRenderedInPart(application: string | undefined, applications: readonly PlannedApplication[]): boolean {
  const found = applications.find(({ name }) => name === application);
  return found?.partial !== undefined && found.unrendered !== true;
}

function namedWords(named: PlannedWorkload | PlannedObject, isNamed: boolean): Words {
  const isInPart = "part" in named && named.part !== undefined;
  const place = isNamed || isInPart ? placeOf(named) : undefined;
  return [...(place === undefined ? [] : [code(place), ": "]), ...objectWords(named)];
}

function noRolloutsText({
  changes,
  waiting,
  otherObjects,
  unread,
  orphans,
  isComplete,
}: Extract<VerdictReason, { readonly id: "no-rollouts" }>): string {
  const counts = [
    ...(changes === 0 ? [] : [counted(changes, "workload changes", "workloads change")]),
    ...(waiting === 0 ? [] : [counted(waiting, "workload waits", "workloads wait")]),
    ...(otherObjects === 0 ? [] : [counted(otherObjects, "other object changes", "other objects change")]),
    ...(orphans === 0 ? [] : [`nothing here deploys ${counted(orphans, "changed application")}`]),
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
    return code(cutInMiddle(part.code, kept + 1));
  });
  return left <= 0 ? names : cutTexts(names, left);
}

function cutTexts(words: Words, over: number): Words {
  const longest = Math.max(...words.map((part) => (typeof part === "string" ? part.length : 0)));
  return words.map((part): Part =>
    typeof part === "string" && part.length === longest ? `${part.slice(0, Math.max(0, longest - over - 1))}…` : part,
  );
}
