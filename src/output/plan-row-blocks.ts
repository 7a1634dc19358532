import { compareNames } from "../base/names.ts";
import { counted, pluralize } from "../base/words.ts";
import { severityOf } from "../findings/catalogue/finding.ts";
import { describeCaveat, type Caveat } from "../kubernetes/rollout/caveats.ts";
import type { PlannedObject, PlannedWorkload, PlanReport } from "../reports/plan/plan-report.ts";
import type { Places } from "../reports/plan/rows/names.ts";
import { workloadsOf } from "../reports/plan/rows/report-rows.ts";
import { leavesVolumes, type RowCause } from "../reports/plan/rows/row-causes.ts";
import type {
  ApplicationRow,
  ChangeRow,
  FindingRow,
  ObjectRow,
  ReportRow,
  WorkloadEntry,
  WorkloadRow,
} from "../reports/plan/rows/row-types.ts";
import {
  code,
  labelled,
  list,
  paragraph,
  plainText,
  row,
  type Block,
  type LabelledLine,
  type Row,
  type Title,
  type Words,
} from "./document/document.ts";
import { causeLine, fieldParts, inOneLine, joined } from "./plan-causes.ts";
import { effectWords } from "./plan-effects.ts";
import type { PlanFacets } from "./plan-facets.ts";
import { fixBlocks, remedyText, ruleWords, selectorsOf, type FixContext } from "./plan-fixes.ts";
import { unreachingWords } from "./plan-selector.ts";
import { labelWord, signOf, toneOf } from "./plan-labels.ts";
import { namedRow, type NamedRow } from "./plan-names.ts";
import { unrenderedWords } from "./plan-unrendered.ts";
import { findingText, limitText, podsText, renamedWords } from "./plan-words.ts";

// The rows of a plan as blocks of a document.

/** How much of what is alike a report has. */
export interface Most {
  /** Names of one kind in a routine row. */
  readonly names: number;
  readonly routine: number;
  /** Rows of other objects. */
  readonly others: number;
  /** Causes of one row. */
  readonly causes: number;
  /** Findings of one rule that are no part of the verdict. */
  readonly findings: number;
}

export interface RowContext extends FixContext {
  readonly places: Places;
  readonly most: Most;
  readonly facets: PlanFacets;
  readonly report: PlanReport;
}

/** A row of a report; several if its workloads have to be named below each of its lines. */
export function rowBlocks(given: ReportRow, context: RowContext): readonly Row[] {
  switch (given.is) {
    case "workloads":
      return workloadRows(given, context);
    case "objects":
      return [objectRow(given, context)];
    case "changes":
      return [changeRow(given, context)];
    case "findings":
      return [findingRow(given, context)];
    case "applications":
      return [applicationRow(given)];
    case "limit":
      return [row({ ...headOf(given), words: [limitText(given.limit)] })];
    case "unread": {
      const { files } = given;
      const [only, ...others] = files;
      const effect = ["no application reads it"];
      if (others.length === 0) return [row({ ...headOf(given), words: [code(only.path)], effect })];
      return [
        row(
          {
            ...headOf(given),
            words: [],
            size: counted(files.length, "manifest"),
            effect: ["no application reads them"],
          },
          [list(files.map(({ path }) => [code(path)]))],
        ),
      ];
    }
  }
}

function headOf({ label, level }: Pick<ReportRow, "label" | "level">): Pick<Row, "label" | "tone" | "sign"> {
  return { label: labelWord(label), tone: toneOf(level), sign: signOf(label, level) };
}

/** Names of a routine row may be cut; those of other rows are all there. */
function mostNames({ level }: Pick<ReportRow, "level">, { most }: RowContext): number {
  return level === "ok" || level === undefined ? most.names : Infinity;
}

function workloadRows(given: WorkloadRow, context: RowContext): readonly Row[] {
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
  const pods = workloads.reduce((sum, workload) => sum + workload.pods, 0);
  const most = workloads.reduce((sum, workload) => sum + (workload.podsAtMost ?? workload.pods), 0);
  const cost = effect.available.is === "nodes" ? "1 pod per node" : podsText(pods, most);
  return cost === undefined ? {} : { cost };
}

interface Titled {
  readonly title: Title;
  readonly named: NamedRow;
}

/** The line of an entry: its names if they are few, else their number. */
function titled(given: WorkloadRow, entry: WorkloadEntry, { places, facets }: RowContext): Titled {
  const { workloads, isManual, effect } = entry;
  const [first, ...others] = workloads;
  const named = namedRow(workloads, places, facets.ofObjects);
  const isCounted = named.title === undefined;
  const what = effectWords(entry, { label: given.label, isCounted });
  const effectPart = what === undefined ? {} : { effect: what };
  const synced = isManual && effect.is !== "deleted" ? [`, when ${others.length === 0 ? "it" : "each"} is synced`] : [];
  if (named.title !== undefined) {
    const renamed = others.length === 0 ? renamedWords(first) : [];
    return { title: { words: [...named.title, ...renamed, ...synced], ...effectPart }, named };
  }
  const pods = effect.is === "rolls" ? workloads.reduce((sum, workload) => sum + workload.pods, 0) : 0;
  const most = workloads.reduce((sum, workload) => sum + (workload.podsAtMost ?? workload.pods), 0);
  const size = [counted(workloads.length, "workload"), ...(pods === 0 ? [] : [podsText(pods, most) ?? ""])].join(", ");
  return { title: { words: synced, size, ...effectPart }, named };
}

