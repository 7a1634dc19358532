import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { Decision } from "../policy/types.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import { chartSources } from "../../kubernetes/workloads/find-workloads.ts";
import { unknownValues } from "../../kubernetes/workloads/value-templates.ts";

/** What is to be told of objects that ask for stamps in their values, and of which nobody knows where, or for what. */
export function valueFindings({ selected, workload, templates }: Decision, items: readonly Item[]): Finding[] {
  const { item, kind } = workload;
  if (!selected || kind.holds === undefined) return [];
  const object = resourceRef(item);
  const at = locationOf(item, { node: item.node });
  if (workload.templates.length > 0) {
    const isNamed = templates.some(({ counted, leftOut }) => counted.length + leftOut.length > 0);
    return isNamed ? [] : [{ id: "unknown-values", cause: "none", params: { object }, ...at }];
  }
  const unknown = unknownValues(item, kind.holds, chartSources(items));
  switch (unknown?.because) {
    case undefined:
      return [];
    case "chart":
      return [{ id: "unknown-values", cause: "chart", params: { object, chart: unknown.chart }, ...at }];
    case "source":
      return [{ id: "unknown-values", cause: "source", params: { object, source: unknown.source }, ...at }];
    case "text":
    case "none":
      return [{ id: "unknown-values", cause: unknown.because, params: { object }, ...at }];
  }
}
