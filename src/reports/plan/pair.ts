import type { ImmutableReason, Reason, SourceReason, StampReason } from "./plan-reasons.ts";
import { NO_MARKS } from "../../stamping/stamps/chart-marks.ts";
import type { DesiredStamps } from "../../stamping/stamps/types.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate, Workload } from "../../kubernetes/workloads/types.ts";
import { changedPodFields } from "../../kubernetes/rollout/operator-fields.ts";
import { shownValues } from "./hidden-values.ts";
import { immutableReasons } from "./immutable-reasons.ts";
import { fieldRestarts, restartReasons } from "./restarts.ts";
import { isSameText } from "./same-text.ts";
import { groupedBy } from "../../base/grouped.ts";
import { objectKey, workloadKey } from "../../base/identity.ts";
import type { Side, SideWorkload, WorkloadPair } from "./side.ts";
import { sourceReasons, type SourceReasonOptions, type SourceView } from "./source-reasons.ts";
import { reloadedChanges } from "./uncounted.ts";
import { stampedAnnotations } from "../../stamping/stamps/edit-stamps.ts";
import { CONFIG_HASH } from "../../base/keys.ts";
import { isDigestText } from "../../base/digest/hash-v1.ts";
import { isStampKey, stampKey } from "../../base/stamp-keys.ts";
import { seenBy } from "./seen-by.ts";
import { templateReasons } from "./template-reasons.ts";
import type { changedKeys } from "../../kubernetes/sources/changed-keys.ts";
import type { ValueDiffs } from "./value-diffs.ts";

/** The differences between two manifests of one workload, with the stamps of their sides. */
export interface PairChanges {
  /** Differences in the pod templates, which roll the workload. */
  readonly template: readonly Reason[];
  /** Differences in immutable fields. */
  readonly immutable: readonly ImmutableReason[];
  /** Differences in sources that the pods reload without being replaced (`reloads: Skip`). */
  readonly reloaded: readonly SourceReason[];
}

/** How reasons are reported, and the data that all workloads of a plan share. */
export interface ReasonReporting {
  readonly showValues: boolean;
  /** Diffs of the values of ConfigMaps; undefined if no values are shown. */
  readonly valueDiffs?: ValueDiffs;
  readonly changedKeys: typeof changedKeys;
}

const NOTHING: PairChanges = { template: [], immutable: [], reloaded: [] };

/** Compares a workload of the base with the same one of the head. */
export function changesOf(pair: WorkloadPair, reporting: ReasonReporting): PairChanges {
  const { base, head, from, to } = pair;
  const owners = templateOwners(pair);
  const isSame = isSameText(from.workload.item, to.workload.item);
  const reloaded = head.spec.reloads === "Skip" ? reloadedChanges(pair, optionsOf(head, reporting)) : [];
  // Nearly all workloads have equal texts and digests, and are not decoded.
  if (isSame && base.stamps !== "Live" && owners === pair && haveSameStamps(pair)) return { ...NOTHING, reloaded };
  return {
    template: [
      ...allTemplateReasons(owners, reporting),
      ...changedPodFields(from.workload.item, to.workload.item).map((change) => ({
        type: "Template" as const,
        path: change.path,
        ...shownValues(change, reporting.showValues),
      })),
      ...fieldRestarts(from.workload.item, to.workload.item),
    ],
    immutable: isSame ? [] : immutableReasons(from.workload, to.workload, reporting.showValues),
    reloaded,
  };
}

/** How the reasons of a side are reported. */
export function optionsOf(head: Side, reporting: ReasonReporting): SourceReasonOptions {
  return {
    granularity: head.spec.granularity,
    valueDiffs: reporting.valueDiffs,
    changedKeys: reporting.changedKeys,
  };
}

/** The workloads whose templates this one runs: the same pair, if it borrows none. */
function templateOwners(pair: WorkloadPair): WorkloadPair {
  const { base, head, from, to } = pair;
  if (from.workload.borrows === undefined && to.workload.borrows === undefined) return pair;
  return { base, head, from: ownerOf(base, from), to: ownerOf(head, to) };
}

/** The workload whose pod template a workload runs: itself, or the one that it borrows from. */
export function ownerOf(side: Side, own: SideWorkload): SideWorkload {
  const item = own.workload.borrows?.item;
  if (item === undefined) return own;
  return side.workloads.get(workloadKey(item, own.workload.namespace)) ?? own;
}

/** Whether two workloads of the same text have the same stamps on their sides. */
function haveSameStamps({ base, head, from, to }: WorkloadPair): boolean {
  if (isMade(base) && isMade(head)) return stampsText(from) === stampsText(to);
  return base.stamps === head.stamps && !isMade(base);
}

/** Whether the pod templates of a side get the stamps that stamping makes, instead of those that they have. */
export function isMade({ stamps }: Side): boolean {
  return stamps === "AsIfStamped" || stamps === "ByFunction";
}

/**
 * The sources whose content differs, as the pods see it, whatever stamps they have: what would roll the workload if it were
 * stamped.
 */
export function contentReasons(
  pair: WorkloadPair,
  reporting: ReasonReporting,
  more: Partial<SourceReasonOptions> = {},
): SourceReason[] {
  const { base, head, from, to } = templateOwners(pair);
  // Equal stamps mean equal content.
  if (stampsText(from) === stampsText(to)) return [];
  const before = templatesByField(from);
  return to.workload.templates.flatMap((template) => {
    const old = before.get(template.field);
    if (old === undefined) return [];
    const a = viewOf({ side: base, owner: from, template: old }, true);
    const b = viewOf({ side: head, owner: to, template }, true);
    const options = { ...optionsOf(head, reporting), ...more };
    return withSeenBy(sourceReasons(a, b, options).reasons, b.desired);
  });
}

