/**
 * The fields of pod templates, and of the workloads around them, whose strings are shown in a plan, by the types of
 * scripts/pod-template-types. They hold no secrets: images, names of objects and places, scheduling, enumerations. All
 * other strings are hidden (docs/reference/plan.md).
 */
const SHOWN_TEXTS: Readonly<Record<string, readonly string[]>> = {
  Container: [
    "image",
    "imagePullPolicy",
    "name",
    "restartPolicy",
    "terminationMessagePath",
    "terminationMessagePolicy",
  ],
  EphemeralContainer: [
    "image",
    "imagePullPolicy",
    "name",
    "restartPolicy",
    "targetContainerName",
    "terminationMessagePath",
    "terminationMessagePolicy",
  ],
  ContainerPort: ["hostIP", "name", "protocol"],
  ContainerResizePolicy: ["resourceName", "restartPolicy"],
  ResourceClaim: ["name", "request"],
  Capabilities: ["add", "drop"],
  SecurityContext: ["procMount"],
  PodSecurityContext: ["fsGroupChangePolicy", "seLinuxChangePolicy", "supplementalGroupsPolicy"],
  SeccompProfile: ["type"],
  AppArmorProfile: ["type"],
  Lifecycle: ["stopSignal"],
  HTTPGetAction: ["scheme"],
  HTTPHeader: ["name"],
  Sysctl: ["name"],
  EnvVar: ["name"],
  EnvFromSource: ["prefix"],
  ConfigMapEnvSource: ["name"],
  ConfigMapKeySelector: ["key", "name"],
  ConfigMapProjection: ["name"],
  ConfigMapVolumeSource: ["name"],
  SecretEnvSource: ["name"],
  SecretKeySelector: ["key", "name"],
  SecretProjection: ["name"],
  SecretVolumeSource: ["secretName"],
  LocalObjectReference: ["name"],
  TypedLocalObjectReference: ["apiGroup", "kind", "name"],
  TypedObjectReference: ["apiGroup", "kind", "name", "namespace"],
  KeyToPath: ["key", "path"],
  ObjectFieldSelector: ["apiVersion", "fieldPath"],
  ResourceFieldSelector: ["containerName", "resource"],
  DownwardAPIVolumeFile: ["path"],
  ServiceAccountTokenProjection: ["audience", "path"],
  PersistentVolumeClaimVolumeSource: ["claimName"],
  EmptyDirVolumeSource: ["medium"],
  HostAlias: ["ip"],
  HostPathVolumeSource: ["path", "type"],
  ImageVolumeSource: ["reference", "pullPolicy"],
  CSIVolumeSource: ["driver", "fsType"],
  Volume: ["name"],
  VolumeMount: ["mountPath", "mountPropagation", "name", "recursiveReadOnly", "subPath", "subPathExpr"],
  VolumeDevice: ["devicePath", "name"],
  // Fields of operators beside a pod spec: the image that they run, and how often.
  PodSpec: [
    "dnsPolicy",
    "hostname",
    "image",
    "nodeName",
    "nodeSelector",
    "preemptionPolicy",
    "priorityClassName",
    "replicas",
    "restartPolicy",
    "runtimeClassName",
    "schedulerName",
    "serviceAccount",
    "serviceAccountName",
    "subdomain",
  ],
  Toleration: ["effect", "key", "operator", "value"],
  NodeSelectorRequirement: ["key", "operator", "values"],
  LabelSelector: ["matchLabels"],
  LabelSelectorRequirement: ["key", "operator", "values"],
  PodAffinityTerm: ["matchLabelKeys", "mismatchLabelKeys", "namespaces", "topologyKey"],
  TopologySpreadConstraint: [
    "matchLabelKeys",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
    "topologyKey",
    "whenUnsatisfiable",
  ],
  PodOS: ["name"],
  PodReadinessGate: ["conditionType"],
  PodSchedulingGate: ["name"],
  PodResourceClaim: ["name", "resourceClaimName", "resourceClaimTemplateName"],
  ObjectMeta: ["labels", "name", "namespace"],
  DeploymentStrategy: ["type"],
  StatefulSetSpec: ["podManagementPolicy", "serviceName"],
  StatefulSetUpdateStrategy: ["type"],
  StatefulSetPersistentVolumeClaimRetentionPolicy: ["whenDeleted", "whenScaled"],
  DaemonSetUpdateStrategy: ["type"],
  CronJobSpec: ["concurrencyPolicy", "schedule", "timeZone"],
  JobSpec: ["completionMode", "managedBy", "podReplacementPolicy"],
  PersistentVolumeClaimSpec: [
    "accessModes",
    "storageClassName",
    "volumeAttributesClassName",
    "volumeMode",
    "volumeName",
  ],
};

/** True for a field whose strings are shown. */
export function isShownText(struct: string, field: string): boolean {
  return Object.hasOwn(SHOWN_TEXTS, struct) && SHOWN_TEXTS[struct]?.includes(field) === true;
}

/** Fields without a detailed type here, which hold actions, codes and counts. */
const SHOWN_WHOLE: Readonly<Record<string, readonly string[]>> = { JobSpec: ["podFailurePolicy", "successPolicy"] };

/** True for a field whose value is always shown. */
export function isShownWhole(struct: string, field: string): boolean {
  return Object.hasOwn(SHOWN_WHOLE, struct) && SHOWN_WHOLE[struct]?.includes(field) === true;
}
