import { formatNumber } from "../base/words.ts";
import type { PlanReport } from "../reports/plan/plan-report.ts";
import { code, numbers, table, texts, type Block, type Facets, type Row, type Words } from "./document/document.ts";
import { causeLine } from "./plan-causes.ts";
import { mergedFacets, planFilter, type CauseSum } from "./plan-facets.ts";

// What only a page has: its filter, and the causes and applications of the plan as tables.

/** From so many rows up there is a filter. */
const FEWEST_FILTERED = 30;

/** The filter of a page; nothing if it has few rows. */
export function filterBlocks(rows: readonly Row[], causes: readonly CauseSum[]): readonly Block[] {
  const facets = rows.flatMap((one): Facets[] => (one.facets === undefined ? [] : [one.facets]));
  const names = rows.reduce((sum, one) => sum + Math.max(1, namesIn(one)), 0);
  return names < FEWEST_FILTERED ? [] : [planFilter(mergedFacets(facets), causes)];
}

/** How many names stand in a list of a row. */
function namesIn({ blocks }: Row): number {
  return blocks.reduce((sum, block) => {
    if (block.is !== "names") return sum;
    return sum + block.lists.reduce((n, { kinds }) => n + kinds.reduce((all, { names }) => all + names.length, 0), 0);
  }, 0);
}

/** The causes and the applications of a plan, each if there are several. */
export function tableBlocks(report: PlanReport, causes: readonly CauseSum[]): readonly Block[] {
  return [...causesTable(causes), ...applicationsTable(report)];
}

const NUMBERS = [numbers("pods"), numbers("workloads")];

function causesTable(causes: readonly CauseSum[]): readonly Block[] {
  if (causes.length < 2) return [];
  const lines = causes.map(({ cause, workloads, pods }, i): Words[] => {
    const { words, rest } = causeLine(cause);
    const shown: Words = rest === undefined ? words : [...words, ": ", ...rest];
    return [[formatNumber(pods)], [formatNumber(workloads)], [{ facet: "cause", value: String(i), words: shown }]];
  });
  return [{ is: "details", summary: ["Causes"], blocks: [table([...NUMBERS, texts("cause")], lines)], role: "causes" }];
}

/** The applications that differ, what replaces the most pods first. */
function applicationsTable({ applications = [], workloads }: PlanReport): readonly Block[] {
  const sums = new Map<string, { workloads: number; pods: number }>();
  for (const { application = "", action, pods } of workloads) {
    if (action === "None") continue;
    const sum = sums.get(application) ?? { workloads: 0, pods: 0 };
    sums.set(application, { workloads: sum.workloads + 1, pods: sum.pods + (action === "Roll" ? pods : 0) });
  }
  const lines = applications
    .filter(({ status }) => status === "Changed")
    .map((application) => ({ application, ...(sums.get(application.name) ?? { workloads: 0, pods: 0 }) }))
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
