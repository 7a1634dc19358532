import { onceFor } from "../../base/grouped.ts";
import { objectKey } from "../../base/identity.ts";
import { sourceNameOf } from "../../base/names.ts";
import { stableJson } from "../../yaml/read/json.ts";
import type { Item } from "../../yaml/read/items.ts";
import { appliedJson } from "../../yaml/read/kubectl-view.ts";
import { getPath } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import { ANNOTATION, effectOf } from "../../kubernetes/rollout/effect.ts";
import { findingsAt } from "../lint/lint.ts";
import { seesOnlyUpdates, watchesOf, type PeerName } from "../../stamping/policy/peers.ts";
import { staleProblem } from "../lint/rules/stale-content.ts";
import { isLeftBehind } from "./lost-sources.ts";
import { contentReasons, optionsOf } from "./pair.ts";
import { type Change, pairOf, type PlanContext, rolloutReason } from "./plan-context.ts";
import { planFinding } from "./plan-findings.ts";
import type { Reason, SourceReason } from "./plan-reasons.ts";
import type { PlanFinding, PlannedWorkload } from "./planned-workload.ts";
import { sourceOf, type Side, type SideWorkload } from "./side.ts";
import { skippedRuns, uncountedChanges, type Uncounted, type UncountedChange } from "./uncounted.ts";

// What happens to a workload whose pod template is unchanged: its pods may keep old content, or only their number changes.

/**
 * The template is unchanged. If content that the pods see differs, running pods keep the old one until something replaces
 * them: the next run of a CronJob takes the new one.
 */
