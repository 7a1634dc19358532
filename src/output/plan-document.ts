import { filterBlocks, tableBlocks } from "./plan-page-blocks.ts";
import { rowBlocks } from "./plan-row-blocks.ts";
import { paragraph, section, strong, verdict } from "./document/blocks.ts";
import { sentence } from "./document/text-runs.ts";
import type { ExitStatus } from "../base/errors.ts";
import { isHeldBack } from "../reports/plan/counted.ts";
import type { PlanReport } from "../reports/plan/plan-report.ts";
import type { Places } from "../reports/plan/rows/names.ts";
import { reportRows } from "../reports/plan/rows/report-rows.ts";
import type { ReportRow } from "../reports/plan/rows/row-types.ts";
import type { Block, Document, Row, Words } from "./document/document.ts";
import { NO_FACETS, planFacets } from "./plan-facets.ts";
import { foldOf, leftOutWords, moreObjects } from "./plan-folds.ts";
import { contextBlocks, sharedBlocks, type PlanForm } from "./plan-head.ts";
import { toneOf, verdictSign } from "./plan-labels.ts";
import { noteBlocks } from "./plan-notes.ts";
import type { Most, RowContext } from "./plan-row-parts.ts";
import { changesText, checkedText, gateWords, isCompared } from "./plan-totals.ts";
import { verdictPhrase, verdictWords } from "./plan-verdict.ts";

export interface PlanDocumentOptions {
  readonly form: PlanForm;
  /** Tells several plans of one pull request apart. */
  readonly title: string;
  readonly status: ExitStatus;
  /** Whether text names what it otherwise counts. */
  readonly all: boolean;
  /** Whether everything that was not examined is named. */
  readonly verbose: boolean;
  /** What is compared, if it is not two revisions. */
  readonly sides?: readonly string[];
}

const MOST_IN_TEXT: Most = { names: 12, routine: 20, others: 10, causes: 4, findings: 5 };
const EVERYTHING: Most = { names: Infinity, routine: Infinity, others: Infinity, causes: Infinity, findings: Infinity };
/** The printer of Markdown cuts names and rows of a comment that is too long. */
const MOST: Readonly<Record<PlanForm, Most>> = {
  text: MOST_IN_TEXT,
  markdown: { ...EVERYTHING, causes: 4, findings: 5 },
  html: EVERYTHING,
};

/** Where there is no terminal, text is as wide as a page. */
const COLUMNS = 100;

/**
 * A plan as a document: the verdict, what was compared, the cause of all rows; then what a person has to read, the worst
 * first, what is routine, other objects; then notes, totals, and what the exit status means.
 */
export function planDocument(report: PlanReport, options: PlanDocumentOptions): Document {
  const { form, title, all, verbose, status } = options;
  const { applications = [], objects } = report;
  const rows = reportRows(report);
  const facets =
    form === "html" ? planFacets([...rows.risky, ...rows.routine, ...rows.aside], applications) : NO_FACETS;
  const most = form === "text" && all ? EVERYTHING : MOST[form];
  const context: RowContext = { report, applications, objects, facets, places: placesOf(report), most };
  const originals = new Map<Row, ReportRow>();
  const blocksOf = (some: readonly ReportRow[]): readonly Row[] =>
    some.flatMap((original) => {
      const made = rowBlocks(original, context);
      for (const block of made) originals.set(block, original);
      return made;
    });
  const originalsOf = (some: readonly Row[]): readonly ReportRow[] => [
    ...new Set(some.flatMap((one) => originals.get(one) ?? [])),
  ];
  const risky = blocksOf(rows.risky);
  const routine = blocksOf(rows.routine.filter(({ label }) => label !== "other"));
  const others = blocksOf(rows.routine.filter(({ label }) => label === "other"));
  const aside = blocksOf(rows.aside);
  const head: readonly Block[] = [
    verdictBlock(report),
    ...contextBlocks(report, options),
    ...sharedBlocks(rows.causes, report, context),
    ...(form === "html" && report.verdict !== null
      ? [paragraph(sentence([changesText(report)]), { role: "changes" })]
      : []),
  ];
  const middle: readonly Block[] = [
    ...risky,
    ...(form === "html" ? filterBlocks([...risky, ...routine, ...others, ...aside], facets.causes) : []),
    ...foldOf(routine, { most: most.routine, originalsOf }),
    ...foldOf(others, { most: most.others, originalsOf }),
    ...moreObjects(report),
    ...aside,
    ...(form === "html" ? tableBlocks(report, facets.causes) : []),
  ];
  const foot: readonly Block[] = [...noteBlocks(rows, context, verbose), ...totalBlocks(report, form, status)];
  const parts = [
    { id: "head", title: "Verdict", blocks: head },
    { id: "rows", title: "What happens", blocks: middle },
    { id: "foot", title: "Notes and totals", blocks: foot },
  ];
  return {
    title,
    columns: COLUMNS,
    leftOut: (left) => leftOutWords(originalsOf(left), report),
    blocks: parts
      .filter(({ blocks }) => blocks.length > 0)
      .map(({ id, title: name, blocks }) => section({ id, title: name, isTitleHidden: true }, blocks)),
  };
}

function verdictBlock(report: PlanReport): Block {
  const level = report.verdict?.level;
  const [tone, sign] = level === undefined ? (["muted", "○"] as const) : [toneOf(level), verdictSign(level)];
  return verdict(tone, sign, verdictPhrase(report), ...verdictWords(report));
}

/** The places that rows name; undefined if there is one. */
function placesOf({ applications, workloads }: PlanReport): Places {
  if (applications === undefined) {
    const parts = new Set(workloads.flatMap(({ part }) => part ?? []));
    return parts.size === 0 ? undefined : [...parts];
  }
  // What waits for a version or is suspended is named in notes.
  const compared = applications.filter((one) => isCompared(one) && !isHeldBack(one));
  const hasFailed = applications.some(({ status }) => status === "Failed");
  return compared.length > 1 || (compared.length === 1 && hasFailed) ? compared.map(({ name }) => name) : undefined;
}

/** The numbers of the whole plan, and what the exit status means. A page has the first of them below its verdict. */
function totalBlocks(report: PlanReport, form: PlanForm, status: ExitStatus): readonly Block[] {
  const gate = gateWords(report, status) ?? [];
  if (report.verdict === null) return [paragraph(gate, { role: "gate" })];
  const checked = checkedText(report, form !== "markdown");
  const totals: Words = [strong("Plan:"), ` ${[changesText(report), checked].filter(Boolean).join(" ")}`];
  if (form === "markdown")
    return [paragraph(gate.length === 0 ? totals : [...totals, " ", ...gate], { role: "totals" })];
  const gates = gate.length === 0 ? [] : [paragraph(gate, { role: "gate" })];
  if (form === "text") return [paragraph(totals, { role: "totals" }), ...gates];
  return [...(checked === "" ? [] : [paragraph(checked, { role: "totals" })]), ...gates];
}
