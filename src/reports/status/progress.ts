import { groupOf } from "../../base/identity.ts";
import { listOf, textOf, valueAt, fieldOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { rolloutKind, type Controller } from "../../kubernetes/rollout/rollout-kinds.ts";
import { shownReason, type ShownReason } from "./cluster-words.ts";
import { conditionsOf, numberAt } from "./live-objects.ts";

/** The progress of a rollout, from the status of the workload. */
export interface Progress {
  /** Whether the controller has observed the current generation of the object. */
  readonly isSeen: boolean;
  /** Pods with the current template. */
  readonly updated: number;
  /** The desired number of pods, if the status has it. Otherwise the strategy has it. */
  readonly desired?: number;
  /** Pods with an earlier template. */
  readonly older: number;
  /** Available pods, with any template. */
  readonly available: number;
  readonly isLate?: true;
  /** The label value of pods with the current template; undefined if the status does not have it. */
  readonly revision?: string;
  /** Why the controller gave up. */
  readonly failed?: ShownReason;
  /** Why the controller cannot create pods. */
  readonly blocked?: ShownReason;
  /** Why the rollout waits for approval. */
  readonly waits?: ShownReason;
}

/** The progress from the status of a workload; undefined for kinds with an unknown status. */
export function progressOf(
  object: Json,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): Progress | undefined {
  const controller = rolloutKind(groupOf(apiVersion), kind)?.strategy?.controller;
  return controller === undefined ? undefined : PROGRESS[controller](object);
}

// Read in the same way as by `kubectl rollout status` (k8s.io/kubectl pkg/polymorphichelpers/rollout_status.go), and by
// `kubectl argo rollouts status`, which uses the phase that the controller sets.
const PROGRESS: Readonly<Record<Controller, (object: Json) => Progress>> = {
  Deployment: (object) => {
    const updated = numberAt(object, ["status", "updatedReplicas"]);
    const failed = conditionsOf(object, "Progressing").find(({ reason }) => reason === DEADLINE);
    return {
      isSeen: isSeen(object),
      updated,
      older: Math.max(0, numberAt(object, ["status", "replicas"]) - updated),
      available: numberAt(object, ["status", "availableReplicas"]),
      ...(failed === undefined ? {} : { isLate: true, failed: shownReason(failed) }),
      ...blockedBy(object),
    };
  },
  StatefulSet: (object) => {
    const revision = textOf(valueAt(object, ["status", "updateRevision"]));
    return {
      isSeen: isSeen(object),
      // Not by currentRevision: after a revert halfway it equals updateRevision, while pods still have the reverted template.
      updated: numberAt(object, ["status", "updatedReplicas"]),
      older: 0,
      available: numberAt(object, ["status", "availableReplicas"]),
      ...(revision === undefined ? {} : { revision }),
    };
  },
  DaemonSet: (object) => ({
    isSeen: isSeen(object),
    updated: numberAt(object, ["status", "updatedNumberScheduled"]),
    desired: numberAt(object, ["status", "desiredNumberScheduled"]),
    older: 0,
    available: numberAt(object, ["status", "numberAvailable"]),
  }),
  Rollout: (object) => {
    const revision = textOf(valueAt(object, ["status", "currentPodHash"]));
    const failed = phaseOf(object) === "Degraded" ? degraded(object) : undefined;
    const waits = phaseOf(object) === "Paused" ? pausedFor(object) : undefined;
    const updated = numberAt(object, ["status", "updatedReplicas"]);
    return {
      isSeen: isSeen(object) && phaseOf(object) !== undefined,
      updated,
      // A blue-green rollout keeps its old pods for a while. The phase says whether it is finished.
      older: phaseOf(object) === "Healthy" ? 0 : Math.max(1, numberAt(object, ["status", "replicas"]) - updated),
      available: numberAt(object, ["status", "availableReplicas"]),
      ...(revision === undefined ? {} : { revision }),
      ...(failed === undefined ? {} : { failed }),
      ...(waits === undefined ? {} : { waits }),
      ...blockedBy(object),
    };
  },
};

const DEADLINE = "ProgressDeadlineExceeded";

/** Whether the controller has observed the current generation. Argo Rollouts writes the number as a string. */
function isSeen(object: Json): boolean {
  return Number(valueAt(object, ["status", "observedGeneration"]) ?? 0) >= numberAt(object, ["metadata", "generation"]);
}

function blockedBy(object: Json): Pick<Progress, "blocked"> {
  const found = conditionsOf(object, "ReplicaFailure").find(({ status }) => status === "True");
  return found === undefined ? {} : { blocked: shownReason(found) };
}

function phaseOf(object: Json): string | undefined {
  return textOf(valueAt(object, ["status", "phase"]));
}

function degraded(object: Json): ShownReason {
  const why =
    conditionsOf(object, "InvalidSpec").find(({ status }) => status === "True") ??
    conditionsOf(object, "Progressing").find(({ status, reason }) => status === "False" || reason === "RolloutAborted");
  return shownReason(why ?? { reason: "Degraded", message: "" });
}

/** Why a paused Rollout waits for approval; undefined if it continues on its own after some time. */
function pausedFor(object: Json): ShownReason | undefined {
  const [first] = listOf(valueAt(object, ["status", "pauseConditions"]));
  const reason = textOf(fieldOf(first, "reason")) ?? "Paused";
  const step = listOf(valueAt(object, ["spec", "strategy", "canary", "steps"]))[
    numberAt(object, ["status", "currentStepIndex"])
  ];
  const goesOn =
    (reason === "CanaryPauseStep" && valueAt(step, ["pause", "duration"]) !== undefined) ||
    // With autoPromotionEnabled false, the controller ignores the seconds (docs/why/observed.md).
    (reason === "BlueGreenPause" &&
      valueAt(object, ["spec", "strategy", "blueGreen", "autoPromotionEnabled"]) !== false &&
      valueAt(object, ["spec", "strategy", "blueGreen", "autoPromotionSeconds"]) !== undefined);
  return goesOn ? undefined : shownReason({ reason, message: "" });
}
