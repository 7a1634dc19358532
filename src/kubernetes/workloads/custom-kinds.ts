import { annotated, configMap, container, containers, kindRow, podTemplate, secret, volumes } from "./kind-row.ts";
import type { PodTemplatePath, ReferencePath, WorkloadKind } from "./types.ts";

// From the CRDs and Go types of each project; docs/reference/workloads.md has a line for each row. Kinds that run once, such as
// TaskRun, PipelineRun and Workflow, are missing or off by default: they never roll out.

const NEXT_RUN = { rollsBy: "nextRun" } as const;
const CRON = { rollsBy: "nextRun", option: "cronJobs" } as const;
const JOB = { rollsBy: "immutable", option: "jobs" } as const;

/** A list of environment variables under its own name. */
const env = (path: string): ReferencePath[] => [
  { path: `${path}.*.valueFrom.configMapKeyRef`, form: "key", kind: "ConfigMap" },
  { path: `${path}.*.valueFrom.secretKeyRef`, form: "key", kind: "Secret" },
];

/** Argo Workflows: parts of a pod spec are in the workflow and in its templates. */
const workflow = (path: string): PodTemplatePath =>
  annotated(`${path}.podMetadata.annotations`, path, [
    container(`${path}.templates.*.container`, "main"),
    container(`${path}.templates.*.script`, "main"),
    ...containers(
      `${path}.templates.*.containerSet.containers`,
      `${path}.templates.*.initContainers`,
      `${path}.templates.*.sidecars`,
    ),
    { path: `${path}.arguments.parameters.*.valueFrom.configMapKeyRef`, form: "key", kind: "ConfigMap" },
    ...volumes(`${path}.volumes`, `${path}.templates.*.volumes`),
  ]);

/** Prometheus Operator: the fields of a pod spec are in `spec`, with `volumeMounts` of the main container. */
const prometheusOperator = (kind: string, name: string, lists: readonly ReferencePath[]): WorkloadKind =>
  kindRow("monitoring.coreos.com", kind, [
    annotated("spec.podMetadata.annotations", "spec", [container("spec", name), ...lists], "spec"),
  ]);
const MONITORING_LISTS = [secret("spec.secrets"), configMap("spec.configMaps")];

/** Strimzi: parts of the pod are under `template`. */
const strimzi = (
  kind: string,
  path: string,
  names: Readonly<Record<string, string>>,
  more: readonly ReferencePath[] = [],
): WorkloadKind =>
  kindRow("kafka.strimzi.io", kind, [
    annotated(`${path}.template.pod.metadata.annotations`, path, [
      ...Object.entries(names).map(([field, name]) => container(`${path}.template.${field}`, name)),
      ...more,
      ...volumes(`${path}.template.pod.volumes`),
    ]),
  ]);
const KAFKA = { kafkaContainer: "kafka", initContainer: "kafka-init" };
const CONNECT = { connectContainer: "connectContainer", initContainer: "initContainer" };
const CONNECT_CONFIGURATION = [
  container("spec.externalConfiguration", "connect"),
  ...volumes("spec.externalConfiguration.volumes"),
];

/** Spark: the driver and the executors, each with a template or with its own fields of a pod. */
function spark(path: string): PodTemplatePath[] {
  return ["driver", "executor"].flatMap((role) => {
    const pod = `${path}.${role}`;
    const references: ReferencePath[] = [
      container(pod, role),
      ...containers(`${pod}.initContainers`, `${pod}.sidecars`),
      configMap(`${pod}.configMaps.*.name`),
      secret(`${pod}.secrets.*.name`),
      { path: `${pod}.envSecretKeyRefs.*`, form: "key", kind: "Secret" },
      configMap(`${path}.sparkConfigMap`),
      configMap(`${path}.hadoopConfigMap`),
      ...volumes(`${path}.volumes`),
    ];
    return [
      { ...podTemplate(`${pod}.template`), references },
      // Operators before 2.1 reject `template`; all accept these annotations.
      { ...annotated(`${pod}.annotations`, pod, references), unless: "template" },
    ];
  });
}

