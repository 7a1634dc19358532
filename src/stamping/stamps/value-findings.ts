import type { ResourceRef } from "../../base/names.ts";
import type { Finding, FindingData } from "../../findings/catalogue/finding.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { Decision } from "../policy/types.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import { chartSources } from "../../kubernetes/workloads/find-workloads.ts";
import { unstampedRelease, type UnstampedRelease } from "../../kubernetes/workloads/value-templates.ts";

/** Why HelmReleases and Applications that ask for stamps get none. */
export function valueFindings({ selected, workload, templates }: Decision, items: readonly Item[]): Finding[] {
  const { item, kind } = workload;
  if (!selected || kind.holds === undefined) return [];
  const isReferencing = templates.some(({ counted, leftOut }) => counted.length + leftOut.length > 0);
  if (isReferencing) return [];
  const unstamped: UnstampedRelease | undefined =
    workload.templates.length > 0 ? { cause: "noReferences" } : unstampedRelease(item, kind.holds, chartSources(items));
  if (unstamped === undefined) return [];
  const data = releaseData(resourceRef(item), unstamped);
  return [{ ...data, ...locationOf(item, { node: item.node }) }];
}

function releaseData(object: ResourceRef, unstamped: UnstampedRelease): FindingData<"unstamped-release"> {
  const id = "unstamped-release";
  switch (unstamped.cause) {
    case "unknownChart":
      return { id, cause: unstamped.cause, params: { object, chart: unstamped.chart } };
    case "missingSource":
      return { id, cause: unstamped.cause, params: { object, source: unstamped.source } };
    case "stringValues":
    case "noReferences":
      return { id, cause: unstamped.cause, params: { object } };
  }
}
