import { isDigestText } from "../../base/digest/hash-v1.ts";
import { addAllTo, groupedBy } from "../../base/grouped.ts";
import { workloadKey } from "../../base/identity.ts";
import { CONFIG_HASH, WAITING, WAVE_KEYS } from "../../base/keys.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { ANNOTATION, effectOf } from "../../kubernetes/rollout/effect.ts";
import { RESTART_KEYS, restartFieldOf, restartFieldValue } from "../../kubernetes/rollout/restart-fields.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import { rollsOf } from "../../kubernetes/rollout/rolls.ts";
import { surroundingsOf } from "../../kubernetes/rollout/surroundings.ts";
import { podLabels } from "../../kubernetes/workloads/pod-labels.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { Workload, PodTemplate } from "../../kubernetes/workloads/types.ts";
import type { Analysis } from "../pipeline.ts";
import type { Decision } from "../policy/types.ts";
import type { DesiredStamps } from "../stamps/types.ts";
import { stampEdits, removedAnnotations, stampedAnnotations, templateData } from "../stamps/edit-stamps.ts";
import { decideWave, type Candidate, type Verdict, type WaitReason, type WaveRules } from "./decide.ts";
import { openingsAt, waveMarks, type WaveMarks, type Window } from "../schedules/windows.ts";
import { editAnnotations } from "../../yaml/edit/annotations.ts";
import type { Edits, Splice } from "../../yaml/edit/splice.ts";
import { annotationNode, type Item, readText } from "../../yaml/read/items.ts";
import { stableJson } from "../../yaml/read/json.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";

/** A workload at HEAD: `same` if its file is unchanged, `new` if no file has it. */
export type AtHead = Workload | "same" | "new";

/** The input for a wave, besides the manifests. */
export interface WaveContext extends WaveRules {
  readonly now: Date;
  readonly defaultNamespace: string;
  readonly atHead: (workload: Workload) => AtHead;
}

/** A workload that waits, and why. */
export interface Waits {
  readonly workload: Workload;
  readonly because: WaitReason;
}

export interface Wave {
  readonly edits: Edits;
  readonly waits: readonly Waits[];
  /** The number of workloads that take their stamps in this run. */
  readonly taking: number;
}

/** True for an object with annotations that affect when something rolls. */
export function hasWaveMarks(item: Item): boolean {
  return item.isAnnotated && WAVE_KEYS.some((key) => annotationNode(item, key) !== NONE);
}

/** Decides which workloads of a run take their stamps, across all its scopes: the limits apply to the commit. */
export function waveOf(analyses: readonly Analysis[], context: WaveContext): Wave {
  const marks = waveMarks();
  const asked: Asked = { context, marks, openingOf: openingsAt(context.now) };
  const members = analyses.flatMap((analysis) => membersOf(analysis, asked));
  const verdicts = decideWave(members, context);
  const edits = new Map<YamlTree, Splice[]>();
  const waits: Waits[] = [];
  let taking = 0;
  for (const member of members) {
    const verdict = verdicts.get(member) ?? { is: "unchanged" };
    const { workload } = member;
    if (verdict.is === "waits") waits.push({ workload, because: verdict.because });
    if (verdict.is === "takes") taking += 1;
    if (member.isTouched) addAllTo(edits, workload.item.tree, editsOf(member, verdict));
  }
  return { edits, waits, taking };
}

interface Member extends Candidate {
  readonly workload: Workload;
  readonly isTouched: boolean;
  readonly desired: readonly DesiredStamps[];
  /** The `waiting` annotation that it would get. */
  readonly pending: string;
}

function membersOf({ items, workloads, decisions, desired }: Analysis, asked: Asked): Member[] {
  const surroundings = surroundingsOf(items, workloads, asked.context.defaultNamespace);
  const byItem = groupedBy(desired, ({ decision }) => decision.template.item);
  return decisions.map((decision) => {
    const itemStamps = byItem.get(decision.workload.item) ?? [];
    return memberOf(decision, itemStamps, rollsOf(decision.workload, surroundings), asked);
  });
}

interface Asked {
  readonly context: WaveContext;
  readonly marks: WaveMarks;
  readonly openingOf: ReturnType<typeof openingsAt>;
}

