import type { Item } from "../../manifest/items.ts";
import type { Finding } from "../../results/findings.ts";
import { missingKeys, missingSource } from "../../stamps/findings.ts";
import type { LintRule, Problem } from "../rule.ts";

/** A source that is not in the input and not optional: the pod would not start. */
export const MISSING_SOURCE: LintRule = {
  id: "RS001",
  severity: "warning",
  title: "A source that is not in the input",
  remedy: "Give it together with the workload, mend its name, or mark the reference optional.",
  check: ({ workloads, sources }) =>
    workloads.flatMap(({ workload, templates }) =>
      templates.flatMap(({ seen }) =>
        seen.flatMap((sighting) =>
          missingSource(workload.item, sighting, sources, "warning").map((finding) => told(workload.item, finding)),
        ),
      ),
    ),
};

/** A key that a source has not, by a reference that is not optional. */
export const MISSING_KEY: LintRule = {
  id: "RS002",
  severity: "warning",
  title: "A key that the source has not",
  remedy: "Add the key, mend its name, or mark the reference optional.",
  check: ({ workloads, sources }) =>
    workloads.flatMap(({ workload, templates }) =>
      templates.flatMap(({ seen }) =>
        seen.flatMap((sighting) =>
          missingKeys(workload.item, sighting, sources, "warning").map((finding) =>
            told(workload.item, finding, sighting.source === undefined ? [] : [sighting.source.item]),
          ),
        ),
      ),
    ),
};

/** The same finding that ConfigHash gives; the rule's severity and remedy stand in for its own. */
function told(item: Item, finding: Finding, others: readonly Item[] = []): Problem {
  const { rule: _rule, severity: _severity, remedy: _remedy, ...rest } = finding;
  return { finding: rest, items: [item, ...others] };
}
