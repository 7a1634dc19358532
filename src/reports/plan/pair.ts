import type { ImmutableReason, Reason, SourceReason } from "./plan-reasons.ts";
import { NO_MARKS } from "../../stamping/stamps/chart-marks.ts";
import type { DesiredStamps } from "../../stamping/stamps/desired.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate, Workload } from "../../kubernetes/workloads/types.ts";
import { immutableReasons } from "./immutable-reasons.ts";
import { fieldRestarts, restartReasons } from "./restarts.ts";
import { isSameText } from "./same-text.ts";
import { workloadKey } from "../../base/identity.ts";
import type { Side, SideWorkload } from "./side.ts";
import { reloadedReasons, sourceReasons, type SourceReasonOptions } from "./source-reasons.ts";
import { sightingsOf, type Sighting } from "../../stamping/stamps/sightings.ts";
import { stampedAnnotations } from "../../stamping/stamps/edit-stamps.ts";
import { isDigestText } from "../../base/digest/hash-v1.ts";
import { stampKey } from "../../base/stamp-keys.ts";
import type { ShownValues } from "./hidden-values.ts";
import { templateReasons } from "./template-reasons.ts";
import type { changedKeys } from "../../kubernetes/sources/changed-keys.ts";
import type { ValueDiffs } from "./value-diffs.ts";

/** What differs between the two manifests of one workload, as stamping would leave them. */
export interface PairChanges {
  /** Of the pod templates: what makes it roll. */
  readonly template: readonly Reason[];
  /** Of fields that no one may change. */
  readonly immutable: readonly ImmutableReason[];
  /** Of sources that the pods take without being replaced (`reloads: Skip`). */
  readonly reloaded: readonly SourceReason[];
}

/** How the changes of a plan are told, with what is worked out once for all of its workloads. */
export interface Telling {
  readonly showValues: boolean;
  readonly valueDiffs: ValueDiffs;
  readonly changedKeys: typeof changedKeys;
}

const NOTHING: PairChanges = { template: [], immutable: [], reloaded: [] };

/** Compares a workload of the base with the same one of the head. */
export function changesOf(base: Side, head: Side, from: SideWorkload, to: SideWorkload, telling: Telling): PairChanges {
  const borrowed = templateOwners(base, head, from, to);
  const isSame = isSameText(from.workload.item, to.workload.item);
  const reloaded = head.spec.reloads === "Skip" ? allReloaded(base, head, from, to, telling) : [];
  // Nearly all workloads of two renderings are alike, text and digests: nothing of them is decoded.
  if (isSame && !base.isLive && borrowed === undefined && stampsText(from) === stampsText(to))
    return { ...NOTHING, reloaded };
  const owners = borrowed ?? { from, to };
  return {
    template: [
      ...allTemplateReasons(base, head, owners.from, owners.to, telling),
      ...fieldRestarts(from.workload.item, to.workload.item),
    ],
    immutable: isSame ? [] : immutableReasons(from.workload, to.workload, telling.showValues),
    reloaded,
  };
}

/** The sources that differ and that a known reloader beside the process watches, of all templates. */
function allReloaded(base: Side, head: Side, from: SideWorkload, to: SideWorkload, telling: Telling): SourceReason[] {
  const before = new Map(from.workload.templates.map((template, i) => [template.field, { template, i }]));
  return to.workload.templates.flatMap((template, i) => {
    const old = before.get(template.field);
    if (old === undefined) return [];
    const sightings = { base: reloadedBy(from, old.template, old.i), head: reloadedBy(to, template, i) };
    if (sightings.head.length === 0) return [];
    return reloadedReasons(
      viewOf({ side: base, owner: from, template: old.template }),
      viewOf({ side: head, owner: to, template }),
      sightings,
      optionsOf(head, telling),
    );
  });
}

function reloadedBy({ workload, decision }: SideWorkload, template: PodTemplate, i: number): Sighting[] {
  const counted = (decision.templates[i]?.leftOut ?? []).filter(({ reloader }) => reloader !== undefined);
  return counted.length === 0 ? [] : sightingsOf({ template, counted, leftOut: [] }, workload.namespace);
}

