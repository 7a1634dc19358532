import { findingsAt, type Levels } from "../lint/lint.ts";
import { staleProblem } from "../lint/rules/stale-content.ts";
import { objectKey } from "../../base/identity.ts";
import type { SourceName } from "../../base/names.ts";
import type { Item } from "../../yaml/read/items.ts";
import { stableJson } from "../../yaml/read/json.ts";
import { getPath, getString, toJson } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { Reason, SourceReason } from "./plan-reasons.ts";
import type { Action, Because, LostSource, Next, PlanFinding, PlannedWorkload, StampedBy } from "./plan-report.ts";
import { ANNOTATION, effectOf, type TemplateChange } from "../../kubernetes/rollout/effect.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { evicted, REPLACE } from "../../kubernetes/rollout/mechanics.ts";
import { restartFieldOf } from "../../kubernetes/rollout/restart-fields.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import type { PodTemplate, Workload } from "../../kubernetes/workloads/types.ts";
import { withStandingStamps, type PlannedWait } from "./schedule.ts";
import { chartOnly } from "./chart-only.ts";
import { changesOf, contentReasons, templatesOf, type ReasonReporting } from "./pair.ts";
import { plannedRisk } from "./planned-risk.ts";
import { planFinding } from "./plan-findings.ts";
import { refusedFor, type RefusedSources } from "./refused-sources.ts";
import { isFieldRestart } from "./restarts.ts";
import type { Side, SideWorkload } from "./side.ts";
import { judging } from "./traffic.ts";

/** The context in which the workloads of a pair are planned. */
export interface PlanContext {
  readonly part: string | undefined;
  readonly base: Side;
  readonly head: Side;
  readonly applied: Side;
  /** Whether a workload of the head waits for its stamps. If so, the stamps in Git are the ones that count. */
  readonly isWave: boolean;
  readonly refused: RefusedSources;
  readonly reporting: ReasonReporting;
  readonly levels: Levels;
  /** What writes the stamps of the pair's application, or where they are. */
  readonly stampedBy: StampedBy;
  /** The folder of the application, for the command that sets up stamping; undefined if it is unknown. */
  readonly path: string | undefined;
  /** The sources that workloads of the head lost. */
  readonly lost: ReadonlyMap<Item, readonly LostSource[]>;
}

/** A planned workload, and the data for its findings. */
export interface Entry {
  readonly planned: PlannedWorkload;
  readonly from: SideWorkload | undefined;
  readonly to: SideWorkload | undefined;
  readonly refusedItems: readonly Item[];
  /** Whether it waits for the same stamps in the base. */
  readonly waitsAsBefore?: boolean;
}

/** Plans one workload; empty if neither side has it. */
export function planWorkload(
  context: PlanContext,
  from: SideWorkload | undefined,
  to: SideWorkload | undefined,
): Entry[] {
  const present = to ?? from;
  if (present === undefined) return [];
  const change = to === undefined ? DELETED : from === undefined ? created(to) : changed(context, from, to);
  const { action, next, reasons, refusedItems } = change;
  const ofChart = change.because === undefined ? chartOnly(reasons, context.head.spec) : undefined;
  const because = change.because ?? ofChart?.because;
  const { item, namespace } = present.workload;
  const side = to === undefined ? context.base : context.applied;
  const given = asApplied(context, present);
  const isEvicted =
    restartFieldOf(given.workload.item)?.evicts === true && isFieldRestart(given.workload.item, reasons);
  const rollout = isEvicted ? evicted(given.rollout()) : given.rollout();
  const { safety, caveats } = plannedRisk(side, given, { action, rollout, isEvicted, reasons }, context.levels);
  const { pods, podsAtMost } = podsOf(action, rollout);
  const todo = next ?? nextOf(action, rollout) ?? ofChart?.next;
  const refused = refusedItems.flatMap((source) => context.refused.get(source) ?? []);
  const lost = to === undefined ? undefined : context.lost.get(to.workload.item);
  const replicas = from === undefined || to === undefined ? undefined : changedReplicas(from, given);
  const planned: PlannedWorkload = {
    apiVersion: item.apiVersion,
    kind: item.kind,
    namespace,
    name: item.name,
    ...(context.part === undefined ? {} : { part: context.part }),
    action,
    ...(because === undefined ? {} : { because }),
    ...(lost === undefined ? {} : { lost }),
    ...(replicas === undefined ? {} : { replicas }),
    safety,
    caveats,
    ...(todo === undefined ? {} : { next: todo }),
    pods,
    ...(podsAtMost === pods ? {} : { podsAtMost }),
    ...(rollout.scaledBy === undefined ? {} : { scaledBy: rollout.scaledBy }),
    reasons,
    strategy: rollout.strategy,
    findings: [...refused.map(planFinding), ...(action === "Stale" ? staleFindings(context, to, reasons) : [])],
  };
  const waitsAsBefore = action === "Waiting" && from?.waits?.pending === to?.waits?.pending;
  return [{ planned: { ...planned, ...judging(side, given, planned) }, from, to, refusedItems, waitsAsBefore }];
}

