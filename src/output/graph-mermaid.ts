import { printable } from "../findings/results/terminal.ts";
import { notExaminedLines, type Naming } from "../findings/not-examined/account-words.ts";
import type { GraphReport, GraphSource, GraphWorkload } from "../reports/graph/graph-report.ts";
import { edgeKeys } from "./graph-words.ts";

/** `graph -o mermaid`: a flowchart, as GitHub and GitLab draw it in Markdown. */
export function graphMermaid(graph: GraphReport, naming: Naming = {}): string {
  const { sources, workloads, edges } = graph;
  const lines = [
    "flowchart LR",
    ...notExaminedLines(graph, { command: "graph", ...naming }).map((line) => `  %% ${printable(line)}`),
    ...sources.map((source, at) => `  s${at}(${label(source)})${classOf(source)}`),
    ...workloads.map((workload, at) => `  w${at}[${label(workload)}]`),
    ...edges.map((edge) => {
      const arrow = edge.optional ? "-.->" : "-->";
      return `  s${edge.source} ${arrow}|"${text(edgeKeys(edge))}"| w${edge.workload}`;
    }),
    "  classDef missing stroke-dasharray: 5 5",
    "  classDef covered stroke-width: 2px",
  ];
  return `${lines.join("\n")}\n`;
}

function label({ kind, namespace, name }: GraphSource | GraphWorkload): string {
  return `"${text(kind)}<br/>${text(namespace)}/${text(name)}"`;
}

function classOf({ coverage }: GraphSource): string {
  if (coverage === "content") return "";
  return coverage === "missing" ? ":::missing" : ":::covered";
}

/** A text in a label: what is no plain letter becomes an entity, as Mermaid writes them (`#35;`). */
function text(value: string): string {
  return value.replace(/[^\p{L}\p{N} ,._/*:-]/gu, (char) => `#${char.codePointAt(0) ?? 0};`);
}