export function unseenByTemplate(context: PlanContext, from: SideWorkload, to: SideWorkload): Change {
  const reasons = unseenContent(context, from, to);
  if (reasons.length > 0) {
    const { effect, because } = effectOf(to.workload, to.rollout(), ANNOTATION);
    if (effect === "NextRun")
      return { action: "NextRun", because: undefined, reasons: reasons.map(withoutSeenBy), refusedItems: [] };
    const isRestarted = effect === "Roll" && watchedReasons(context, from, to, reasons).length > 0;
    if (effect === "Roll" && !isRestarted && to.rollout().strategy?.replicas !== 0)
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

/** The content that differs and that the pod template does not show: nothing here replaces the pods. */
function unseenContent(context: PlanContext, from: SideWorkload, to: SideWorkload): SourceReason[] {
  const { base, applied, reporting, lost } = context;
  const pair = pairOf(context, from, to);
  const gone = new Set(
    (lost.get(to.workload.item)?.lost ?? []).flatMap(({ source }) => [
      objectKey(source),
      ...base.analysis.sources.copies
        .filter((copy) => objectKey(copy.source.provides) === objectKey(source))
        .map(({ original }) => objectKey(original.provides)),
    ]),
  );
  const notCounted = uncounted(context, from, to);
  const reasonsFor = (cause: Uncounted) =>
    notCounted.flatMap((change) => (change.cause === cause ? change.reasons : []));
  const reloaded = new Set(reasonsFor("reloads").map(({ source }) => objectKey(source)));
  const content = [
    ...contentReasons(pair, reporting),
    ...reasonsFor("notOptedIn"),
    ...skippedRuns(pair, optionsOf(applied, reporting)),
  ];
  return content.filter(
    ({ source, keys, seenBy }) =>
      (!gone.has(objectKey(source)) || keys.added.length + keys.changed.length > 0) &&
      (seenBy !== "volume" || !reloaded.has(objectKey(source))) &&
      (sourceOf(applied, source) !== undefined || !isLeftBehind(base, source)),
  );
}

/**
 * The changed content for which a controller in the cluster restarts the pods, which then have all new content (contract,
 * section 5: it is no Stale).
 */
function watchedReasons(
  { base, applied }: PlanContext,
  from: SideWorkload,
  to: SideWorkload,
  reasons: readonly SourceReason[],
): { readonly writer: PeerName; readonly reasons: readonly SourceReason[] }[] {
  const before = watchesIn(base)(from.workload);
  return [...watchesIn(applied)(to.workload)].flatMap(([writer, sources]) => {
    const now = keysOf(sources);
    // Sources are applied before workloads, so an annotation that is new comes too late for them.
    const already = seesOnlyUpdates(writer) ? keysOf(before.get(writer) ?? []) : now;
    const watched = reasons.filter(({ source }) => now.has(objectKey(source)) && already.has(objectKey(source)));
    return watched.length === 0 ? [] : [{ writer, reasons: watched }];
  });
}

/** Whether a controller watches anything of a workload: of most, none does. */
function isWatched({ applied }: PlanContext, { workload }: SideWorkload): boolean {
  return [...watchesIn(applied)(workload).values()].some((sources) => sources.length > 0);
}

function keysOf(sources: readonly Source[]): ReadonlySet<string> {
  return new Set(sources.map(({ provides }) => objectKey(provides)));
}

// With `compat`, the stamps take the place of a controller: it need not run any more.
const watchesIn = onceFor(({ analysis, spec, stamps }: Side) =>
  watchesOf(analysis.sources, stamps === "None" ? [] : spec.compat),
);

/** A reason of a workload whose pods are replaced. */
export function withoutSeenBy({ seenBy: _seenBy, ...reason }: SourceReason): SourceReason {
  return reason;
}

/** The numbers of replicas, if the manifest changes the one that counts: an autoscaler may decide it instead. */
export function changedReplicas(from: SideWorkload, to: SideWorkload): PlannedWorkload["replicas"] {
  const written = writtenReplicas(to.workload.item);
  // Or the scaler itself, which keeps it at 0 (KEDA's paused-replicas).
  const isStopped = written !== "0" && to.rollout().scaledBy?.max === 0;
  if (writtenReplicas(from.workload.item) === written && !isStopped) return undefined;
  const [before, after] = [from.rollout().strategy?.replicas, to.rollout().strategy?.replicas];
  return before === after || before === undefined || after === undefined ? undefined : { from: before, to: after };
}

function writtenReplicas({ tree, node }: Item): string {
  const written = getPath(tree, node, ["spec", "replicas"]);
  return written === NONE ? "" : stableJson(appliedJson(tree, written));
}

/** RS025, unless the configuration switches it off. */
export function staleFindings(
  { stampedBy, path, levels }: PlanContext,
  to: SideWorkload | undefined,
  reasons: readonly Reason[],
): PlanFinding[] {
  if (to === undefined) return [];
  const sources = reasons.flatMap((reason) => (reason.type === "Source" ? [reason.source] : []));
  const { item } = to.workload;
  const cause = stampedBy === "Files" ? "forgotten" : stampedBy === "Nothing" ? "unstamped" : "uncovered";
  const problems = [staleProblem(item, { sources: sources.map(sourceNameOf), cause, path })];
  return findingsAt(problems, "RS025", levels.get("RS025")).map(planFinding);
}

/** Notes about content that changes and that no stamp covers: on purpose, or because a controller restarts the pods. */
export function uncountedNotes(context: PlanContext, from: SideWorkload, to: SideWorkload): PlanFinding[] {
  const { item } = to.workload;
  const namesOf = (reasons: readonly SourceReason[]) => reasons.map(({ source }) => sourceNameOf(source));
  const problems = [
    ...uncounted(context, from, to).flatMap(({ cause, reasons }) =>
      cause === "notOptedIn" ? [] : [staleProblem(item, { sources: namesOf(reasons), cause, path: undefined })],
    ),
    ...(isWatched(context, to) ? watchedReasons(context, from, to, unseenContent(context, from, to)) : []).map(
      ({ writer, reasons }) =>
        staleProblem(item, { sources: namesOf(reasons), cause: "watched", writer, path: undefined }),
    ),
  ];
  return findingsAt(problems, "RS025", context.levels.get("RS025") === "off" ? "off" : undefined).map(planFinding);
}

function uncounted(context: PlanContext, from: SideWorkload, to: SideWorkload): UncountedChange[] {
  return uncountedChanges(pairOf(context, from, to), optionsOf(context.applied, context.reporting));
}
