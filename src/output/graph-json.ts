import { jsonText } from "../findings/results/json-text.ts";
import type { GraphReport } from "../reports/graph/graph-report.ts";

/** `graph -o json` (schemas/graph.json). */
export function graphJson(graph: GraphReport): string {
  return `${jsonText(graph, 2)}\n`;
}
