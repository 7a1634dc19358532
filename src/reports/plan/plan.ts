import type { SourceName } from "../../base/names.ts";
import { comparedFindings } from "./compared-findings.ts";
import { once, onceForPair, sumOf } from "../../base/grouped.ts";
import type { LintContext } from "../lint/context.ts";
import type { Levels } from "../lint/lint.ts";
import type { Item } from "../../yaml/read/items.ts";
import { otherObjects, type ComparedSides } from "./other-objects.ts";
import { isLasting } from "./last-workloads.ts";
import { lostSources } from "./lost-sources.ts";
import type { PlannedSource } from "./plan-reasons.ts";
import type { ComparedAs, RolloutPlan } from "./plan-report.ts";
import type { PlanFinding, PlannedWorkload } from "./planned-workload.ts";
import { AS_KUBECTL } from "./planned-application.ts";
import { resourceRef } from "../../findings/results/location.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";
import { joinParts, type PlanPart } from "./parts.ts";
import type { Limits } from "./limits.ts";
import { massRollouts } from "./mass-rollouts.ts";
import type { ReasonReporting } from "./pair.ts";
import {
  inOrderOfRules,
  planFinding,
  refusedAlone,
  rolloutFindings,
  reportedStates,
  type ReportedStates,
} from "./plan-findings.ts";
import type { Entry, PlanContext, PlanPair } from "./plan-context.ts";
import { planWorkload } from "./plan-workload.ts";
import { refusedSources } from "./refused-sources.ts";
import { findRenames } from "./renames.ts";
import { changedKeys } from "../../kubernetes/sources/changed-keys.ts";
import { isSameText } from "./same-text.ts";
import { scheduleOf } from "./schedule.ts";
import { holdsOne, type Secrets, secretsOf, secretTextsOf, withoutSecretTexts } from "./secret-texts.ts";
import { valueDiffs, type ValueDiffs } from "./value-diffs.ts";
import { byIdentity, type Places, type Side, type SideWorkload, sourceOf } from "./side.ts";
import { objectKey } from "../../base/identity.ts";
import { stateFindings } from "./state-findings.ts";

export interface PlanOptions extends Limits {
  /** Whether unchanged workloads and existing findings are listed. */
  readonly all: boolean;
  /** Whether values of ConfigMaps, environment variables and the like are shown. */
  readonly showValues: boolean;
  /** The current time, from which the next window of waiting workloads is found. */
  readonly now?: () => Date;
  /** The levels of rules that the configuration sets. */
  readonly levels?: Levels;
  /** For an audit: workloads have the content that they see changed, and files that cannot be read count as existing. */
  readonly isAudit?: boolean;
  /** Whether the objects that an object of the head creates are rendered and compared too (RS024). */
  readonly isRendered?: (item: Item) => boolean;
  /** Why they are not, if that is known. */
  readonly whyNot?: (item: Item) => string | undefined;
  /** Telling texts of the Secrets of all applications, which no application may show; planned pairs add theirs. */
  readonly secrets?: () => Secrets;
  /** What uses a source, in all applications (RS024). */
  readonly usersOf?: LintContext["usersOf"];
}

/** What rolls between two renderings, and why, with the stamps of their sides. */
export function planOf(base: Side, head: Side, options: PlanOptions): RolloutPlan {
  return planOfPairs([{ base, head }], options, base.stamps === "AsIfStamped" ? "stamped" : "applied");
}

/** One plan of several pairs of renderings whose workloads do not see each other. */
export function planOfPairs(pairs: readonly PlanPair[], options: PlanOptions, as: ComparedAs): RolloutPlan {
  return joinParts([planPart(pairs, options)], options, as);
}

