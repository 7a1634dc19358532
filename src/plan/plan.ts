import { API_VERSION } from "../ground/keys.ts";
import type { Levels } from "../lint/lint.ts";
import { describe, type Item } from "../manifest/items.ts";
import { getString } from "../manifest/node.ts";
import {
  type Action,
  type PlanFinding,
  type PlannedWorkload,
  type RolloutPlan,
  type PlanSummary,
  type Reason,
} from "./plan-report.ts";
import { effectOf, type TemplateChange } from "../rollout/effect.ts";
import { resourceRef } from "../results/location.ts";
import type { Workload } from "../workloads/types.ts";
import { exceededLimits, type Limits } from "./limits.ts";
import { changesOf, templatesOf, type Telling } from "./pair.ts";
import { massRollouts } from "./mass-rollouts.ts";
import {
  inOrderOfRules,
  planFinding,
  refusedAlone,
  rolloutFindings,
  toldStates,
  worstFirst,
  type ToldStates,
} from "./plan-findings.ts";
import { refusedFor, refusedSources, type RefusedSources } from "./refused-sources.ts";
import { findRenames } from "./renames.ts";
import { isFieldRestart } from "./restarts.ts";
import { rememberedChanges } from "../sources/changed-keys.ts";
import { valueDiffs } from "./value-diffs.ts";
import { byIdentity, type Side, type SideWorkload } from "./side.ts";
import { objectKey, stateFindings } from "./state-findings.ts";

export interface PlanOptions extends Limits {
  /** Whether workloads in which nothing changes are listed, and findings that the base had too. */
  readonly all: boolean;
  /** Whether values of ConfigMaps, plain env and the like are shown. */
  readonly showValues: boolean;
  /** The levels of rules that the configuration sets. */
  readonly levels?: Levels;
}

/**
 * What would roll between two renderings, and why: both as they would be after stamping. `applied` is the head as it
 * is once applied, where what others have set stays.
 */
export function planOf(base: Side, head: Side, options: PlanOptions, applied: Side = head): RolloutPlan {
  const { all, showValues, levels = new Map() } = options;
  const changedKeys = rememberedChanges();
  const context: PlanContext = {
    base,
    head,
    applied,
    refused: refusedSources(base, head),
    telling: { showValues, valueDiffs: valueDiffs(changedKeys), changedKeys },
    levels,
  };
  const ids = [...new Set([...base.workloads.keys(), ...head.workloads.keys()])].sort(byIdentity);
  const entries = withRenames(ids.flatMap((id) => planOne(context, base.workloads.get(id), head.workloads.get(id))));
  const changing = entries.filter(({ planned }) => planned.action !== "None");
  const doings = changing.flatMap(({ planned: { action, reasons }, to }) =>
    to === undefined ? [] : [{ own: to, action, reasons }],
  );
  const rollouts = rolloutFindings(head, doings, levels);
  const changingKeys = new Set(doings.map(({ own }) => objectKey(resourceRef(own.workload.item))));
  const states = toldStates(stateFindings(base, head, changingKeys, levels), all);
  const report = reportOf(context, entries, all ? entries : changing, { states, rollouts });
  return { ...report, exceeded: exceededLimits(report, options) };
}

/** What is to be told beside the rows themselves. */
interface Found {
  readonly states: ToldStates;
  /** By the key of the workload. */
  readonly rollouts: ReadonlyMap<string, readonly PlanFinding[]>;
}

function reportOf(
  { refused, head, levels }: PlanContext,
  all: readonly Entry[],
  listed: readonly Entry[],
  found: Found,
): RolloutPlan {
  const told = new Set(
    listed.flatMap(({ to, refusedItems }) => [...(to === undefined ? [] : [to.workload.item]), ...refusedItems]),
  );
  const planned = all.map((entry) => entry.planned);
  return {
    apiVersion: API_VERSION,
    kind: "RolloutPlan",
    summary: summaryOf(planned),
    workloads: listed.map((entry) => withFindings(entry, found)),
    findings: worstFirst([
      ...refusedAlone(refused, told),
      ...massRollouts(planned, head, levels).map(planFinding),
      ...found.states.others(told),
    ]),
    findingsBefore: found.states.before,
    exceeded: [],
  };
}

