import { fieldsOf, listOf, textOf } from "../../yaml/read/json.ts";
import { LAST_APPLIED } from "../../base/hosts/kubectl.ts";
import type { Json } from "../../yaml/read/node.ts";
import { isStampKey } from "../../base/stamp-keys.ts";

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

/** The number at a path of an object, or another one where there is none. */
export function numberAt(object: Json, otherwise: number, ...path: readonly string[]): number {
  const found = at(object, ...path);
  return typeof found === "number" ? found : otherwise;
}

/** The content of a ConfigMap or Secret under its name, for its digests. */
export function asContent(object: Json, type: { readonly apiVersion: string; readonly kind: string }): Json {
  const metadata = plain({ name: at(object, "metadata", "name"), namespace: at(object, "metadata", "namespace") });
  return plain({ ...type, metadata, data: at(object, "data"), binaryData: at(object, "binaryData") });
}

/** A moment of an object, in milliseconds; undefined for text that is none. */
export function timeOf(value: Json | undefined): number | undefined {
  const time = Date.parse(textOf(value) ?? "");
  return Number.isNaN(time) ? undefined : time;
}
