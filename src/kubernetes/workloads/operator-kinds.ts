import { podMetadata, podTemplate } from "./template-paths.ts";
import type { PodTemplatePath, ReferencePath, WorkloadKind } from "./types.ts";

// Kinds of well-known operators whose pods are made of fields of their own. Read in the CRDs and Go types of each
// project in August 2026; docs/workloads.md has a line for every row.

const inEnv = (path: string): ReferencePath[] => [
  { path: `${path}.*.valueFrom.configMapKeyRef`, form: "key", kind: "ConfigMap" },
  { path: `${path}.*.valueFrom.secretKeyRef`, form: "key", kind: "Secret" },
];
const inEnvFrom = (path: string): ReferencePath[] => [
  { path: `${path}.*.configMapRef`, form: "name", kind: "ConfigMap" },
  { path: `${path}.*.secretRef`, form: "name", kind: "Secret" },
];

/** VictoriaMetrics: CommonAppsParams of api/operator/v1beta1/vmextra_types.go, in each component. */
function victoriaMetrics(path: string): PodTemplatePath {
  return podMetadata(`${path}.podMetadata`, path, {
    podSpec: path,
    references: [
      { path, form: "container", name: "main" },
      ...inEnv(`${path}.extraEnvs`),
      ...inEnvFrom(`${path}.extraEnvsFrom`),
      { path: `${path}.secrets`, form: "name", kind: "Secret" },
      { path: `${path}.configMaps`, form: "name", kind: "ConfigMap" },
    ],
  });
}

const victoria = (kind: string, paths: readonly string[] = ["spec"]): WorkloadKind => ({
  group: "operator.victoriametrics.com",
  kind,
  templates: paths.map(victoriaMetrics),
  rollsBy: "template",
});

/** OpenTelemetry's operator: OpenTelemetryCommonFields of apis/v1beta1/common.go. */
const openTelemetry = (kind: string, own: readonly ReferencePath[] = []): WorkloadKind => ({
  group: "opentelemetry.io",
  kind,
  templates: [
    {
      annotations: "spec.podAnnotations",
      anchor: "spec",
      references: [
        { path: "spec", form: "container", name: "main" },
        { path: "spec.initContainers", form: "containers" },
        { path: "spec.additionalContainers", form: "containers" },
        ...own,
        { path: "spec.volumes", form: "volumes" },
      ],
    },
  ],
  rollsBy: "template",
});

// The servers that KServe knows by name, and the general one: pkg/apis/serving/v1beta1/predictor.go, PredictorSpec.
const SERVERS = [
  "model",
  "sklearn",
  "xgboost",
  "tensorflow",
  "pytorch",
  "triton",
  "onnx",
  "huggingface",
  "pmml",
  "lightgbm",
  "paddle",
] as const;

/** KServe: each component has the fields of a pod spec, and annotations for its pods. */
function kserve(component: string, servers: readonly string[] = []): PodTemplatePath {
  const path = `spec.${component}`;
  return {
    annotations: `${path}.annotations`,
    anchor: path,
    podSpec: path,
    references: servers.map((server) => ({ path: `${path}.${server}`, form: "container", name: server })),
  };
}

/** Strimzi's kinds beside Kafka itself: the pod's parts stand under `template`. */
function strimziClient(kind: string, containers: readonly string[], own: readonly ReferencePath[] = []): WorkloadKind {
  const references: ReferencePath[] = [
    ...containers.map((name): ReferencePath => ({ path: `spec.template.${name}`, form: "container", name })),
    ...own,
    { path: "spec.template.pod.volumes", form: "volumes" },
  ];
  return {
    group: "kafka.strimzi.io",
    kind,
    templates: [podMetadata("spec.template.pod.metadata", "spec", { references })],
    rollsBy: "template",
  };
}

const CONNECT: readonly ReferencePath[] = [
  { path: "spec.externalConfiguration", form: "container", name: "connect" },
  { path: "spec.externalConfiguration.volumes", form: "volumes" },
];

/** Argo Events: Template of pkg/apis/events/v1alpha1, in what makes a Deployment. */
const argoEvents = (kind: string): WorkloadKind => ({
  group: "argoproj.io",
  kind,
  templates: [
    podMetadata("spec.template.metadata", "spec.template", {
      references: [
        { path: "spec.template.container", form: "container", name: "main" },
        { path: "spec.template.volumes", form: "volumes" },
      ],
    }),
  ],
  rollsBy: "template",
});

