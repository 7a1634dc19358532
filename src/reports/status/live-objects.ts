import type { SourceKind } from "../../base/referenced-kinds.ts";
import { fieldsOf, listOf, valueAt, fieldOf, textOf, textOrEmpty } from "../../yaml/read/json.ts";
import { LAST_APPLIED } from "../../base/hosts/kubectl.ts";
import type { Json } from "../../yaml/read/node.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { partsOfCopyName } from "../../kubernetes/sources/copies.ts";
import { CONTAINER_LISTS } from "../../kubernetes/workloads/containers.ts";
import type { Limits } from "../../base/limits.ts";
import { readManifests, type Manifests } from "../../yaml/read/items.ts";
import { readTree } from "../../yaml/read/tree.ts";

// The parts of API objects that are kept. The rest is dropped with its page.

/**
 * The object without the fields that the server adds, and without kubectl's annotation, which repeats the values of a
 * Secret.
 */
export function asWritten(object: Json, type: { readonly apiVersion: string; readonly kind: string }): Json {
  const { status: _, ...fields } = fieldsOf(object);
  const { managedFields: _m, annotations, ...metadata } = fieldsOf(fields["metadata"]);
  const { [LAST_APPLIED]: _a, ...kept } = fieldsOf(annotations);
  return plain({ ...fields, ...type, metadata: plain({ ...metadata, annotations: plain(kept) }) });
}

/** A ConfigMap or Secret without its content: the metadata decides whether it counts. */
export function asSkeleton(object: Json, type: { readonly apiVersion: string; readonly kind: string }): Json {
  return asWritten(plain({ metadata: fieldOf(object, "metadata") }), type);
}

/** The fields that are set. */
export function plain(fields: { readonly [key: string]: Json | undefined }): Json {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** The uid of the object that controls this one; "" if there is none. */
export function controllerOf(object: Json): string {
  const owner = listOf(valueAt(object, ["metadata", "ownerReferences"])).find(
    (one) => fieldOf(one, "controller") === true,
  );
  return textOrEmpty(fieldOf(owner, "uid"));
}

export function uidOf(object: Json): string {
  return textOrEmpty(valueAt(object, ["metadata", "uid"]));
}

/**
 * When the content last changed, in milliseconds, from managedFields. Its times are updated by any change of the field
 * manager, even of a label, so the result is never too early.
 */
export function contentChangedAt(object: Json): number | undefined {
  const times = listOf(valueAt(object, ["metadata", "managedFields"]))
    .filter((entry) => Object.keys(fieldsOf(fieldOf(entry, "fieldsV1"))).some((field) => CONTENT_FIELDS.has(field)))
    .map((entry) => Date.parse(textOrEmpty(fieldOf(entry, "time"))));
  return times.length === 0 || times.some(Number.isNaN) ? undefined : Math.max(...times);
}

const CONTENT_FIELDS = new Set(["f:data", "f:binaryData", "f:stringData"]);

/** Running pods with the same controller, stamps and copies. */
export interface PodGroup {
  readonly controller: string;
  readonly namespace: string;
  readonly stamps: ReadonlyMap<string, string>;
  /** The sources that its spec names, as far as their names may be those of copies (layout Versioned). */
  readonly named: readonly PodSource[];
  /** When each was created, in milliseconds. */
  readonly created: number[];
}

export interface PodSource {
  readonly kind: SourceKind;
  readonly name: string;
}

/** Groups pods by controller, stamps and copies. */
export class PodGroups {
  readonly #groups = new Map<string, PodGroup>();

  add(pod: Json): void {
    if (valueAt(pod, ["metadata", "deletionTimestamp"]) !== undefined) return;
    const controller = controllerOf(pod);
    if (controller === "") return;
    const stamps = stampsOf(valueAt(pod, ["metadata", "annotations"]));
    const namespace = textOrEmpty(valueAt(pod, ["metadata", "namespace"]));
    const named = namedBySpec(fieldOf(pod, "spec"));
    const key = `${controller} ${JSON.stringify([[...stamps], named])}`;
    const group = this.#groups.get(key) ?? { controller, namespace, stamps, named, created: [] };
    this.#groups.set(key, group);
    group.created.push(Date.parse(textOrEmpty(valueAt(pod, ["metadata", "creationTimestamp"]))));
  }

  all(): readonly PodGroup[] {
    return [...this.#groups.values()];
  }
}

function namedBySpec(spec: Json | undefined): readonly PodSource[] {
  const holders = CONTAINER_LISTS.flatMap((list) => listOf(fieldOf(spec, list)));
  const volumes = listOf(fieldOf(spec, "volumes"));
  const places = [
    ...holders.flatMap((container) => listOf(fieldOf(container, "envFrom"))),
    ...holders
      .flatMap((container) => listOf(fieldOf(container, "env")))
      .flatMap((one) => fieldOf(one, "valueFrom") ?? []),
    ...volumes,
    ...volumes.flatMap((volume) => listOf(valueAt(volume, ["projected", "sources"]))),
  ];
  const found = new Map<string, PodSource>();
  for (const place of places)
    for (const [field, kind] of NAMING_FIELDS) {
      const reference = fieldOf(place, field);
      const name = textOf(fieldOf(reference, "name")) ?? textOf(fieldOf(reference, "secretName"));
      if (name !== undefined && partsOfCopyName(name) !== undefined) found.set(`${kind} ${name}`, { kind, name });
    }
  return [...found.values()];
}

/** The fields of containers and volumes that name a source. */
const NAMING_FIELDS = [
  ["configMapRef", "ConfigMap"],
  ["configMapKeyRef", "ConfigMap"],
  ["configMap", "ConfigMap"],
  ["secretRef", "Secret"],
  ["secretKeyRef", "Secret"],
  ["secret", "Secret"],
] as const;

function stampsOf(annotations: Json | undefined): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(fieldsOf(annotations)).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (isStampKey(key) && typeof value === "string") found.set(key, value);
  }
  return found;
}

