import type { Finding } from "../findings/finding.ts";
import type { Item } from "../manifest/items.ts";
import type { Decision } from "../policy/types.ts";
import { locationOf, resourceRef } from "../results/location.ts";
import { chartSources } from "../workloads/find-workloads.ts";
import { unknownValues } from "../workloads/value-templates.ts";

/** What is to be told of objects that ask for stamps in their values, of charts of which nobody knows where they go. */
export function valueFindings({ selected, workload }: Decision, items: readonly Item[]): Finding[] {
  const { item, kind, templates } = workload;
  if (!selected || kind.holds === undefined || templates.length > 0) return [];
  const unknown = unknownValues(item, kind.holds, chartSources(items));
  if (unknown === undefined) return [];
  const { chart, isText } = unknown;
  const object = resourceRef(item);
  const told = isText
    ? ({ id: "unknown-values", cause: "text", params: { object } } as const)
    : ({ id: "unknown-values", cause: "chart", params: { object, chart } } as const);
  return [{ ...told, ...locationOf(item, { node: item.node }) }];
}