/** The part of a plan for several pairs. */
export function planPart(pairs: readonly PlanPair[], options: PlanOptions): PlanPart {
  // Many workloads see the same pair of contents.
  const remembered = onceForPair(changedKeys);
  const texts = once(() =>
    pairs.flatMap(({ base, head, secrets: others = [] }) => [
      ...others,
      ...secretTextsOf(base),
      ...secretTextsOf(head),
    ]),
  );
  const secrets = once(() => secretsOf(texts()));
  const ofOthers = options.secrets?.();
  ofOthers?.add(texts());
  const isSecret = (line: string): boolean =>
    holdsOne(line, secrets()) || (ofOthers !== undefined && holdsOne(line, ofOthers));
  const diffs = (): ValueDiffs => valueDiffs(remembered, isSecret);
  const part = partOf(
    pairs.map((pair) =>
      planPair(
        pair,
        {
          changedKeys: remembered,
          showValues: options.showValues,
          ...(options.showValues ? { valueDiffs: diffs() } : {}),
        },
        options,
      ),
    ),
    options,
  );
  return withoutSecretTexts(part, secrets);
}

interface PairPlan {
  readonly context: PlanContext;
  /** Ordered by identity. */
  readonly entries: readonly Entry[];
  readonly states: ReportedStates;
  /** By the key of the workload. */
  readonly rollouts: ReadonlyMap<string, readonly PlanFinding[]>;
  /** Findings from comparing other objects of the two sides. */
  readonly compared: readonly PlanFinding[];
}

function planPair(
  pair: PlanPair,
  reporting: ReasonReporting,
  { all, levels = new Map(), isRendered, whyNot, usersOf, isAudit = false }: PlanOptions,
): PairPlan {
  const { base, head, foundBy, places, applied = head, stampedBy = "Nothing", applying = AS_KUBECTL } = pair;
  const context: PlanContext = {
    ...pair,
    applied,
    stampedBy,
    applying,
    isWave: [...head.workloads.values()].some(({ waits }) => waits !== undefined),
    refused: refusedSources(base, head, applying),
    reporting,
    levels,
    isAudit,
    lost: lostSources(base, head, levels),
  };
  // A release with stamps in its values is not listed if its objects are rendered.
  const isReplaced = (release: SideWorkload | undefined): boolean =>
    release?.workload.kind.holds !== undefined && isRendered?.(release.workload.item) === true;
  const ids = [...new Set([...base.workloads.keys(), ...head.workloads.keys()])]
    .filter((id) => !isReplaced(head.workloads.get(id) ?? base.workloads.get(id)))
    .filter((id) => head.workloads.has(id) || !isKept(places, base.workloads.get(id)?.workload.item))
    .sort(byIdentity);
  const entries = withRenames(
    ids.flatMap((id) => planWorkload(context, base.workloads.get(id), head.workloads.get(id))),
  );
  const changes = entries.flatMap(({ planned: { action, reasons }, to }) =>
    to === undefined || action === "None" ? [] : [{ subject: to, action, reasons }],
  );
  const changingKeys = new Set(changes.map(({ subject }) => objectKey(resourceRef(subject.workload.item))));
  return {
    context,
    entries,
    states: reportedStates(stateFindings(base, head, changingKeys, levels), all),
    rollouts: rolloutFindings(head, changes, levels),
    compared: comparedFindings(base, head, levels, { isRendered, whyNot, usersOf }, foundBy).map(planFinding),
  };
}

/** Whether another file of the head has the same object. */
function isKept(places: Places | undefined, item: Item | undefined): boolean {
  const kept = item === undefined ? undefined : places?.keptAs(item);
  return item !== undefined && kept !== undefined && isSameText(item, kept);
}

