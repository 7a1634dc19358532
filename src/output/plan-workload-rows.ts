import { sumOf } from "../base/grouped.ts";
import { compareNames, type ResourceRef } from "../base/names.ts";
import { counted } from "../base/words.ts";
import { describeCaveat, type Caveat } from "../kubernetes/rollout/caveats.ts";
import type { PlannedObject, PlannedWorkload } from "../reports/plan/planned-workload.ts";
import type { PlanReport } from "../reports/plan/plan-report.ts";
import { workloadsOf } from "../reports/plan/rows/report-rows.ts";
import { leavesVolumes } from "../reports/plan/rows/row-causes.ts";
import type { WorkloadEntry, WorkloadRow } from "../reports/plan/rows/row-types.ts";
import { code, codes, labelled, paragraph, row } from "./document/blocks.ts";
import type { Block, Row, Title, Words } from "./document/document.ts";
import { causeLine } from "./plan-causes.ts";
import { effectWords } from "./plan-effects.ts";
import { fixBlocks, ruleWords, selectorsOf } from "./plan-fixes.ts";
import { unreachingWords } from "./plan-selector.ts";
import { namedRow, type NamedRow } from "./plan-names.ts";
import { appliedWhenWords, podsText, renamedWords } from "./plan-words.ts";
import {
  acceptedBlock,
  areOfFlux,
  causeBlocks,
  headOf,
  heldByRefusal,
  mostNames,
  namesBlocks,
  pluralOf,
  type RowContext,
} from "./plan-row-parts.ts";

// The rows of workloads as blocks of a document.

/** The rows of workloads with one label, cause and fix: one, or one for each line below which its names stand. */
export function workloadRows(given: WorkloadRow, context: RowContext): readonly Row[] {
  const [first, ...others] = given.entries.map((entry) => titled(given, entry, context));
  if (first === undefined) return [];
  const isInLines = [first, ...others].every(({ named }) => named.title !== undefined);
  if (!isInLines && others.length > 0)
    return given.entries.flatMap((entry) => workloadRows({ ...given, entries: [entry] }, context));
  const workloads = workloadsOf(given);
  const mark = MARKS.get(given.label);
  return [
    row(
      {
        ...headOf(given),
        ...(mark === undefined ? {} : { mark }),
        ...first.title,
        ...(others.length === 0 ? {} : { others: others.map(({ title }) => title) }),
        ...(first.title.size === undefined ? costOf(workloads, given) : {}),
        facets: { ...context.facets.ofRow(given), ...context.facets.ofObjects(workloads) },
      },
      workloadBlocks(given, first.named, context),
    ),
  ];
}

const MARKS: ReadonlyMap<string, "+" | "-"> = new Map([
  ["deleted", "-"],
  ["moved", "-"],
  ["created", "+"],
]);

function costOf(workloads: readonly PlannedWorkload[], { entries: [{ effect }] }: WorkloadRow): Pick<Row, "cost"> {
  if (effect.is !== "rolls") return {};
  const pods = sumOf(workloads, (workload) => workload.pods);
  const most = sumOf(workloads, (workload) => workload.podsAtMost ?? workload.pods);
  const cost = effect.available.is === "nodes" ? "1 pod per node" : podsText(pods, most);
  return cost === undefined ? {} : { cost };
}

interface Titled {
  readonly title: Title;
  readonly named: NamedRow;
}

/** The line of an entry: its names if they are few, else their number. */
function titled(given: WorkloadRow, entry: WorkloadEntry, { places, facets, report }: RowContext): Titled {
  const { workloads, appliedWhen, effect } = entry;
  const [first, ...others] = workloads;
  const named = namedRow(workloads, places, facets.ofObjects);
  const isCounted = named.title === undefined;
  const quota = effect.is === "rolls" ? quotaFor(workloads, report) : undefined;
  const words = effectWords(entry, { label: given.label, isCounted });
  const what =
    words === undefined || quota === undefined
      ? words
      : [...words, `; ${quota.kind} `, code(quota.name), " refuses new pods"];
  const effectPart = what === undefined ? {} : { effect: what };
  const synced =
    appliedWhen === undefined || effect.is === "deleted"
      ? []
      : appliedWhenWords(appliedWhen, others.length === 0 ? "it" : "each");
  if (named.title !== undefined) {
    const renamed = others.length === 0 ? renamedWords(first) : [];
    const when = synced.length === 0 ? [] : [", ", ...synced];
    return { title: { words: [...named.title, ...renamed, ...when], ...effectPart }, named };
  }
  const pods = effect.is === "rolls" ? sumOf(workloads, (workload) => workload.pods) : 0;
  const most = sumOf(workloads, (workload) => workload.podsAtMost ?? workload.pods);
  const size = [counted(workloads.length, "workload"), ...(pods === 0 ? [] : [podsText(pods, most) ?? ""])].join(", ");
  return { title: { words: synced, size, ...effectPart }, named };
}

