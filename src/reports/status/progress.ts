import { groupOf } from "../../base/identity.ts";
import { listOf, textOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { rolloutKind, type Controller } from "../../kubernetes/rollout/rollout-kinds.ts";
import { shownReason, type ShownReason } from "./cluster-words.ts";
import { at, numberAt, timeOf } from "./live-objects.ts";

/** How far a workload's controller has brought its pods, as its status tells. */
export interface Progress {
  /** The controller has seen the object as it stands. */
  readonly isSeen: boolean;
  /** Pods of the present template; undefined where it tells that all have it. */
  readonly updated: number | undefined;
  /** How many there are to be, where the status tells; else the strategy does. */
  readonly desired?: number;
  /** Pods of an earlier template that are still there. */
  readonly older: number;
  /** Pods that serve, of whatever template. */
  readonly available: number;
  readonly isLate?: true;
  /** The value by which pods of the present template are labelled; undefined where the status doesn't tell. */
  readonly revision?: string;
  /** When the controller last got on with a template, in milliseconds. */
  readonly rolledAt?: number;
  /** It has given up. */
  readonly failed?: ShownReason;
  /** Since when its controller refuses the object as it stands, in milliseconds. */
  readonly refusedAt?: number;
  /** It can't make pods. */
  readonly blocked?: ShownReason;
  /** It waits for a person. */
  readonly waits?: ShownReason;
}

/** What the status of a workload tells; undefined for kinds whose status is not known. */
export function progressOf(
  object: Json,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): Progress | undefined {
  const controller = rolloutKind(groupOf(apiVersion), kind)?.strategy?.controller;
  return controller === undefined ? undefined : PROGRESS[controller](object);
}

// As `kubectl rollout status` reads them (k8s.io/kubectl pkg/polymorphichelpers/rollout_status.go), and
// `kubectl argo rollouts status`, which takes the controller's own word (status.phase).
const PROGRESS: Readonly<Record<Controller, (object: Json) => Progress>> = {
  Deployment: (object) => {
    const updated = numberAt(object, 0, "status", "updatedReplicas");
    const failed = condition(object, "Progressing", ({ reason }) => reason === DEADLINE);
    return {
      isSeen: isSeen(object),
      updated,
      older: Math.max(0, numberAt(object, 0, "status", "replicas") - updated),
      available: numberAt(object, 0, "status", "availableReplicas"),
      ...(failed === undefined ? {} : { isLate: true, failed: shownReason(failed) }),
      ...blockedBy(object),
      ...rolledAt(object),
    };
  },
  StatefulSet: (object) => {
    const revision = textOf(at(object, "status", "updateRevision"));
    const isDone = at(object, "status", "currentRevision") === revision;
    return {
      isSeen: isSeen(object),
      updated: isDone ? undefined : numberAt(object, 0, "status", "updatedReplicas"),
      older: 0,
      available: numberAt(object, 0, "status", "availableReplicas"),
      ...(revision === undefined ? {} : { revision }),
    };
  },
  DaemonSet: (object) => ({
    isSeen: isSeen(object),
    updated: numberAt(object, 0, "status", "updatedNumberScheduled"),
    desired: numberAt(object, 0, "status", "desiredNumberScheduled"),
    older: 0,
    available: numberAt(object, 0, "status", "numberAvailable"),
  }),
  Rollout: (object) => {
    const revision = textOf(at(object, "status", "currentPodHash"));
    const failed = phaseOf(object) === "Degraded" ? degraded(object) : undefined;
    const waits = phaseOf(object) === "Paused" ? pausedFor(object) : undefined;
    const updated = numberAt(object, 0, "status", "updatedReplicas");
    return {
      isSeen: isSeen(object) && phaseOf(object) !== undefined,
      updated,
      // A blue-green one keeps its old pods for a while; what is left to do, the phase says.
      older: phaseOf(object) === "Healthy" ? 0 : Math.max(1, numberAt(object, 0, "status", "replicas") - updated),
      available: numberAt(object, 0, "status", "availableReplicas"),
      ...(revision === undefined ? {} : { revision }),
      ...(failed === undefined ? {} : { failed }),
      ...refusedAt(object),
      ...(waits === undefined ? {} : { waits }),
      ...blockedBy(object),
      ...rolledAt(object),
    };
  },
};

const DEADLINE = "ProgressDeadlineExceeded";

/** Whether the controller has seen the object as it stands; Argo Rollouts writes the number as a text. */
function isSeen(object: Json): boolean {
  return Number(at(object, "status", "observedGeneration") ?? 0) >= numberAt(object, 0, "metadata", "generation");
}

interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly updatedAt: number | undefined;
}

function condition(object: Json, type: string, holds: (found: Condition) => boolean): Condition | undefined {
  return listOf(at(object, "status", "conditions"))
    .filter((one) => at(one, "type") === type)
    .map((one): Condition => ({
      status: textOf(at(one, "status")) ?? "",
      reason: textOf(at(one, "reason")) ?? "",
      message: textOf(at(one, "message")) ?? "",
      updatedAt: timeOf(at(one, "lastUpdateTime") ?? at(one, "lastTransitionTime")),
    }))
    .find(holds);
}

function blockedBy(object: Json): Pick<Progress, "blocked"> {
  const found = condition(object, "ReplicaFailure", ({ status }) => status === "True");
  return found === undefined ? {} : { blocked: shownReason(found) };
}

// The condition is written anew for each step of a rollout, and left alone by what only changes the number of pods
// (pkg/controller/deployment/progress.go). Pausing and resuming write it too, though nothing rolls (checkPausedConditions
// in pkg/controller/deployment/sync.go).
const NO_STEP: ReadonlySet<string> = new Set(["DeploymentPaused", "DeploymentResumed"]);

function rolledAt(object: Json): Pick<Progress, "rolledAt"> {
  const time = condition(object, "Progressing", ({ reason }) => !NO_STEP.has(reason))?.updatedAt;
  return time === undefined ? {} : { rolledAt: time };
}

function phaseOf(object: Json): string | undefined {
  return textOf(at(object, "status", "phase"));
}

function degraded(object: Json): ShownReason {
  const why =
    condition(object, "InvalidSpec", ({ status }) => status === "True") ??
    condition(object, "Progressing", ({ status, reason }) => status === "False" || reason === "RolloutAborted");
  return shownReason(why ?? { reason: "Degraded", message: "" });
}

/** When its controller refused a Rollout as it stands: what is refused never begins to roll. */
function refusedAt(object: Json): Pick<Progress, "refusedAt"> {
  const time = condition(object, "InvalidSpec", ({ status }) => status === "True")?.updatedAt;
  return time === undefined ? {} : { refusedAt: time };
}

/** Why a paused Rollout waits for a person; undefined where it goes on by itself after some time. */
function pausedFor(object: Json): ShownReason | undefined {
  const [first] = listOf(at(object, "status", "pauseConditions"));
  const reason = textOf(at(first, "reason")) ?? "Paused";
  const step = listOf(at(object, "spec", "strategy", "canary", "steps"))[
    numberAt(object, 0, "status", "currentStepIndex")
  ];
  const goesOn =
    (reason === "CanaryPauseStep" && at(step, "pause", "duration") !== undefined) ||
    // With autoPromotionEnabled false its controller leaves the seconds out of account (docs/observed.md).
    (reason === "BlueGreenPause" &&
      at(object, "spec", "strategy", "blueGreen", "autoPromotionEnabled") !== false &&
      at(object, "spec", "strategy", "blueGreen", "autoPromotionSeconds") !== undefined);
  return goesOn ? undefined : shownReason({ reason, message: "" });
}
