import { kindKey } from "../../base/identity.ts";
// Kinds that may have containers, volumes or pod templates, but whose changes replace no pod. A stamp would have no
// effect, so RS014 does not report them.

/** Why a kind is left out. */
export type LeftOut =
  /** Part of Kubernetes: its kinds with pod templates are known. */
  | "builtIn"
  /** It runs once, or is a template of such an object. */
  | "oneOff"
  /** It restricts or extends the pods of others. */
  | "policy"
  /** A machine, a cluster or a cloud resource: not a pod of this cluster. */
  | "machine"
  /** Its controller creates other objects from it, or only local tools read it. */
  | "template";

/** Why a kind is left out; undefined if it may have pods. */
export function leftOut({ group, kind }: { readonly group: string; readonly kind: string }): LeftOut | undefined {
  const byGroup = GROUPS.get(group);
  if (byGroup !== undefined) return byGroup;
  if (CLOUDS.test(group)) return "machine";
  const byKind = KINDS.get(kindKey({ group, kind }));
  if (byKind !== undefined) return byKind;
  return RUNS_ONCE.test(kind) ? "oneOff" : undefined;
}

// Such as a Backup, a PipelineRun, a LoadTest.
const RUNS_ONCE = /(?:Run|Job|Task|Backup|Restore|Workflow|Experiment|Trial|Test|Migration|Snapshot|Build)$/u;

// Config Connector, ACK, Azure Service Operator, Crossplane's providers.
const CLOUDS =
  /\.(?:cnrm\.cloud\.google\.com|services\.k8s\.aws|azure\.com|upbound\.io)$|^(?!pkg\.).*\.crossplane\.io$/u;

// The groups that kube-apiserver serves (k8s.io/api), and groups whose kinds are all left out for one reason.
const GROUPS: ReadonlyMap<string, LeftOut> = new Map<string, LeftOut>([
  ...[
    "",
    "apps",
    "batch",
    "autoscaling",
    "policy",
    "extensions",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
    "gateway.networking.k8s.io",
    "metrics.k8s.io",
  ].map((group) => [group, "builtIn"] as const),
  ...[
    "kyverno.io",
    "policies.kyverno.io",
    "templates.gatekeeper.sh",
    "constraints.gatekeeper.sh",
    "mutations.gatekeeper.sh",
    "expansion.gatekeeper.sh",
    "policies.kubewarden.io",
    "core.openfeature.dev",
  ].map((group) => [group, "policy"] as const),
  ...[
    "tekton.dev",
    "chaos-mesh.org",
    "litmuschaos.io",
    "k8up.io",
    "tests.testkube.io",
    "testworkflows.testkube.io",
    "k6.io",
  ].map((group) => [group, "oneOff"] as const),
  ...[
    "bootstrap.cluster.x-k8s.io",
    "infrastructure.cluster.x-k8s.io",
    "kubevirt.io",
    "snapshot.kubevirt.io",
    "instancetype.kubevirt.io",
    "pool.kubevirt.io",
    "cdi.kubevirt.io",
  ].map((group) => [group, "machine"] as const),
  ...[
    "kustomize.config.k8s.io",
    "kpt.dev",
    "rollstamp.dev",
    "template.openshift.io",
    "apiextensions.crossplane.io",
    "templates.kluctl.io",
    "kro.run",
  ].map((group) => [group, "template"] as const),
]);

const KINDS: ReadonlyMap<string, LeftOut> = new Map<string, LeftOut>([
  ["argoproj.io/ClusterWorkflowTemplate", "oneOff"],
  ["argoproj.io/AnalysisTemplate", "oneOff"],
  ["argoproj.io/ClusterAnalysisTemplate", "oneOff"],
  ["argoproj.io/WorkflowTaskSet", "oneOff"],
  ["argoproj.io/WorkflowEventBinding", "oneOff"],
  ["actions.github.com/EphemeralRunner", "oneOff"],
  ["capi.weave.works/ClusterBootstrapConfig", "oneOff"],
  ["controlplane.cluster.x-k8s.io/KubeadmControlPlane", "machine"],
  ["controlplane.cluster.x-k8s.io/KubeadmControlPlaneTemplate", "machine"],
  ["kubeflow.org/PodDefault", "policy"],
  ["apps.kruise.io/SidecarSet", "policy"],
  ["apps.kruise.io/WorkloadSpread", "policy"],
  ["upgrade.cattle.io/Plan", "oneOff"],
  ["agones.dev/GameServer", "oneOff"],
  ["opentelemetry.io/Instrumentation", "policy"],
  // Objects that a controller creates from another object.
  ["actions.github.com/AutoscalingListener", "template"],
  ["kueue.x-k8s.io/Workload", "template"],
  ["serving.knative.dev/Revision", "template"],
  // OLM writes it to describe what is installed.
  ["operators.coreos.com/ClusterServiceVersion", "template"],
  // Grafana's operator reads it to create a dashboard: no pod uses it.
  ["grafana.integreatly.org/GrafanaDashboard", "template"],
  ["grafana.integreatly.org/GrafanaLibraryPanel", "template"],
]);
