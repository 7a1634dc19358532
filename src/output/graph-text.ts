import { code, facet, list, paragraph, row, section, table, texts } from "./document/blocks.ts";
import { groupedBy } from "../base/grouped.ts";
import { counted } from "../base/words.ts";
import { nothingWords, type Naming } from "../findings/not-examined/account-words.ts";
import { isNothing } from "../findings/not-examined/not-examined.ts";
import type { GraphEdge, GraphReport, GraphSource } from "../reports/graph/graph-report.ts";
import type { Block, Document, Facets, Tone, Words } from "./document/document.ts";
import { printHtml } from "./document/html.ts";
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

function sourceBlock(graph: GraphReport, source: GraphSource, edges: readonly GraphEdge[]): Block {
  const coverage = source.coverage === "content" ? "" : ` (${source.coverage}${maker(source)})`;
  const title = `${objectName(source)}${coverage}`;
  return section({ id: title, title }, [usesBlock(graph, edges, edgeKeys, ["", "", ""])]);
}

function maker({ madeBy }: GraphSource): string {
  return madeBy === undefined ? "" : `, by ${madeBy.kind} ${madeBy.name}`;
}

function usesBlock(
  { workloads }: GraphReport,
  edges: readonly GraphEdge[],
  keysOf: (edge: GraphEdge) => string,
  titles: readonly [string, string, string],
): Block {
  if (edges.length === 0) return list(["  not used by any workload"]);
  const rows = edges.map((edge): Words[] => {
    const workload = workloads[edge.workload];
    return [[workload === undefined ? "" : objectName(workload)], [keysOf(edge)], [viaWords(edge)]];
  });
  return table(titles.map(texts), rows);
}

const TONES: Readonly<Record<GraphSource["coverage"], Tone>> = {
  content: "ok",
  ciphertext: "muted",
  declaration: "muted",
  missing: "attention",
};

/** `graph -o html`: a page to search, filter and print. */
export function graphPage(graph: GraphReport, naming: Naming = {}): string {
  const { sources, workloads, edges } = graph;
  const bySource = groupedBy(edges, ({ source }) => source);
  const used = new Set(edges.map(({ workload }) => workload));
  const without = workloads.filter((_, i) => !used.has(i)).map(objectName);
  const rows = sources.map((source, i) => {
    const uses = bySource.get(i) ?? [];
    const { coverage } = source;
    const words = [code(objectName(source)), maker(source)];
    const facets = facetsOf(graph, source, uses);
    return row({ label: coverage, tone: TONES[coverage], words, facets }, [
      usesBlock(graph, uses, allKeys, ["Workload", "Keys", "Use"]),
    ]);
  });
  const filter: Block = {
    is: "filter",
    facets: FACETS.map(([id, label]) =>
      facet(
        id,
        label,
        rows.flatMap(({ facets }) => facets?.[id] ?? []),
      ),
    ),
  };
  return printHtml({
    title: "Sources and workloads",
    blocks: [
      paragraph(isNothing(graph) ? `${nothingWords(graph)}.` : summary(graph)),
      ...notExaminedBlocks(graph, { command: "graph", ...naming }),
      filter,
      section({ id: "sources", title: "Sources", total: sources.length }, rows),
      ...(without.length === 0
        ? []
        : [section({ id: "others", title: "Workloads without a source", total: without.length }, [list(without)])]),
    ],
  });
}

const FACETS = [
  ["namespace", "Namespace"],
  ["kind", "Source"],
  ["coverage", "Coverage"],
  ["workload", "Workload"],
  ["application", "Application"],
  ["use", "Use"],
] as const;

function facetsOf({ workloads }: GraphReport, source: GraphSource, edges: readonly GraphEdge[]): Facets {
  const { namespace, kind, coverage, application } = source;
  return {
    namespace: [namespace],
    kind: [kind],
    coverage: [coverage],
    workload: [...new Set(edges.flatMap((edge) => workloads[edge.workload]?.kind ?? []))],
    application: application === undefined ? [] : [application],
    use: [edges.length === 0 ? "used by none" : edges.length === 1 ? "used by one" : "shared by several"],
  };
}

function allKeys({ keys }: GraphEdge): string {
  return keys === "*" ? "all keys" : keys.join(", ");
}

function summary({ sources, workloads, edges }: GraphReport): string {
  const missing = sources.filter(({ coverage }) => coverage === "missing").length;
  const more = missing === 0 ? "" : `; ${counted(missing, "source")} missing`;
  return `${counted(sources.length, "source")}, ${counted(workloads.length, "workload")}, ${counted(edges.length, "use")}${more}`;
}
