import { listOf, textOf, valueAt, fieldOf, textOrEmpty } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { shownReason, type ShownReason } from "./cluster-words.ts";
import { conditionsOf, controllerOf, numberAt, uidOf } from "./live-objects.ts";

/** The parts of a pod that are kept during a wait. */
export interface LivePod {
  readonly uid: string;
  readonly name: string;
  /** The uid of the object that controls it. */
  readonly controller: string;
  /** The labels with which controllers mark the pods of a template. */
  readonly revisions: readonly string[];
  /** It is being deleted, or has terminated. */
  readonly isLeaving: boolean;
  /** Its containers are being created. Events say if a volume is missing. */
  readonly isStarting: boolean;
  /** Why it does not serve. */
  readonly why: Why | undefined;
}

/** Why pods do not become ready. */
export interface Why {
  readonly shown: ShownReason;
  /** True if it does not resolve itself; false for pods that may only be slow. */
  readonly holds: boolean;
}

// apps/v1 labels; argo-rollouts pkg/apis/rollouts/v1alpha1 (DefaultRolloutUniqueLabelKey).
const REVISION_LABELS = ["pod-template-hash", "controller-revision-hash", "rollouts-pod-template-hash"] as const;

/** The labels that mark the template of an object. */
export function revisionsOf(object: Json): readonly string[] {
  return REVISION_LABELS.flatMap((label) => textOf(valueAt(object, ["metadata", "labels", label])) ?? []);
}

/** Keeps nothing of the spec of a pod: it may have values in `env`. */
export function livePod(pod: Json): LivePod {
  const phase = textOf(valueAt(pod, ["status", "phase"]));
  return {
    uid: uidOf(pod),
    name: textOrEmpty(valueAt(pod, ["metadata", "name"])),
    controller: controllerOf(pod),
    revisions: revisionsOf(pod),
    isLeaving:
      valueAt(pod, ["metadata", "deletionTimestamp"]) !== undefined || phase === "Succeeded" || phase === "Failed",
    isStarting: waiting(pod).some(({ reason }) => STARTING.has(reason)),
    why: conditionsOf(pod, "Ready")[0]?.status === "True" ? undefined : whyNotReady(pod),
  };
}

// Normal waiting reasons of containers.
const STARTING: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);

function whyNotReady(pod: Json): Why | undefined {
  const scheduled = conditionsOf(pod, "PodScheduled")[0];
  if (scheduled?.status === "False" && scheduled.reason !== "") return { shown: shownReason(scheduled), holds: true };
  const stopped = waiting(pod).find(({ reason }) => !STARTING.has(reason));
  if (stopped !== undefined) return { shown: stoppedBy(stopped), holds: true };
  const again = restarted(pod);
  if (again !== undefined) return { shown: again, holds: true };
  const containers = conditionsOf(pod, "ContainersReady")[0];
  if (containers?.status !== "False" || waiting(pod).length > 0) return undefined;
  return containers.reason === "" ? undefined : { shown: shownReason(containers), holds: false };
}

/** Why a container waits. For a container that restarts again and again: how it ended. */
function stoppedBy({ reason, message, status }: Waiting): ShownReason {
  return ended(status, reason) ?? shownReason({ reason, message });
}

/** Why a container that restarted or ended does not serve; undefined if none ended. */
function restarted(pod: Json): ShownReason | undefined {
  return statusesOf(pod)
    .filter((status) => fieldOf(status, "ready") !== true)
    .map((status) => ended(status, undefined))
    .find((found) => found !== undefined);
}

/** How a container ended, by its exit code. Its output is never shown. */
function ended(status: Json, reason: string | undefined): ShownReason | undefined {
  const last = valueAt(status, ["state", "terminated"]) ?? valueAt(status, ["lastState", "terminated"]);
  const exitCode = numberAt(last, ["exitCode"]);
  // Init containers end with 0 if they succeed.
  if (last === undefined || (exitCode === 0 && reason === undefined)) return undefined;
  const how = textOf(fieldOf(last, "reason")) ?? "Error";
  const container = textOrEmpty(fieldOf(status, "name"));
  const oom = how === "OOMKilled" && reason !== undefined ? `, ${how}` : "";
  const times = numberAt(status, ["restartCount"]);
  const message = `container ${container} ended with exit code ${exitCode}${oom}, restarts: ${times}`;
  return { reason: shownReason({ reason: reason ?? how, message: "" }).reason, message };
}

interface Waiting {
  readonly reason: string;
  readonly message: string;
  readonly status: Json;
}

function waiting(pod: Json): Waiting[] {
  return statusesOf(pod).flatMap((status): Waiting[] => {
    const reason = textOf(valueAt(status, ["state", "waiting", "reason"]));
    const message = textOrEmpty(valueAt(status, ["state", "waiting", "message"]));
    return reason === undefined ? [] : [{ reason, message, status }];
  });
}

function statusesOf(pod: Json): readonly Json[] {
  return ["initContainerStatuses", "containerStatuses"].flatMap((list) => listOf(valueAt(pod, ["status", list])));
}

/** The parts of an event that may explain why a rollout makes no progress. */
export interface LiveEvent {
  /** The uid of its object. */
  readonly about: string;
  readonly name: string;
  readonly when: Stage;
  readonly shown: ShownReason;
}

/** When an event is relevant: while pods are missing, or while the containers of a pod are being created. */
type Stage = "making" | "starting";

const EVENTS: Readonly<Record<string, Stage>> = {
  FailedCreate: "making",
  FailedPlacement: "making",
  FailedMount: "starting",
  FailedAttachVolume: "starting",
  FailedCreatePodSandBox: "starting",
};

/** Undefined for events that are never relevant. */
export function liveEvent(event: Json): LiveEvent | undefined {
  const reason = textOrEmpty(fieldOf(event, "reason"));
  const when = Object.hasOwn(EVENTS, reason) ? EVENTS[reason] : undefined;
  const about = textOf(valueAt(event, ["involvedObject", "uid"]));
  if (when === undefined || about === undefined) return undefined;
  return {
    about,
    name: textOrEmpty(valueAt(event, ["involvedObject", "name"])),
    when,
    shown: shownReason({ reason, message: textOrEmpty(fieldOf(event, "message")) }),
  };
}