/** ECK merges the pod template into its own, so the template may be missing. */
const eck = (group: string, kind: string, ...paths: string[]): WorkloadKind =>
  kindRow(
    `${group}.k8s.elastic.co`,
    kind,
    paths.map((path) => ({ ...podTemplate(`${path}.podTemplate`), anchor: path })),
  );

/** Knative: a named revision is immutable, so a changed template under the same name is rejected. */
const knative = (kind: string): WorkloadKind =>
  kindRow("serving.knative.dev", kind, ["spec.template"], { fixedBy: "spec.template.metadata.name" });

const kubeflow = (kind: string, prefix: string): WorkloadKind =>
  kindRow("kubeflow.org", kind, [`spec.${prefix}ReplicaSpecs.*.template`], NEXT_RUN);

const ray = (kind: string, path: string, rollsBy: WorkloadKind["rollsBy"]): WorkloadKind =>
  kindRow("ray.io", kind, [`${path}.headGroupSpec.template`, `${path}.workerGroupSpecs.*.template`], { rollsBy });

/** VictoriaMetrics: CommonAppsParams of api/operator/v1beta1/vmextra_types.go, in each component. */
const victoria = (kind: string, ...paths: string[]): WorkloadKind =>
  kindRow(
    "operator.victoriametrics.com",
    kind,
    (paths.length === 0 ? ["spec"] : paths).map((path) =>
      annotated(
        `${path}.podMetadata.annotations`,
        path,
        [
          container(path, "main"),
          ...env(`${path}.extraEnvs`),
          configMap(`${path}.extraEnvsFrom.*.configMapRef`),
          secret(`${path}.extraEnvsFrom.*.secretRef`),
          secret(`${path}.secrets`),
          configMap(`${path}.configMaps`),
        ],
        path,
      ),
    ),
  );

/** OpenTelemetry Operator: OpenTelemetryCommonFields of apis/v1beta1/common.go. */
const openTelemetry = (kind: string, ...more: ReferencePath[]): WorkloadKind =>
  kindRow("opentelemetry.io", kind, [
    annotated("spec.podAnnotations", "spec", [
      container("spec", "main"),
      ...containers("spec.initContainers", "spec.additionalContainers"),
      ...more,
      ...volumes("spec.volumes"),
    ]),
  ]);

/** KServe: each component has the fields of a pod spec, and annotations for its pods. */
const kserve = (component: string, servers: readonly string[] = []): PodTemplatePath =>
  annotated(
    `spec.${component}.annotations`,
    `spec.${component}`,
    servers.map((server) => container(`spec.${component}.${server}`, server)),
    `spec.${component}`,
  );
// The named servers and the general one: PredictorSpec of pkg/apis/serving/v1beta1/predictor.go.
const SERVERS = "model sklearn xgboost tensorflow pytorch triton onnx huggingface pmml lightgbm paddle".split(" ");

/** Argo Events: Template of pkg/apis/events/v1alpha1, in the kinds that create a Deployment. */
const argoEvents = (kind: string): WorkloadKind =>
  kindRow("argoproj.io", kind, [
    annotated("spec.template.metadata.annotations", "spec.template", [
      container("spec.template.container", "main"),
      ...volumes("spec.template.volumes"),
    ]),
  ]);

/** Envoy Gateway: the workload of the proxies, in one of two forms. */
function envoy(workload: string): PodTemplatePath {
  const path = `spec.provider.kubernetes.${workload}`;
  return annotated(`${path}.pod.annotations`, path, [
    container(`${path}.container`, "envoy"),
    ...containers(`${path}.initContainers`),
    ...volumes(`${path}.pod.volumes`),
  ]);
}

