import { formatCommit } from "../base/names.ts";
import { counted } from "../base/words.ts";
import type { PlannedRange, PlanReport, WebAddress } from "../reports/plan/plan-report.ts";
import { massFindings } from "../reports/plan/rows/other-findings.ts";
import type { Places } from "../reports/plan/rows/names.ts";
import type { RowCause } from "../reports/plan/rows/row-causes.ts";
import { code, joined, labelled, paragraph } from "./document/blocks.ts";
import type { Block, Part, Words } from "./document/document.ts";
import { ruleWords } from "./plan-fixes.ts";
import { causeLines, type RowContext } from "./plan-row-parts.ts";

// What a report has below its verdict: what was compared, and the cause that all rows share.

export type PlanForm = "text" | "markdown" | "html";

/** The title that says nothing. */
export const DEFAULT_TITLE = "Rollout plan";

/** What is compared: the repository, the range and the commits; else the names of both sides. */
export function contextBlocks(
  { compared }: PlanReport,
  { form, title, sides = [] }: { readonly form: PlanForm; readonly title: string; readonly sides?: readonly string[] },
): readonly Block[] {
  const named: Words[] = form === "text" || title === DEFAULT_TITLE ? [] : [[code(title)]];
  const parts = [
    ...named,
    ...(compared === undefined ? sides.map((side) => [code(side)]) : rangeWords(compared, form)),
  ];
  const separator = form === "text" ? "  " : " · ";
  if (parts.length === 0) return [];
  return [paragraph(joined(parts, separator), { role: "context" })];
}

function rangeWords({ repository, range, base, head, links }: PlannedRange, form: PlanForm): readonly Words[] {
  const commits = `${formatCommit(base.commit)}..${formatCommit(head.commit)}`;
  // CI jobs give whole hashes.
  const given = [base, head].reduce((text, { commit }) => text.replaceAll(commit, formatCommit(commit)), range);
  const linked = (address: WebAddress | undefined, part: Part): Part =>
    address === undefined || form === "text" ? part : { link: address, words: [part] };
  return [
    [linked(form === "html" ? links?.repository : undefined, code(repository))],
    ...(given === commits ? [] : [[code(given)]]),
    [linked(links?.compare, code(commits))],
  ];
}

const MOST_SHARED_CAUSES = 3;

/** The cause that all rows share, and how much it rolls. */
export function sharedBlocks(
  causes: readonly RowCause[],
  report: PlanReport,
  { most, places }: Pick<RowContext, "most" | "places">,
): readonly Block[] {
  if (causes.length === 0) return [];
  const lines = causeLines(causes, Math.min(MOST_SHARED_CAUSES, most.causes), report.workloads).map((line) =>
    line.rest === undefined ? line : { ...line, rest: [...line.rest, ...everywhereWords(report, places)] },
  );
  const [mass] = massFindings(report, causes);
  const isFirstStamp = causes.every((cause) => cause.is === "reason" && cause.reason.type === "FirstStamp");
  return [
    labelled("Cause", [
      ...lines,
      ...(mass === undefined
        ? []
        : [
            {
              words: [`It rolls ${counted(report.summary.rolls, "workload")} at once`, ...ruleWords("RS017")],
              isSentence: true,
            },
          ]),
      ...(isFirstStamp && isStampedInFiles(report) ? [{ words: WAVES, isSentence: true }] : []),
    ]),
  ];
}

/** So many applications are named in rows, so that the cause doesn't have to. */
const FEW_PLACES = 3;

/** Where a cause is, if that is in all of many applications. */
function everywhereWords({ workloads }: PlanReport, places: Places): Words {
  if (places === undefined || places.length <= FEW_PLACES) return [];
  const changing = new Set(
    workloads.flatMap(({ application, action }) => (action === "None" ? [] : (application ?? []))),
  );
  return places.every((place) => changing.has(place)) ? [`, in all ${counted(places.length, "application")}`] : [];
}

/** How many workloads take their first stamp at once, as a start. */
const WAVE = 3;
const WAVES: Words = ["Fix: ", code(`rollstamp stamp --max-workloads ${WAVE}`), ` rolls ${WAVE} at a time`];

function isStampedInFiles({ applications = [], summary }: PlanReport): boolean {
  return (
    summary.rolls > WAVE && applications.every(({ stampedBy }) => stampedBy === "Files" || stampedBy === "Nothing")
  );
}