function optionsOf(head: Side, telling: Telling): SourceReasonOptions {
  return {
    granularity: head.spec.granularity,
    valueDiffs: telling.showValues ? telling.valueDiffs : undefined,
    changedKeys: telling.changedKeys,
  };
}

interface Owners {
  readonly from: SideWorkload;
  readonly to: SideWorkload;
}

/** The workloads whose templates this one runs in place of its own, where it does. */
function templateOwners(base: Side, head: Side, from: SideWorkload, to: SideWorkload): Owners | undefined {
  if (from.workload.borrows === undefined && to.workload.borrows === undefined) return undefined;
  return { from: ownerOf(base, from), to: ownerOf(head, to) };
}

/** The workload whose pod template one runs: itself, or the one that it borrows from. */
export function ownerOf(side: Side, own: SideWorkload): SideWorkload {
  const item = own.workload.borrows?.item;
  if (item === undefined) return own;
  return side.workloads.get(workloadKey(item, own.workload.namespace)) ?? own;
}

/** The stamps of a workload's templates as one text: where two differ, one may still mean what the other does. */
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

function allTemplateReasons(base: Side, head: Side, from: SideWorkload, to: SideWorkload, telling: Telling): Reason[] {
  const before = new Map(from.workload.templates.map((template) => [template.field, template]));
  const after = new Map(to.workload.templates.map((template) => [template.field, template]));
  const fields = [...new Set([...after.keys(), ...before.keys()])];
  const named = fields.length > 1;
  return fields.flatMap((field): Reason[] => {
    const old = before.get(field);
    const current = after.get(field);
    if (old === undefined || current === undefined) return [presence(field, current !== undefined)];
    return oneTemplateReasons(
      { side: base, owner: from, template: old },
      { side: head, owner: to, template: current },
      { ...telling, named },
    );
  });
}

/** A template that comes or goes as a whole, of a kind that has several. */
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
  options: Telling & { readonly named: boolean },
): Reason[] {
  const base = viewOf(from);
  const head = viewOf(to);
  const { reasons, renamed, unexplained } = sourceReasons(base, head, optionsOf(to.side, options));
  return [
    ...reasons,
    ...unexplained.map((key): Reason => ({
      type: "Template",
      path: `metadata.annotations[${JSON.stringify(key)}]`,
      ...(options.named ? { template: to.template.field } : {}),
      ...shownStamps(key, base.annotations.get(key), head.annotations.get(key)),
    })),
    ...templateReasons(base, head, { ...options, renamed }),
    ...restartReasons(base.annotations, head.annotations),
  ];
}

/**
 * Digests of what a ConfigMap holds may be shown, those of a Secret or of all sources together let their content be
 * guessed; what somebody wrote in the place of one could be anything.
 */
function shownStamps(key: string, from: string | undefined, to: string | undefined): ShownValues {
  const isPublic = key.startsWith(stampKey("ConfigMap", "", ""));
  const isShown = isPublic && [from, to].every((value) => value === undefined || isDigestText(value));
  return isShown ? { from: from ?? null, to: to ?? null } : { hidden: true };
}

function viewOf({ side, owner, template }: TemplateOf): {
  template: PodTemplate;
  desired: DesiredStamps | undefined;
  annotations: ReadonlyMap<string, string>;
  withoutLabels: ReadonlySet<string>;
  sources: Side["analysis"]["sources"];
} {
  const desired = owner.desired(template);
  return {
    template,
    desired,
    annotations: side.isLive ? templateAnnotations(template) : stampedAnnotations(template, desired),
    withoutLabels: side.isLive ? NO_MARKS.labels : (desired?.marks ?? NO_MARKS).labels,
    sources: side.analysis.sources,
  };
}

/** The pod templates that a workload runs: its own, or those that it borrows. */
export function templatesOf(side: Side, own: SideWorkload): Workload["templates"] {
  return ownerOf(side, own).workload.templates;
}