/** The number at a path of an object; 0 for anything else. */
export function numberAt(object: Json | undefined, path: readonly string[]): number {
  const found = valueAt(object, path);
  return typeof found === "number" ? found : 0;
}

/** The content of a ConfigMap or Secret with its name, for its digests. */
export function asContent(object: Json, type: { readonly apiVersion: string; readonly kind: string }): Json {
  const metadata = plain({
    name: valueAt(object, ["metadata", "name"]),
    namespace: valueAt(object, ["metadata", "namespace"]),
  });
  return plain({ ...type, metadata, data: fieldOf(object, "data"), binaryData: fieldOf(object, "binaryData") });
}

/** A time in milliseconds; undefined if it is not a time. */
export function timeOf(value: Json | undefined): number | undefined {
  const time = Date.parse(textOrEmpty(value));
  return Number.isNaN(time) ? undefined : time;
}

// Where the kinds of Kubernetes have their pod template.
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  "apps/v1 Deployment": ["template"],
  "apps/v1 StatefulSet": ["template"],
  "apps/v1 DaemonSet": ["template"],
  "batch/v1 Job": ["template"],
  "batch/v1 CronJob": ["jobTemplate", "spec", "template"],
};

/**
 * The parts of a workload that are kept: its metadata, the fields that decide how it rolls out
 * (src/kubernetes/rollout), and the fields of its pod template that may refer to a source
 * (src/kubernetes/workloads/references.ts). Custom kinds are kept whole, except for the status, as only their CRDs
 * define the fields.
 */
export function asTemplate(object: Json, type: { readonly apiVersion: string; readonly kind: string }): Json {
  const path = TEMPLATES[`${type.apiVersion} ${type.kind}`];
  const written = asWritten(object, type);
  if (path === undefined) return written;
  const template = valueAt(object, ["spec", ...path]);
  const pods = fieldOf(template, "spec");
  const kept = plain({
    metadata: fieldOf(template, "metadata"),
    spec: plain({
      ...Object.fromEntries(CONTAINER_LISTS.map((list) => [list, containers(fieldOf(pods, list))])),
      volumes: fieldOf(pods, "volumes"),
    }),
  });
  const { replicas, paused, strategy, updateStrategy } = fieldsOf(fieldOf(object, "spec"));
  const inSpec = path.reduceRight<Json>((inner, name) => ({ [name]: inner }), kept);
  const spec = plain({ ...fieldsOf(inSpec), replicas, paused, strategy, updateStrategy });
  return plain({ ...type, metadata: fieldOf(written, "metadata"), spec });
}

function containers(list: Json | undefined): Json | undefined {
  if (list === undefined) return undefined;
  return listOf(list).map((container) => {
    const { name, env, envFrom, volumeMounts } = fieldsOf(container);
    const references = listOf(env).filter((variable) => fieldOf(variable, "valueFrom") !== undefined);
    return plain({ name, env: references.length > 0 ? references : undefined, envFrom, volumeMounts });
  });
}

/** API objects as manifests, which the rest of the program reads; undefined if there are none. */
export function liveManifests(objects: readonly Json[], name: string, limits: Limits): Manifests | undefined {
  if (objects.length === 0) return undefined;
  const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  return readManifests(readTree(text.replace(REFUSED_BY_YAML, escaped), name, limits));
}

// Allowed in JSON strings, but not in YAML, or read as line breaks there.
const REFUSED_BY_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The conditions of a type in the status of an object. */
export function conditionsOf(
  object: Json,
  type: string,
): readonly { readonly status: string; readonly reason: string; readonly message: string }[] {
  return listOf(valueAt(object, ["status", "conditions"]))
    .filter((one) => fieldOf(one, "type") === type)
    .map((one) => ({
      status: textOrEmpty(fieldOf(one, "status")),
      reason: textOrEmpty(fieldOf(one, "reason")),
      message: textOrEmpty(fieldOf(one, "message")),
    }));
}
