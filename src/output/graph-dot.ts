import { notExaminedLines, type Naming } from "../findings/not-examined/account-words.ts";
import { printable } from "../findings/results/terminal.ts";
import type { GraphReport, GraphSource, GraphWorkload } from "../reports/graph/graph-report.ts";
import { edgeKeys } from "./graph-words.ts";

/** `graph -o dot`: for Graphviz. */
export function graphDot(graph: GraphReport, naming: Naming = {}): string {
  const { sources, workloads, edges } = graph;
  const lines = [
    "digraph rollstamp {",
    ...notExaminedLines(graph, { command: "graph", ...naming }).map((line) => `  // ${printable(line)}`),
    "  rankdir=LR;",
    "  node [shape=box];",
    ...sources.map((source, at) => `  s${at} [label=${label(source)}, style=${styleOf(source)}];`),
    ...workloads.map((workload, at) => `  w${at} [label=${label(workload)}];`),
    ...edges.map(
      (edge) =>
        `  s${edge.source} -> w${edge.workload} [label=${quoted(edgeKeys(edge))}${edge.optional ? ", style=dashed" : ""}];`,
    ),
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

function label({ kind, namespace, name }: GraphSource | GraphWorkload): string {
  return `${quoted(kind).slice(0, -1)}\\n${quoted(`${namespace}/${name}`).slice(1)}`;
}

function styleOf({ coverage }: GraphSource): string {
  return coverage === "missing" ? '"rounded,dashed"' : "rounded";
}

/** A quoted string of the DOT language: in it only the quote and the backslash mean something. */
function quoted(value: string): string {
  return `"${printable(value).replace(/["\\]/gu, "\\$&")}"`;
}
