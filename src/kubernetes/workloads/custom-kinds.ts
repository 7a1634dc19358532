import { OPERATOR_KINDS } from "./operator-kinds.ts";
import { podMetadata, podTemplate } from "./template-paths.ts";
import type { PodTemplatePath, ReferencePath, WorkloadKind } from "./types.ts";

// Read in the CRDs and Go types of each project; docs/workloads.md has a line for every row.
// One-off kinds (TaskRun, PipelineRun, Workflow) are left out or off: nothing ever rolls there.

/** Argo's workflows: pod specs are spread over the workflow's templates. */
function workflow(path: string): PodTemplatePath {
  return podMetadata(`${path}.podMetadata`, path, {
    references: [
      { path: `${path}.templates.*.container`, form: "container", name: "main" },
      { path: `${path}.templates.*.script`, form: "container", name: "main" },
      { path: `${path}.templates.*.containerSet.containers`, form: "containers" },
      { path: `${path}.templates.*.initContainers`, form: "containers" },
      { path: `${path}.templates.*.sidecars`, form: "containers" },
      { path: `${path}.arguments.parameters.*.valueFrom.configMapKeyRef`, form: "key", kind: "ConfigMap" },
      { path: `${path}.volumes`, form: "volumes" },
      { path: `${path}.templates.*.volumes`, form: "volumes" },
    ],
  });
}

/** Prometheus Operator: the fields that a pod spec has stand in the object's own spec. */
function prometheusOperator(kind: string, container: string, lists: readonly ReferencePath[] = LISTS): WorkloadKind {
  const references: ReferencePath[] = [
    // `volumeMounts` of the main container.
    { path: "spec", form: "container", name: container },
    ...lists,
  ];
  return {
    group: "monitoring.coreos.com",
    kind,
    templates: [podMetadata("spec.podMetadata", "spec", { podSpec: "spec", references })],
    rollsBy: "template",
  };
}

const LISTS: readonly ReferencePath[] = [
  { path: "spec.secrets", form: "name", kind: "Secret" },
  { path: "spec.configMaps", form: "name", kind: "ConfigMap" },
];

/** Strimzi: the pod's parts stand under `template`. */
function strimzi(path: string): PodTemplatePath {
  return podMetadata(`${path}.template.pod.metadata`, path, {
    references: [
      { path: `${path}.template.kafkaContainer`, form: "container", name: "kafka" },
      { path: `${path}.template.initContainer`, form: "container", name: "kafka-init" },
      { path: `${path}.template.pod.volumes`, form: "volumes" },
    ],
  });
}

/** Spark: the driver and the executors, each with a template, or with pod fields of its own. */
function spark(path: string): PodTemplatePath[] {
  return ["driver", "executor"].flatMap((role) => {
    const at = `${path}.${role}`;
    const references: ReferencePath[] = [
      { path: at, form: "container", name: role },
      { path: `${at}.initContainers`, form: "containers" },
      { path: `${at}.sidecars`, form: "containers" },
      { path: `${at}.configMaps.*.name`, form: "name", kind: "ConfigMap" },
      { path: `${at}.secrets.*.name`, form: "name", kind: "Secret" },
      { path: `${at}.envSecretKeyRefs.*`, form: "key", kind: "Secret" },
      { path: `${path}.sparkConfigMap`, form: "name", kind: "ConfigMap" },
      { path: `${path}.hadoopConfigMap`, form: "name", kind: "ConfigMap" },
      { path: `${path}.volumes`, form: "volumes" },
    ];
    return [
      { ...podTemplate(`${at}.template`), references },
      // Operators before 2.1 know no `template` and refuse it; these annotations they all know.
      { annotations: `${at}.annotations`, anchor: at, unless: "template", references },
    ];
  });
}

const rayCluster = (path: string): PodTemplatePath[] => [
  podTemplate(`${path}.headGroupSpec.template`),
  podTemplate(`${path}.workerGroupSpecs.*.template`),
];

/** Elastic's operator merges what a pod template says into its own: the template may be missing. */
const elastic = (path: string): PodTemplatePath => ({ ...podTemplate(`${path}.podTemplate`), anchor: path });

/** A custom kind that rolls when its `spec.template` changes. */
const withTemplate = (group: string, kind: string): WorkloadKind => ({
  group,
  kind,
  templates: [podTemplate("spec.template")],
  rollsBy: "template",
});

const knative = (kind: string): WorkloadKind => ({
  ...withTemplate("serving.knative.dev", kind),
  // A named revision is immutable: a changed template under the same name is refused.
  fixedBy: "spec.template.metadata.name",
});

const kubeflow = (kind: string, prefix: string): WorkloadKind => ({
  group: "kubeflow.org",
  kind,
  templates: [podTemplate(`spec.${prefix}ReplicaSpecs.*.template`)],
  rollsBy: "nextRun",
});

const ray = (kind: string, path: string, rollsBy: WorkloadKind["rollsBy"]): WorkloadKind => ({
  group: "ray.io",
  kind,
  templates: rayCluster(path),
  rollsBy,
});

const eck = (group: string, kind: string, paths: readonly string[]): WorkloadKind => ({
  group: `${group}.k8s.elastic.co`,
  kind,
  templates: paths.map(elastic),
  rollsBy: "template",
});