/** How many pods are replaced, at least and at most. */
function podsOf(action: Action, rollout: Rollout): { readonly pods: number; readonly podsAtMost: number } {
  if (action !== "Roll" && action !== "Stale") return { pods: 0, podsAtMost: 0 };
  return { pods: rollout.pods, podsAtMost: Math.max(rollout.pods, rollout.ends?.most.pods ?? 0) };
}

/** What the user must do while it rolls. */
function nextOf(action: Action, { waits, strategy }: Rollout): Next | undefined {
  if (action !== "Roll") return undefined;
  if (waits !== undefined) return { id: "promote", because: waits.because };
  return strategy?.partition === undefined ? undefined : { id: "lower-partition" };
}

/** A workload of the head after its apply. */
function asApplied({ applied }: PlanContext, own: SideWorkload): SideWorkload {
  return applied.workloads.get(own.id) ?? own;
}

/** What happens to a workload, and why. */
interface Change {
  readonly action: Action;
  readonly because: Because | undefined;
  readonly next?: Next | undefined;
  readonly reasons: readonly Reason[];
  readonly refusedItems: readonly Item[];
}

const DELETED: Change = { action: "Delete", because: undefined, reasons: [], refusedItems: [] };

function created(to: SideWorkload): Change {
  const invalid = invalidReasons(to);
  return {
    action: invalid.length > 0 ? "Fail" : "Create",
    because: invalid.length > 0 ? rolloutReason(to.rollout().because) : undefined,
    next: invalid.length > 0 ? correct(to) : undefined,
    reasons: invalid,
    refusedItems: [],
  };
}

/** The first rule that applies decides: what the API server refuses, then the effect of the changed template. */
function changed(context: PlanContext, before: SideWorkload, given: SideWorkload): Change {
  const { base, head, applied, isWave, refused, reporting } = context;
  // If a workload waits, stamps are committed: the base has its stamps in Git, even if they are stale or missing.
  const isStanding = isWave && before.waits === undefined && base.stamps === "AsIfStamped";
  const from = isStanding ? withStandingStamps(before) : before;
  const to = asApplied(context, given);
  const changes = changesOf(base, applied, from, to, reporting);
  const invalid = invalidReasons(to);
  const refusedItems = refusedFor(head, given, templatesOf(head, given), refused);
  const reasons = [...invalid, ...changes.immutable, ...changes.template];
  const fail = (because: Because | undefined, next: Next): Change => ({
    action: "Fail",
    because,
    next,
    reasons,
    refusedItems,
  });
  if (invalid.length > 0) return fail(rolloutReason(to.rollout().because), correct(to));
  const [immutable] = changes.immutable;
  if (immutable !== undefined)
    return fail({ id: "immutable-field", path: immutable.path }, { id: "rollout", text: REPLACE });
  const [refusedItem] = refusedItems;
  if (refusedItem !== undefined)
    return fail({ id: "refused-source", source: resourceRef(refusedItem) }, { id: "rename-source" });
  if (changes.template.length === 0 && given.waits !== undefined) return waiting(context, from, given, given.waits);
  if (changes.template.length === 0 && changes.reloaded.length > 0) return reloaded(changes.reloaded);
  if (changes.template.length === 0) return unseenByTemplate(context, from, to);
  const { effect, because, next } = effectOf(to.workload, to.rollout(), templateChange(from, to, changes.template));
  return {
    action: effect,
    because: rolloutReason(because),
    next: next === undefined ? undefined : { id: "rollout", text: next },
    reasons,
    refusedItems,
  };
}

/** It keeps its stamps now and gets new ones later. If it did not wait before, the reasons explain the new stamps. */
function waiting(context: PlanContext, from: SideWorkload, to: SideWorkload, waits: PlannedWait): Change {
  const wanted = new Map(waits.wanted.map((stamps) => [stamps.decision.template, stamps]));
  const later = { ...to, desired: (template: PodTemplate) => wanted.get(template) };
  const isAsBefore = from.waits?.pending === waits.pending;
  return {
    action: "Waiting",
    because: { id: "waiting" },
    reasons: isAsBefore ? [] : laterReasons(context, from, later),
    refusedItems: [],
  };
}

