import { nothingWords } from "../findings/not-examined/account-words.ts";
import { isNothing } from "../findings/not-examined/not-examined.ts";
import { type Json } from "../yaml/read/node.ts";
import { isMapping } from "../yaml/read/json.ts";
import type { ChangedKeys, Reason, SourceReason } from "../reports/plan/plan-reasons.ts";
import type { PlanFinding, PlannedStrategy, PlannedWorkload, PlanReport } from "../reports/plan/plan-report.ts";
import { counted } from "../base/words.ts";
import { momentWords } from "../stamping/waves/words.ts";
import { placeOf } from "./plan-application-words.ts";
import { shownValue, valuePair } from "../findings/results/value-pair.ts";

/** A piece of a sentence: our own words, or a text from a manifest, which each form has to neutralise. */
export type Piece = string | { readonly code: string };

/** A sentence of a plan, in no form yet. */
export type Words = readonly Piece[];

/** A text from a manifest. */
export function code(text: string): Piece {
  return { code: text };
}

/** The plan in one sentence: `2 of 14 workloads roll, 1 fails to apply; 6 pods are replaced`. */
export function summaryWords(report: PlanReport): string {
  const { summary } = report;
  if (isNothing(report)) return nothingWords(report);
  const { workloads, rolls, fails, nextRuns, noEffects, reloads, creates, deletes, pods } = summary;
  const { applications = [] } = report;
  if (workloads === 0 && applications.length > 1) {
    const failed = applications.filter(({ status }) => status === "Failed").length;
    if (failed === applications.length) return "Nothing was compared";
    const changed = applications.filter(({ status }) => status === "Changed").length;
    if (changed > 0)
      return `No workload changes in the ${counted(changed, "application")} that ${changed === 1 ? "differs" : "differ"}`;
    return `Nothing differs in what ${failed === 0 ? "" : "the other "}${counted(applications.length - failed, "application comes", "applications come")} to`;
  }
  const changes = [
    ...ifAny(fails, "fails to apply", "fail to apply"),
    ...ifAny(nextRuns, "changes at its next run", "change at their next run"),
    ...ifAny(noEffects, "changes without effect", "change without effect"),
    ...ifAny(reloads, "reloads by itself", "reload by themselves"),
    ...ifAny(creates, "is created", "are created"),
    ...ifAny(deletes, "is deleted", "are deleted"),
    ...scheduleWords(report.schedule),
  ];
  const first = `${rolls === 0 ? "None" : rolls} of ${counted(workloads, "workload")} ${rolls > 1 ? "roll" : "rolls"}`;
  const replaced = pods === 0 ? "" : `; ${counted(pods, "pod is", "pods are")} replaced`;
  return `${[first, ...changes].join(", ")}${replaced}`;
}

/** `12 wait, next window Sunday 02:00 UTC`; none where nothing waits. */
function scheduleWords(schedule: PlanReport["schedule"]): string[] {
  if (schedule === undefined) return [];
  const { waiting, ready = 0, at, nextWindow } = schedule;
  const held = ready > 0 && nextWindow !== undefined ? [`${ready} of them for no window`] : [];
  const next =
    at === undefined || nextWindow === undefined
      ? []
      : [`next window ${momentWords(new Date(nextWindow), new Date(at))}`];
  return [...ifAny(waiting, "waits", "wait"), ...held, ...next];
}

/** Findings of thousands of objects must not take the place of the workloads. */
export const MOST_FINDINGS = 50;

/** `12 findings that were there before`; undefined where there are none. */
export function beforeWords({ findingsBefore }: PlanReport): string | undefined {
  return findingsBefore === 0
    ? undefined
    : counted(findingsBefore, "finding that was", "findings that were") + " there before";
}

/** What names a finding. */
type FindingName = Pick<PlanFinding, "id" | "severity"> & { readonly before?: boolean };

/** `warning RS003`, with whether it was there before. */
export function findingWords({ id, severity, before }: FindingName): string {
  return `${severity} ${id}${before === true ? " (there before)" : ""}`;
}

function ifAny(n: number, one: string, many: string): string[] {
  return n === 0 ? [] : [counted(n, one, many)];
}

/** `Deployment shop/web`, with its application, or the folder or file where those are looked at apart. */
export function workloadWords({
  kind,
  namespace,
  name,
  ...at
}: Pick<PlannedWorkload, "kind" | "namespace" | "name" | "part" | "application">): Words {
  const place = placeOf(at);
  return [code(kind), " ", code(`${namespace}/${name}`), ...(place === undefined ? [] : [" in ", code(place)])];
}

