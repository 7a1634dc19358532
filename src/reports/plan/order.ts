import { rankOf, SAFETIES } from "../../kubernetes/rollout/safety.ts";
import type { PlannedWorkload } from "./plan-report.ts";

/** Sorts the rows of a plan: what fails, then the riskiest, then by identity; last what doesn't change. */
export function riskiestFirst<T>(rows: readonly T[], of: (row: T) => PlannedWorkload): T[] {
  // The sort is stable, and the rows come in the order of their identities.
  return rows.toSorted((a, b) => rank(of(a)) - rank(of(b)));
}

function rank({ action, safety }: PlannedWorkload): number {
  if (action === "Fail") return -1;
  return action === "None" ? SAFETIES.length : rankOf(safety);
}
