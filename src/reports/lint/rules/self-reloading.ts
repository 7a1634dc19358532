import { selfReloading } from "../../../stamping/stamps/findings.ts";
import type { LintRule } from "../rule.ts";

/** A source that a process takes without a restart, as a known reloader beside it watches its volume. */
export const SELF_RELOADING: LintRule<"RS022"> = {
  id: "RS022",
  check: ({ workloads, spec }) =>
    spec.reloads === "Warn"
      ? workloads.flatMap(({ workload: { item }, templates }) =>
          templates.flatMap(({ template, desired }) =>
            (desired?.sightings ?? []).flatMap((sighting) =>
              selfReloading(template, sighting).map((finding) => ({
                finding,
                items: [item, ...(sighting.source === undefined ? [] : [sighting.source.item])] as const,
              })),
            ),
          ),
        )
      : [],
};