/** Why nothing rolls or why it is refused; undefined where the first of its reasons, or a finding, says the same. */
export function becauseOf({ because, reasons, namespace, findings }: PlannedWorkload): string | undefined {
  const [first] = reasons;
  if (because === undefined || findings.some(({ message }) => message.includes(because))) return undefined;
  if (first === undefined) return because;
  return plainWords(reasonWords(first, namespace)).startsWith(because) ? undefined : because;
}

/** Words without any form: what is not neutralised yet. */
export function plainWords(words: Words): string {
  return words.map((piece) => (typeof piece === "string" ? piece : piece.code)).join("");
}

/** What of a workload tells how it rolls. */
type Rolling = Pick<PlannedWorkload, "action" | "pods" | "strategy"> &
  Partial<Pick<PlannedWorkload, "podsAtMost" | "safety" | "caveats">>;

/**
 * How a workload rolls: `RollingUpdate, 4 pods: at least 3 available, at most 5 in all`; none where it doesn't. Without
 * a readiness probe pods count as available that have only started: it says "started" then.
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
  const least = minAvailable === 0 ? `none ${available} for a while` : `at least ${minAvailable} ${available}`;
  // The most in all is that of the fewest pods.
  const most = podsAtMost === undefined ? `, at most ${maxTotal} in all` : "";
  return `: ${least}${most}${safety === "MayStick" ? ", and it can hang there" : ""}`;
}

/** Why a workload changes, in one sentence. `namespace` is the workload's: its own sources go without. */
export function reasonWords(reason: Reason, namespace: string): Words {
  switch (reason.type) {
    case "Source":
      return sourceWords(reason, namespace);
    case "Template": {
      const path = [reason.template, reason.path].filter((part) => part !== undefined && part !== "").join(" ");
      if (reason.order === true) return [code(path), ": another order"];
      if (reason.hidden === true) return [code(path), " differs (its values are not shown)"];
      return [code(path), ...formatValue(reason.from ?? null, reason.to ?? null, reason.path)];
    }
    case "Restart":
      return ["restart: ", code(reason.field), ...formatValue(reason.from, reason.to, reason.field)];
    case "Immutable":
      if (reason.hidden === true) return [code(reason.path), " is immutable, and differs (its values are not shown)"];
      return [code(reason.path), " is immutable", ...formatValue(reason.from ?? null, reason.to ?? null, reason.path)];
    case "Invalid":
      return [code(reason.path), ` ${reason.message}`];
    default:
      return [];
  }
}

function sourceWords({ source, keys }: SourceReason, namespace: string): Words {
  const { kind, name, previousName, madeBy } = source;
  const shownName = source.namespace === namespace ? name : `${source.namespace}/${name}`;
  const renamed: Words = previousName === undefined ? [] : [" (before: ", code(previousName), ")"];
  const maker: Words = madeBy === undefined ? [] : [" from ", code(madeBy)];
  const changed = keyWords(keys);
  const told =
    changed.length > 0 ? [": ", ...changed] : previousName === undefined ? [" differs"] : [" has another name"];
  return [`${kind} `, code(shownName), ...renamed, ...maker, ...told];
}

/** How many keys differ whose values are not shown here; nothing where there are none. */
export function moreDiffs(reason: Reason): readonly string[] {
  const more = reason.type === "Source" ? (reason.moreDiffs ?? 0) : 0;
  return more === 0 ? [] : [`(${counted(more, "more key differs", "more keys differ")})`];
}

const MOST_KEYS = 8;

function keyWords(keys: ChangedKeys): Piece[] {
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
  if (from === null) return wholeWords(" added: ", to, path);
  if (to === null) return wholeWords(" removed, was ", from, path);
  const pair = valuePair(from, to, isImage(path) ? { longest: Infinity } : {});
  return [": ", code(pair.from), " → ", code(pair.to)];
}

/** Two images mostly differ at their ends, and are copied: they stand whole. */
export function isImage(path: string): boolean {
  return /(?:^|\.)(?:image|image\.reference)$/u.test(path);
}

/** What comes or goes as a whole, in one line, without the key by which its path names it. */
function wholeWords(what: string, value: Json, path: string): Words {
  if (isImage(path)) return [what, code(shownValue(value, Infinity))];
  if (!isMapping(value)) return [what, code(shownValue(value))];
  const [, key = "", named = ""] = /\[([^=\]]+)=([^\]]*)\]$/u.exec(path) ?? [];
  const { image, ...rest } = Object.fromEntries(Object.entries(value).filter(([k, v]) => k !== key || v !== named));
  // Of what has an image, as a container has, it comes first, and whole.
  const first = typeof image === "string" ? { image } : {};
  const shown = { ...first, ...(image === undefined || typeof image === "string" ? {} : { image }), ...rest };
  if (Object.keys(shown).length === 0) return [what.replace(/[,: ]+(?:was )?$/u, "")];
  return [what, code(shownValue(shown, typeof image === "string" ? JSON.stringify(first).length - 1 : 0))];
}
