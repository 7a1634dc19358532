import { countProblem, isZero } from "./numbers.ts";
import { ON_DELETE, ROLLING, type KnownStrategy } from "./rollout-kinds.ts";
import type { Refusal, Resolved, WrittenRollout } from "./rollout-types.ts";

// What the API server rejects in a workload's strategy: pkg/apis/apps/validation. A real API server rejected each of
// these.

const DEADLINES: ReadonlySet<string> = new Set(["Deployment", "Rollout"]);

/** The types that each controller accepts. Operators are not checked. */
const TYPES: Readonly<Partial<Record<KnownStrategy["controller"], readonly string[]>>> = {
  Deployment: [ROLLING, "Recreate"],
  StatefulSet: [ROLLING, ON_DELETE],
  DaemonSet: [ROLLING, ON_DELETE],
};

/** The first rejected field of a workload, whether or not its template has changed. */
export function refusal(written: WrittenRollout, known: KnownStrategy, resolved: Resolved): Refusal | undefined {
  if (known.controller === "Rollout") return readyTooLate(written, known) ?? neverMoves(resolved);
  const types = TYPES[known.controller];
  if (types === undefined) return undefined;
  const field = `spec.${known.field}`;
  if (countProblem(resolved.replicas) !== undefined)
    return { path: "spec.replicas", problem: "must be a whole number" };
  if (!types.includes(resolved.type)) return { path: `${field}.type`, problem: `must be ${types.join(" or ")}` };
  const late = readyTooLate(written, known);
  if (late !== undefined) return late;
  if (resolved.type !== ROLLING) {
    const isTaken = known.controller === "DaemonSet" || written.strategy?.hasRollingUpdate !== true;
    return isTaken
      ? undefined
      : { path: `${field}.rollingUpdate`, problem: `is not allowed with type ${resolved.type}` };
  }
  return refusedCounts(known, resolved, `${field}.rollingUpdate`);
}

/** Argo Rollouts pkg/apis/rollouts/validation, invalidMaxSurgeMaxUnavailable. */
function neverMoves({ type, maxSurge, maxUnavailable }: Resolved): Refusal | undefined {
  if (type !== "Canary" || !isZero(maxSurge) || !isZero(maxUnavailable)) return undefined;
  return {
    path: "spec.strategy.canary.maxSurge",
    problem: "must not be 0 if maxUnavailable is 0",
    by: ARGO_ROLLOUTS,
  };
}

/** The controller that rejects a Rollout; the API server accepts it. */
export const ARGO_ROLLOUTS = "Argo Rollouts";

/**
 * ValidateDeploymentSpec in pkg/apis/apps/validation, ValidateRolloutSpec of Argo Rollouts: the deadline must be above
 * minReadySeconds.
 */
function readyTooLate(written: WrittenRollout, known: KnownStrategy): Refusal | undefined {
  const minReadySeconds = written.minReadySeconds ?? 0;
  const progressDeadlineSeconds = written.progressDeadlineSeconds ?? known.progressDeadlineSeconds;
  if (progressDeadlineSeconds === undefined || !DEADLINES.has(known.controller)) return undefined;
  if (minReadySeconds < progressDeadlineSeconds) return undefined;
  return {
    path: "spec.minReadySeconds",
    problem: `must be less than progressDeadlineSeconds (${progressDeadlineSeconds})`,
    ...(known.controller === "Rollout" ? { by: ARGO_ROLLOUTS } : {}),
    readyTooLate: { minReadySeconds, progressDeadlineSeconds },
  };
}

function refusedCounts(known: KnownStrategy, resolved: Resolved, field: string): Refusal | undefined {
  const { maxSurge, maxUnavailable, partition } = resolved;
  const unavailable = countProblem(maxUnavailable, "100%");
  if (unavailable !== undefined) return { path: `${field}.maxUnavailable`, problem: unavailable };
  // A Deployment may have a maxSurge of 200%, a DaemonSet may not.
  const surge = known.controller === "DaemonSet" ? countProblem(maxSurge, "100%") : countProblem(maxSurge);
  if (surge !== undefined) return { path: `${field}.maxSurge`, problem: surge };
  if (countProblem(partition) !== undefined) return { path: `${field}.partition`, problem: "must be a whole number" };
  const none = isZero(maxUnavailable) && isZero(maxSurge);
  if (none && known.controller === "StatefulSet") return { path: `${field}.maxUnavailable`, problem: "must not be 0" };
  if (none) return { path: `${field}.maxUnavailable`, problem: "must not be 0 if maxSurge is 0" };
  if (known.controller === "DaemonSet" && !isZero(maxSurge) && !isZero(maxUnavailable)) {
    return { path: `${field}.maxSurge`, problem: "must be 0 unless maxUnavailable is 0 (default 1)" };
  }
  return undefined;
}
