// Written by scripts/definitions.mjs from functions/config-hash/schema.json.

/** The options of ConfigHash. */
export interface ConfigHashOptions {
  /** Which workloads are stamped: all except those with rollstamp.dev/stamp: "false", or only those that are opted in. Default: "All". */
  readonly selection?: "All" | "Annotated";
  /** Controllers whose annotations count too: for opting in and out, and for naming and excluding sources. Default: []. */
  readonly compat?: readonly ("Reloader" | "Wave")[];
  /** One annotation per source, one for all sources, or immutable copies of the sources that the pod templates name. Default: "PerSource". */
  readonly layout?: "PerSource" | "Combined" | "Versioned";
  /** With layout Versioned on files: how many copies of a source stay in Git, including the one in use. Default: 3. */
  readonly keep?: number;
  /** With layout Versioned on files: write the annotations that keep engines from pruning copies. Default: false. */
  readonly protect?: boolean;
  /** With layout Versioned: whether plain Secrets get copies too. Default: false. */
  readonly versionedSecrets?: boolean;
  /** Digest only the keys that the pod template can see, or the whole object. Default: "Key". */
  readonly granularity?: "Key" | "Object";
  /** Plain digests of Secrets, digests keyed with HMAC, or none. Default: "Digest". */
  readonly secrets?: "Digest" | "Keyed" | "Ignore";
  /** How to handle a reference that is not optional and whose source or key is not in the input. Default: "Warn". */
  readonly missing?: "Warn" | "Ignore" | "Error";
  /** How to handle sources that kustomize renames by content. Default: "Stamp". */
  readonly nameSuffix?: "Stamp" | "Skip";
  /** Whether SealedSecret, ExternalSecret and similar kinds count as the source of the Secret that they make. Default: true. */
  readonly declaredSources?: boolean;
  /** Whether CronJobs are stamped: the stamp reaches the next run. Default: "Stamp". */
  readonly cronJobs?: "Stamp" | "Skip";
  /** Whether Jobs are stamped: a Job's template is immutable. Default: "Skip". */
  readonly jobs?: "Stamp" | "Skip";
  /** The namespace of objects that set none. Without this option it is HELM_NAMESPACE, else default. Default: "default". */
  readonly defaultNamespace?: string;
  /** More pod templates. Default: []. */
  readonly workloads?: readonly WorkloadOption[];
  /** More kinds that make a Secret or a ConfigMap. Default: []. */
  readonly declaredKinds?: readonly DeclaredKindOption[];
  /** The settings of annotations, for workloads that cannot be annotated. An annotation on the workload takes precedence. Default: []. */
  readonly overrides?: readonly OverrideOption[];
  /** A label selector on workloads, as a string (kubectl -l) or as a LabelSelector. Workloads that it does not match are not changed. */
  readonly selector?: string | LabelSelectorOption;
  /** Whether to keep the checksums of charts in the pod templates of selected workloads that use a source: checksum/ annotations and the forms that docs/guides/helm.md lists. Default: "Keep". */
  readonly checksums?: "Keep" | "Remove";
  /** Globs of more annotations that checksums: Remove removes from the pod templates of all selected workloads, whatever their value. Default: []. */
  readonly checksumAnnotations?: readonly string[];
  /** Whether to keep the labels helm.sh/chart, chart and app.kubernetes.io/version in pod templates. Labels that a selector or the pods use are kept. Default: "Keep". */
  readonly versionLabels?: "Keep" | "Remove";
  /** How to handle a source that a known reloader next to the process watches: stamp it with a finding, stamp it without a finding, or do not stamp it. Default: "Warn". */
  readonly reloads?: "Warn" | "Stamp" | "Skip";
  /** Known kinds that are off by default. Default: []. */
  readonly optionalKinds?: readonly ("Certificate" | "Workflow" | "WorkflowTemplate" | "CronWorkflow")[];
}

/** A kind with pod templates, with metadata and spec together or in separate places. */
export interface WorkloadOption {
  /** The API group; empty for the core group. Default: "". */
  readonly group?: string;
  readonly kind: string;
  /** The path of a pod template with metadata and spec. `*` means every element. */
  readonly podTemplate?: string;
  /** The path of the metadata of the pods, if it is separate from their spec. */
  readonly podMetadata?: string;
  /** The path of the mapping of annotations of the pods, if it is not part of metadata. */
  readonly podAnnotations?: string;
  /** The path of the pod spec that belongs to podMetadata or podAnnotations. */
  readonly podSpec?: string;
  /** Fields outside of a pod spec that name sources. */
  readonly references?: readonly ReferenceOption[];
  /** How pods get a changed template: they are replaced, the next run uses it, or it cannot be changed (such a kind follows jobs). Default: "Template". */
  readonly rolls?: "Template" | "NextRun" | "Immutable";
}