function withFindings({ planned, to }: Entry, { states, rollouts }: Found): PlannedWorkload {
  if (to === undefined) return planned;
  const { item } = to.workload;
  const done = rollouts.get(objectKey(resourceRef(item))) ?? [];
  return { ...planned, findings: inOrderOfRules([...planned.findings, ...done, ...states.of(item)]) };
}

interface PlanContext {
  readonly base: Side;
  readonly head: Side;
  readonly applied: Side;
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
}

function planOne(context: PlanContext, from: SideWorkload | undefined, to: SideWorkload | undefined): Entry[] {
  const own = to ?? from;
  if (own === undefined) return [];
  const verdict = to === undefined ? GONE : from === undefined ? created(to) : changed(context, from, to);
  const { action, because, reasons, refusedItems } = verdict;
  const { item, namespace } = own.workload;
  const rollout = asApplied(context, own).rollout();
  const refused = refusedItems.flatMap((source) => context.refused.get(source) ?? []);
  const planned: PlannedWorkload = {
    apiVersion: item.apiVersion,
    kind: item.kind,
    namespace,
    name: item.name,
    action,
    ...(because === undefined ? {} : { because }),
    pods: action === "Roll" ? rollout.pods : 0,
    reasons,
    strategy: rollout.strategy,
    findings: refused.map(planFinding),
  };
  return [{ planned, from, to, refusedItems }];
}

/** A workload of the head as it is once applied. */
function asApplied({ applied }: PlanContext, own: SideWorkload): SideWorkload {
  return applied.workloads.get(own.id) ?? own;
}

interface Verdict {
  readonly action: Action;
  readonly because: string | undefined;
  readonly reasons: readonly Reason[];
  readonly refusedItems: readonly Item[];
}

const GONE: Verdict = { action: "Delete", because: undefined, reasons: [], refusedItems: [] };

function created(to: SideWorkload): Verdict {
  const invalid = invalidReasons(to);
  return {
    action: invalid.length > 0 ? "Fail" : "Create",
    because: invalid.length > 0 ? to.rollout().because : undefined,
    reasons: invalid,
    refusedItems: [],
  };
}

/** The first that applies decides: what the API server refuses, then what the template's change does. */
function changed(context: PlanContext, from: SideWorkload, given: SideWorkload): Verdict {
  const { base, head, applied, refused, telling } = context;
  const to = asApplied(context, given);
  const changes = changesOf(base, applied, from, to, telling);
  const invalid = invalidReasons(to);
  const refusedItems = refusedFor(head, given, templatesOf(head, given), refused);
  const reasons = [...invalid, ...changes.immutable, ...changes.template];
  const fail = (because: string | undefined): Verdict => ({ action: "Fail", because, reasons, refusedItems });
  if (invalid.length > 0) return fail(to.rollout().because);
  const [immutable] = changes.immutable;
  if (immutable !== undefined) return fail(`${immutable.path} is immutable`);
  const [refusedItem] = refusedItems;
  if (refusedItem !== undefined) return fail(`the apply of ${describe(refusedItem)} is refused`);
  if (changes.template.length === 0) return { action: "None", because: undefined, reasons, refusedItems };
  const { effect, because } = effectOf(to.workload, to.rollout(), templateChange(from, to, changes.template));
  return { action: effect, because, reasons, refusedItems };
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

function summaryOf(planned: readonly PlannedWorkload[]): PlanSummary {
  const count = (action: Action): number => planned.filter((workload) => workload.action === action).length;
  return {
    workloads: planned.length,
    rolls: count("Roll"),
    nextRuns: count("NextRun"),
    noEffects: count("NoEffect"),
    fails: count("Fail"),
    creates: count("Create"),
    deletes: count("Delete"),
    pods: planned.reduce((sum, { pods }) => sum + pods, 0),
  };
}
