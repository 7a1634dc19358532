import { formatName, formatObject } from "../base/names.ts";
import { counted, pluralize, saysPath } from "../base/words.ts";
import { describeFinding } from "../findings/catalogue/describe.ts";
import { nothingWords } from "../findings/not-examined/account-words.ts";
import { isNothing } from "../findings/not-examined/not-examined.ts";
import { formatPlace } from "../base/errors.ts";
import { shownValue, valuePair } from "../findings/results/value-pair.ts";
import type { ChangedKeys, Reason, SourceReason } from "../reports/plan/plan-reasons.ts";
import type {
  Because,
  Cause,
  ExceededLimit,
  Gate,
  Next,
  PlanFinding,
  PlannedApplication,
  PlannedStrategy,
  PlannedWorkload,
  PlanReport,
} from "../reports/plan/plan-report.ts";
import { momentWords } from "../stamping/waves/words.ts";
import { isMapping } from "../yaml/read/json.ts";
import type { Json } from "../yaml/read/node.ts";
import { code, type Part, type Words } from "./document/document.ts";

// The words of a plan: each piece of its data is worded here once, for every report.

/** The totals: `2 roll (6 pods), 1 is refused. 14 workloads checked`. */
export function totalsText(report: PlanReport): string {
  if (isNothing(report)) return nothingWords(report);
  const { workloads, rolls, fails, nextRuns, noEffects, reloads, creates, deletes, pods, podsAtMost } = report.summary;
  const cost = podsText(pods, podsAtMost);
  const changes = [
    rolls === 0 ? "no rollouts" : `${counted(rolls, "rolls", "roll")}${cost === undefined ? "" : ` (${cost})`}`,
    ...ifAny(fails, "is refused", "are refused"),
    ...ifAny(nextRuns, "changes at its next run", "change at their next run"),
    ...ifAny(noEffects, "changes without effect", "change without effect"),
    ...ifAny(reloads, "reloads", "reload"),
    ...ifAny(creates, "is created", "are created"),
    ...ifAny(deletes, "is deleted", "are deleted"),
    ...scheduleTexts(report.schedule),
  ];
  const existing = report.findingsBefore;
  return [
    `${changes.join(", ")}.`,
    ...(workloads === 0 ? [] : [`${counted(workloads, "workload")} checked.`]),
    ...(existing === 0 ? [] : [`${counted(existing, "existing finding")} (--all shows them).`]),
  ].join(" ");
}

function ifAny(n: number, one: string, many: string): string[] {
  return n === 0 ? [] : [counted(n, one, many)];
}

/** `12 wait, next window Sunday 02:00 UTC`. */
function scheduleTexts(schedule: PlanReport["schedule"]): string[] {
  if (schedule === undefined) return [];
  const { waiting, ready = 0, at, nextWindow } = schedule;
  const free = ready > 0 && nextWindow !== undefined ? [`${ready} of them for no window`] : [];
  const next =
    at === undefined || nextWindow === undefined
      ? []
      : [`next window ${momentWords(new Date(nextWindow), new Date(at))}`];
  return [...ifAny(waiting, "waits", "wait"), ...free, ...next];
}

/** `4 pods`, or `4 to 9 pods` where an autoscaler decides; undefined for none. */
export function podsText(pods: number, podsAtMost: number = pods): string | undefined {
  if (podsAtMost === 0) return undefined;
  return podsAtMost === pods ? counted(pods, "pod") : `${pods} to ${podsAtMost} pods`;
}

