import type { GraphReport } from "./graph-report.ts";

/** `graph -o json` (schemas/graph.json). */
export function graphJson(graph: GraphReport): string {
  return `${JSON.stringify(graph, undefined, 2)}\n`;
}