/** The custom kinds with pod templates. They match by group and kind, in any version. */
export const CUSTOM_KINDS: readonly WorkloadKind[] = [
  kindRow("argoproj.io", "Rollout", ["spec.template"], { templateOf: "spec.workloadRef" }),
  knative("Service"),
  knative("Configuration"),
  kindRow("apps.kruise.io", "CloneSet", ["spec.template"]),
  kindRow("apps.kruise.io", "StatefulSet", ["spec.template"]),
  kindRow("apps.kruise.io", "DaemonSet", ["spec.template"]),
  kindRow("apps.kruise.io", "BroadcastJob", ["spec.template"], NEXT_RUN),
  kindRow(
    "apps.kruise.io",
    "UnitedDeployment",
    ["statefulSet", "advancedStatefulSet", "cloneSet", "deployment"].map(
      (subset) => `spec.template.${subset}Template.spec.template`,
    ),
  ),
  kindRow(
    "apps.kruise.io",
    "AdvancedCronJob",
    ["jobTemplate", "broadcastJobTemplate"].map((job) => `spec.template.${job}.spec.template`),
    CRON,
  ),
  kindRow("apps.openshift.io", "DeploymentConfig", ["spec.template"]),
  kindRow("keda.sh", "ScaledJob", ["spec.jobTargetRef.template"], NEXT_RUN),
  prometheusOperator("Prometheus", "prometheus", MONITORING_LISTS),
  prometheusOperator("PrometheusAgent", "prometheus", MONITORING_LISTS),
  prometheusOperator("Alertmanager", "alertmanager", MONITORING_LISTS),
  prometheusOperator("ThanosRuler", "thanos-ruler", []),
  kindRow("argoproj.io", "Workflow", [workflow("spec")], { optional: "Workflow", ...NEXT_RUN }),
  kindRow("argoproj.io", "WorkflowTemplate", [workflow("spec")], { optional: "WorkflowTemplate", ...NEXT_RUN }),
  kindRow("argoproj.io", "CronWorkflow", [workflow("spec.workflowSpec")], { optional: "CronWorkflow", ...CRON }),
  strimzi("Kafka", "spec.kafka", KAFKA),
  strimzi("KafkaNodePool", "spec", KAFKA),
  kindRow("acid.zalan.do", "postgresql", [
    annotated("spec.podAnnotations", "spec", [
      container("spec", "postgres"),
      ...containers("spec.sidecars", "spec.initContainers"),
      { path: "spec.additionalVolumes.*.volumeSource", form: "volume" },
    ]),
  ]),
  kindRow("postgresql.cnpg.io", "Cluster", [
    annotated("spec.inheritedMetadata.annotations", "spec", [
      container("spec", "postgres"),
      { path: "spec.projectedVolumeTemplate", form: "projected" },
    ]),
  ]),
  kindRow("postgresql.cnpg.io", "Pooler", [{ ...podTemplate("spec.template"), anchor: "spec" }]),
  kindRow("sparkoperator.k8s.io", "SparkApplication", spark("spec")),
  kindRow("sparkoperator.k8s.io", "ScheduledSparkApplication", spark("spec.template"), CRON),
  kindRow("flink.apache.org", "FlinkDeployment", [
    "spec.podTemplate",
    "spec.jobManager.podTemplate",
    "spec.taskManager.podTemplate",
  ]),
  kubeflow("TFJob", "tf"),
  kubeflow("PyTorchJob", "pytorch"),
  kubeflow("MPIJob", "mpi"),
  kubeflow("XGBoostJob", "xgb"),
  kubeflow("PaddleJob", "paddle"),
  kubeflow("JAXJob", "jax"),
  ray("RayCluster", "spec", "template"),
  ray("RayService", "spec.rayClusterConfig", "template"),
  ray("RayJob", "spec.rayClusterSpec", "nextRun"),
  kindRow("jobset.x-k8s.io", "JobSet", ["spec.replicatedJobs.*.template.spec.template"], JOB),
  kindRow("leaderworkerset.x-k8s.io", "LeaderWorkerSet", [
    "spec.leaderWorkerTemplate.leaderTemplate",
    "spec.leaderWorkerTemplate.workerTemplate",
  ]),
  kindRow("batch.volcano.sh", "Job", ["spec.tasks.*.template"], JOB),
  eck("elasticsearch", "Elasticsearch", "spec.nodeSets.*"),
  eck("kibana", "Kibana", "spec"),
  eck("apm", "ApmServer", "spec"),
  eck("logstash", "Logstash", "spec"),
  eck("enterprisesearch", "EnterpriseSearch", "spec"),
  eck("maps", "ElasticMapsServer", "spec"),
  eck("beat", "Beat", "spec.deployment", "spec.daemonSet"),
  eck("agent", "Agent", "spec.deployment", "spec.daemonSet", "spec.statefulSet"),
  // Allocated game servers keep running until they end.
  kindRow("agones.dev", "Fleet", ["spec.template.spec.template"]),
  ...["VMAgent", "VMAlert", "VMAlertmanager", "VMAnomaly", "VMAuth", "VMSingle", "VLAgent", "VLSingle", "VTSingle"].map(
    (kind) => victoria(kind),
  ),
  victoria("VMCluster", "spec.vminsert", "spec.vmselect", "spec.vmstorage"),
  victoria("VLCluster", "spec.vlinsert", "spec.vlselect", "spec.vlstorage"),
  victoria("VTCluster", "spec.insert", "spec.select", "spec.storage"),
  openTelemetry("OpenTelemetryCollector", configMap("spec.configmaps")),
  openTelemetry("TargetAllocator"),
  openTelemetry("OpAMPBridge"),
  kindRow("grafana.integreatly.org", "Grafana", ["spec.deployment.spec.template"]),
  kindRow("serving.kserve.io", "InferenceService", [
    kserve("predictor", SERVERS),
    kserve("transformer"),
    kserve("explainer"),
  ]),
  kindRow("rabbitmq.com", "RabbitmqCluster", ["spec.override.statefulSet.spec.template"]),
  kindRow("k8s.keycloak.org", "Keycloak", ["spec.unsupported.podTemplate"]),
  kindRow("mongodbcommunity.mongodb.com", "MongoDBCommunity", ["spec.statefulSet.spec.template"]),
  kindRow("clickhouse.altinity.com", "ClickHouseInstallation", ["spec.templates.podTemplates.*"]),
  kindRow("sources.knative.dev", "ContainerSource", ["spec.template"]),
  kindRow("actions.github.com", "AutoscalingRunnerSet", ["spec.template", "spec.listenerTemplate"]),
  kindRow("actions.summerwind.dev", "RunnerDeployment", [
    {
      ...podTemplate("spec.template"),
      // The pod spec also has the fields of the runner's container.
      references: [
        container("spec.template.spec", "runner"),
        ...env("spec.template.spec.dockerEnv"),
        ...containers("spec.template.spec.sidecarContainers"),
      ],
    },
  ]),
  kindRow("actions.summerwind.dev", "RunnerSet", ["spec.template"]),
  strimzi("KafkaConnect", "spec", CONNECT, CONNECT_CONFIGURATION),
  strimzi("KafkaMirrorMaker2", "spec", CONNECT, CONNECT_CONFIGURATION),
  strimzi("KafkaBridge", "spec", { bridgeContainer: "bridgeContainer", initContainer: "initContainer" }),
  argoEvents("EventSource"),
  argoEvents("Sensor"),
  kindRow("gateway.envoyproxy.io", "EnvoyProxy", [envoy("envoyDeployment"), envoy("envoyDaemonSet")]),
  kindRow("k8s.mariadb.com", "MariaDB", [
    annotated("spec.podMetadata.annotations", "spec", [
      container("spec", "mariadb"),
      ...containers("spec.initContainers", "spec.sidecarContainers"),
      ...volumes("spec.volumes"),
    ]),
  ]),
];