/** Why the stamps that it waits for differ from those that it has. */
function laterReasons(
  { base, head, reporting }: PlanContext,
  from: SideWorkload,
  later: SideWorkload,
): readonly Reason[] {
  return head.stamps === "AsIfStamped"
    ? changesOf(base, head, from, later, reporting).template
    : contentReasons(base, head, from, later, reporting).map(withoutSeenBy);
}

/**
 * The template is unchanged. If content that the pods see differs, running pods keep the old one until something replaces
 * them: the next run of a CronJob takes the new one.
 */
function unseenByTemplate(
  { base, applied, reporting, lost }: PlanContext,
  from: SideWorkload,
  to: SideWorkload,
): Change {
  const gone = new Set((lost.get(to.workload.item) ?? []).map(({ source }) => objectKey(source)));
  const reasons = contentReasons(base, applied, from, to, reporting).filter(
    ({ source, keys }) => !gone.has(objectKey(source)) || keys.added.length + keys.changed.length > 0,
  );
  if (reasons.length > 0) {
    const { effect, because } = effectOf(to.workload, to.rollout(), ANNOTATION);
    if (effect === "NextRun")
      return { action: "NextRun", because: undefined, reasons: reasons.map(withoutSeenBy), refusedItems: [] };
    if (effect === "Roll" && to.rollout().strategy?.replicas !== 0)
      return { action: "Stale", because: { id: "unstamped" }, reasons, refusedItems: [] };
    if (effect === "NoEffect" && to.workload.kind.rollsBy === "template")
      return { action: "Stale", because: rolloutReason(because), reasons, refusedItems: [] };
  }
  return {
    action: changedReplicas(from, to) === undefined ? "None" : "Scale",
    because: undefined,
    reasons: [],
    refusedItems: [],
  };
}

function withoutSeenBy({ seenBy: _seenBy, ...reason }: SourceReason): SourceReason {
  return reason;
}

/** The numbers of replicas, if the manifest changes the one that counts: an autoscaler may decide it instead. */
function changedReplicas(from: SideWorkload, to: SideWorkload): PlannedWorkload["replicas"] {
  if (writtenReplicas(from.workload.item) === writtenReplicas(to.workload.item)) return undefined;
  const [before, after] = [from.rollout().strategy?.replicas, to.rollout().strategy?.replicas];
  return before === after || before === undefined || after === undefined ? undefined : { from: before, to: after };
}

function writtenReplicas({ tree, node }: Item): string {
  const written = getPath(tree, node, ["spec", "replicas"]);
  return written === NONE ? "" : stableJson(toJson(tree, written));
}

/** RS025, unless the configuration switches it off. */
function staleFindings(
  { stampedBy, path, levels }: PlanContext,
  to: SideWorkload | undefined,
  reasons: readonly Reason[],
): PlanFinding[] {
  if (to === undefined) return [];
  const sources = reasons.flatMap((reason) => (reason.type === "Source" ? [reason.source] : []));
  const { item } = to.workload;
  const cause = stampedBy === "Files" ? "forgotten" : stampedBy === "Nothing" ? "unstamped" : "uncovered";
  const problems = [staleProblem(item, { sources: sources.map(nameOfSource), cause, path })];
  return findingsAt(problems, "RS025", levels.get("RS025")).map(planFinding);
}

function nameOfSource({ kind, namespace, name }: SourceName): SourceName {
  return { kind, namespace, name };
}

function correct(to: SideWorkload): Next {
  const by = to.rollout().refused?.by;
  return { id: "correct-field", ...(by === undefined ? {} : { by }) };
}

function rolloutReason(text: string | undefined): Because | undefined {
  return text === undefined ? undefined : { id: "rollout", text };
}

/** The template is unchanged, and the processes reload the content without a restart. */
function reloaded(reasons: readonly Reason[]): Change {
  return { action: "Reload", because: { id: "reloaded" }, reasons, refusedItems: [] };
}

function templateChange(from: SideWorkload, to: SideWorkload, reasons: readonly Reason[]): TemplateChange {
  return {
    paths: reasons.flatMap((reason) => (reason.type === "Template" ? [reason.path] : [])),
    ...(isFieldRestart(to.workload.item, reasons) ? { byRestartField: true } : {}),
    ...(isRenamed(from.workload, to.workload) ? { renamed: true } : {}),
  };
}

/** Whether the name of the pod template changed, which identifies a revision of Knative. */
function isRenamed(from: Workload, to: Workload): boolean {
  const path = to.kind.fixedBy?.split(".");
  if (path === undefined) return false;
  return getString(from.item.tree, from.item.node, ...path) !== getString(to.item.tree, to.item.node, ...path);
}

function invalidReasons(to: SideWorkload): Reason[] {
  const { refused } = to.rollout();
  return refused === undefined ? [] : [{ type: "Invalid", path: refused.path, message: refused.problem }];
}