/** A limit that the plan is over. */
export function limitText(exceeded: ExceededLimit): string {
  switch (exceeded.limit) {
    case "maxWorkloads":
      return `${counted(exceeded.actual, "workload rolls", "workloads roll")}, at most ${exceeded.allowed} may (--max-workloads)`;
    case "maxPods":
      return `${counted(exceeded.actual, "pod is", "pods are")} replaced, at most ${exceeded.allowed} may be (--max-pods)`;
    case "maxDeletes":
      return `${counted(exceeded.actual, "workload or volume claim is", "workloads and volume claims are")} deleted, at most ${exceeded.allowed} may be (--max-deletes)`;
    case "failOn":
      return "rule" in exceeded
        ? `${counted(exceeded.findings, "finding")} of ${exceeded.rule} (--fail-on)`
        : `${counted(exceeded.rows, ...GATE_WORDS[exceeded.gate])} (--fail-on ${exceeded.gate})`;
  }
}

const GATE_WORDS: Readonly<Record<Gate, readonly [string, string]>> = {
  refused: ["change is refused", "changes are refused"],
  danger: ["change is dangerous", "changes are dangerous"],
  attention: ["change needs a review", "changes need a review"],
  outage: ["workload has no pod while it rolls", "workloads have no pod while they roll"],
  "may-stick": ["workload may not finish its rollout", "workloads may not finish their rollouts"],
  stale: ["workload keeps the old content", "workloads keep the old content"],
  deletes: ["object is deleted", "objects are deleted"],
  unrendered: ["change is not rendered", "changes are not rendered"],
};

/** Why nothing rolls, or why an apply is refused. */
export function becauseText(because: Because): string {
  switch (because.id) {
    case "rollout":
      return because.text;
    case "immutable-field":
      return `${because.path} is immutable`;
    case "refused-source":
      return `the apply of ${formatObject(because.source)} is refused`;
    case "waiting":
      return "it waits for its new stamps: rollstamp stamp --due writes them";
    case "unstamped":
      return "its pods keep the old content: nothing rolls them out";
    case "reloaded":
      return "a reloader beside the process takes the new content: no pod is replaced";
    case "chart-only":
      return `only because of ${[...marksText("label", because.labels), ...marksText("annotation", because.annotations)].join(" and ")}`;
  }
}

function marksText(noun: string, keys: readonly string[]): string[] {
  return keys.length === 0 ? [] : [`the ${pluralize(keys.length, noun)} ${keys.map(formatName).join(", ")}`];
}

/** Why a workload does what it does; undefined if its first reason or one of its findings says the same. */
export function ownBecause({ because, next, reasons: [first], findings }: PlannedWorkload): Because | undefined {
  if (because === undefined) return undefined;
  if (first?.type === "Immutable" && because.id === "immutable-field") return undefined;
  if (first?.type === "Invalid" && next?.id === "correct-field" && next.by === undefined) return undefined;
  const isFound =
    because.id === "rollout" && findings.some(({ params }) => "because" in params && params.because === because.text);
  return isFound ? undefined : because;
}

/** What a person has to do. */
export function nextText(next: Next): string {
  switch (next.id) {
    case "rollout":
      return next.text;
    case "promote":
      return `Promote it when its new pods are healthy: ${next.because}.`;
    case "lower-partition":
      return "Lower the partition step by step: the pods below it keep the old template.";
    case "correct-field":
      return `Give the field a value that ${next.by ?? "the API server"} accepts.`;
    case "rename-source":
      return "Give the source a new name and reference it in the workload: an immutable source cannot be changed.";
    case "remove-marks": {
      const marks = pluralize(next.marks, "it", "them");
      return `Remove ${marks} from the pod template with ${next.options.join(" and ")}, if nothing needs ${marks}.`;
    }
  }
}

/** What a finding says, with its place where it was found while files were read. */
export function findingText(finding: PlanFinding): string {
  const { message } = describeFinding(finding);
  return finding.place === undefined ? message : `${formatPlace(finding.place)}: ${message}`;
}

/** Where a workload is, if that has to be said: the folder or file that it is read with, or its application. */
export function placeOf({ part, application }: Pick<PlannedWorkload, "part" | "application">): string | undefined {
  return part ?? (application === "." ? undefined : application);
}

