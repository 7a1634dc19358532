import type { Levels } from "../lint/lint.ts";
import type { Item } from "../../yaml/read/items.ts";
import { otherObjects } from "./other-objects.ts";
import type { PlanFinding, PlannedWorkload, RolloutPlan } from "./plan-report.ts";
import { resourceRef } from "../../findings/results/location.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";
import { joinParts, type PlanPart } from "./parts.ts";
import type { Limits } from "./limits.ts";
import { massRollouts } from "./mass-rollouts.ts";
import type { Telling } from "./pair.ts";
import {
  inOrderOfRules,
  planFinding,
  refusedAlone,
  rolloutFindings,
  toldStates,
  type ToldStates,
} from "./plan-findings.ts";
import { planWorkload, type Entry, type PlanContext } from "./plan-workload.ts";
import { refusedSources } from "./refused-sources.ts";
import { findRenames } from "./renames.ts";
import { rememberedChanges } from "../../kubernetes/sources/changed-keys.ts";
import { scheduleOf } from "./schedule.ts";
import { unrenderedValues } from "./unrendered-values.ts";
import { valueDiffs } from "./value-diffs.ts";
import { byIdentity, type Side, type SideWorkload } from "./side.ts";
import { objectKey } from "../../base/identity.ts";
import { stateFindings } from "./state-findings.ts";

export interface PlanOptions extends Limits {
  /** Whether workloads in which nothing changes are listed, and findings that the base had too. */
  readonly all: boolean;
  /** Whether values of ConfigMaps, plain env and the like are shown. */
  readonly showValues: boolean;
  /** The present, by which it is told when those that wait may go. */
  readonly now?: () => Date;
  /** The levels of rules that the configuration sets. */
  readonly levels?: Levels;
  /** Whether what an object of the head makes is rendered, and compared, beside it (RS024). */
  readonly isRendered?: (item: Item) => boolean;
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

/** What comes of pairs that belong together. */
export function planPart(pairs: readonly PlanPair[], options: PlanOptions): PlanPart {
  const changedKeys = rememberedChanges();
  const telling = { showValues: options.showValues, valueDiffs: valueDiffs(changedKeys), changedKeys };
  return partOf(
    pairs.map((pair) => planPair(pair, telling, options)),
    options,
  );
}

/** What comes of one pair. */
interface PairPlan {
  readonly context: PlanContext;
  /** In the order of their identities. */
  readonly entries: readonly Entry[];
  readonly states: ToldStates;
  /** By the key of the workload. */
  readonly rollouts: ReadonlyMap<string, readonly PlanFinding[]>;
  /** Of objects whose making nobody rendered. */
  readonly unrendered: readonly PlanFinding[];
  readonly otherObjects: number;
}

function planPair(
  { part, base, head, applied = head }: PlanPair,
  telling: Telling,
  { all, levels = new Map(), isRendered }: PlanOptions,
): PairPlan {
  const isWave = [...head.workloads.values()].some(({ waits }) => waits !== undefined);
  const refused = refusedSources(base, head);
  const context: PlanContext = { part, base, head, applied, isWave, refused, telling, levels };
  // Of values with stamps, what they make is told instead where it is rendered.
  const isInstead = (own: SideWorkload | undefined): boolean =>
    own?.workload.kind.holds !== undefined && isRendered?.(own.workload.item) === true;
  const ids = [...new Set([...base.workloads.keys(), ...head.workloads.keys()])]
    .filter((id) => !isInstead(head.workloads.get(id) ?? base.workloads.get(id)))
    .sort(byIdentity);
  const entries = withRenames(
    ids.flatMap((id) => planWorkload(context, base.workloads.get(id), head.workloads.get(id))),
  );
  const doings = entries.flatMap(({ planned: { action, reasons }, to }) =>
    to === undefined || action === "None" ? [] : [{ own: to, action, reasons }],
  );
  const told = entries.flatMap(({ planned: { action }, from, to }) =>
    action === "None" ? [] : [from, to].flatMap((own) => own?.workload.item ?? []),
  );
  const changingKeys = new Set(doings.map(({ own }) => objectKey(resourceRef(own.workload.item))));
  return {
    context,
    entries,
    states: toldStates(stateFindings(base, head, changingKeys, levels), all),
    rollouts: rolloutFindings(head, doings, levels),
    unrendered: unrenderedValues(base, head, levels, isRendered).map(planFinding),
    otherObjects: otherObjects(base, head, new Set(told)),
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
        return { isListed, planned: isListed ? withFindings(entry, pair) : entry.planned };
      }),
    ),
    schedule: scheduleOf(waits, options.now),
    refused: alone.flatMap(({ refused }) => refused),
    mass: massRollouts(mass, options.levels ?? new Map()).map(planFinding),
    others: [...pairs.flatMap(({ unrendered }) => unrendered), ...alone.flatMap(({ others }) => others)],
    findingsBefore: pairs.reduce((sum, { states }) => sum + states.before, 0),
    otherObjects: pairs.reduce((sum, pair) => sum + pair.otherObjects, 0),
  };
}

function withFindings({ planned, to }: Entry, { states, rollouts }: PairPlan): PlannedWorkload {
  if (to === undefined) return planned;
  const { item } = to.workload;
  const done = rollouts.get(objectKey(resourceRef(item))) ?? [];
  return { ...planned, findings: inOrderOfRules([...planned.findings, ...done, ...states.of(item)]) };
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
