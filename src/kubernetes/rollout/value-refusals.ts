import { withoutPlaceholders } from "../../base/placeholders.ts";
import { fieldOf, fieldsOf, type Mapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

// Values that the API server does not accept in a field, and fields of which it accepts only one: pkg/apis/*/validation,
// Kubernetes 1.34. A real API server refused each (test/e2e/refused-pods.ts, refused-changes.ts).

/** The problem of a value, if there is one. A string that may be replaced before it is applied has none. */
type Check = (value: string | number) => string | undefined;

/** The words that a field accepts. */
const words =
  (...allowed: readonly string[]): Check =>
  (value) =>
    typeof value === "string" && /^[A-Za-z]+$/u.test(value) && !allowed.includes(value)
      ? `must be ${allowed.join(" or ")}`
      : undefined;

/** A name that a pattern describes. */
const named =
  (pattern: RegExp, most: number, problem: string): Check =>
  (value) =>
    typeof value === "string" && /^[\w.+ /-]+$/u.test(value) && (value.length > most || !pattern.test(value))
      ? problem
      : undefined;

const LABEL = named(
  /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/u,
  63,
  "must have only lower-case letters, digits and -, at most 63",
);
const SUBDOMAIN = named(
  /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/u,
  253,
  "must have only lower-case letters, digits, - and ., at most 253",
);
const PORT_NAME = named(
  /^(?=.*[a-z])(?!.*--)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/u,
  15,
  "must have only lower-case letters, digits and -, at most 15",
);
const LABEL_VALUE = named(
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$/u,
  63,
  "must have only letters, digits and -_., at most 63",
);
const PORT: Check = (value) =>
  typeof value === "number" && (value < 1 || value > 65_535) ? "must be from 1 to 65535" : undefined;
/** The number of a port, or its name. */
const PORT_OR_NAME: Check = (value) =>
  typeof value === "string" && /^\d+$/u.test(value)
    ? "must be a number without quotes, or a name"
    : (PORT(value) ?? PORT_NAME(value));
/** 0 is the default. */
const TARGET_PORT: Check = (value) => (value === 0 ? undefined : PORT_OR_NAME(value));
const MODE: Check = (value) =>
  typeof value === "number" && (value < 0 || value > 0o777)
    ? "must be from 0 to 0777 in octal digits, such as 0644, or to 511"
    : undefined;
const WEIGHT: Check = (value) =>
  typeof value === "number" && (value < 1 || value > 100) ? "must be from 1 to 100" : undefined;
/** validatePodDisruptionBudgetSpec. */
const PODS: Check = (value) => {
  if (typeof value === "number") return value < 0 ? "must not be below 0" : undefined;
  if (/^\d+ ?$/u.test(value)) return "must be a number without quotes, or a percentage";
  return /^\d+%$/u.test(value) && Number.parseInt(value) > 100 ? "must not be above 100%" : undefined;
};
/** IsDNS1123Subdomain in k8s.io/apimachinery/pkg/util/validation. Looking for the end of a longer one could take long. */
const LONGEST_HOST = 253;
const HOST: Check = (value) => {
  if (typeof value !== "string") return undefined;
  if (value.length > LONGEST_HOST) return `must have at most ${LONGEST_HOST} characters`;
  return /^\w+:\/\/|[\w-](?:[:/][\w/]*|\.)$|^\d{1,3}(?:\.\d{1,3}){3}$/u.test(value)
    ? "must be a name, without scheme, port and path"
    : undefined;
};
const PATH: Check = (value) => (typeof value === "string" && /^[\w.-]/u.test(value) ? "must begin with /" : undefined);
const PROTOCOL = words("TCP", "UDP", "SCTP");
/** 0 is the default. */
const COUNT: Check = (value) => (typeof value === "number" && value < 0 ? "must not be below 0" : undefined);
/** A field of the pod: validateObjectFieldSelector. The check gets the version of the reference, too. */
const podField = (fields: string, problem: string): Check => {
  const allowed: ReadonlySet<string | number> = new Set(["v1", ...fields.split(" ")]);
  return (value) =>
    /^[a-z][\w.]*(?:\[["'\w./-]*\])?$/u.test(String(value)) &&
    !allowed.has(value) &&
    !/^metadata\.(?:labels|annotations)\['.+'\]$/u.test(String(value))
      ? problem
      : undefined;
};

/** By type and field, as scripts/pod-template-types names them; of a map or a list, what its values must be. */
const FIELDS: Readonly<Record<string, Check>> = {
  "AppArmorProfile.type": words("RuntimeDefault", "Unconfined", "Localhost"),
  "ConfigMapVolumeSource.defaultMode": MODE,
  "Container.imagePullPolicy": words("Always", "IfNotPresent", "Never"),
  "Container.name": LABEL,
  "Container.terminationMessagePolicy": words("File", "FallbackToLogsOnError"),
  "ContainerPort.containerPort": PORT,
  "ContainerPort.hostPort": PORT,
  "ContainerPort.name": PORT_NAME,
  "ContainerPort.protocol": PROTOCOL,
  "CronJobSpec.concurrencyPolicy": words("Allow", "Forbid", "Replace"),
  "DownwardAPIVolumeSource.defaultMode": MODE,
  "DownwardAPIVolumeFile.fieldRef": podField(
    "metadata.name metadata.namespace metadata.uid metadata.labels metadata.annotations",
    "must be a field that a volume can have, such as metadata.labels",
  ),
  // spec.host is the former name of spec.nodeName.
  "EnvVarSource.fieldRef": podField(
    "metadata.name metadata.namespace metadata.uid spec.nodeName spec.host spec.serviceAccountName status.hostIP status.hostIPs status.podIP status.podIPs",
    "must be a field that a variable can have, such as status.podIP or metadata.labels['app']",
  ),
  "EnvVar.name": (value) => (/^[\w.-]*=[^${}]*$/u.test(String(value)) ? "must not have =" : undefined),
  "HPAScalingPolicy.type": words("Percent", "Pods"),
  "HPAScalingRules.selectPolicy": words("Max", "Min", "Disabled"),
  "HTTPGetAction.port": PORT_OR_NAME,
  "HTTPGetAction.scheme": words("HTTP", "HTTPS"),
  "HTTPIngressPath.path": PATH,
  "HTTPIngressPath.pathType": words("Exact", "Prefix", "ImplementationSpecific"),
  "HostAlias.ip": (value) =>
    typeof value === "string" && /^[a-z][\w-]*(?:\.[\w-]+)*$/iu.test(value) ? "must be an IP address" : undefined,
  "HostPathVolumeSource.type": words(
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
    "CharDevice",
    "BlockDevice",
  ),
  "IPBlock.cidr": named(/\//u, 49, "must have the length of a prefix, such as /24"),
  "IngressRule.host": HOST,
  "KeyToPath.mode": MODE,
  "KeyToPath.path": (value) =>
    /^\/|(?:^|\/)\.\.(?:\/|$)/u.test(String(value)) ? "must be a relative path without .." : undefined,
  "LabelSelector.matchLabels": LABEL_VALUE,
  "LabelSelectorRequirement.operator": words("In", "NotIn", "Exists", "DoesNotExist"),
  "MetricSpec.type": words("Resource", "ContainerResource", "Pods", "Object", "External"),
  "MetricTarget.type": words("Utilization", "Value", "AverageValue"),
  "NetworkPolicyPort.protocol": PROTOCOL,
  "NetworkPolicySpec.policyTypes": words("Ingress", "Egress"),
  "NodeSelectorRequirement.operator": words("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
  "ObjectMeta.labels": LABEL_VALUE,
  "PersistentVolumeClaimSpec.accessModes": words("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"),
  "PodDisruptionBudgetSpec.maxUnavailable": PODS,
  "PodDisruptionBudgetSpec.minAvailable": PODS,
  "PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy": words("IfHealthyBudget", "AlwaysAllow"),
  "PodOS.name": words("linux", "windows"),
  "PodSecurityContext.fsGroupChangePolicy": words("Always", "OnRootMismatch"),
  "PodSecurityContext.supplementalGroupsPolicy": words("Merge", "Strict"),
  "PodSpec.dnsPolicy": words("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
  "PodSpec.nodeSelector": LABEL_VALUE,
  "PreferredSchedulingTerm.weight": WEIGHT,
  "Probe.failureThreshold": COUNT,
  "Probe.initialDelaySeconds": COUNT,
  "Probe.periodSeconds": COUNT,
  "Probe.successThreshold": COUNT,
  "Probe.timeoutSeconds": COUNT,
  "ProjectedVolumeSource.defaultMode": MODE,
  "ResourceFieldSelector.resource": (value) =>
    /^[a-z][\w./-]*$/u.test(String(value)) &&
    !/^(?:limits|requests)\.(?:cpu|memory|ephemeral-storage|hugepages-.*)$/u.test(String(value))
      ? "must be a limit or request of a container, such as limits.cpu"
      : undefined,
  "SeccompProfile.type": words("RuntimeDefault", "Unconfined", "Localhost"),
  "SecretVolumeSource.defaultMode": MODE,
  "ServicePort.name": LABEL,
  "ServicePort.port": PORT,
  "ServicePort.protocol": PROTOCOL,
  "ServicePort.targetPort": TARGET_PORT,
  "ServiceSpec.externalTrafficPolicy": words("Cluster", "Local"),
  "ServiceSpec.internalTrafficPolicy": words("Cluster", "Local"),
  "ServiceSpec.ipFamilyPolicy": words("SingleStack", "PreferDualStack", "RequireDualStack"),
  "ServiceSpec.selector": LABEL_VALUE,
  "ServiceSpec.sessionAffinity": words("None", "ClientIP"),
  "ServiceSpec.type": words("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
  "StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted": words("Retain", "Delete"),
  "StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled": words("Retain", "Delete"),
  "StatefulSetSpec.podManagementPolicy": words("OrderedReady", "Parallel"),
  "Subject.kind": words("User", "Group", "ServiceAccount"),
  "TCPSocketAction.port": PORT_OR_NAME,
  "Toleration.effect": words("NoSchedule", "PreferNoSchedule", "NoExecute"),
  "Toleration.operator": words("Exists", "Equal", "Gt", "Lt"),
  "TopologySpreadConstraint.nodeAffinityPolicy": words("Honor", "Ignore"),
  "TopologySpreadConstraint.nodeTaintsPolicy": words("Honor", "Ignore"),
  "TopologySpreadConstraint.whenUnsatisfiable": words("DoNotSchedule", "ScheduleAnyway"),
  "Volume.name": LABEL,
  "VolumeMount.mountPropagation": words("None", "HostToContainer", "Bidirectional"),
  "WeightedPodAffinityTerm.weight": WEIGHT,
};

/** What finds the problem of a value of a field; undefined if the field may have any value. */
export function valueCheck(struct: string, field: string): ((value: Json) => string | undefined) | undefined {
  const key = `${struct}.${field}`;
  const check = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
  return check && ((value) => (typeof value === "string" || typeof value === "number" ? check(value) : undefined));
}

/**
 * What elements of lists must have. A patch has it, too, because it is the key by which lists are merged, or because the
 * list replaces the one before.
 */
const NEEDED: Readonly<Record<string, string>> = {
  ContainerPort: "containerPort",
  EnvVar: "name",
  HTTPIngressPath: "pathType",
  KeyToPath: "path",
  MetricSpec: "type",
  PodAffinityTerm: "topologyKey",
  PolicyRule: "verbs",
  ServicePort: "port",
  VolumeMount: "mountPath",
};

/** A field that a value of a type lacks, if there is one. */
export function neededField(struct: string, value: Mapping): string | undefined {
  const field = Object.hasOwn(NEEDED, struct) ? NEEDED[struct] : undefined;
  return field === undefined || isSet(fieldOf(value, field)) ? undefined : field;
}

/** The resources of containers that have no prefix such as `example.com/`. */
const RESOURCES = /^(?:cpu|memory|ephemeral-storage|hugepages-.+)$/u;

/** Maps whose keys are names of labels or of annotations. */
const LABELS: ReadonlySet<string> = new Set([
  "LabelSelector.matchLabels",
  "ObjectMeta.annotations",
  "ObjectMeta.labels",
  "PodSpec.nodeSelector",
  "ServiceSpec.selector",
]);

/** The problem of a map with a key that the API server does not accept: no resource of a container, or no name. */
export function wrongKey(struct: string, field: string, value: Json | undefined): string | undefined {
  if (struct === "ResourceRequirements" && (field === "requests" || field === "limits")) {
    const resource = Object.keys(fieldsOf(value)).find((name) => /^[\w-]+$/u.test(name) && !RESOURCES.test(name));
    return resource === undefined ? undefined : `must not have ${resource}, which is no resource`;
  }
  if (!LABELS.has(`${struct}.${field}`)) return undefined;
  const key = Object.keys(fieldsOf(value)).find(
    (name) => /^[\w./: -]+$/u.test(name) && !isPlaceholder(name) && !isKey(name, field === "annotations"),
  );
  return key === undefined ? undefined : `must not have '${key}', which is no name of a label or an annotation`;
}

/** IsQualifiedName in k8s.io/apimachinery/pkg/util/validation. Only the prefix of an annotation may have capitals. */
function isKey(key: string, isAnnotation: boolean): boolean {
  const [name = "", prefix, ...others] = key.split("/").toReversed();
  const host = isAnnotation ? prefix?.toLowerCase() : prefix;
  return (
    others.length === 0 &&
    name.length <= 63 &&
    /^[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?$/u.test(name) &&
    (host === undefined || (host !== "" && SUBDOMAIN(host) === undefined))
  );
}

/** The kinds whose names are labels of DNS. With a feature gate, the name of a Service may begin with a digit. */
const LABEL_NAMES: ReadonlySet<string> = new Set(["Service", "StatefulSet"]);
/** The kinds whose names may have any characters but / and %. */
const FREE_NAMES: ReadonlySet<string> = new Set([
  "ClusterRole",
  "ClusterRoleBinding",
  "PodDisruptionBudget",
  "Role",
  "RoleBinding",
]);

/** The problem of the name of an object of a known kind. */
export function wrongName(kind: string, name: Json | undefined): string | undefined {
  if (typeof name !== "string" || FREE_NAMES.has(kind) || isPlaceholder(name)) return undefined;
  return (LABEL_NAMES.has(kind) ? LABEL : SUBDOMAIN)(name);
}

/** Whether a string may be replaced before it is applied, such as `APP_NAME`, `__name__` or an unknown value of Flux. */
function isPlaceholder(text: string): boolean {
  return /[A-Z]{2}|__/u.test(text) || withoutPlaceholders(text) !== text;
}

/** Types of which only one of the fields may be set, or of all but their key. */
const ONE_OF: Readonly<Record<string, { readonly key?: string; readonly fields?: readonly string[] }>> = {
  EnvFromSource: { fields: ["configMapRef", "secretRef"] },
  EnvVar: { fields: ["value", "valueFrom"] },
  EnvVarSource: {},
  LifecycleHandler: {},
  Probe: { fields: ["exec", "grpc", "httpGet", "tcpSocket"] },
  Volume: { key: "name" },
  VolumeProjection: {},
};

/** The second of two fields that exclude each other, and the first. */
export function excluded(struct: string, value: Mapping): { readonly field: string; readonly by: string } | undefined {
  const group = Object.hasOwn(ONE_OF, struct) ? ONE_OF[struct] : undefined;
  if (group === undefined) return undefined;
  const [by, field] = Object.keys(value).filter(
    (key) => key !== group.key && group.fields?.includes(key) !== false && isSet(fieldOf(value, key)),
  );
  return by === undefined || field === undefined ? undefined : { field, by };
}

/** Whether a field has a value: a variable with an empty one may have another source. */
export function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== "";
}