function withSeenBy(reasons: readonly SourceReason[], desired: DesiredStamps | undefined): readonly SourceReason[] {
  if (reasons.length === 0) return reasons;
  const sightings = groupedBy(desired?.sightings ?? [], (one) => objectKey(one));
  return reasons.map((reason) => {
    const [sighting] = sightings.get(objectKey(reason.source)) ?? [];
    return sighting === undefined ? reason : { ...reason, seenBy: seenBy(sighting, reason.keys) };
  });
}

/** The stamps of a workload's templates as one string. Different strings may still mean the same. */
function stampsText({ workload, desired }: SideWorkload): string {
  return JSON.stringify(
    workload.templates.map((template) => {
      const stamps = desired(template);
      if (stamps === undefined) return null;
      const { annotations, labels } = stamps.marks;
      return [[...stamps.stamps], [...stamps.kept], [...annotations], [...labels]];
    }),
  );
}

function templatesByField({ workload }: SideWorkload): ReadonlyMap<string, PodTemplate> {
  return new Map(workload.templates.map((template) => [template.field, template]));
}

function allTemplateReasons({ base, head, from, to }: WorkloadPair, reporting: ReasonReporting): Reason[] {
  const [before, after] = [templatesByField(from), templatesByField(to)];
  const fields = [...new Set([...after.keys(), ...before.keys()])];
  const named = fields.length > 1;
  return fields.flatMap((field): Reason[] => {
    const old = before.get(field);
    const current = after.get(field);
    if (old === undefined || current === undefined) return [presence(field, current !== undefined)];
    return oneTemplateReasons(
      { side: base, owner: from, template: old },
      { side: head, owner: to, template: current },
      { ...reporting, named },
    );
  });
}

/** A template that is added or removed as a whole, in a kind with several. */
function presence(field: string, isThere: boolean): Reason {
  return {
    type: "Template",
    path: "",
    template: field,
    from: isThere ? null : "a pod template",
    to: isThere ? "a pod template" : null,
  };
}

interface TemplateOf {
  readonly side: Side;
  readonly owner: SideWorkload;
  readonly template: PodTemplate;
}

function oneTemplateReasons(
  from: TemplateOf,
  to: TemplateOf,
  options: ReasonReporting & { readonly named: boolean },
): Reason[] {
  const base = viewOf(from);
  const head = viewOf(to);
  const { reasons, renamed, unexplained } = sourceReasons(base, head, optionsOf(to.side, options));
  const isFirst = isFirstStamp(base, head);
  return [
    ...(isFirst ? [{ type: "FirstStamp" } as const] : []),
    ...reasons,
    ...(isFirst ? [] : unexplained).map((key): Reason => ({
      type: "Stamp",
      path: `metadata.annotations[${JSON.stringify(key)}]`,
      ...(options.named ? { template: to.template.field } : {}),
      ...shownStamps(key, base, head),
    })),
    ...templateReasons(base, head, { ...options, renamed }),
    ...restartReasons(base.annotations, head.annotations),
  ];
}

/** Whether a template without stamps gets one for a source that it named before. */
function isFirstStamp(base: ReturnType<typeof viewOf>, head: ReturnType<typeof viewOf>): boolean {
  if ([...base.annotations.keys()].some(isStampKey)) return false;
  const stamps = [...head.annotations.keys()].filter(isStampKey);
  const seen = (base.desired?.sightings ?? []).filter(({ source }) => source !== undefined);
  const named = new Set(seen.map(({ stampKey: key }) => key));
  return stamps.some((key) => (key === CONFIG_HASH ? named.size > 0 : named.has(key)));
}

/**
 * Only digests of ConfigMaps are shown. Those of a Secret, or of all sources together, could help to guess its content,
 * and a value that somebody wrote instead of a digest could be anything. The name of a copy is no secret.
 */
function shownStamps(key: string, base: View, head: View): Pick<StampReason, "from" | "to" | "hidden"> {
  const [from, to] = [base, head].map(({ annotations }) => annotations.get(key));
  const isPublic = key.startsWith(stampKey("ConfigMap", "", ""));
  const isShown =
    isPublic &&
    [base, head].every(({ annotations, template, desired }) => {
      const value = annotations.get(key);
      const copies = [template.copies?.get(key), desired?.copies?.get(key)?.name];
      return value === undefined || isDigestText(value) || copies.includes(value);
    });
  return isShown ? { from: from ?? null, to: to ?? null } : { hidden: true };
}

/** A pod template as one side has it. */
interface View extends SourceView {
  readonly template: PodTemplate;
  readonly withoutLabels: ReadonlySet<string>;
}

/** `asStamped`: with the stamps that stamping makes, whatever the side has. */
function viewOf({ side, owner, template }: TemplateOf, asStamped: boolean = isMade(side)): View {
  const desired = owner.desired(template);
  return {
    template,
    desired,
    annotations: asStamped ? stampedAnnotations(template, desired) : appliedAnnotations(side, template),
    withoutLabels: asStamped ? (desired?.marks ?? NO_MARKS).labels : NO_MARKS.labels,
    sources: side.analysis.sources,
  };
}

/** The annotations of a template as they are applied, if nothing stamps it on the way. */
function appliedAnnotations({ stamps }: Side, template: PodTemplate): ReadonlyMap<string, string> {
  const annotations = templateAnnotations(template);
  return stamps === "None" ? new Map([...annotations].filter(([key]) => !isStampKey(key))) : annotations;
}

/** The pod templates that a workload runs, including borrowed ones. */
export function templatesOf(side: Side, own: SideWorkload): Workload["templates"] {
  return ownerOf(side, own).workload.templates;
}
