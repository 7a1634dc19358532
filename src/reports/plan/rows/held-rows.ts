import type { PlannedObject, PlannedWorkload } from "../planned-workload.ts";
import type { PlannedApplication } from "../planned-application.ts";
import { causesOfWorkload, joinedCauses } from "./row-causes.ts";
import type { HeldRow } from "./row-types.ts";

/** The rows of what is merged and not applied: one for each reason. */
export function heldRows(
  applications: readonly PlannedApplication[],
  workloads: readonly PlannedWorkload[],
  objects: readonly PlannedObject[],
): readonly HeldRow[] {
  return (["Suspended", "ChartVersion"] as const).flatMap((held): HeldRow[] => {
    const waiting = workloads.filter((workload) => workload.held === held && workload.action !== "None");
    const names = new Set(waiting.map(({ application }) => application));
    const changed = applications.filter(
      (application) => application.held === held && (names.has(application.name) || application.status === "Changed"),
    );
    const others = objects.filter((object) => object.held === held).length;
    if (changed.length === 0 && waiting.length === 0 && others === 0) return [];
    const keyed = waiting.map((workload) => causesOfWorkload(workload, () => false));
    const [first = [], ...more] = keyed;
    const common = first.filter(({ key }) => more.every((one) => one.some((cause) => cause.key === key)));
    const causes = joinedCauses(keyed.flat().filter(({ key }) => common.some((one) => one.key === key)));
    return [
      { held, applications: changed, workloads: waiting, objects: others, causes: causes.map(({ cause }) => cause) },
    ];
  });
}
