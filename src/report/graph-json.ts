import { jsonText } from "../results/json-text.ts";
import type { GraphReport } from "../graph/graph-report.ts";

/** `graph -o json` (schemas/graph.json). */
export function graphJson(graph: GraphReport): string {
  return `${jsonText(graph, 2)}\n`;
}
