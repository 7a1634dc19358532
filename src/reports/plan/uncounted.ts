import { matchesSelector } from "../../base/selector.ts";
import { labelsOf } from "../../yaml/read/items.ts";
import { withoutReloaded } from "../../stamping/policy/references-by-source.ts";
import { sightingsOf, type Sighting } from "../../stamping/stamps/sightings.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { wholeTemplate } from "../lint/context.ts";
import type { SourceReason } from "./plan-reasons.ts";
import type { Side, SideWorkload, WorkloadPair } from "./side.ts";
import { sightingReasons, type SourceReasonOptions } from "./source-reasons.ts";

// Content that changes and that the pods see, but that no stamp covers on purpose (contract, sections 3 and 5, RS022).

/** Why content does not count. With `selection: Annotated` nobody may have thought of a workload that is not opted in. */
export type Uncounted = "notOptedIn" | "optedOut" | "excluded" | "reloads";

export interface UncountedChange {
  readonly cause: Uncounted;
  readonly reasons: readonly SourceReason[];
}

/** The changed content that does not count for the stamps of a workload. */
export function uncountedChanges(pair: WorkloadPair, options: SourceReasonOptions): UncountedChange[] {
  const { head, to } = pair;
  const changes = (cause: Uncounted, seenIn: SeenIn): UncountedChange[] => {
    const reasons = reasonsIn(pair, seenIn, options);
    return reasons.length === 0 ? [] : [{ cause, reasons }];
  };
  const { selected, touched, templates } = to.decision;
  // As if everything were stamped, what the configuration does not select has no part in the plan.
  if (!selected && touched && templates.length > 0)
    return head.stamps === "AsIfStamped" ? [] : changes("notOptedIn", everything);
  if (!selected) return isMeant(to, head) ? changes("optedOut", everything) : [];
  return [...changes("excluded", excluded), ...changes("reloads", reloaded)];
}

/** Whether the workload could be stamped, and an annotation or the configuration says that it is not. */
function isMeant({ workload: { item, kind, borrows }, decision: { touched } }: SideWorkload, { spec }: Side): boolean {
  if (kind.option !== undefined || borrows !== undefined) return false;
  return touched || (spec.selector !== undefined && !matchesSelector(spec.selector, labelsOf(item)));
}

/** The changed content of a Job or CronJob that the configuration skips: its next run has it. */
export function skippedRuns(pair: WorkloadPair, options: SourceReasonOptions): SourceReason[] {
  const { decision, workload } = pair.to;
  const isRun = workload.kind.option === "jobs" || workload.kind.option === "cronJobs";
  return decision.selected || !isRun ? [] : reasonsIn(pair, everything, options);
}

/** The changed sources that a known reloader container watches. */
export function reloadedChanges(pair: WorkloadPair, options: SourceReasonOptions): SourceReason[] {
  return reasonsIn(pair, reloaded, options);
}

/** Sources of a pod template that do not count. */
type SeenIn = (side: Side, own: SideWorkload, template: PodTemplate, nth: number) => readonly Sighting[];

function reasonsIn(
  { base, head, from, to }: WorkloadPair,
  seenIn: SeenIn,
  options: SourceReasonOptions,
): SourceReason[] {
  const { templates } = from.workload;
  return to.workload.templates.flatMap((template, i) => {
    const nth = templates.findIndex(({ field }) => field === template.field);
    const old = templates[nth];
    if (old === undefined) return [];
    const after = seenIn(head, to, template, i);
    if (after.length === 0) return [];
    return sightingReasons(
      { sources: base.analysis.sources, sightings: seenIn(base, from, old, nth) },
      { sources: head.analysis.sources, sightings: after },
      options,
    );
  });
}

const excluded = leftOut(false);
const reloaded = leftOut(true);

function leftOut(isReloaded: boolean): SeenIn {
  return ({ spec }, { workload, decision }, template, nth) => {
    const made = decision.templates[nth];
    // A stamp that nothing writes leaves the pods to the reloader, unless the configuration says that they need a restart.
    const left = made !== undefined && isReloaded && spec.reloads === "Warn" ? withoutReloaded(made) : made;
    const all = left?.leftOut ?? [];
    const counted = all.filter(({ reloader }) => (reloader !== undefined) === isReloaded);
    return counted.length === 0 ? [] : sightingsOf({ template, counted, leftOut: [] }, workload.namespace);
  };
}

/** Everything that a template names: an opted-out workload has no decision about its sources. */
const everything: SeenIn = ({ analysis: { sources } }, { workload }, template) =>
  sightingsOf(wholeTemplate(template, sources), workload.namespace);
