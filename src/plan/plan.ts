import { API_VERSION } from "../ground/keys.ts";
import type { Levels } from "../lint/lint.ts";
import { describe, type Item } from "../manifest/items.ts";
import { getString } from "../manifest/node.ts";
import {
  type Action,
  type PlanFinding,
  type PlannedWorkload,
  type RolloutPlan,
  type Reason,
  type PlanSchedule,
} from "./plan-report.ts";
import { effectOf, type TemplateChange } from "../rollout/effect.ts";
import { evicted, REPLACE } from "../rollout/mechanics.ts";
import { restartFieldOf } from "../rollout/restart-fields.ts";
import type { Rollout } from "../rollout/rollout-types.ts";
import { resourceRef } from "../results/location.ts";
import type { PodTemplate, Workload } from "../workloads/types.ts";
import { asItStands, joinedSchedule, scheduleOf, type PlannedWait } from "./schedule.ts";
import { causesOf } from "./causes.ts";
import { chartOnly } from "./chart-only.ts";
import { exceededLimits, type Limits } from "./limits.ts";
import { changesOf, templatesOf, type Telling } from "./pair.ts";
import { massRollouts } from "./mass-rollouts.ts";
import { riskiestFirst } from "./order.ts";
import { plannedRisk } from "./planned-risk.ts";
import {
  inOrderOfRules,
  planFinding,
  refusedAlone,
  rolloutFindings,
  toldStates,
  worstFirst,
  type ToldStates,
} from "./plan-findings.ts";
import { summaryOf } from "./plan-summary.ts";
import { refusedFor, refusedSources, type RefusedSources } from "./refused-sources.ts";
import { findRenames } from "./renames.ts";
import { isFieldRestart } from "./restarts.ts";
import { rememberedChanges } from "../sources/changed-keys.ts";
import { valueDiffs } from "./value-diffs.ts";
import { verdictOf } from "./verdict.ts";
import { byIdentity, type Side, type SideWorkload } from "./side.ts";
import { objectKey, stateFindings } from "./state-findings.ts";

export interface PlanOptions extends Limits {
  /** Whether workloads in which nothing changes are listed, and findings that the base had too. */
  readonly all: boolean;
  /** Whether values of ConfigMaps, plain env and the like are shown. */
  readonly showValues: boolean;
  /** The present, by which it is told when those that wait may go. */
  readonly now?: () => Date;
  /** The levels of rules that the configuration sets. */
  readonly levels?: Levels;
}

/** The two renderings of a part of what is compared, or of all of it. */
export interface PlanPair {
  /** The folder or file that the part is; undefined for what is in no other part. */
  readonly part?: string;
  readonly base: Side;
  readonly head: Side;
  /** The head as it is once applied, where what others have set stays; the head itself without it. */
  readonly applied?: Side;
}

/** What would roll between two renderings, and why: both as they would be after stamping. */
export function planOf(base: Side, head: Side, options: PlanOptions, applied: Side = head): RolloutPlan {
  return planOfPairs([{ base, head, applied }], options);
}

/** One plan of several pairs of renderings that don't see each other's workloads. */
export function planOfPairs(pairs: readonly PlanPair[], options: PlanOptions): RolloutPlan {
  return joinParts([planPart(pairs, options)], options);
}

/** What comes of some pairs: plain data, which holds nothing of what it was made from. */
export interface PlanPart {
  readonly rows: readonly PlanRow[];
  readonly schedule: PlanSchedule | undefined;
  /** Of sources that are refused, and that no row names. */
  readonly refused: readonly PlanFinding[];
  /** Of sources that roll many. */
  readonly mass: readonly PlanFinding[];
  /** Of all other objects. */
  readonly others: readonly PlanFinding[];
  readonly findingsBefore: number;
}

export interface PlanRow {
  /** The identity of the workload, by which rows are ordered. */
  readonly id: string;
  /** False for one that only counts. */
  readonly isListed: boolean;
  readonly planned: PlannedWorkload;
}

/** What comes of pairs that belong together. */
export function planPart(pairs: readonly PlanPair[], options: PlanOptions): PlanPart {
  const changedKeys = rememberedChanges();
  const telling = { showValues: options.showValues, valueDiffs: valueDiffs(changedKeys), changedKeys };
  return partOf(
    pairs.map((pair) => planPair(pair, telling, options)),
    options,
  );
}