/** Envoy Gateway: the proxies' workload, in one of two forms. */
function envoy(workload: string): PodTemplatePath {
  const path = `spec.provider.kubernetes.${workload}`;
  return {
    annotations: `${path}.pod.annotations`,
    anchor: path,
    references: [
      { path: `${path}.container`, form: "container", name: "envoy" },
      { path: `${path}.initContainers`, form: "containers" },
      { path: `${path}.pod.volumes`, form: "volumes" },
    ],
  };
}

const mariadb = (kind: string, references: readonly ReferencePath[]): WorkloadKind => ({
  group: "k8s.mariadb.com",
  kind,
  templates: [podMetadata("spec.podMetadata", "spec", { references })],
  rollsBy: "template",
});

const withTemplates = (group: string, kind: string, ...paths: string[]): WorkloadKind => ({
  group,
  kind,
  templates: paths.map(podTemplate),
  rollsBy: "template",
});

/** The kinds of operators. */
export const OPERATOR_KINDS: readonly WorkloadKind[] = [
  // Allocated game servers stay until they end.
  withTemplates("agones.dev", "Fleet", "spec.template.spec.template"),
  victoria("VMAgent"),
  victoria("VMAlert"),
  victoria("VMAlertmanager"),
  victoria("VMAnomaly"),
  victoria("VMAuth"),
  victoria("VMSingle"),
  victoria("VLAgent"),
  victoria("VLSingle"),
  victoria("VTSingle"),
  victoria("VMCluster", ["spec.vminsert", "spec.vmselect", "spec.vmstorage"]),
  victoria("VLCluster", ["spec.vlinsert", "spec.vlselect", "spec.vlstorage"]),
  victoria("VTCluster", ["spec.insert", "spec.select", "spec.storage"]),
  openTelemetry("OpenTelemetryCollector", [{ path: "spec.configmaps", form: "name", kind: "ConfigMap" }]),
  openTelemetry("TargetAllocator"),
  openTelemetry("OpAMPBridge"),
  withTemplates("grafana.integreatly.org", "Grafana", "spec.deployment.spec.template"),
  {
    group: "serving.kserve.io",
    kind: "InferenceService",
    templates: [kserve("predictor", SERVERS), kserve("transformer"), kserve("explainer")],
    rollsBy: "template",
  },
  withTemplates("rabbitmq.com", "RabbitmqCluster", "spec.override.statefulSet.spec.template"),
  withTemplates("k8s.keycloak.org", "Keycloak", "spec.unsupported.podTemplate"),
  withTemplates("mongodbcommunity.mongodb.com", "MongoDBCommunity", "spec.statefulSet.spec.template"),
  withTemplates("clickhouse.altinity.com", "ClickHouseInstallation", "spec.templates.podTemplates.*"),
  withTemplates("sources.knative.dev", "ContainerSource", "spec.template"),
  withTemplates("actions.github.com", "AutoscalingRunnerSet", "spec.template", "spec.listenerTemplate"),
  {
    group: "actions.summerwind.dev",
    kind: "RunnerDeployment",
    // Its pod spec has the fields of the runner's container too.
    templates: [
      {
        ...podTemplate("spec.template"),
        references: [
          { path: "spec.template.spec", form: "container", name: "runner" },
          ...inEnv("spec.template.spec.dockerEnv"),
          { path: "spec.template.spec.sidecarContainers", form: "containers" },
        ],
      },
    ],
    rollsBy: "template",
  },
  withTemplates("actions.summerwind.dev", "RunnerSet", "spec.template"),
  strimziClient("KafkaConnect", ["connectContainer", "initContainer"], CONNECT),
  strimziClient("KafkaMirrorMaker2", ["connectContainer", "initContainer"], CONNECT),
  strimziClient("KafkaBridge", ["bridgeContainer", "initContainer"]),
  argoEvents("EventSource"),
  argoEvents("Sensor"),
  {
    group: "gateway.envoyproxy.io",
    kind: "EnvoyProxy",
    templates: [envoy("envoyDeployment"), envoy("envoyDaemonSet")],
    rollsBy: "template",
  },
  mariadb("MariaDB", [
    { path: "spec", form: "container", name: "mariadb" },
    { path: "spec.initContainers", form: "containers" },
    { path: "spec.sidecarContainers", form: "containers" },
    { path: "spec.volumes", form: "volumes" },
  ]),
];