/** A ResourceQuota that is too small for the new pods of workloads, or a LimitRange that does not allow them. */
function quotaFor(workloads: readonly PlannedWorkload[], { findings }: PlanReport): ResourceRef | undefined {
  const refusing = [...findings, ...workloads.flatMap((one) => one.findings)].flatMap((finding) => {
    if (finding.id !== "RS027" || finding.cause === "scoped") return [];
    const { params, application } = finding;
    const named = "workload" in params ? [params.workload] : "workloads" in params ? params.workloads : undefined;
    const by = "range" in params ? params.range : params.quota;
    const isMet = workloads.some(
      (one) =>
        one.application === application &&
        // Without a namespace, it is in the default one, as the workload is.
        one.namespace === (by.namespace ?? one.namespace) &&
        (named === undefined || named.some(({ kind, name }) => kind === one.kind && name === one.name)),
    );
    return isMet ? [by] : [];
  });
  return refusing[0];
}

function workloadBlocks(given: WorkloadRow, named: NamedRow, context: RowContext): readonly Block[] {
  const { label, accepted } = given;
  const workloads = workloadsOf(given);
  return [
    ...(label === "moved" ? movedBlocks(workloads, context) : []),
    ...(label === "deleted" ? emptiedBlocks(workloads) : []),
    ...(named.title === undefined
      ? namesBlocks(workloads.some(leavesVolumes) ? withoutSets(named) : named, mostNames(given, context))
      : []),
    ...causeBlocks(given.causes, context, workloads),
    ...given.also.map(({ kind, causes }) =>
      labelled(
        `${pluralOf(kind)} also`,
        causes.map((cause) => ({ words: causeLine(cause).words })),
      ),
    ),
    ...(label === "refused" && !areOfFlux(workloads, context) ? serviceBlocks(workloads) : []),
    ...(label === "refused" ? heldByRefusal(workloads, context) : []),
    ...caveatBlocks(given, workloads),
    ...fixBlocks(given, context),
    ...(accepted === undefined ? [] : [acceptedBlock(accepted.reason, ruleWords(accepted.id))]),
  ];
}

/** The names of a move without its StatefulSets, which are named by what happens to their volumes. */
function withoutSets({ lists, ...named }: NamedRow): NamedRow {
  return {
    ...named,
    lists: lists.flatMap(({ kinds, where }) => {
      const others = kinds.filter(({ kind }) => kind !== "StatefulSet");
      const isElsewhere = where !== undefined && others.length < kinds.length;
      return others.length === 0 ? [] : [{ kinds: others, ...(isElsewhere || where === undefined ? {} : { where }) }];
    }),
  };
}

function movedBlocks(workloads: readonly PlannedWorkload[], { objects }: RowContext): readonly Block[] {
  const sets = workloads.filter(leavesVolumes);
  const names = [...new Set(sets.map(({ name }) => name))].sort(compareNames);
  const [namespace = ""] = workloads.map((workload) => workload.namespace);
  const volumes: Words = [
    "StatefulSet ",
    ...codes(names),
    ": new, empty volumes; ",
    // A Namespace takes its claims with it (kubernetes.io/docs/concepts/overview/working-with-objects/namespaces).
    ...(objects.some((object) => isDeletedNamespace(object, namespace))
      ? ["the data in ", code(namespace), " is deleted with its Namespace, unless its volumes are retained"]
      : ["the data stays in ", code(namespace)]),
  ];
  return [...emptiedBlocks(workloads), ...(names.length === 0 ? [] : [paragraph(volumes)])];
}

function isDeletedNamespace({ kind, name, change, leaves }: PlannedObject, namespace: string): boolean {
  return kind === "Namespace" && change === "Delete" && leaves !== true && name === namespace;
}

function emptiedBlocks(workloads: readonly PlannedWorkload[]): readonly Block[] {
  const namespaces = new Set(workloads.filter(({ isLast }) => isLast === true).map(({ namespace }) => namespace));
  return [...namespaces].map((namespace) => paragraph(["No workload is left in ", code(namespace)]));
}

/** The Services that reach no pod, because the change of a selector is refused. */
function serviceBlocks(workloads: readonly PlannedWorkload[]): readonly Block[] {
  const labels = new Set(
    workloads.flatMap(({ reasons }) =>
      reasons.flatMap((reason) =>
        reason.type === "Immutable" && reason.path.startsWith("spec.selector") ? reason.path : [],
      ),
    ),
  );
  const words = unreachingWords(selectorsOf(workloads), labels.size === 1);
  return words === undefined ? [] : [paragraph(words)];
}

/** What the effect of a row does not say: caveats that all workloads of a risky row have. */
function caveatBlocks({ level }: WorkloadRow, workloads: readonly PlannedWorkload[]): readonly Block[] {
  if (level === "ok" || level === undefined) return [];
  const [first, ...others] = workloads;
  const shared = (first?.caveats ?? []).filter(
    (caveat) =>
      !SAID.has(caveat.id) &&
      others.every(({ caveats }) => caveats.some((one) => JSON.stringify(one) === JSON.stringify(caveat))),
  );
  return shared.map((caveat) => paragraph(`But: ${describeCaveat(caveat)}`));
}

/** Caveats that the effect of a row says, or its fix. */
const SAID: ReadonlySet<Caveat["id"]> = new Set([
  "autoscaled",
  "nodes",
  "operator",
  "refused",
  "invalid",
  "deleted",
  "RS015",
  "RS016",
]);
