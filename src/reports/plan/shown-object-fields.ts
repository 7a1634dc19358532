import { onceForText } from "../../base/grouped.ts";
import { kindKey } from "../../base/identity.ts";

// The fields of objects other than built-in workloads whose values a plan shows. They hold no secrets: names, ports,
// numbers of pods, resources, labels, versions. Addresses, paths of requests, annotations and everything else are hidden.

const SELECTOR = [
  "matchLabels.*",
  "matchExpressions.[].key",
  "matchExpressions.[].operator",
  "matchExpressions.[].values.[]",
];
const below = (field: string, paths: readonly string[]): string[] => paths.map((path) => `${field}.${path}`);
const BACKEND = ["service.name", "service.port.number", "service.port.name"];
const CROSS_REFERENCE = ["apiVersion", "kind", "name", "namespace"];
const ARGO_SOURCE = ["chart", "path", "targetRevision", "ref"];
const METRIC = ["name", "container", "target.type", "target.averageUtilization", "target.averageValue", "target.value"];
const RULES = ["apiGroups.[]", "resources.[]", "resourceNames.[]", "verbs.[]"];
const INGRESS = [
  "spec.ingressClassName",
  ...below("spec.defaultBackend", BACKEND),
  "spec.rules.[].host",
  "spec.rules.[].http.paths.[].pathType",
  ...below("spec.rules.[].http.paths.[].backend", BACKEND),
  "spec.tls.[].hosts.[]",
  "spec.tls.[].secretName",
];

/** Of every object. */
const EVERYWHERE = ["apiVersion", "metadata.labels.*", "metadata.namespace"];

/** By group and kind: paths in which `*` is any key, `[]` any element of a list, and `**` everything below. */
const BY_KIND: Readonly<Record<string, readonly string[]>> = {
  "/Service": [
    "spec.type",
    "spec.clusterIP",
    "spec.externalTrafficPolicy",
    "spec.internalTrafficPolicy",
    "spec.ipFamilyPolicy",
    "spec.publishNotReadyAddresses",
    "spec.sessionAffinity",
    "spec.selector.*",
    ...below("spec.ports.[]", ["name", "port", "targetPort", "nodePort", "protocol", "appProtocol"]),
  ],
  "networking.k8s.io/Ingress": INGRESS,
  "extensions/Ingress": INGRESS,
  "networking.k8s.io/NetworkPolicy": ["spec.policyTypes.[]", ...below("spec.podSelector", SELECTOR)],
  "gateway.networking.k8s.io/HTTPRoute": [
    "spec.hostnames.[]",
    ...below("spec.parentRefs.[]", [...CROSS_REFERENCE, "sectionName", "port"]),
    ...below("spec.rules.[].backendRefs.[]", [...CROSS_REFERENCE, "port", "weight"]),
  ],
  "autoscaling/HorizontalPodAutoscaler": [
    "spec.minReplicas",
    "spec.maxReplicas",
    "spec.targetCPUUtilizationPercentage",
    ...below("spec.scaleTargetRef", CROSS_REFERENCE),
    "spec.metrics.[].type",
    ...below("spec.metrics.[].resource", METRIC),
    ...below("spec.metrics.[].containerResource", METRIC),
    "spec.behavior.**",
  ],
  "autoscaling.k8s.io/VerticalPodAutoscaler": [
    ...below("spec.targetRef", CROSS_REFERENCE),
    "spec.updatePolicy.updateMode",
    "spec.updatePolicy.minReplicas",
  ],
  "keda.sh/ScaledObject": [
    "spec.minReplicaCount",
    "spec.maxReplicaCount",
    "spec.idleReplicaCount",
    "spec.pollingInterval",
    "spec.cooldownPeriod",
    ...below("spec.scaleTargetRef", CROSS_REFERENCE),
    "spec.triggers.[].type",
  ],
  "policy/PodDisruptionBudget": [
    "spec.minAvailable",
    "spec.maxUnavailable",
    "spec.unhealthyPodEvictionPolicy",
    ...below("spec.selector", SELECTOR),
  ],
  "/ResourceQuota": ["spec.hard.*", "spec.scopes.[]"],
  "/LimitRange": [
    "spec.limits.[].type",
    ...["default", "defaultRequest", "max", "min", "maxLimitRequestRatio"].map((field) => `spec.limits.[].${field}.*`),
  ],
  "/PersistentVolumeClaim": [
    "spec.accessModes.[]",
    "spec.resources.requests.*",
    "spec.resources.limits.*",
    "spec.storageClassName",
    "spec.volumeMode",
    "spec.volumeName",
  ],
  "/ServiceAccount": ["automountServiceAccountToken", "imagePullSecrets.[].name", "secrets.[].name"],
  "storage.k8s.io/StorageClass": ["provisioner", "reclaimPolicy", "volumeBindingMode", "allowVolumeExpansion"],
  "scheduling.k8s.io/PriorityClass": ["value", "globalDefault", "preemptionPolicy"],
  "rbac.authorization.k8s.io/Role": below("rules.[]", RULES),
  "rbac.authorization.k8s.io/ClusterRole": below("rules.[]", RULES),
  "rbac.authorization.k8s.io/RoleBinding": ["roleRef.*", "subjects.[].*"],
  "rbac.authorization.k8s.io/ClusterRoleBinding": ["roleRef.*", "subjects.[].*"],
  "apiextensions.k8s.io/CustomResourceDefinition": [
    "spec.scope",
    "spec.versions.[].name",
    "spec.versions.[].served",
    "spec.versions.[].storage",
  ],
  "argoproj.io/Rollout": [
    "spec.replicas",
    "spec.minReadySeconds",
    "spec.progressDeadlineSeconds",
    "spec.revisionHistoryLimit",
    "spec.paused",
    ...below("spec.strategy.canary", [
      "maxSurge",
      "maxUnavailable",
      "canaryService",
      "stableService",
      "steps.[].setWeight",
      "steps.[].pause.duration",
    ]),
    ...below("spec.strategy.blueGreen", [
      "activeService",
      "previewService",
      "autoPromotionEnabled",
      "autoPromotionSeconds",
      "scaleDownDelaySeconds",
    ]),
  ],
  "argoproj.io/Application": [
    "spec.project",
    "spec.destination.namespace",
    "spec.destination.name",
    ...below("spec.source", ARGO_SOURCE),
    ...below("spec.sources.[]", ARGO_SOURCE),
  ],
  "helm.toolkit.fluxcd.io/HelmRelease": [
    "spec.suspend",
    "spec.interval",
    "spec.targetNamespace",
    ...below("spec.chartRef", CROSS_REFERENCE),
    ...below("spec.chart.spec", ["chart", "version", "reconcileStrategy"]),
    ...below("spec.chart.spec.sourceRef", CROSS_REFERENCE),
  ],
  "kustomize.toolkit.fluxcd.io/Kustomization": [
    "spec.suspend",
    "spec.prune",
    "spec.interval",
    "spec.path",
    "spec.targetNamespace",
    ...below("spec.sourceRef", CROSS_REFERENCE),
  ],
  "source.toolkit.fluxcd.io/GitRepository": ["spec.suspend", "spec.interval", "spec.ref.*"],
  "source.toolkit.fluxcd.io/OCIRepository": ["spec.suspend", "spec.interval", "spec.ref.*"],
  "source.toolkit.fluxcd.io/HelmChart": ["spec.chart", "spec.version"],
};

