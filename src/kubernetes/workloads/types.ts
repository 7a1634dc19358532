import type { ConfigHashValue } from "../../base/config-hash-options.ts";
import type { Keys } from "../../base/digest/hash-v1.ts";
import type { Item } from "../../yaml/read/items.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";

/** Where a kind has pod templates: dot-separated paths; `*` matches every element. */
export interface PodTemplatePath {
  /** The mapping of annotations that reaches the pods. Its last steps are created if missing. */
  readonly annotations: string;
  /** The mapping that must exist: without it there is no pod template. */
  readonly anchor: string;
  /** A field of the anchor whose presence makes this path void: another path applies then. */
  readonly unless?: string;
  /** Values of fields of the anchor for which there is no pod template, as texts. */
  readonly except?: Readonly<Record<string, string>>;
  /** The pod spec, with `containers` and `volumes`; undefined if the kind has none. */
  readonly podSpec?: string;
  /** More fields that name sources, outside the pod spec. */
  readonly references?: readonly ReferencePath[];
}

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

/** How pods of a kind get a changed template. */
export type RollsBy = "template" | "nextRun" | "immutable" | "never";

/** A kind with pod templates: a row of WORKLOAD_KINDS. */
export interface WorkloadKind {
  readonly group: string;
  readonly kind: string;
  readonly templates: readonly PodTemplatePath[];
  /** The option that decides whether the kind is stamped; undefined: always. */
  readonly option?: "cronJobs" | "jobs" | "never";
  /** The name in `optionalKinds` that enables the kind. */
  readonly optional?: ConfigHashValue<"optionalKinds">;
  /** A field that, if set, makes the template immutable: such an object is skipped. */
  readonly fixedBy?: string;
  /** A field that names another workload, whose pod template it runs: apiVersion, kind, name. */
  readonly templateOf?: string;
  /**
   * Where the object has the values of a chart, if it has. Its pod templates are those that the chart creates from
   * them.
   */
  readonly holds?: ValuesHolder;
  readonly rollsBy: RollsBy;
}

/** The paths of values in an object; all paths except `releases` and `namespace` start at a mapping of `releases`. */
export interface ValuesHolder {
  /** The mappings with a chart and its values. */
  readonly releases: readonly string[];
  readonly values: string;
  /** Values as a string, which rollstamp does not edit. */
  readonly text?: string;
  /** Where the chart's name is; for a path, its last step. */
  readonly chart: readonly string[];
  /** The reference to an object that names the chart. */
  readonly chartRef?: string;
  readonly releaseName: string;
  /** From the object: the namespace of the release. */
  readonly namespace: string;
  /** Whether the default is the namespace of the object. */
  readonly ownNamespace: boolean;
}

/** How a pod template sees a source. */
export type Via = "env" | "envFrom" | "volume" | "projected" | "csi" | "extra";

/** A place in a pod template that names a source. */
export interface Reference {
  readonly kind: ReferencedKind;
  /** The namespace in which the name is looked up. */
  readonly namespace: string;
  /** The name as the pod template writes it; for a reference to a copy, the name of its source in the same form. */
  readonly name: string;
  /** The name of the copy of the source that the pod template names (layout Versioned). */
  readonly copy?: string;
  /** The keys that this place shows; "*" for all. */
  readonly keys: Keys;
  /** The keys that must exist: RS002 reports a missing one. */
  readonly requiredKeys: readonly string[];
  readonly via: Via;
  readonly optional: boolean;
  /** The containers that see it; none for an unmounted volume and for extra sources. */
  readonly containers: readonly string[];
  /** The environment variable that gets the key. */
  readonly variable?: string;
  /** The volume, and where it is mounted. */
  readonly volume?: VolumeUse;
  /** The volume's driver reads the source, whose content is not in the files of the volume. */
  readonly isForDriver?: true;
  /** The field as in KRM results: `spec.template.spec.containers[0].env[1]`. */
  readonly field: string;
  /** The node of the field, for positions. */
  readonly node: number;
  /** The object with the field, if it is not that of the pod template. */
  readonly item?: Item;
  /** The declared source whose template reads it: the pod sees the result. */
  readonly through?: Item;
}

/** A volume as the containers of its pod mount it. */
export interface VolumeUse {
  /** "" if the kind does not name its volumes. */
  readonly name: string;
  readonly mounts: readonly Mount[];
}

export interface Mount {
  readonly container: string;
  /** The field of the container, which identifies init containers. */
  readonly field: string;
  readonly mountPath: string;
  /** "" if the whole volume is mounted. */
  readonly subPath: string;
}

export interface PodTemplate {
  readonly item: Item;
  /** The mapping at which `annotationsPath` starts. */
  readonly base: number;
  readonly annotationsPath: readonly string[];
  /** The path of `base` in the object, for messages: `spec.template`. */
  readonly field: string;
  /** The path of the annotations in the object: `spec.template.metadata.annotations`. */
  readonly annotationsField: string;
  /** The pod specs, with `containers` and `volumes`; none if the kind has none. */
  readonly podSpecs: readonly PodSpec[];
  readonly references: readonly Reference[];
  /** The copies that it names, by the key that the stamp of the source would have (layout Versioned). */
  readonly copies?: ReadonlyMap<string, string>;
}

export interface PodSpec {
  readonly node: number;
  readonly field: string;
}

/** An object with pod templates. */
export interface Workload {
  readonly item: Item;
  readonly kind: WorkloadKind;
  /** The namespace in which its references are looked up. */
  readonly namespace: string;
  readonly templates: readonly PodTemplate[];
  /** The workload whose pod template it runs instead of its own. */
  readonly borrows?: BorrowedTemplate;
  /** The objects that run its pod template: their annotations count for it too. */
  readonly runBy: readonly Item[];
}

/** A reference to the pod template of another workload: `workloadRef` of an Argo Rollout. */
export interface BorrowedTemplate {
  readonly kind: string;
  readonly name: string;
  readonly field: string;
  readonly node: number;
  /** Undefined if the workload is not in the input. */
  readonly item: Item | undefined;
}