function memberOf(
  { workload, touched }: Decision,
  desired: readonly DesiredStamps[],
  rollout: Rollout,
  { context, marks, openingOf }: Asked,
): Member {
  const { item } = workload;
  const pending = pendingOf(desired);
  const isPending = pending !== "";
  const before = context.atHead(workload);
  const isNew = before === "new";
  const since = changedSince(isNew || before === "same" ? workload : before, workload, desired);
  const takesAtOnce =
    isNew || since.otherwise || since.byStamps || !since.onceStamped || workload.templates.some(isOwnMetadata);
  return {
    id: workloadKey(workload.item, workload.namespace),
    workload,
    isTouched: touched,
    desired,
    pending,
    isPending,
    isWaiting: touched && waitingOf(item) !== undefined,
    takesAtOnce,
    rolls: !isNew && (since.otherwise || (isPending ? since.onceStamped : since.byStamps)),
    rollsByStamps: !isNew && !since.otherwise && since.byStamps,
    replacesPods: effectOf(workload, rollout, ANNOTATION).effect === "Roll",
    pods: mostPods(rollout),
    opening: openingOf(windowsFor(workload, desired, marks), workload),
    group: [...workload.runBy, item].map(marks.groupOf).find((group) => group !== undefined),
  };
}

/** If the pods take the object's own annotations, a `waiting` annotation would change them. */
function isOwnMetadata({ annotationsField }: Workload["templates"][number]): boolean {
  return annotationsField === "metadata.annotations";
}

/**
 * The maximum number of replaced pods, including those that an autoscaler may have added. A plan's --max-pods counts
 * the same.
 */
function mostPods({ pods, ends, runBy = [] }: Rollout): number {
  const others = runBy.map(({ rollout }) => (rollout === undefined ? 0 : mostPods(rollout)));
  return Math.max(pods, ends?.most.pods ?? 0, ...others);
}

/** The windows of the workload, of the objects that run its pods, and of the sources whose stamps change. */
export function windowsFor(workload: Workload, desired: readonly DesiredStamps[], marks: WaveMarks): Window[] {
  const ownWindows = [...workload.runBy, workload.item].flatMap((item) => marks.windowOf(item) ?? []);
  const sources = new Set(desired.flatMap(changedSources));
  const theirs = [...sources].flatMap((item) => marks.windowOf(item) ?? []);
  return [...new Set([...ownWindows, ...theirs])];
}

/** The sources whose stamps change. One stamp for all sources does not show which one changed, so all of them count. */
function changedSources(desired: DesiredStamps): Item[] {
  const { stamps, sightings, decision } = desired;
  const present = templateAnnotations(decision.template);
  const isOther = (key: string): boolean => present.get(key) !== stamps.get(key);
  const isCombined = stamps.has(CONFIG_HASH) && isOther(CONFIG_HASH);
  return sightings.flatMap(({ source, stampKey }) =>
    source !== undefined && (isCombined || isOther(stampKey)) ? [source.item] : [],
  );
}

function editsOf({ workload: { item }, desired, pending }: Member, verdict: Verdict): Splice[] {
  const place = { item, base: item.node, path: ["metadata", "annotations"] };
  const none = new Set<string>();
  const waiting = waitingOf(item);
  if (verdict.is === "waits")
    return waiting !== undefined && isWaitingFor(waiting, pending)
      ? []
      : editAnnotations(place, { set: new Map([[WAITING, pending]]), remove: none });
  const waited = waiting === undefined ? none : new Set([WAITING]);
  return [
    ...(waited.size === 0 ? [] : editAnnotations(place, { set: new Map(), remove: waited })),
    ...desired.flatMap(stampEdits),
  ];
}

// `rollstamp.dev/waiting` names what a workload waits for: "<key of the stamp's annotation>=<digest>, …". A stamp or
// checksum of a chart that will be removed is "<key>=none".

/** Stands for a digest if the annotation will be removed. */
export const GOES = "none";

/** The changes that stamping would make to the pod templates of a workload, as a `waiting` value; "" for none. */
export function pendingOf(desired: readonly DesiredStamps[]): string {
  const entries = new Set<string>();
  for (const stamps of desired) for (const entry of changesOf(stamps)) entries.add(entry);
  return [...entries].sort().join(", ");
}

