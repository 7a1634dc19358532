import { fieldsOf, listOf, textOf } from "../manifest/json.ts";
import { LAST_APPLIED } from "../ground/hosts/kubectl.ts";
import type { Json } from "../manifest/node.ts";
import { isStampKey } from "../ground/stamp-keys.ts";

// What is kept of the objects that the API server gives; the rest is let go with its page.

/** The value at a path of an object. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((found, name) => fieldsOf(found)[name], value);
}

/** The object without what the server adds; of a Secret, kubectl's annotation holds the values once more. */
export function asWritten(object: Json, type: { readonly apiVersion: string; readonly kind: string }): Json {
  const { status: _, ...fields } = fieldsOf(object);
  const { managedFields: _m, annotations, ...metadata } = fieldsOf(fields["metadata"]);
  const { [LAST_APPLIED]: _a, ...kept } = fieldsOf(annotations);
  return plain({ ...fields, ...type, metadata: plain({ ...metadata, annotations: plain(kept) }) });
}

/** A ConfigMap or Secret without its content: what decides whether it counts. */
export function asSkeleton(object: Json, type: { readonly apiVersion: string; readonly kind: string }): Json {
  return asWritten(plain({ metadata: at(object, "metadata") }), type);
}

/** The fields that are there. */
export function plain(fields: { readonly [key: string]: Json | undefined }): Json {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** The uid of the object that controls this one; "" for none. */
export function controllerOf(object: Json): string {
  const owner = listOf(at(object, "metadata", "ownerReferences")).find((one) => at(one, "controller") === true);
  return textOf(at(owner, "uid")) ?? "";
}

export function uidOf(object: Json): string {
  return textOf(at(object, "metadata", "uid")) ?? "";
}

/**
 * When the content last changed, in milliseconds, by the field owners' times. A time is set anew whenever its
 * owner changes any of its fields: a label, too. So it is never too early.
 */
export function contentChangedAt(object: Json): number | undefined {
  const times = listOf(at(object, "metadata", "managedFields"))
    .filter((entry) => Object.keys(fieldsOf(at(entry, "fieldsV1"))).some((field) => CONTENT_FIELDS.has(field)))
    .map((entry) => Date.parse(textOf(at(entry, "time")) ?? ""));
  return times.length === 0 || times.some(Number.isNaN) ? undefined : Math.max(...times);
}

const CONTENT_FIELDS = new Set(["f:data", "f:binaryData", "f:stringData"]);

/** Running pods of one controller with the same stamps. */
export interface PodGroup {
  readonly controller: string;
  readonly stamps: ReadonlyMap<string, string>;
  /** When each was created, in milliseconds. */
  readonly created: number[];
}

/** Gathers pods, by what controls them and their stamps. */
export class PodGroups {
  readonly #groups = new Map<string, PodGroup>();

  add(pod: Json): void {
    if (at(pod, "metadata", "deletionTimestamp") !== undefined) return;
    const controller = controllerOf(pod);
    if (controller === "") return;
    const stamps = stampsOf(at(pod, "metadata", "annotations"));
    const key = `${controller} ${JSON.stringify([...stamps])}`;
    const group = this.#groups.get(key) ?? { controller, stamps, created: [] };
    this.#groups.set(key, group);
    group.created.push(Date.parse(textOf(at(pod, "metadata", "creationTimestamp")) ?? ""));
  }

  all(): readonly PodGroup[] {
    return [...this.#groups.values()];
  }
}

function stampsOf(annotations: Json | undefined): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(fieldsOf(annotations)).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (isStampKey(key) && typeof value === "string") found.set(key, value);
  }
  return found;
}

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
  readonly isLate?: true;
}

/** What the status of a workload tells; undefined for kinds whose status is not known. */
export function progressOf(object: Json, kind: string): Progress | undefined {
  return Object.hasOwn(PROGRESS, kind) ? PROGRESS[kind]?.(object) : undefined;
}

// As `kubectl rollout status` reads them (k8s.io/kubectl pkg/polymorphichelpers/rollout_status.go).
const PROGRESS: Readonly<Record<string, (object: Json) => Progress>> = {
  Deployment: (object) => {
    const updated = numberAt(object, 0, "status", "updatedReplicas");
    const isLate = listOf(at(object, "status", "conditions")).some(
      (condition) => at(condition, "reason") === "ProgressDeadlineExceeded",
    );
    const older = Math.max(0, numberAt(object, 0, "status", "replicas") - updated);
    return { isSeen: isSeen(object), updated, older, ...(isLate ? { isLate } : {}) };
  },
  StatefulSet: (object) => {
    const isDone = at(object, "status", "updateRevision") === at(object, "status", "currentRevision");
    const updated = isDone ? undefined : numberAt(object, 0, "status", "updatedReplicas");
    return { isSeen: isSeen(object), updated, older: 0 };
  },
  DaemonSet: (object) => ({
    isSeen: isSeen(object),
    updated: numberAt(object, 0, "status", "updatedNumberScheduled"),
    desired: numberAt(object, 0, "status", "desiredNumberScheduled"),
    older: 0,
  }),
};

/** Whether the controller has seen the object as it stands. */
function isSeen(object: Json): boolean {
  return numberAt(object, 0, "status", "observedGeneration") >= numberAt(object, 0, "metadata", "generation");
}

function numberAt(object: Json, otherwise: number, ...path: readonly string[]): number {
  const found = at(object, ...path);
  return typeof found === "number" ? found : otherwise;
}

/** The content of a ConfigMap or Secret under its name, for its digests. */
export function asContent(object: Json, type: { readonly apiVersion: string; readonly kind: string }): Json {
  const metadata = plain({ name: at(object, "metadata", "name"), namespace: at(object, "metadata", "namespace") });
  return plain({ ...type, metadata, data: at(object, "data"), binaryData: at(object, "binaryData") });
}
