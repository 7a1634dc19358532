import type { Finding } from "../findings/finding.ts";
import { findingsAt, type Levels } from "../lint/lint.ts";
import { massProblems } from "../lint/rules/mass-rollout.ts";
import type { Source } from "../sources/types.ts";
import type { PlannedWorkload } from "./plan-report.ts";

/** RS017 over all rolls of a plan: what a plan says of each workload counts, not what a lint would expect of it. */
export function massRollouts(
  planned: readonly PlannedWorkload[],
  sources: readonly Source[],
  configured: Levels,
): Finding[] {
  const rolls = new Map<string, number>();
  for (const { action, reasons } of planned) {
    if (action !== "Roll") continue;
    const keys = reasons.flatMap((reason) => (reason.type === "Source" ? [keyOf(reason.source)] : []));
    for (const key of new Set(keys)) rolls.set(key, (rolls.get(key) ?? 0) + 1);
  }
  const bySource = new Map<Source, number>();
  for (const source of rolls.size === 0 ? [] : sources) {
    const key = keyOf(source.provides);
    const count = rolls.get(key);
    if (count === undefined) continue;
    bySource.set(source, count);
    // Of several that make one, the first counts.
    rolls.delete(key);
  }
  const workloads = planned.filter(({ action }) => action !== "Delete").length;
  return findingsAt(massProblems(bySource, workloads), "RS017", configured.get("RS017"));
}

function keyOf({
  kind,
  namespace,
  name,
}: {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): string {
  return `${kind}/${namespace}/${name}`;
}