/** The custom kinds that have pod templates. Matched by group and kind, in any version. */
export const CUSTOM_KINDS: readonly WorkloadKind[] = [
  { ...withTemplate("argoproj.io", "Rollout"), templateOf: "spec.workloadRef" },
  knative("Service"),
  knative("Configuration"),
  withTemplate("apps.kruise.io", "CloneSet"),
  withTemplate("apps.kruise.io", "StatefulSet"),
  withTemplate("apps.kruise.io", "DaemonSet"),
  { ...withTemplate("apps.kruise.io", "BroadcastJob"), rollsBy: "nextRun" },
  {
    group: "apps.kruise.io",
    kind: "UnitedDeployment",
    templates: ["statefulSet", "advancedStatefulSet", "cloneSet", "deployment"].map((subset) =>
      podTemplate(`spec.template.${subset}Template.spec.template`),
    ),
    rollsBy: "template",
  },
  {
    group: "apps.kruise.io",
    kind: "AdvancedCronJob",
    templates: ["jobTemplate", "broadcastJobTemplate"].map((job) => podTemplate(`spec.template.${job}.spec.template`)),
    option: "cronJobs",
    rollsBy: "nextRun",
  },
  withTemplate("apps.openshift.io", "DeploymentConfig"),
  { group: "keda.sh", kind: "ScaledJob", templates: [podTemplate("spec.jobTargetRef.template")], rollsBy: "nextRun" },
  prometheusOperator("Prometheus", "prometheus"),
  prometheusOperator("PrometheusAgent", "prometheus"),
  prometheusOperator("Alertmanager", "alertmanager"),
  prometheusOperator("ThanosRuler", "thanos-ruler", []),
  { group: "argoproj.io", kind: "Workflow", templates: [workflow("spec")], optional: "Workflow", rollsBy: "nextRun" },
  {
    group: "argoproj.io",
    kind: "WorkflowTemplate",
    templates: [workflow("spec")],
    optional: "WorkflowTemplate",
    rollsBy: "nextRun",
  },
  {
    group: "argoproj.io",
    kind: "CronWorkflow",
    templates: [workflow("spec.workflowSpec")],
    optional: "CronWorkflow",
    option: "cronJobs",
    rollsBy: "nextRun",
  },
  { group: "kafka.strimzi.io", kind: "Kafka", templates: [strimzi("spec.kafka")], rollsBy: "template" },
  { group: "kafka.strimzi.io", kind: "KafkaNodePool", templates: [strimzi("spec")], rollsBy: "template" },
  {
    group: "acid.zalan.do",
    kind: "postgresql",
    templates: [
      {
        annotations: "spec.podAnnotations",
        anchor: "spec",
        references: [
          { path: "spec", form: "container", name: "postgres" },
          { path: "spec.sidecars", form: "containers" },
          { path: "spec.initContainers", form: "containers" },
          { path: "spec.additionalVolumes.*.volumeSource", form: "volume" },
        ],
      },
    ],
    rollsBy: "template",
  },
  {
    group: "postgresql.cnpg.io",
    kind: "Cluster",
    templates: [
      podMetadata("spec.inheritedMetadata", "spec", {
        references: [
          { path: "spec", form: "container", name: "postgres" },
          { path: "spec.projectedVolumeTemplate", form: "projected" },
        ],
      }),
    ],
    rollsBy: "template",
  },
  { ...withTemplate("postgresql.cnpg.io", "Pooler"), templates: [{ ...podTemplate("spec.template"), anchor: "spec" }] },
  { group: "sparkoperator.k8s.io", kind: "SparkApplication", templates: spark("spec"), rollsBy: "template" },
  {
    group: "sparkoperator.k8s.io",
    kind: "ScheduledSparkApplication",
    templates: spark("spec.template"),
    option: "cronJobs",
    rollsBy: "nextRun",
  },
  {
    group: "flink.apache.org",
    kind: "FlinkDeployment",
    templates: ["spec", "spec.jobManager", "spec.taskManager"].map((path) => podTemplate(`${path}.podTemplate`)),
    rollsBy: "template",
  },
  kubeflow("TFJob", "tf"),
  kubeflow("PyTorchJob", "pytorch"),
  kubeflow("MPIJob", "mpi"),
  kubeflow("XGBoostJob", "xgb"),
  kubeflow("PaddleJob", "paddle"),
  kubeflow("JAXJob", "jax"),
  ray("RayCluster", "spec", "template"),
  ray("RayService", "spec.rayClusterConfig", "template"),
  ray("RayJob", "spec.rayClusterSpec", "nextRun"),
  {
    group: "jobset.x-k8s.io",
    kind: "JobSet",
    templates: [podTemplate("spec.replicatedJobs.*.template.spec.template")],
    option: "jobs",
    rollsBy: "immutable",
  },
  {
    group: "leaderworkerset.x-k8s.io",
    kind: "LeaderWorkerSet",
    templates: ["leaderTemplate", "workerTemplate"].map((role) => podTemplate(`spec.leaderWorkerTemplate.${role}`)),
    rollsBy: "template",
  },
  {
    group: "batch.volcano.sh",
    kind: "Job",
    templates: [podTemplate("spec.tasks.*.template")],
    option: "jobs",
    rollsBy: "immutable",
  },
  eck("elasticsearch", "Elasticsearch", ["spec.nodeSets.*"]),
  eck("kibana", "Kibana", ["spec"]),
  eck("apm", "ApmServer", ["spec"]),
  eck("logstash", "Logstash", ["spec"]),
  eck("enterprisesearch", "EnterpriseSearch", ["spec"]),
  eck("maps", "ElasticMapsServer", ["spec"]),
  eck("beat", "Beat", ["spec.deployment", "spec.daemonSet"]),
  eck("agent", "Agent", ["spec.deployment", "spec.daemonSet", "spec.statefulSet"]),
  ...OPERATOR_KINDS,
];
