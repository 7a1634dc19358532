import type { ConfigHashValue } from "../../base/config-hash-options.ts";
import type { Keys } from "../../base/digest/hash-v1.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";

/** Where a kind has pod templates: dot-separated paths, `*` for every element. */
export interface PodTemplatePath {
  /** The mapping of annotations that reaches the pods. Its last steps may be missing: they are made. */
  readonly annotations: string;
  /** The mapping that such a path needs to exist: there is no pod template where it is missing. */
  readonly anchor: string;
  /** A field of the anchor whose presence makes this path void: another path applies then. */
  readonly unless?: string;
  /** Values of fields of the anchor, as texts, for which there is no pod template. */
  readonly except?: Readonly<Record<string, string>>;
  /** The pod spec, with `containers` and `volumes` in it; undefined where the kind has none. */
  readonly podSpec?: string;
  /** More fields that name sources, beside those of a pod spec. */
  readonly references?: readonly ReferencePath[];
}

/** A field that names sources. */
export type ReferencePath =
  /** A name, a mapping with `name` and perhaps `key`, or a list of these: the whole source, or the key. */
  | { readonly path: string; readonly form: "name"; readonly kind: ReferencedKind }
  /** A mapping with `name` and `key`. */
  | { readonly path: string; readonly form: "key"; readonly kind: ReferencedKind }
  /** A mapping with `env`, `envFrom` or `volumeMounts`; the name is for people. */
  | { readonly path: string; readonly form: "container"; readonly name: string }
  /** As in pod specs; `volume` is one volume outside a list, `projected` the source of a projected volume. */
  | { readonly path: string; readonly form: "containers" | "volumes" | "volume" | "projected" }
  /** Values of charts only: see value-references.ts. */
  | { readonly path: string; readonly form: ValueForm };

/**
 * `env` and `envFrom`: environment variables as a list or as a mapping by name. `typed`: a list of mappings with `name`
 * and `type`. `persistence`: the volumes of app-template.
 */
export type ValueForm = "env" | "envFrom" | "typed" | "persistence";

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
  readonly optional?: ConfigHashValue<"optionalKinds">;
  /** A field that, where it is set, makes every change of the template invalid: such an object is left alone. */
  readonly fixedBy?: string;
  /** A field that names the workload whose pod template it runs: apiVersion, kind, name. */
  readonly templateOf?: string;
  /** Of an object that holds the values of a chart: where. Its pod templates are those that the chart makes of them. */
  readonly holds?: ValuesHolder;
  readonly rollsBy: RollsBy;
}

/** How an object holds values: paths, those of `values` and what follows from each mapping of `releases`. */
export interface ValuesHolder {
  /** The mappings that say of a chart and its values. */
  readonly releases: readonly string[];
  readonly values: string;
  /** Values as a text, which are not edited. */
  readonly text?: string;
  /** Where the chart's name stands; of a path the last step. */
  readonly chart: readonly string[];
  /** The object that the chart comes from, which has its name. */
  readonly chartRef?: string;
  readonly releaseName: string;
  /** From the object: the namespace of what the chart makes. */
  readonly namespace: string;
  /** Where none is given, whether it is that of the object. */
  readonly ownNamespace: boolean;
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
  /** The containers that see it; none for a volume that none mounts and for extra sources. */
  readonly containers: readonly string[];
  /** The environment variable that the key goes into. */
  readonly variable?: string;
  /** The volume by which they see it, and where it is mounted. */
  readonly volume?: VolumeUse;
  /** The field, as KRM results have it: `spec.template.spec.containers[0].env[1]`. */
  readonly field: string;
  /** The node of the field, for positions. */
  readonly node: number;
  /** The object that the field is in, where it is not the pod template's own. */
  readonly item?: Item;
  /** The declared source whose template reads it: the pod sees what is made of the two. */
  readonly through?: Item;
}

/** A volume as the containers of its pod mount it. */
export interface VolumeUse {
  /** "" where the kind gives its volumes no name. */
  readonly name: string;
  readonly mounts: readonly Mount[];
}

export interface Mount {
  readonly container: string;
  /** The field of the container: init containers are told by it. */
  readonly field: string;
  readonly mountPath: string;
  /** "" where the whole volume is mounted. */
  readonly subPath: string;
}

/** One pod template of a workload. */
export interface PodTemplate {
  readonly item: Item;
  /** The mapping from which `annotationsPath` starts. */
  readonly base: number;
  readonly annotationsPath: readonly string[];
  /** The path of `base` in the object, for messages: `spec.template`. */
  readonly field: string;
  /** The path of the annotations in the object: `spec.template.metadata.annotations`. */
  readonly annotationsField: string;
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
  /** The workload whose pod template it runs in place of one of its own. */
  readonly borrows?: BorrowedTemplate;
  /** The objects that run its pod template in its place: their annotations count for it as well. */
  readonly runBy: readonly Item[];
}

/** A reference to another workload's pod template: `workloadRef` of an Argo Rollout. */
export interface BorrowedTemplate {
  readonly kind: string;
  readonly name: string;
  readonly field: string;
  readonly node: number;
  /** Undefined where the workload is not in the input. */
  readonly item: Item | undefined;
}