function changesOf(desired: DesiredStamps): string[] {
  const { template } = desired.decision;
  const present = templateAnnotations(template);
  const labels = podLabels(template);
  return [
    ...[...desired.stamps].filter(([key, digest]) => present.get(key) !== digest).map(([key, to]) => `${key}=${to}`),
    ...[...removedAnnotations(desired)].map((key) => `${key}=${GOES}`),
    ...[...desired.marks.labels].filter((key) => labels.has(key)).map((key) => `${key}=${GOES}`),
  ];
}

/** The `waiting` annotation of an object; undefined if it has none. Throws if it is not a string. */
export function waitingOf(item: Item): string | undefined {
  return item.isAnnotated ? readText(item, WAITING) : undefined;
}

/** An entry of `waiting`. */
export interface WaitingEntry {
  readonly key: string;
  /** A digest, or GOES. */
  readonly digest: string;
}

/** Parses a `waiting` value; undefined for an invalid one. */
export function parseWaiting(text: string): readonly WaitingEntry[] | undefined {
  const entries = text.split(",").map((part): WaitingEntry | undefined => {
    const separator = part.lastIndexOf("=");
    const [key, digest] = [part.slice(0, separator).trim(), part.slice(separator + 1).trim()];
    return separator > 0 && (digest === GOES || isDigestText(digest)) ? { key, digest } : undefined;
  });
  const read = entries.filter((entry) => entry !== undefined);
  return read.length === entries.length ? read : undefined;
}

/** The entries of a `waiting` value in the form of pendingOf; undefined for an invalid one. */
function normalised(text: string): string | undefined {
  const entries = parseWaiting(text)?.map(({ key, digest }) => `${key}=${digest}`);
  return entries === undefined ? undefined : [...new Set(entries)].sort().join(", ");
}

/** Whether a `waiting` value contains exactly the pending changes, in any order and with any spaces. */
export function isWaitingFor(waiting: string, pending: string): boolean {
  return waiting === pending || normalised(waiting) === pending;
}

/** How the pod templates of a workload differ from those at HEAD. */
export interface ChangedSince {
  /** In more than stamps: the workload rolls with this commit anyway. */
  readonly otherwise: boolean;
  /** In the stamps that they have. */
  readonly byStamps: boolean;
  /** In the stamps that they should have. */
  readonly onceStamped: boolean;
}

/** Compares a workload with its state at HEAD. `desired` has the wanted stamps of its templates. */
export function changedSince(before: Workload, now: Workload, desired: readonly DesiredStamps[]): ChangedSince {
  const old = new Map(before.templates.map((template) => [template.field, template]));
  const byTemplate = new Map(desired.map((stamps) => [stamps.decision.template, stamps]));
  const pairs = now.templates.map((template) => ({ template, was: old.get(template.field) }));
  const hasOthers = pairs.length !== old.size || pairs.some(({ was }) => was === undefined);
  const stamps = pairs.map(({ template, was }) => ({
    was: was === undefined ? "" : stampsIn(templateAnnotations(was)),
    stands: stampsIn(templateAnnotations(template)),
    wanted: stampsIn(stampedAnnotations(template, byTemplate.get(template))),
  }));
  return {
    otherwise:
      hasOthers ||
      !isSameRestart(before, now) ||
      pairs.some(({ template, was }) => was !== undefined && othersIn(template) !== othersIn(was)),
    byStamps: stamps.some(({ was, stands }) => was !== stands),
    onceStamped: stamps.some(({ was, wanted }) => was !== wanted) || desired.some(losesMarks),
  };
}

function stampsIn(annotations: ReadonlyMap<string, string>): string {
  return JSON.stringify([...annotations].filter(([key]) => isStampKey(key)).sort());
}

/** A template without its stamps, independent of the order of fields. */
function othersIn(template: PodTemplate): string {
  const annotations = templateAnnotations(template);
  const data = templateData(template, { annotations, withoutLabels: new Set(), spec: true });
  const restarts = RESTART_KEYS.map((key) => annotations.get(key) ?? null);
  return stableJson([data, restarts]);
}

function isSameRestart(before: Workload, now: Workload): boolean {
  const row = restartFieldOf(now.item);
  return row === undefined || restartFieldValue(before.item, row) === restartFieldValue(now.item, row);
}

/** The checksums and labels of a chart are removed together with writing the stamps. */
function losesMarks({ marks }: DesiredStamps): boolean {
  return marks.annotations.size + marks.labels.size > 0;
}