/** `Deployment shop/web in overlays/prod (seems to be renamed to web2)`. */
export function workloadWords(workload: PlannedWorkload): Words {
  const { kind, namespace, name } = workload;
  const place = placeOf(workload);
  const where = place === undefined ? [] : [" in ", code(place)];
  return [code(kind), " ", code(`${namespace}/${name}`), ...where, ...renamedWords(workload)];
}

/** `(seems to be web, renamed)`; nothing for a workload that seems to be no other. */
export function renamedWords({ renamedFrom, renamedTo }: PlannedWorkload): Words {
  if (renamedFrom !== undefined) return [" (seems to be ", code(renamedFrom), ", renamed)"];
  return renamedTo === undefined ? [] : [" (seems to be renamed to ", code(renamedTo), ")"];
}

/** `Kustomize overlays/prod`, with its path where the name doesn't have it. */
export function applicationText({ name, path, kind, cluster }: PlannedApplication): string {
  const more = [...(saysPath(name, path) ? [] : [path]), ...(cluster === undefined ? [] : [`cluster ${cluster}`])];
  return `${kind} ${name}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

/** `ConfigMap shop/env`, or the path of a field. */
export function causeWords(cause: Cause): Words {
  if (cause.source === undefined) return [code(cause.path)];
  const { kind, namespace, name } = cause.source;
  return [`${kind} `, code(`${namespace}/${name}`)];
}

/** What says how a workload rolls. */
type Rolling = Pick<PlannedWorkload, "action" | "pods" | "strategy"> &
  Partial<Pick<PlannedWorkload, "podsAtMost" | "safety" | "caveats">>;

/**
 * How a workload rolls: `RollingUpdate, 4 pods: at least 3 available, at most 5 in all`; undefined if it doesn't. Without
 * a readiness probe a pod counts as available as soon as it has started: the words are "started" then.
 */
export function strategyWords(rolling: Rolling): Words | undefined {
  const { action, strategy } = rolling;
  if (action !== "Roll" || strategy === null) return undefined;
  return [code(strategy.type), `, ${podsInWords(rolling, strategy)}${boundsInWords(rolling, strategy)}`];
}

function podsInWords({ pods, podsAtMost }: Rolling, { replicas, partition }: PlannedStrategy): string {
  if (replicas === null) return "as many pods as there are";
  if (podsAtMost !== undefined) {
    const range = `${pods} to ${podsAtMost} pods`;
    return partition === undefined ? range : `${range} (partition ${partition})`;
  }
  if (partition !== undefined) return `${pods} of ${replicas} pods (partition ${partition})`;
  return counted(pods, "pod");
}

function boundsInWords({ pods, podsAtMost, safety, caveats = [] }: Rolling, strategy: PlannedStrategy): string {
  const { type, replicas, maxSurge, maxUnavailable, minAvailable, maxTotal } = strategy;
  if (type === "RollingUpdate" && replicas === null) {
    const isSurge = maxSurge !== null && maxSurge !== 0 && maxSurge !== "0%";
    return isSurge ? `, ${maxSurge} more at once` : `, ${maxUnavailable ?? 1} at once`;
  }
  if (minAvailable === null || maxTotal === null || (podsAtMost ?? pods) === 0) return "";
  const available = caveats.some(({ id }) => id === "RS016") ? "started" : "available";
  const least = minAvailable === 0 ? `none ${available} while it rolls` : `at least ${minAvailable} ${available}`;
  // The maximum is known only for the fewest pods.
  const most = podsAtMost === undefined ? `, at most ${maxTotal} in all` : "";
  return `: ${least}${most}${safety === "MayStick" ? ", and it can stop there" : ""}`;
}

/** Why a workload changes. `namespace` is the workload's: its own sources are named without it. */
export function reasonWords(reason: Reason, namespace: string): Words {
  switch (reason.type) {
    case "Source":
      return sourceWords(reason, namespace);
    case "Template": {
      const path = [reason.template, reason.path].filter((part) => part !== undefined && part !== "").join(" ");
      if (reason.order === true) return [code(path), ": the order changed"];
      if (reason.hidden === true) return [code(path), " changed (its values are not shown)"];
      return [code(path), ...formatValue(reason.from ?? null, reason.to ?? null, reason.path)];
    }
    case "FirstStamp":
      return ["first stamp: the pod template gets stamps"];
    case "Stamp":
      if (reason.hidden === true) return ["stamp ", code(reason.path), " changed"];
      return ["stamp ", code(reason.path), ...formatValue(reason.from ?? null, reason.to ?? null, reason.path)];
    case "Restart":
      return ["restart: ", code(reason.field), ...formatValue(reason.from, reason.to, reason.field)];
    case "Immutable":
      if (reason.hidden === true) return [code(reason.path), " is immutable and changed (its values are not shown)"];
      return [code(reason.path), " is immutable", ...formatValue(reason.from ?? null, reason.to ?? null, reason.path)];
    case "Invalid":
      return [code(reason.path), ` ${reason.message}`];
  }
}

function sourceWords({ source, keys }: SourceReason, namespace: string): Words {
  const { kind, name, previousName, madeBy } = source;
  const shownName = source.namespace === namespace ? name : `${source.namespace}/${name}`;
  const renamed: Words = previousName === undefined ? [] : [" (formerly ", code(previousName), ")"];
  const maker: Words = madeBy === undefined ? [] : [" from ", code(madeBy)];
  const changed = keyWords(keys);
  const what = changed.length > 0 ? [": ", ...changed] : previousName === undefined ? [" changed"] : [" was renamed"];
  return [`${kind} `, code(shownName), ...renamed, ...maker, ...what];
}

const MOST_KEYS = 8;

function keyWords(keys: ChangedKeys): Part[] {
  const groups = [
    { names: keys.changed, word: "changed" },
    { names: keys.added, word: "added" },
    { names: keys.removed, word: "removed" },
  ].filter(({ names }) => names.length > 0);
  const more = keys.more === undefined ? [] : [`; and ${keys.more} more`];
  const words = groups.flatMap(({ names, word }, i) => [
    ...(i === 0 ? [] : ["; "]),
    ...names.slice(0, MOST_KEYS).flatMap((name, at) => (at === 0 ? [code(name)] : [", ", code(name)])),
    `${names.length > MOST_KEYS ? ` and ${names.length - MOST_KEYS} more` : ""} ${word}`,
  ]);
  return [...words, ...more];
}

function formatValue(from: Json, to: Json, path: string): Words {
  if (from === null) return wholeWords([" added", ": "], to, path);
  if (to === null) return wholeWords([" removed", ", was "], from, path);
  const pair = valuePair(from, to, isImage(path) ? { longest: Infinity } : {});
  return [": ", code(pair.from), " → ", code(pair.to)];
}

/** Images mostly differ at their ends, and people copy them: they are shown in full. */
export function isImage(path: string): boolean {
  return /(?:^|\.)(?:image|image\.reference)$/u.test(path);
}

/** What is added or removed as a whole, in one line, without the key by which its path names it. */
function wholeWords([what, link]: readonly [string, string], value: Json, path: string): Words {
  if (isImage(path)) return [what, link, code(shownValue(value, Infinity))];
  if (!isMapping(value)) return [what, link, code(shownValue(value))];
  const [, key = "", named = ""] = /\[([^=\]]+)=([^\]]*)\]$/u.exec(path) ?? [];
  const { image, ...rest } = Object.fromEntries(Object.entries(value).filter(([k, v]) => k !== key || v !== named));
  // An image, as containers have, comes first and in full.
  const first = typeof image === "string" ? { image } : {};
  const shown = { ...first, ...(image === undefined || typeof image === "string" ? {} : { image }), ...rest };
  if (Object.keys(shown).length === 0) return [what];
  return [what, link, code(shownValue(shown, typeof image === "string" ? JSON.stringify(first).length - 1 : 0))];
}
