import type { PlannedWorkload } from "./planned-workload.ts";

/** The share of pods that has to stay available. */
const ENOUGH = 3 / 4;

/**
 * Whether a rollout is routine, though fewer pods are available while it runs: at least three quarters stay, or as many as a
 * PodDisruptionBudget requires. A StatefulSet or DaemonSet that replaces one pod at a time is routine if two stay.
 */
export function isRoutine({ kind, safety, strategy, wanted }: PlannedWorkload): boolean {
  if (safety === "Safe") return true;
  if (strategy === null) return false;
  const { replicas, minAvailable, maxUnavailable, type } = strategy;
  if (kind === "DaemonSet" && safety === "Unknown") return type === "RollingUpdate" && maxUnavailable === 1;
  if (safety !== "Reduced" || replicas === null || minAvailable === null) return false;
  if (wanted !== undefined) return minAvailable >= wanted;
  if (kind === "StatefulSet" && replicas - minAvailable === 1 && minAvailable >= 2) return true;
  return minAvailable >= replicas * ENOUGH;
}
