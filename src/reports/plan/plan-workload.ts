import { getString } from "../../yaml/read/node.ts";
import type { Reason } from "./plan-reasons.ts";
import type { Action, Because, Next, PlannedWorkload } from "./planned-workload.ts";
import { effectOf, type TemplateChange } from "../../kubernetes/rollout/effect.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { evicted, recreatedAtOnce, refusedBy, replacesNone, REPLACE } from "../../kubernetes/rollout/mechanics.ts";
import { refusedPods } from "../../kubernetes/rollout/pod-refusals.ts";
import { refusedTypes } from "../../kubernetes/rollout/type-refusals.ts";
import { refusedSchedule } from "../../kubernetes/rollout/schedule-refusals.ts";
import { numberAt } from "../../kubernetes/rollout/numbers.ts";
import { isReplacedByForce, recreatedBy } from "../../kubernetes/rollout/written-rollout.ts";
import { restartFieldOf } from "../../kubernetes/rollout/restart-fields.ts";
import type { Refusal, Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import type { PodTemplate, Workload } from "../../kubernetes/workloads/types.ts";
import { withStandingStamps, type PlannedWait } from "./schedule.ts";
import { chartOnly } from "./chart-only.ts";
import { changesOf, contentReasons, templatesOf } from "./pair.ts";
import { plannedRisk } from "./planned-risk.ts";
import { planFinding } from "./plan-findings.ts";
import { refusedFor } from "./refused-sources.ts";
import { leavingCopyFindings } from "./leaving-copies.ts";
import { leftDefaults, SET_DEFAULTS_FIRST } from "./left-defaults.ts";
import { fewerNodes } from "./fewer-nodes.ts";
import { startProblems } from "./cannot-start.ts";
import { lostContainerPorts } from "./lost-port.ts";
import { lostRequests } from "./lost-request.ts";
import { deletedVolumes } from "./deleted-volumes.ts";
import { droppedReplicas } from "./dropped-replicas.ts";
import { seenContent } from "./seen-content.ts";
import { selectorNext } from "./selector-change.ts";
import { changedReplicas, staleFindings, uncountedNotes, unseenByTemplate, withoutSeenBy } from "./stale.ts";
import { type Change, type Entry, pairOf, type PlanContext, rolloutReason } from "./plan-context.ts";
import { releasedNotes } from "./released.ts";
import { isFieldRestart } from "./restarts.ts";
import { isSameText } from "./same-text.ts";
import type { SideWorkload } from "./side.ts";
import { judging } from "./traffic.ts";

/** Plans one workload; empty if neither side has it. */
export function planWorkload(
  context: PlanContext,
  from: SideWorkload | undefined,
  to: SideWorkload | undefined,
): Entry[] {
  const present = to ?? from;
  if (present === undefined) return [];
  const change = to === undefined ? DELETED : from === undefined ? created(context, to) : changed(context, from, to);
  const { action, next, reasons, refusedItems } = change;
  const marks = change.because === undefined ? chartOnly(reasons, context.head.spec) : undefined;
  const ofChart = marks !== undefined && isContentSame(context, from, to) ? marks : undefined;
  const because = change.because ?? ofChart?.because;
  const { item, namespace } = present.workload;
  const side = to === undefined ? context.base : context.applied;
  const given = asApplied(context, present);
  const isEvicted =
    restartFieldOf(given.workload.item)?.evicts === true && isFieldRestart(given.workload.item, reasons);
  const rollout =
    change.isRecreated === true
      ? recreatedAtOnce(given.rollout())
      : isEvicted
        ? evicted(given.rollout())
        : given.rollout();
  const { safety, caveats } = plannedRisk(side, given, { action, rollout, isEvicted, reasons }, context.levels);
  const { pods, podsAtMost } = podsOf(action, rollout);
  const todo = next ?? nextOf(action, rollout) ?? ofChart?.next;
  const refused = refusedItems.flatMap((source) => context.refused.get(source) ?? []);
  const loss = to === undefined ? undefined : context.lost.get(to.workload.item);
  const replicas = from === undefined || to === undefined ? undefined : changedReplicas(from, given);
  const pair = from === undefined || to === undefined ? undefined : pairOf(context, from, given);
  const content = context.isAudit && pair !== undefined ? seenContent(pair, context.reporting) : [];
  const isReplacing = action === "Roll" && !replacesNone(rollout);
  const planned: PlannedWorkload = {
    apiVersion: item.apiVersion,
    kind: item.kind,
    namespace,
    name: item.name,
    ...(context.part === undefined ? {} : { part: context.part }),
    action,
    ...(because === undefined ? {} : { because }),
    ...(loss === undefined ? {} : { lost: loss.lost }),
    ...(content.length === 0 ? {} : { content }),
    ...(replicas === undefined ? {} : { replicas }),
    safety,
    caveats,
    ...(todo === undefined ? {} : { next: todo }),
    pods,
    ...(podsAtMost === pods ? {} : { podsAtMost }),
    ...(rollout.scaledBy === undefined ? {} : { scaledBy: rollout.scaledBy }),
    reasons,
    strategy: rollout.strategy,
    findings: [
      ...[...refused, ...(loss?.findings ?? [])].map(planFinding),
      ...(action === "Stale" ? staleFindings(context, to, reasons) : []),
      ...deletedVolumes(action, replicas, item),
      ...(from === undefined || to === undefined
        ? []
        : leavingCopyFindings({ base: context.base, head: context.head, from, to }, action)),
      ...(to === undefined || action === "Fail"
        ? []
        : startProblems({ base: context.base, head: side, from, to: given, isReplacing })),
      ...(pair === undefined || action === "Fail" ? [] : fewerNodes(pair)),
      ...(pair !== undefined && isReplacing ? lostContainerPorts(pair) : []),
    ],
  };
  const isKept = action !== "Roll" && action !== "Reload" && from !== undefined && to !== undefined;
  const notes = [
    ...(isKept ? [...uncountedNotes(context, from, to), ...releasedNotes(from, given)] : []),
    ...(pair === undefined || action === "Fail" ? [] : [...droppedReplicas(pair.from, given), ...lostRequests(pair)]),
  ];
  const waitsAsBefore = action === "Waiting" && from?.waits?.pending === to?.waits?.pending;
  return [{ planned: { ...planned, ...judging(side, given, planned) }, from, to, refusedItems, notes, waitsAsBefore }];
}

/** Whether the pods see what they saw: where nothing stamps, a checksum is what rolls out a changed content. */
function isContentSame(context: PlanContext, from?: SideWorkload, to?: SideWorkload): boolean {
  if (from === undefined || to === undefined) return true;
  return contentReasons(pairOf(context, from, to), context.reporting).length === 0;
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

const DELETED: Change = { action: "Delete", because: undefined, reasons: [], refusedItems: [] };

function created(context: PlanContext, to: SideWorkload): Change {
  const invalid = invalidOf(context, to);
  return {
    action: invalid === undefined ? "Create" : "Fail",
    because: invalid === undefined ? undefined : rolloutReason(refusedBy(invalid).because),
    next: invalid === undefined ? undefined : correct(invalid),
    reasons: invalidReasons(invalid),
    refusedItems: [],
  };
}

/** The first rule that applies decides: what the API server refuses, then the effect of the changed template. */
function changed(context: PlanContext, before: SideWorkload, given: SideWorkload): Change {
  const { base, head, isWave, applying, refused, reporting } = context;
  // If a workload waits, stamps are committed: the base has its stamps in Git, even if they are stale or missing.
  const isStanding = isWave && before.waits === undefined && base.stamps === "AsIfStamped";
  const from = isStanding ? withStandingStamps(before) : before;
  const to = asApplied(context, given);
  const isUnapplied = to.rollout().isUnapplied === true;
  const changes = changesOf(pairOf(context, from, to), reporting);
  // A changed selector mostly no longer matches the labels: what to do about the change says more.
  const invalid =
    changes.immutable.length > 0 || isUnapplied || isIgnoredAsBefore(from, to, changes.template)
      ? undefined
      : invalidOf(context, to, from);
  const refusedItems = refusedFor(head, given, templatesOf(head, given), refused);
  const reasons = [...invalidReasons(invalid), ...changes.immutable, ...changes.template];
  const fail = (because: Because | undefined, next: Next): Change => ({
    action: "Fail",
    because,
    next,
    reasons,
    refusedItems,
  });
  if (isUnapplied && (reasons.length > 0 || changedReplicas(from, to) !== undefined)) {
    const { effect, because, next = "" } = to.rollout();
    return {
      action: effect,
      because: rolloutReason(because),
      next: { id: "rollout", text: next },
      reasons,
      refusedItems: [],
    };
  }
  if (invalid !== undefined) return fail(rolloutReason(refusedBy(invalid).because), correct(invalid));
  const [immutable] = changes.immutable;
  const again = recreatedBy(to.workload.item, applying.isForced);
  const isJob = to.workload.kind.rollsBy === "immutable";
  const isReplaced = (isJob || isReplacedByForce(to.workload.item)) && changes.template.length > 0;
  if (again !== undefined && (immutable !== undefined || isReplaced))
    return {
      action: isJob ? "NextRun" : "Roll",
      because: rolloutReason(again),
      reasons,
      refusedItems: [],
      isRecreated: true,
    };
  const remedy = isJob ? replaceJob(from.workload) : REPLACE;
  if (immutable !== undefined)
    return fail(
      { id: "immutable-field", path: immutable.path },
      selectorNext(context, from, to, changes.immutable) ?? { id: "rollout", text: remedy },
    );
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
    next: next === undefined ? undefined : { id: "rollout", text: isJob && effect === "Fail" ? remedy : next },
    reasons,
    refusedItems,
  };
}

/** Kubernetes deletes a finished Job with a time to live, and an apply after that creates the Job again. */
function replaceJob({ item }: Workload): string {
  const ttl = numberAt(item, ["spec", "ttlSecondsAfterFinished"]);
  if (ttl === undefined) return REPLACE;
  return `Wait until the Job is gone, ${ttl} seconds after it finishes (ttlSecondsAfterFinished), or delete it; then apply again.`;
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
    ? changesOf({ base, head, from, to: later }, reporting).template
    : contentReasons({ base, head, from, to: later }, reporting).map(withoutSeenBy);
}

function correct({ by, isLeft }: Refusal): Next {
  if (isLeft === true) return { id: "rollout", text: SET_DEFAULTS_FIRST };
  return { id: "correct-field", ...(by === undefined ? {} : { by }) };
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

/** What is refused in a workload; in its pods only if it is created or changed. */
function invalidOf(context: PlanContext, to: SideWorkload, from?: SideWorkload): Refusal | undefined {
  const { fieldValidation } = context.applying;
  const { refused } = to.rollout();
  if (refused !== undefined) return refused;
  const isChanged = from === undefined || !isSameText(from.workload.item, to.workload.item);
  return isChanged
    ? (refusedTypes(to.workload, from?.workload, fieldValidation) ??
        refusedPods(to.workload, from?.workload, fieldValidation) ??
        refusedSchedule(to.workload, from?.workload) ??
        leftDefaults(context.applying, from, to))
    : undefined;
}

/** Whether a controller ignored it before, and nothing of it changes. What the API server refuses fails the apply again. */
function isIgnoredAsBefore(from: SideWorkload, to: SideWorkload, changes: readonly Reason[]): boolean {
  return (
    from.rollout().refused?.by !== undefined && changes.length === 0 && isSameText(from.workload.item, to.workload.item)
  );
}

function invalidReasons(refused: Refusal | undefined): Reason[] {
  return refused === undefined ? [] : [{ type: "Invalid", path: refused.path, message: refused.problem }];
}
