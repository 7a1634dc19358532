import type { GraphEdge, GraphSource, GraphWorkload } from "../reports/graph/graph-report.ts";

/** `Kind namespace/name`, with its application where it has one. */
export function objectName({ kind, namespace, name, application }: GraphWorkload | GraphSource): string {
  const own = `${kind} ${namespace}/${name === "" ? "(no name)" : name}`;
  return application === undefined ? own : `${own} of ${application}`;
}

const MOST_KEYS = 4;

/** The keys that a workload sees, as a label: the first of many. */
export function edgeKeys({ keys }: GraphEdge): string {
  if (keys === "*") return "all keys";
  if (keys.length === 0) return "no key";
  if (keys.length <= MOST_KEYS) return keys.join(", ");
  return `${keys.slice(0, MOST_KEYS - 1).join(", ")} and ${keys.length - MOST_KEYS + 1} more`;
}
