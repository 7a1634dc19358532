import { code, inOneLine, namesIn, numbers, table, texts } from "./document/blocks.ts";
import { groupedBy, sumOf } from "../base/grouped.ts";
import { formatNumber } from "../base/words.ts";
import type { PlanReport } from "../reports/plan/plan-report.ts";
import type { Block, Facets, Row, Words } from "./document/document.ts";
import { causeLine } from "./plan-causes.ts";
import { mergedFacets, planFilter, type CauseSum, replacedBy } from "./plan-facets.ts";

// What only a page has: its filter, and the causes and applications of the plan as tables.

/** From so many rows up there is a filter. */
const FEWEST_FILTERED = 30;

/** The filter of a page; nothing if it has few rows. */
export function filterBlocks(rows: readonly Row[], causes: readonly CauseSum[]): readonly Block[] {
  const facets = rows.flatMap((one): Facets[] => (one.facets === undefined ? [] : [one.facets]));
  const names = sumOf(rows, (one) => Math.max(1, namesOf(one)));
  return names < FEWEST_FILTERED ? [] : [planFilter(mergedFacets(facets), causes)];
}

/** How many names stand in a list of a row. */
function namesOf({ blocks }: Row): number {
  return namesIn(blocks.flatMap((block) => (block.is === "names" ? block.lists : []))).length;
}

/** The causes and the applications of a plan, each if there are several. */
export function tableBlocks(report: PlanReport, causes: readonly CauseSum[]): readonly Block[] {
  return [...causesTable(causes), ...applicationsTable(report)];
}

const NUMBERS = [numbers("pods"), numbers("workloads")];

function causesTable(causes: readonly CauseSum[]): readonly Block[] {
  if (causes.length < 2) return [];
  const lines = causes.map(({ cause, workloads, pods }, i): Words[] => {
    const words = inOneLine(causeLine(cause));
    return [[formatNumber(pods)], [formatNumber(workloads)], [{ facet: "cause", value: String(i), words }]];
  });
  return [{ is: "details", summary: ["Causes"], blocks: [table([...NUMBERS, texts("cause")], lines)], role: "causes" }];
}

/** The applications that differ, what replaces the most pods first. */
function applicationsTable({ applications = [], workloads }: PlanReport): readonly Block[] {
  const changing = groupedBy(
    workloads.filter(({ action }) => action !== "None"),
    ({ application = "" }) => application,
  );
  const lines = applications
    .filter(({ status }) => status === "Changed")
    .map((application) => ({ application, ...replacedBy(changing.get(application.name) ?? []) }))
    .sort((a, b) => b.pods - a.pods || b.workloads - a.workloads)
    .map(({ application: { name, cluster, change }, workloads: n, pods }): Words[] => [
      [formatNumber(pods)],
      [formatNumber(n)],
      [
        { facet: "application", value: name, words: [code(name)] },
        change === undefined ? "" : ` ${change.toLowerCase()}`,
        ...(cluster === undefined
          ? []
          : [" (cluster ", { facet: "cluster", value: cluster, words: [code(cluster)] }, ")"]),
      ],
    ]);
  if (lines.length < 2) return [];
  return [
    {
      is: "details",
      summary: ["Applications"],
      blocks: [table([...NUMBERS, texts("application")], lines)],
      role: "applications",
    },
  ];
}
