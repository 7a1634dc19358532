import type { Keys } from "../digest/hash-v1.ts";
import type { Item } from "../manifest/items.ts";
import type { ReferencedKind } from "../sources/types.ts";

/** Where a kind has pod templates: dot-separated paths, `*` for every element. */
export interface PodTemplatePath {
  /** The mapping of annotations that reaches the pods. Its last steps may be missing: they are made. */
  readonly annotations: string;
  /** The mapping that such a path needs to exist: there is no pod template where it is missing. */
  readonly anchor: string;
  /** The pod spec, with `containers` and `volumes` in it; undefined where the kind has none. */
  readonly podSpec?: string;
  /** More fields that name sources, beside those of a pod spec. */
  readonly references?: readonly ReferencePath[];
}

/** A field of a custom kind that names a source. */
export interface ReferencePath {
  readonly path: string;
  readonly kind: ReferencedKind;
  /** `name`: the field is a name. `volumes`, `env`, `containers`: it is a list as pod specs have them. */
  readonly form: "name" | "volumes" | "env" | "containers";
}

/** How the pods of a kind take a changed template. */
export type RollsBy = "template" | "nextRun" | "immutable" | "never";

/** A kind that has pod templates: a row of WORKLOAD_KINDS. */
export interface WorkloadKind {
  readonly group: string;
  readonly kind: string;
  readonly templates: readonly PodTemplatePath[];
  /** The option that says whether the kind is stamped; undefined: always. */
  readonly option?: "cronJobs" | "jobs" | "never";
  /** The name in `optionalKinds` that switches the kind on. */
  readonly optional?: string;
  readonly rollsBy: RollsBy;
}

/** How a pod template comes to see a source. */
export type Via = "env" | "envFrom" | "volume" | "projected" | "csi" | "extra";

/** One place in a pod template that names a source. */
export interface Reference {
  readonly kind: ReferencedKind;
  /** The namespace in which the name is looked up. */
  readonly namespace: string;
  /** The name as the pod template writes it. */
  readonly name: string;
  /** The keys that this place shows; "*" for all of them. */
  readonly keys: Keys;
  /** The keys that have to be there: a missing one is told (RS002). */
  readonly requiredKeys: readonly string[];
  readonly via: Via;
  readonly optional: boolean;
  /** The container that sees it; undefined for a volume that none mounts and for extra sources. */
  readonly containers: readonly string[];
  /** The field, as KRM results have it: `spec.template.spec.containers[0].env[1]`. */
  readonly field: string;
  /** The node of the field, for positions. */
  readonly node: number;
}

/** One pod template of a workload. */
export interface PodTemplate {
  readonly item: Item;
  /** The mapping from which `annotationsPath` starts. */
  readonly base: number;
  readonly annotationsPath: readonly string[];
  /** The path of the pod template in the object, for messages: `spec.template`. */
  readonly field: string;
  /** The pod spec, with `containers` and `volumes` in it; none where the kind has none. */
  readonly podSpecs: readonly PodSpec[];
  readonly references: readonly Reference[];
}

/** A pod spec: where it stands. */
export interface PodSpec {
  readonly node: number;
  readonly field: string;
}

/** An object with pod templates. */
export interface Workload {
  readonly item: Item;
  readonly kind: WorkloadKind;
  /** The namespace that its references are looked up in. */
  readonly namespace: string;
  readonly templates: readonly PodTemplate[];
}
