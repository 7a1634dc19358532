import { nothingWords, type Naming } from "../findings/not-examined/account-words.ts";
import { isNothing } from "../findings/not-examined/not-examined.ts";
import { notExaminedText } from "./not-examined-text.ts";
import { printable } from "../findings/results/terminal.ts";
import type { GraphEdge, GraphReport, GraphSource } from "../reports/graph/graph-report.ts";
import { counted } from "../base/words.ts";
import { groupedBy } from "../base/grouped.ts";
import { edgeKeys, objectName } from "./graph-words.ts";

/** `graph -o text`: each source, and below it the workloads that see it. */
export function graphText(graph: GraphReport, naming: Naming = {}): string {
  const bySource = groupedBy(graph.edges, ({ source }) => source);
  const blocks = graph.sources.map((source, at) => {
    const rows = (bySource.get(at) ?? []).map((edge) => row(graph, edge));
    return [sourceLine(source), ...(rows.length === 0 ? ["  nothing here uses it"] : aligned(rows))];
  });
  const notExamined = notExaminedText(graph, { command: "graph", ...naming });
  const sum = isNothing(graph) ? `${nothingWords(graph)}.` : summary(graph);
  return `${[...blocks.map((lines) => lines.join("\n")), sum].join("\n\n")}\n${notExamined}`;
}

function sourceLine(source: GraphSource): string {
  const made = source.madeBy === undefined ? "" : `, by ${source.madeBy.kind} ${source.madeBy.name}`;
  const coverage = source.coverage === "content" ? "" : ` (${source.coverage}${made})`;
  return printable(`${objectName(source)}${coverage}`);
}

function row({ workloads }: GraphReport, edge: GraphEdge): string[] {
  const workload = workloads[edge.workload];
  const remarks = [
    ...edge.via,
    ...(edge.optional ? ["optional"] : []),
    ...(edge.counts === false ? ["not stamped"] : []),
  ];
  return [workload === undefined ? "" : objectName(workload), edgeKeys(edge), remarks.join(", ")].map(printable);
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1].map((column) => longest(rows, column));
  return rows.map((cells) => `  ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")}`.trimEnd());
}

/** The widest cell of a column. As an argument each, hundreds of thousands of rows would be more than a call takes. */
function longest(rows: readonly (readonly string[])[], column: number): number {
  return rows.reduce((most, cells) => Math.max(most, cells[column]?.length ?? 0), 0);
}

function summary({ sources, workloads, edges }: GraphReport): string {
  const missing = sources.filter(({ coverage }) => coverage === "missing").length;
  const told = missing === 0 ? "" : `; ${missing} of the sources missing`;
  return `${counted(sources.length, "source")}, ${counted(workloads.length, "workload")}, ${counted(edges.length, "use")}${told}`;
}
