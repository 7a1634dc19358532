import type { Item } from "../../manifest/items.ts";
import { missingKeys, missingSource } from "../../stamps/findings.ts";
import type { LintRule } from "../rule.ts";

/** A source that is not in the input and not optional: the pod would not start. */
export const MISSING_SOURCE: LintRule<"RS001"> = {
  id: "RS001",
  check: ({ workloads, sources }) =>
    workloads.flatMap(({ workload: { item }, templates }) =>
      templates.flatMap(({ seen }) =>
        seen.flatMap((sighting) =>
          missingSource(item, sighting, sources).map((finding) => ({
            // What ConfigHash finds as well: but a lint may look at anything, not just at a rendering.
            finding: finding.cause === "noTemplate" ? finding : { ...finding, cause: "notGiven" as const },
            items: [item],
          })),
        ),
      ),
    ),
};

/** A key that a source has not, by a reference that is not optional. */
export const MISSING_KEY: LintRule<"RS002"> = {
  id: "RS002",
  check: ({ workloads, sources }) =>
    workloads.flatMap(({ workload: { item }, templates }) =>
      templates.flatMap(({ seen }) =>
        seen.flatMap((sighting) => {
          const others: readonly Item[] = sighting.source === undefined ? [] : [sighting.source.item];
          return missingKeys(item, sighting, sources).map((finding) => ({
            finding: { ...finding, cause: "notGiven" as const },
            items: [item, ...others] as const,
          }));
        }),
      ),
    ),
};