/** A step of the paths of shown fields. */
export interface ShownStep {
  readonly next: ReadonlyMap<string, ShownStep>;
  /** The value here is shown. */
  readonly isShown: boolean;
  /** Everything below is shown too. */
  readonly isDeep: boolean;
}

interface Step extends ShownStep {
  readonly next: Map<string, Step>;
  isShown: boolean;
  isDeep: boolean;
}

const EVERYTHING: ShownStep = { next: new Map(), isShown: true, isDeep: true };
const NOTHING: ShownStep = { next: new Map(), isShown: false, isDeep: false };

/** Where the shown fields of a kind start. Nothing of a Secret is shown. */
export function shownFields(object: { readonly group: string; readonly kind: string }): ShownStep {
  const key = kindKey(object);
  if (key === "/Secret") return NOTHING;
  // Kinds without a row share one tree: a repository can name any number of kinds.
  return treeOfRow(Object.hasOwn(BY_KIND, key) ? key : "");
}

const treeOfRow = onceForText((row) => treeOf([...EVERYWHERE, ...(BY_KIND[row] ?? [])]));

function treeOf(paths: readonly string[]): ShownStep {
  const root: Step = { next: new Map(), isShown: false, isDeep: false };
  for (const path of paths) {
    let last = root;
    for (const name of path.split(".")) {
      if (name === "**") {
        last.isDeep = true;
        continue;
      }
      const next: Step = last.next.get(name) ?? { next: new Map(), isShown: false, isDeep: false };
      last.next.set(name, next);
      last = next;
    }
    last.isShown = true;
  }
  return root;
}

/** The name of the step into the elements of a list. */
export const ELEMENT = "[]";

/** The step to the value of a key, or to the elements of a list. */
export function stepInto({ next, isDeep }: ShownStep, key: string): ShownStep {
  if (isDeep) return EVERYTHING;
  return next.get(key) ?? (key === ELEMENT ? undefined : next.get("*")) ?? NOTHING;
}
