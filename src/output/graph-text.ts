import { groupedBy } from "../base/grouped.ts";
import { counted } from "../base/words.ts";
import { nothingWords, type Naming } from "../findings/not-examined/account-words.ts";
import { isNothing } from "../findings/not-examined/not-examined.ts";
import type { GraphEdge, GraphReport, GraphSource } from "../reports/graph/graph-report.ts";
import { list, paragraph, section, table, texts, type Block, type Document, type Words } from "./document/document.ts";
import { edgeKeys, objectName, viaWords } from "./graph-diagrams.ts";
import { notExaminedBlocks } from "./not-examined.ts";

/** `graph -o text`: each source with the workloads that see it. */
export function graphDocument(graph: GraphReport, naming: Naming = {}): Document {
  const bySource = groupedBy(graph.edges, ({ source }) => source);
  return {
    title: "graph",
    blocks: [
      ...graph.sources.map((source, i) => sourceBlock(graph, source, bySource.get(i) ?? [])),
      paragraph(isNothing(graph) ? `${nothingWords(graph)}.` : summary(graph)),
      ...notExaminedBlocks(graph, { command: "graph", ...naming }),
    ],
  };
}

function sourceBlock({ workloads }: GraphReport, source: GraphSource, edges: readonly GraphEdge[]): Block {
  const maker = source.madeBy === undefined ? "" : `, by ${source.madeBy.kind} ${source.madeBy.name}`;
  const coverage = source.coverage === "content" ? "" : ` (${source.coverage}${maker})`;
  const title = `${objectName(source)}${coverage}`;
  const rows = edges.map((edge): Words[] => {
    const workload = workloads[edge.workload];
    return [[workload === undefined ? "" : objectName(workload)], [edgeKeys(edge)], [viaWords(edge)]];
  });
  return section({ id: title, title }, [
    rows.length === 0 ? list(["  not used by any workload"]) : table([texts(""), texts(""), texts("")], rows),
  ]);
}

function summary({ sources, workloads, edges }: GraphReport): string {
  const missing = sources.filter(({ coverage }) => coverage === "missing").length;
  const more = missing === 0 ? "" : `; ${counted(missing, "source")} missing`;
  return `${counted(sources.length, "source")}, ${counted(workloads.length, "workload")}, ${counted(edges.length, "use")}${more}`;
}
