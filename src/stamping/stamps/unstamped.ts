import type { Finding } from "../../findings/catalogue/finding.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { placeIn } from "../../yaml/read/items.ts";
import type { Counted, Decision } from "../policy/types.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";

/**
 * The selected workloads with sources and without any stamp, whether or not the sources are in the input. A host that
 * skips the function leaves these.
 */
export function unstamped(decisions: readonly Decision[]): Finding<"no-stamp">[] {
  return decisions
    .filter(({ touched, selected }) => touched && selected)
    .filter(({ templates }) => templates.some(({ counted }) => counted.some(asksForStamp)))
    .filter(
      ({ templates }) => !templates.some(({ template }) => [...templateAnnotations(template).keys()].some(isStampKey)),
    )
    .map(({ workload: { item } }) => {
      const resource = resourceRef(item);
      return {
        id: "no-stamp",
        cause: "required",
        params: { workload: resource },
        resource,
        place: placeIn(item, item.node),
      };
    });
}

/** An optional source that does not exist needs no stamp. */
function asksForStamp({ source, reference }: Counted): boolean {
  return source !== undefined || !reference.optional;
}