/** One plan of several parts, in their order. */
export function joinParts(parts: readonly PlanPart[], options: PlanOptions): RolloutPlan {
  const rows = parts.flatMap((part) => part.rows).sort((a, b) => byIdentity(a.id, b.id));
  const inOrder = riskiestFirst(rows, ({ planned }) => planned);
  const workloads = inOrder.map(({ planned }) => planned);
  const schedule = joinedSchedule(parts.flatMap((part) => part.schedule ?? []));
  const report = {
    summary: summaryOf(workloads),
    ...(schedule === undefined ? {} : { schedule }),
    causes: causesOf(workloads),
    workloads: inOrder.filter(({ isListed }) => isListed).map(({ planned }) => planned),
    findings: worstFirst([
      ...parts.flatMap(({ refused }) => refused),
      ...parts.flatMap(({ mass }) => mass),
      ...parts.flatMap(({ others }) => others),
    ]),
    findingsBefore: parts.reduce((sum, { findingsBefore }) => sum + findingsBefore, 0),
  };
  const exceeded = exceededLimits(report, options);
  return {
    apiVersion: API_VERSION,
    kind: "RolloutPlan",
    verdict: verdictOf({ ...report, exceeded }),
    ...report,
    exceeded,
  };
}

/** What comes of one pair. */
interface PairPlan {
  readonly context: PlanContext;
  /** In the order of their identities. */
  readonly entries: readonly Entry[];
  readonly states: ToldStates;
  /** By the key of the workload. */
  readonly rollouts: ReadonlyMap<string, readonly PlanFinding[]>;
}

function planPair(
  { part, base, head, applied = head }: PlanPair,
  telling: Telling,
  { all, levels = new Map() }: PlanOptions,
): PairPlan {
  const isWave = [...head.workloads.values()].some(({ waits }) => waits !== undefined);
  const refused = refusedSources(base, head);
  const context: PlanContext = { part, base, head, applied, isWave, refused, telling, levels };
  const ids = [...new Set([...base.workloads.keys(), ...head.workloads.keys()])].sort(byIdentity);
  const entries = withRenames(ids.flatMap((id) => planOne(context, base.workloads.get(id), head.workloads.get(id))));
  const doings = entries.flatMap(({ planned: { action, reasons }, to }) =>
    to === undefined || action === "None" ? [] : [{ own: to, action, reasons }],
  );
  const changingKeys = new Set(doings.map(({ own }) => objectKey(resourceRef(own.workload.item))));
  return {
    context,
    entries,
    states: toldStates(stateFindings(base, head, changingKeys, levels), all),
    rollouts: rolloutFindings(head, doings, levels),
  };
}

function partOf(pairs: readonly PairPlan[], options: PlanOptions): PlanPart {
  const isTold = ({ planned: { action }, waitsAsBefore }: Entry): boolean =>
    options.all || (action !== "None" && waitsAsBefore !== true);
  const mass = pairs.map(({ context, entries }) => ({
    planned: entries.map((entry) => entry.planned),
    sources: context.head.analysis.sources.all,
  }));
  const alone = pairs.map(({ context, entries, states }) => {
    const told = new Set(
      entries
        .filter(isTold)
        .flatMap(({ to, refusedItems }) => [...(to === undefined ? [] : [to.workload.item]), ...refusedItems]),
    );
    return { refused: refusedAlone(context.refused, told), others: states.others(told) };
  });
  const waits = pairs.flatMap(({ entries }) =>
    entries.flatMap(({ to, planned: { action } }) => (action === "Waiting" ? (to?.waits ?? []) : [])),
  );
  return {
    rows: pairs.flatMap((pair) =>
      pair.entries.map((entry) => {
        const isListed = isTold(entry);
        return { id: idOf(entry), isListed, planned: isListed ? withFindings(entry, pair) : entry.planned };
      }),
    ),
    schedule: scheduleOf(waits, options.now),
    refused: alone.flatMap(({ refused }) => refused),
    mass: massRollouts(mass, options.levels ?? new Map()).map(planFinding),
    others: alone.flatMap(({ others }) => others),
    findingsBefore: pairs.reduce((sum, { states }) => sum + states.before, 0),
  };
}

function idOf({ from, to }: Entry): string {
  return (to ?? from)?.id ?? "";
}

function withFindings({ planned, to }: Entry, { states, rollouts }: PairPlan): PlannedWorkload {
  if (to === undefined) return planned;
  const { item } = to.workload;
  const done = rollouts.get(objectKey(resourceRef(item))) ?? [];
  return { ...planned, findings: inOrderOfRules([...planned.findings, ...done, ...states.of(item)]) };
}