function partOf(pairs: readonly PairPlan[], options: PlanOptions): PlanPart {
  const isListed = ({ planned: { action, lost, content }, waitsAsBefore }: Entry): boolean =>
    options.all || content !== undefined || ((action !== "None" || lost !== undefined) && waitsAsBefore !== true);
  const mass = pairs.map(({ context, entries }) => ({
    planned: entries.map((entry) => entry.planned),
    sources: context.head.analysis.sources.all,
  }));
  const alone = pairs.map(({ context, entries, states }) => {
    const listed = new Set(
      entries
        .filter(isListed)
        .flatMap(({ to, refusedItems }) => [...(to === undefined ? [] : [to.workload.item]), ...refusedItems]),
    );
    return { refused: refusedAlone(context.refused, listed), others: states.others(listed) };
  });
  const waits = pairs.flatMap(({ entries }) =>
    entries.flatMap(({ to, planned: { action } }) => (action === "Waiting" ? (to?.waits ?? []) : [])),
  );
  return {
    rows: pairs.flatMap((pair) =>
      pair.entries.map((entry) => {
        const isRow = isListed(entry);
        return { isListed: isRow, planned: isRow ? withFindings(entry, pair) : entry.planned };
      }),
    ),
    schedule: scheduleOf(waits, options.now),
    refused: alone.flatMap(({ refused }) => refused),
    mass: massRollouts(mass, options.levels ?? new Map()).map(planFinding),
    others: [
      ...pairs.flatMap(({ compared, entries }) => [...compared, ...entries.flatMap(({ notes }) => notes)]),
      ...alone.flatMap(({ others }) => others),
    ],
    findingsBefore: sumOf(pairs, ({ states }) => states.before),
    ...otherObjects(pairs.map(changingOf), causeItems(pairs)),
    keeps: keptNamespaces(pairs),
  };
}

/** The namespaces in which the heads have workloads that run all the time. */
function keptNamespaces(pairs: readonly PairPlan[]): readonly string[] {
  const lasting = pairs.flatMap(({ context }) =>
    [...context.head.workloads.values()].filter(({ workload }) => isLasting(workload.item)),
  );
  return [...new Set(lasting.map(({ workload }) => workload.namespace))];
}

/** A pair with the objects of its changing workloads. */
function changingOf({ context, entries }: PairPlan): ComparedSides {
  const listed = entries.flatMap(({ planned: { action, lost }, from, to }) =>
    action === "None" && lost === undefined ? [] : [from, to].flatMap((subject) => subject?.workload.item ?? []),
  );
  return { ...context, listed: new Set(listed) };
}

/** The objects of the sources that change workloads, or that workloads lose, on both sides. */
function causeItems(pairs: readonly PairPlan[]): ReadonlySet<Item> {
  const found = new Set<Item>();
  for (const { context, entries } of pairs) {
    const sources = entries.flatMap(({ planned: { reasons, lost = [] } }): (SourceName & Partial<PlannedSource>)[] => [
      ...reasons.flatMap((reason) => (reason.type === "Source" ? [reason.source] : [])),
      ...lost.map(({ source }) => source),
    ]);
    for (const source of sources) {
      const before = sourceOf(context.base, { ...source, name: source.previousName ?? source.name });
      for (const known of [before, sourceOf(context.head, source)]) if (known !== undefined) found.add(known.item);
    }
  }
  return found;
}

function withFindings({ planned, to }: Entry, { states, rollouts }: PairPlan): PlannedWorkload {
  if (to === undefined) return planned;
  const { item } = to.workload;
  const rolloutFound = rollouts.get(objectKey(resourceRef(item))) ?? [];
  return { ...planned, findings: inOrderOfRules([...planned.findings, ...rolloutFound, ...states.about(item)]) };
}

function withRenames(entries: readonly Entry[]): Entry[] {
  const deleted = entries
    .filter(({ planned }) => planned.action === "Delete")
    .flatMap(({ from }) => from?.workload ?? []);
  const created = entries.filter(({ planned }) => planned.action === "Create").flatMap(({ to }) => to?.workload ?? []);
  const from = new Map<Workload | undefined, string>();
  const to = new Map<Workload | undefined, string>();
  for (const rename of findRenames(deleted, created)) {
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
