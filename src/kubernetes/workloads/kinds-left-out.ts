import { kindKey } from "../../base/identity.ts";
// Kinds that may hold containers, volumes or pod templates, and of which no pod is replaced by a change of those:
// a stamp would have no effect, so nothing is missed where they are not known.

/** Why a kind is left out. */
export type LeftOut =
  /** Kubernetes' own: what of them has pod templates is known. */
  | "builtIn"
  /** It runs once, or is what such a thing is made from: nothing rolls there. */
  | "oneOff"
  /** It says what others may hold, or adds to their pods. */
  | "policy"
  /** A machine, a cluster or what a cloud runs: no pod of this cluster. */
  | "machine"
  /** It makes objects of its own from what it holds, or only tools of this machine read it. */
  | "template";

/** The reason for which a kind is left out; undefined for one that may have pods of its own. */
export function leftOut({ group, kind }: { readonly group: string; readonly kind: string }): LeftOut | undefined {
  const byGroup = GROUPS.get(group);
  if (byGroup !== undefined) return byGroup;
  if (CLOUDS.test(group)) return "machine";
  const byKind = KINDS.get(kindKey({ group, kind }));
  if (byKind !== undefined) return byKind;
  return RUNS_ONCE.test(kind) ? "oneOff" : undefined;
}

// What the word says: a Backup, a PipelineRun, a LoadTest.
const RUNS_ONCE = /(?:Run|Job|Task|Backup|Restore|Workflow|Experiment|Trial|Test|Migration|Snapshot|Build)$/u;

// Config Connector, ACK, Azure Service Operator, Crossplane's providers.
const CLOUDS =
  /\.(?:cnrm\.cloud\.google\.com|services\.k8s\.aws|azure\.com|upbound\.io)$|^(?!pkg\.).*\.crossplane\.io$/u;

// The groups that kube-apiserver serves (k8s.io/api), and those whose kinds are all of one sort.
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
  // Objects that a controller makes of another one, and applies anew.
  ["actions.github.com/AutoscalingListener", "template"],
  ["kueue.x-k8s.io/Workload", "template"],
  ["serving.knative.dev/Revision", "template"],
  // It tells what is installed: OLM writes it.
  ["operators.coreos.com/ClusterServiceVersion", "template"],
  // What Grafana's operator reads to make a dashboard: no pod sees it.
  ["grafana.integreatly.org/GrafanaDashboard", "template"],
  ["grafana.integreatly.org/GrafanaLibraryPanel", "template"],
]);