function workloadBlocks(given: WorkloadRow, named: NamedRow, context: RowContext): readonly Block[] {
  const { label, accepted } = given;
  const workloads = workloadsOf(given);
  return [
    ...(label === "moved" ? movedBlocks(workloads) : []),
    ...(label === "deleted" ? emptiedBlocks(workloads) : []),
    ...(named.title === undefined
      ? namesBlocks(workloads.some(leavesVolumes) ? withoutSets(named) : named, mostNames(given, context))
      : []),
    ...causeBlocks(given.causes, context),
    ...given.also.map(({ kind, causes }) =>
      labelled(
        `${pluralOf(kind)} also`,
        causes.map((cause) => ({ words: causeLine(cause).words })),
      ),
    ),
    ...(label === "refused" ? serviceBlocks(workloads) : []),
    ...caveatBlocks(given, workloads),
    ...fixBlocks(given, context),
    ...(accepted === undefined ? [] : [paragraph(["Accepted: ", accepted.reason, ...ruleWords(accepted.id)])]),
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

function namesBlocks({ lists }: NamedRow, most: number): readonly Block[] {
  if (lists.length === 0) return [];
  const more = (names: number, objects: number): Words => [
    names === objects
      ? `and ${counted(objects, "more workload")} (--all shows them)`
      : `and ${counted(names, "more name")} (${counted(objects, "workload")}; --all shows them)`,
  ];
  return [{ is: "names", lists, ...(most === Infinity ? {} : { most, more }) }];
}

function causeBlocks(causes: readonly RowCause[], { most }: RowContext): readonly Block[] {
  return causes.length === 0 ? [] : [labelled("Cause", causeLines(causes, most.causes))];
}

/** The first causes, and how many others there are. */
export function causeLines(causes: readonly RowCause[], most: number): readonly LabelledLine[] {
  const more = causes.length - most;
  const isStampAlone = causes.every((cause) => cause.is === "reason" && cause.reason.type === "FirstStamp");
  return [
    ...causes.slice(0, most).map((cause) => causeLine(cause, isStampAlone)),
    ...(more > 0 ? [{ words: [`and ${counted(more, "more change")}`] }] : []),
  ];
}

function movedBlocks(workloads: readonly PlannedWorkload[]): readonly Block[] {
  const sets = workloads.filter(leavesVolumes);
  const names = [...new Set(sets.map(({ name }) => name))].sort(compareNames);
  const [namespace = ""] = workloads.map((workload) => workload.namespace);
  const volumes: Words = [
    "StatefulSet ",
    ...joined(names.map((name) => [code(name)])),
    ": new, empty volumes; the data stays in ",
    code(namespace),
  ];
  return [...emptiedBlocks(workloads), ...(names.length === 0 ? [] : [paragraph(volumes)])];
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

function objectRow(given: ObjectRow, context: RowContext): Row {
  const { objects, isManual } = given;
  const named = namedRow(objects, context.places, context.facets.ofObjects);
  const [{ leaves, isAccepted }] = objects;
  const effect =
    leaves === true
      ? ["stays in the cluster, because prune is off"]
      : isAccepted === true
        ? ["accepted with --accept-deletes"]
        : isManual
          ? [`when ${pluralize(objects.length, "it", "each")} is synced`]
          : undefined;
  const title: Title =
    named.title === undefined ? { words: [], size: counted(objects.length, "object") } : { words: named.title };
  return row(
    {
      ...headOf(given),
      mark: "-",
      ...title,
      ...(effect === undefined ? {} : { effect }),
      facets: { ...context.facets.ofRow(given), ...context.facets.ofObjects(objects) },
    },
    [
      ...(named.title === undefined ? namesBlocks(named, mostNames(given, context)) : []),
      ...causeBlocks(given.causes, context),
    ],
  );
}

const CHANGE_MARKS = { Create: "+", Change: "~", Delete: "-" } as const;
const MOST_FIELDS = 3;

/** Other objects: few by name, many by the number of each kind. */
function changeRow(given: ChangeRow, context: RowContext): Row {
  const { change, objects, fields, moreFields } = given;
  const head = {
    ...headOf(given),
    ...(change === "Move" ? {} : { mark: CHANGE_MARKS[change] }),
    facets: { ...context.facets.ofRow(given), ...context.facets.ofObjects(objects) },
  };
  const shown = fields.slice(0, MOST_FIELDS).map((field) => inOneLine(fieldParts(field)));
  const more = fields.length - shown.length + moreFields;
  const all: Words[] = [...shown, ...(more > 0 ? [[`${counted(more, "more field")}`]] : [])];
  if (change === "Move")
    return row({
      ...head,
      words: [],
      size: `${counted(objects.length, "object moves", "objects move")} too`,
      effect: kindCounts(objects),
    });
  const named = namedRow(objects, context.places, context.facets.ofObjects);
  if (named.title !== undefined)
    return row({ ...head, words: named.title, ...(all.length === 0 ? {} : { effect: joined(all, "; ") }) });
  const [kind = "", ...kinds] = new Set(objects.map((one) => one.kind));
  const size = kinds.length === 0 ? counted(objects.length, kind, pluralOf(kind)) : counted(objects.length, "object");
  const counts = kinds.length === 0 ? {} : { effect: kindCounts(objects) };
  return all.length === 0
    ? row({ ...head, words: [], size, ...counts })
    : row({ ...head, words: [...joined(all, "; "), ` in ${size}`], ...counts });
}

/** `8 PodDisruptionBudgets, 4 ConfigMaps`. */
function kindCounts(objects: readonly PlannedObject[]): Words {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return [kinds.map(([kind, n]) => counted(n, kind, pluralOf(kind)).replace(" ", NO_BREAK)).join(", ")];
}

/** A number and its word stay in one line. */
const NO_BREAK = "\u00a0";

function pluralOf(kind: string): string {
  if (/(?:s|x|ch)$/u.test(kind)) return `${kind}es`;
  return kind.endsWith("y") ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}

function findingRow(given: FindingRow, { most }: RowContext): Row {
  const { findings, level } = given;
  const [first] = findings;
  const messages = sayings(given);
  const head = { ...headOf(given), ...(severityOf(first) === "info" && level === undefined ? { label: "note" } : {}) };
  if (first.id === "RS024" && findings.length === 1) {
    const { title, effect, causes } = unrenderedWords(first);
    const hasName =
      plainText(title).endsWith(`/${first.application ?? ""}`) ||
      plainText(title).endsWith(` ${first.application ?? ""}`);
    return row({ ...head, words: [...title, ...(hasName ? [] : inApplications(findings))], effect }, [
      ...(causes.length === 0
        ? []
        : [
            labelled(
              "Cause",
              causes.map((words) => ({ words })),
            ),
          ]),
      ...remedyBlocks(given, ruleWords(first.id)),
    ]);
  }
  const isBefore = first.before === true ? " (existing)" : "";
  const [only, ...others] = messages;
  if (only !== undefined && others.length === 0)
    return row({ ...head, words: [...only, ...ruleWords(first.id), isBefore] }, remedyBlocks(given));
  const shown = level === undefined ? messages.slice(0, most.findings) : messages;
  const more = messages.length - shown.length;
  return row(
    { ...head, words: ["(", ...ruleWords(first.id).slice(1), isBefore], size: counted(messages.length, "finding") },
    [list(shown), ...(more > 0 ? [paragraph(`and ${more} more`)] : []), ...remedyBlocks(given)],
  );
}

/** `rule`: words that name the rule, if the row doesn't. */
function remedyBlocks({ findings: [first] }: FindingRow, rule: Words = []): readonly Block[] {
  const remedy = severityOf(first) === "info" ? undefined : remedyText(first);
  return remedy === undefined ? [] : [labelled("Fix", [{ words: [remedy, ...rule] }])];
}

/** What findings say, each once, with the applications that have it. */
function sayings({ findings }: FindingRow): readonly Words[] {
  const byText = new Map<string, FindingRow["findings"][number][]>();
  for (const finding of findings) {
    const text = findingText(finding);
    byText.set(text, [...(byText.get(text) ?? []), finding]);
  }
  return [...byText].map(([text, alike]) => [text, ...inApplications(alike)]);
}

function inApplications(findings: readonly FindingRow["findings"][number][]): Words {
  const names = [...new Set(findings.flatMap(({ application = "." }) => (application === "." ? [] : [application])))];
  return names.length === 0 ? [] : [" in ", ...joined(names.map((name) => [code(name)]))];
}

const LONGEST_LINE = 300;

function applicationRow(given: ApplicationRow): Row {
  const { applications, lines, level } = given;
  const names = joined(applications.map(({ name }) => [code(name)]));
  const also = level === undefined ? " in both revisions" : "";
  const [last = ""] = lines.filter((line) => line.trim() !== "").slice(-1);
  const shown = last.length > LONGEST_LINE ? `${last.slice(0, LONGEST_LINE - 1)}…` : last;
  return row(
    { ...headOf(given), words: names, effect: [`cannot be rendered${also}`] },
    shown === "" ? [] : [paragraph(shown)],
  );
}