/** A field that names sources. */
export interface ReferenceOption {
  /** The kind of the source that this field names. */
  readonly kind?: "ConfigMap" | "Secret";
  /** The path of the field. `*` means every element. */
  readonly path: string;
  /** The value of the field: a name (a string, a mapping with `name` and optionally `key`, or a list of these), or a part of a pod spec. Default: "Name". */
  readonly form?: "Name" | "Container" | "Containers" | "Volumes" | "Volume" | "Projected";
}

/** A kind that declares where a Secret or ConfigMap comes from. */
export interface DeclaredKindOption {
  /** The API group; empty for the core group. Default: "". */
  readonly group?: string;
  readonly kind: string;
  /** The kind that it makes. */
  readonly provides: "Secret" | "ConfigMap";
  /** The path of the name of the object that it makes, in its own namespace. `*` means every element. */
  readonly name: string;
  /** The paths of the fields that go into the digest. */
  readonly digest: readonly string[];
}

/** Settings for workloads in place of their annotations. */
export interface OverrideOption {
  readonly target: TargetOption;
  /** Like rollstamp.dev/stamp: opts in or out. */
  readonly stamp?: boolean;
  /** Like rollstamp.dev/sources: configmap/NAME, secret/NAMESPACE/NAME. */
  readonly sources?: readonly string[];
  /** Like rollstamp.dev/exclude: configmap/GLOB, secret/GLOB. */
  readonly exclude?: readonly string[];
}

/** Which workloads are selected: all given fields must match. */
export interface TargetOption {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  /** A label selector, as a string (kubectl -l) or as a LabelSelector. */
  readonly selector?: string | LabelSelectorOption;
}

/** A label selector of the Kubernetes API. */
export interface LabelSelectorOption {
  readonly matchLabels?: { readonly [key: string]: string };
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
    readonly values?: readonly string[];
  }[];
}

/** The values of what has a list of them. */
export const CONFIG_HASH_VALUES = {
  selection: ["All", "Annotated"],
  compat: ["Reloader", "Wave"],
  layout: ["PerSource", "Combined", "Versioned"],
  granularity: ["Key", "Object"],
  secrets: ["Digest", "Keyed", "Ignore"],
  missing: ["Warn", "Ignore", "Error"],
  nameSuffix: ["Stamp", "Skip"],
  cronJobs: ["Stamp", "Skip"],
  jobs: ["Stamp", "Skip"],
  checksums: ["Keep", "Remove"],
  versionLabels: ["Keep", "Remove"],
  reloads: ["Warn", "Stamp", "Skip"],
  optionalKinds: ["Certificate", "Workflow", "WorkflowTemplate", "CronWorkflow"],
  rolls: ["Template", "NextRun", "Immutable"],
  kind: ["ConfigMap", "Secret"],
  form: ["Name", "Container", "Containers", "Volumes", "Volume", "Projected"],
  provides: ["Secret", "ConfigMap"],
  operator: ["In", "NotIn", "Exists", "DoesNotExist"],
} as const;

/** A value of one of them. */
export type ConfigHashValue<K extends keyof typeof CONFIG_HASH_VALUES> = (typeof CONFIG_HASH_VALUES)[K][number];

/** The defaults of options. */
export const CONFIG_HASH_DEFAULT_OPTIONS = {
  selection: "All",
  compat: [],
  layout: "PerSource",
  keep: 3,
  protect: false,
  versionedSecrets: false,
  granularity: "Key",
  secrets: "Digest",
  missing: "Warn",
  nameSuffix: "Stamp",
  declaredSources: true,
  cronJobs: "Stamp",
  jobs: "Skip",
  defaultNamespace: "default",
  workloads: [],
  declaredKinds: [],
  overrides: [],
  checksums: "Keep",
  checksumAnnotations: [],
  versionLabels: "Keep",
  reloads: "Warn",
  optionalKinds: [],
} as const;