interface PlanContext {
  readonly part: string | undefined;
  readonly base: Side;
  readonly head: Side;
  readonly applied: Side;
  /** Something of the head waits for its stamps: stamps are in Git, and what has none there has none. */
  readonly isWave: boolean;
  readonly refused: RefusedSources;
  readonly telling: Telling;
  readonly levels: Levels;
}

/** A row of the plan with what it was made from. */
interface Entry {
  readonly planned: PlannedWorkload;
  readonly from: SideWorkload | undefined;
  readonly to: SideWorkload | undefined;
  readonly refusedItems: readonly Item[];
  /** It waits for what it waited for in the base. */
  readonly waitsAsBefore?: boolean;
}

function planOne(context: PlanContext, from: SideWorkload | undefined, to: SideWorkload | undefined): Entry[] {
  const own = to ?? from;
  if (own === undefined) return [];
  const change = to === undefined ? GONE : from === undefined ? created(to) : changed(context, from, to);
  const { action, next, reasons, refusedItems } = change;
  const ofChart = change.because === undefined ? chartOnly(reasons, context.head.spec) : undefined;
  const because = change.because ?? ofChart?.because;
  const { item, namespace } = own.workload;
  const side = to === undefined ? context.base : context.applied;
  const given = asApplied(context, own);
  const isEvicted =
    restartFieldOf(given.workload.item)?.evicts === true && isFieldRestart(given.workload.item, reasons);
  const rollout = isEvicted ? evicted(given.rollout()) : given.rollout();
  const { safety, caveats } = plannedRisk(side, given, { action, rollout, isEvicted, reasons }, context.levels);
  const { pods, podsAtMost } = podsOf(action, rollout);
  const todo = next ?? nextOf(action, rollout) ?? ofChart?.next;
  const refused = refusedItems.flatMap((source) => context.refused.get(source) ?? []);
  const planned: PlannedWorkload = {
    apiVersion: item.apiVersion,
    kind: item.kind,
    namespace,
    name: item.name,
    ...(context.part === undefined ? {} : { part: context.part }),
    action,
    ...(because === undefined ? {} : { because }),
    safety,
    caveats,
    ...(todo === undefined ? {} : { next: todo }),
    pods,
    ...(podsAtMost === pods ? {} : { podsAtMost }),
    ...(rollout.scaledBy === undefined ? {} : { scaledBy: rollout.scaledBy }),
    reasons,
    strategy: rollout.strategy,
    findings: refused.map(planFinding),
  };
  const waitsAsBefore = action === "Waiting" && from?.waits?.pending === to?.waits?.pending;
  return [{ planned, from, to, refusedItems, waitsAsBefore }];
}

/** The pods that are replaced: with the fewest that there may be, and with the most. */
function podsOf(action: Action, rollout: Rollout): { readonly pods: number; readonly podsAtMost: number } {
  if (action !== "Roll") return { pods: 0, podsAtMost: 0 };
  return { pods: rollout.pods, podsAtMost: Math.max(rollout.pods, rollout.ends?.most.pods ?? 0) };
}

/** What a person does while it rolls. */
function nextOf(action: Action, { waits, strategy }: Rollout): string | undefined {
  if (action !== "Roll") return undefined;
  if (waits !== undefined) return `Promote it when its new pods are good: ${waits.because}.`;
  return strategy?.partition === undefined
    ? undefined
    : "Lower the partition, step by step: the pods below it keep what they have.";
}

/** A workload of the head as it is once applied. */
function asApplied({ applied }: PlanContext, own: SideWorkload): SideWorkload {
  return applied.workloads.get(own.id) ?? own;
}

/** What becomes of a workload, and what it comes of. */
interface Change {
  readonly action: Action;
  readonly because: string | undefined;
  readonly next?: string | undefined;
  readonly reasons: readonly Reason[];
  readonly refusedItems: readonly Item[];
}

const GONE: Change = { action: "Delete", because: undefined, reasons: [], refusedItems: [] };

function created(to: SideWorkload): Change {
  const invalid = invalidReasons(to);
  return {
    action: invalid.length > 0 ? "Fail" : "Create",
    because: invalid.length > 0 ? to.rollout().because : undefined,
    next: invalid.length > 0 ? correct(to) : undefined,
    reasons: invalid,
    refusedItems: [],
  };
}

