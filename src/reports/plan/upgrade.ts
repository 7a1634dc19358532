import { groupedBy } from "../../base/grouped.ts";
import { rollsOf } from "./parts.ts";
import { workloadKey } from "../../base/identity.ts";
import { chartOnly, type ChartOptions } from "./chart-only.ts";
import type { ChartUpgrade, PlannedUpgrade, RolloutPlan } from "./plan-report.ts";
import type { PlannedWorkload } from "./planned-workload.ts";

/** Plans again with other values of the two options that remove marks of charts. */
export type PlanWith = (options: ChartOptions) => RolloutPlan;

const KEPT: ChartOptions = { checksums: "Keep", versionLabels: "Keep" };

/**
 * The avoidable rollouts of an upgrade. They are found by planning with other options: only a plan knows which marks stay,
 * such as a label that a selector uses or a checksum that no stamp covers.
 */
export function plannedUpgrade(
  chart: ChartUpgrade,
  plan: RolloutPlan,
  spec: ChartOptions,
  planWith: PlanWith,
): PlannedUpgrade {
  const { checksums, versionLabels } = spec;
  const avoidable = avoidableIn(plan);
  const isAll = checksums === "Remove" && versionLabels === "Remove";
  const rolling = avoidable.length === 0 || isAll ? plan : planWith({ checksums: "Remove", versionLabels: "Remove" });
  const still = new Set(rolling.workloads.filter(rolls).map((workload) => workloadKey(workload)));
  const optionsOf = ({ reasons }: PlannedWorkload): readonly string[] => chartOnly(reasons, spec)?.options ?? [];
  const groups = groupedBy(
    avoidable.filter((workload) => !still.has(workloadKey(workload))),
    (workload) => optionsOf(workload).join("\n"),
  );
  const isNone = checksums === "Keep" && versionLabels === "Keep";
  const rolled = new Set(plan.workloads.filter(rolls).map((workload) => workloadKey(workload)));
  const without = isNone ? [] : avoidableIn(planWith(KEPT));
  return {
    ...chart,
    avoidable: {
      ...rollsOf(avoidable),
      saves: [...groups.values()].map((workloads) => ({ options: optionsOf(workloads[0]), ...rollsOf(workloads) })),
      stays: rollsOf(avoidable.filter((workload) => still.has(workloadKey(workload)))),
    },
    saved: rollsOf(without.filter((workload) => !rolled.has(workloadKey(workload)))),
  };
}

function avoidableIn({ workloads }: RolloutPlan): readonly PlannedWorkload[] {
  return workloads.filter((workload) => rolls(workload) && workload.because?.id === "chart-only");
}

function rolls({ action }: PlannedWorkload): boolean {
  return action === "Roll";
}
