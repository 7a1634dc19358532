import { placedName } from "../base/names.ts";
import { notExaminedLines, type Naming } from "../findings/not-examined/account-words.ts";
import { printable } from "../findings/results/terminal.ts";
import type { GraphEdge, GraphReport, GraphSource, GraphWorkload } from "../reports/graph/graph-report.ts";

type Named = GraphWorkload | GraphSource;

/** `Kind namespace/name`, and its application if it has one. */
export function objectName({ kind, namespace, name, application }: Named): string {
  const title = `${kind} ${placedName({ namespace, name: name === "" ? "(no name)" : name })}`;
  return application === undefined ? title : `${title} of ${application}`;
}

const MOST_KEYS = 4;

/** The keys that a workload sees, as a label. */
export function edgeKeys({ keys }: GraphEdge): string {
  if (keys === "*") return "all keys";
  if (keys.length === 0) return "no key";
  if (keys.length <= MOST_KEYS) return keys.join(", ");
  return `${keys.slice(0, MOST_KEYS - 1).join(", ")} and ${keys.length - MOST_KEYS + 1} more`;
}

/** How a workload sees a source: `env, volume, optional`. */
export function viaWords({ via, optional, counts }: GraphEdge): string {
  return [...via, ...(optional ? ["optional"] : []), ...(counts === false ? ["not stamped"] : [])].join(", ");
}

/** `graph -o dot`: for Graphviz. */
export function graphDot(graph: GraphReport, naming: Naming = {}): string {
  const label = ({ kind, namespace, name }: Named): string =>
    `${dotString(kind).slice(0, -1)}\\n${dotString(placedName({ namespace, name })).slice(1)}`;
  return lines([
    "digraph rollstamp {",
    ...notExaminedLines(graph, { command: "graph", ...naming }).map((line) => `  // ${printable(line)}`),
    "  rankdir=LR;",
    "  node [shape=box];",
    ...graph.sources.map((source, i) => {
      const style = source.coverage === "missing" ? '"rounded,dashed"' : "rounded";
      return `  s${i} [label=${label(source)}, style=${style}];`;
    }),
    ...graph.workloads.map((workload, i) => `  w${i} [label=${label(workload)}];`),
    ...graph.edges.map((edge) => {
      const style = edge.optional ? ", style=dashed" : "";
      return `  s${edge.source} -> w${edge.workload} [label=${dotString(edgeKeys(edge))}${style}];`;
    }),
    "}",
  ]);
}

/** A string of the DOT language, in which only the quote and the backslash are special. */
function dotString(value: string): string {
  return `"${printable(value).replace(/["\\]/gu, "\\$&")}"`;
}

/** `graph -o mermaid`: a flowchart, as GitHub and GitLab draw it in Markdown. */
export function graphMermaid(graph: GraphReport, naming: Naming = {}): string {
  const label = ({ kind, namespace, name }: Named): string =>
    `"${mermaidText(kind)}<br/>${mermaidText(placedName({ namespace, name }))}"`;
  const classOf = ({ coverage }: GraphSource): string =>
    coverage === "content" ? "" : coverage === "missing" ? ":::missing" : ":::covered";
  return lines([
    "flowchart LR",
    ...notExaminedLines(graph, { command: "graph", ...naming }).map((line) => `  %% ${printable(line)}`),
    ...graph.sources.map((source, i) => `  s${i}(${label(source)})${classOf(source)}`),
    ...graph.workloads.map((workload, i) => `  w${i}[${label(workload)}]`),
    ...graph.edges.map((edge) => {
      const arrow = edge.optional ? "-.->" : "-->";
      return `  s${edge.source} ${arrow}|"${mermaidText(edgeKeys(edge))}"| w${edge.workload}`;
    }),
    "  classDef missing stroke-dasharray: 5 5",
    "  classDef covered stroke-width: 2px",
  ]);
}

/** A string in a label. All but plain letters become entities, as Mermaid writes them (`#35;`). */
function mermaidText(value: string): string {
  return printable(value).replace(/[^\p{L}\p{N} ,._/*:-]/gu, (char) => `#${char.codePointAt(0) ?? 0};`);
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}