/** The first that applies decides: what the API server refuses, then what the template's change does. */
function changed(context: PlanContext, before: SideWorkload, given: SideWorkload): Change {
  const { base, head, applied, isWave, refused, telling } = context;
  // Where something waits all is in Git as it stands: so was it before, stale or without any stamp.
  const from = !isWave || before.waits !== undefined ? before : asItStands(before);
  const to = asApplied(context, given);
  const changes = changesOf(base, applied, from, to, telling);
  const invalid = invalidReasons(to);
  const refusedItems = refusedFor(head, given, templatesOf(head, given), refused);
  const reasons = [...invalid, ...changes.immutable, ...changes.template];
  const fail = (because: string | undefined, next: string): Change => ({
    action: "Fail",
    because,
    next,
    reasons,
    refusedItems,
  });
  if (invalid.length > 0) return fail(to.rollout().because, correct(to));
  const [immutable] = changes.immutable;
  if (immutable !== undefined) return fail(`${immutable.path} is immutable`, REPLACE);
  const [refusedItem] = refusedItems;
  if (refusedItem !== undefined) return fail(`the apply of ${describe(refusedItem)} is refused`, RENAME);
  if (changes.template.length === 0 && given.waits !== undefined) return waiting(context, from, given, given.waits);
  if (changes.template.length === 0) return reloaded(changes.reloaded);
  const { effect, because, next } = effectOf(to.workload, to.rollout(), templateChange(from, to, changes.template));
  return { action: effect, because, next, reasons, refusedItems };
}

/** It keeps its stamps with this change, and takes others later: those are told, if it did not wait for them before. */
function waiting(context: PlanContext, from: SideWorkload, to: SideWorkload, waits: PlannedWait): Change {
  const { base, head, telling } = context;
  const wanted = new Map(waits.wanted.map((stamps) => [stamps.decision.template, stamps]));
  const later = { ...to, desired: (template: PodTemplate) => wanted.get(template) };
  const isAsBefore = from.waits?.pending === waits.pending;
  return {
    action: "Waiting",
    because: "it waits for its new stamps: rollstamp stamp --due lets it go",
    reasons: isAsBefore ? [] : changesOf(base, head, from, later, telling).template,
    refusedItems: [],
  };
}

function correct(to: SideWorkload): string {
  return `Give the field a value that ${to.rollout().refused?.by ?? "the API server"} takes.`;
}

const RENAME = "Give the source another name and let the workload name that: an immutable one can't be changed.";

/** Nothing of the template differs: the processes may take other content without a restart. */
function reloaded(reasons: readonly Reason[]): Change {
  return reasons.length === 0
    ? { action: "None", because: undefined, reasons, refusedItems: [] }
    : {
        action: "Reload",
        because: "a reloader beside the process takes it: no pod is replaced",
        reasons,
        refusedItems: [],
      };
}

function templateChange(from: SideWorkload, to: SideWorkload, reasons: readonly Reason[]): TemplateChange {
  return {
    paths: reasons.flatMap((reason) => (reason.type === "Template" ? [reason.path] : [])),
    ...(isFieldRestart(to.workload.item, reasons) ? { byRestartField: true } : {}),
    ...(isRenamed(from.workload, to.workload) ? { renamed: true } : {}),
  };
}

/** The name of the pod template, by which Knative tells revisions apart, is another one. */
function isRenamed(from: Workload, to: Workload): boolean {
  const path = to.kind.fixedBy?.split(".");
  if (path === undefined) return false;
  return getString(from.item.tree, from.item.node, ...path) !== getString(to.item.tree, to.item.node, ...path);
}

function invalidReasons(to: SideWorkload): Reason[] {
  const { refused } = to.rollout();
  return refused === undefined ? [] : [{ type: "Invalid", path: refused.path, message: refused.problem }];
}

function withRenames(entries: readonly Entry[]): Entry[] {
  const gone = entries.filter(({ planned }) => planned.action === "Delete").flatMap(({ from }) => from?.workload ?? []);
  const come = entries.filter(({ planned }) => planned.action === "Create").flatMap(({ to }) => to?.workload ?? []);
  const from = new Map<Workload | undefined, string>();
  const to = new Map<Workload | undefined, string>();
  for (const rename of findRenames(gone, come)) {
    const isMoved = rename.from.namespace !== rename.to.namespace;
    const nameOf = ({ item, namespace }: Workload): string => (isMoved ? `${namespace}/${item.name}` : item.name);
    from.set(rename.to, nameOf(rename.from));
    to.set(rename.from, nameOf(rename.to));
  }
  return entries.map((entry) => {
    const renamedFrom = from.get(entry.to?.workload);
    const renamedTo = to.get(entry.from?.workload);
    if (renamedFrom === undefined && renamedTo === undefined) return entry;
    const planned: PlannedWorkload = {
      ...entry.planned,
      ...(renamedFrom === undefined ? {} : { renamedFrom }),
      ...(renamedTo === undefined ? {} : { renamedTo }),
    };
    return { ...entry, planned };
  });
}
