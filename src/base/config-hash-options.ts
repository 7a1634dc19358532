// Written by scripts/definitions.mjs from functions/config-hash/schema.json.

/** The options of ConfigHash. */
export interface ConfigHashOptions {
  /** Which workloads are stamped: all but those with rollstamp.dev/stamp: "false", or only those that are opted in. Default: "All". */
  readonly selection?: "All" | "Annotated";
  /** Which peers' annotations count as opting in, opting out, naming and excluding sources. Default: []. */
  readonly compat?: readonly ("Reloader" | "Wave")[];
  /** One annotation for each source, or one for all. Default: "PerSource". */
  readonly layout?: "PerSource" | "Combined";
  /** Digest only the keys that the pod template can see, or the whole object. Default: "Key". */
  readonly granularity?: "Key" | "Object";
  /** Plain digests of Secrets, digests keyed with HMAC, or none. Default: "Digest". */
  readonly secrets?: "Digest" | "Keyed" | "Ignore";
  /** What a reference that is not optional, and whose source or key is not in the input, is. Default: "Warn". */
  readonly missing?: "Warn" | "Ignore" | "Error";
  /** Whether sources that kustomize renames by their content are stamped as well. Default: "Stamp". */
  readonly nameSuffix?: "Stamp" | "Skip";
  /** Whether SealedSecret, ExternalSecret and their like count as the source of the Secret that they make. Default: true. */
  readonly declaredSources?: boolean;
  /** Whether CronJobs are stamped: the stamp reaches the next run. Default: "Stamp". */
  readonly cronJobs?: "Stamp" | "Skip";
  /** Whether Jobs are stamped: a Job's template is immutable. Default: "Skip". */
  readonly jobs?: "Stamp" | "Skip";
  /** The namespace of objects that name none. Without it HELM_NAMESPACE, which Helm takes for its namespace too, else default. Default: "default". */
  readonly defaultNamespace?: string;
  /** More pod templates. Default: []. */
  readonly workloads?: readonly WorkloadOption[];
  /** More kinds that make a Secret or a ConfigMap. Default: []. */
  readonly declaredKinds?: readonly DeclaredKindOption[];
  /** What annotations would say, for workloads that nobody can annotate; an annotation on the workload wins. Default: []. */
  readonly overrides?: readonly OverrideOption[];
  /** A label selector on workloads, as text (kubectl -l) or as a LabelSelector; what it leaves out is not touched. */
  readonly selector?: string | LabelSelectorOption;
  /** Whether charts' own checksums stay in the pod templates of the selected workloads that use a source: checksum/ annotations, and the forms that docs/helm.md lists. Default: "Keep". */
  readonly checksums?: "Keep" | "Remove";
  /** Globs of more annotations of pod templates that checksums: Remove takes, from all selected workloads and whatever they hold. Default: []. */
  readonly checksumAnnotations?: readonly string[];
  /** Whether the labels helm.sh/chart, chart and app.kubernetes.io/version stay in pod templates. What a selector or the pods use stays. Default: "Keep". */
  readonly versionLabels?: "Keep" | "Remove";
  /** What a source is that a known reloader beside the process watches: stamped with a finding, stamped without one, or not stamped. Default: "Warn". */
  readonly reloads?: "Warn" | "Stamp" | "Skip";
  /** Known kinds that are off by default. Default: []. */
  readonly optionalKinds?: readonly ("Certificate" | "Workflow" | "WorkflowTemplate" | "CronWorkflow")[];
}

/** A kind with pod templates: metadata and spec together, or apart. */
export interface WorkloadOption {
  /** The API group; empty for the core group. Default: "". */
  readonly group?: string;
  readonly kind: string;
  /** The path of a pod template: metadata and spec side by side. `*` stands for every element. */
  readonly podTemplate?: string;
  /** The path of the pods' metadata, where it is apart from their spec. */
  readonly podMetadata?: string;
  /** The path of the mapping of annotations that the pods get, where it has no metadata around it. */
  readonly podAnnotations?: string;
  /** The path of the pod spec that belongs to podMetadata or podAnnotations. */
  readonly podSpec?: string;
  /** Fields beside a pod spec that name sources. */
  readonly references?: readonly ReferenceOption[];
  /** How pods take a changed template: they are replaced, the next run has it, or it can't be changed (such a kind follows jobs). Default: "Template". */
  readonly rolls?: "Template" | "NextRun" | "Immutable";
}

/** A field that names sources. */
export interface ReferenceOption {
  /** What a name in this field names. */
  readonly kind?: "ConfigMap" | "Secret";
  /** The path of the field. `*` stands for every element. */
  readonly path: string;
  /** What stands there: a name (a text, a mapping with `name` and perhaps `key`, a list of these), or what has the form of a part of a pod spec. Default: "Name". */
  readonly form?: "Name" | "Container" | "Containers" | "Volumes" | "Volume" | "Projected";
}

/** A kind that says where a Secret or a ConfigMap comes from. */
export interface DeclaredKindOption {
  /** The API group; empty for the core group. Default: "". */
  readonly group?: string;
  readonly kind: string;
  /** What it makes. */
  readonly provides: "Secret" | "ConfigMap";
  /** The path of the name of what it makes, in the object's own namespace. `*` stands for every element. */
  readonly name: string;
  /** The paths of the fields that go into the digest. */
  readonly digest: readonly string[];
}

/** What holds for workloads in place of their annotations. */
export interface OverrideOption {
  readonly target: TargetOption;
  /** As rollstamp.dev/stamp: opts in or out. */
  readonly stamp?: boolean;
  /** As rollstamp.dev/sources: configmap/NAME, secret/NAMESPACE/NAME. */
  readonly sources?: readonly string[];
  /** As rollstamp.dev/exclude: configmap/GLOB, secret/GLOB. */
  readonly exclude?: readonly string[];
}

/** Which workloads are meant: every field that is given has to match. */
export interface TargetOption {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  /** A label selector, as text (kubectl -l) or as a LabelSelector. */
  readonly selector?: string | LabelSelectorOption;
}

/** A label selector, as the API has it. */
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
  layout: ["PerSource", "Combined"],
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

/** What holds where an option is not given. */
export const CONFIG_HASH_DEFAULT_OPTIONS = {
  selection: "All",
  compat: [],
  layout: "PerSource",
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
