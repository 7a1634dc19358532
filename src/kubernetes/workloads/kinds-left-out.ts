import { kindKey } from "../../base/identity.ts";

// Kinds that may have containers, volumes or pod templates, but whose changes replace no pod. A stamp would have no
// effect, so RS014 does not report them.

/** Whether a kind is left out. */
export function isLeftOut({ group, kind }: { readonly group: string; readonly kind: string }): boolean {
  return GROUPS.has(group) || CLOUDS.test(group) || KINDS.has(kindKey({ group, kind })) || RUNS_ONCE.test(kind);
}

// Such as a Backup, a PipelineRun, a LoadTest.
const RUNS_ONCE = /(?:Run|Job|Task|Backup|Restore|Workflow|Experiment|Trial|Test|Migration|Snapshot|Build)$/u;

// Config Connector, ACK, Azure Service Operator, Crossplane's providers: cloud resources.
const CLOUDS =
  /\.(?:cnrm\.cloud\.google\.com|services\.k8s\.aws|azure\.com|upbound\.io)$|^(?!pkg\.).*\.crossplane\.io$/u;

const words = (text: string): string[] => text.trim().split(/\s+/u);

// In this order: groups that kube-apiserver serves (k8s.io/api), whose kinds with pod templates are known; groups whose
// kinds restrict or extend the pods of others; groups whose kinds run once; machines and clusters; templates, from which
// a controller creates other objects or which only local tools read.
const GROUPS: ReadonlySet<string> = new Set([
  "",
  ...words(`
    apps batch autoscaling policy extensions admissionregistration.k8s.io apiextensions.k8s.io apiregistration.k8s.io
    authentication.k8s.io authorization.k8s.io certificates.k8s.io coordination.k8s.io discovery.k8s.io events.k8s.io
    flowcontrol.apiserver.k8s.io networking.k8s.io node.k8s.io rbac.authorization.k8s.io resource.k8s.io
    scheduling.k8s.io storage.k8s.io storagemigration.k8s.io gateway.networking.k8s.io metrics.k8s.io`),
  ...words(`
    kyverno.io policies.kyverno.io templates.gatekeeper.sh constraints.gatekeeper.sh mutations.gatekeeper.sh
    expansion.gatekeeper.sh policies.kubewarden.io core.openfeature.dev`),
  ...words(`
    tekton.dev chaos-mesh.org litmuschaos.io k8up.io tests.testkube.io testworkflows.testkube.io k6.io`),
  ...words(`
    bootstrap.cluster.x-k8s.io infrastructure.cluster.x-k8s.io kubevirt.io snapshot.kubevirt.io
    instancetype.kubevirt.io pool.kubevirt.io cdi.kubevirt.io`),
  ...words(`
    kustomize.config.k8s.io kpt.dev rollstamp.dev template.openshift.io apiextensions.crossplane.io
    templates.kluctl.io kro.run`),
]);

// In this order: kinds that run once; machines; kinds that extend the pods of others; objects that a controller creates
// from others, that only describe what is installed (ClusterServiceVersion), or that no pod reads (dashboards).
const KINDS: ReadonlySet<string> = new Set([
  ...words(`
    argoproj.io/ClusterWorkflowTemplate argoproj.io/AnalysisTemplate argoproj.io/ClusterAnalysisTemplate
    argoproj.io/WorkflowTaskSet argoproj.io/WorkflowEventBinding actions.github.com/EphemeralRunner
    capi.weave.works/ClusterBootstrapConfig upgrade.cattle.io/Plan agones.dev/GameServer`),
  ...words(`
    controlplane.cluster.x-k8s.io/KubeadmControlPlane controlplane.cluster.x-k8s.io/KubeadmControlPlaneTemplate`),
  ...words(`
    kubeflow.org/PodDefault apps.kruise.io/SidecarSet apps.kruise.io/WorkloadSpread opentelemetry.io/Instrumentation`),
  ...words(`
    actions.github.com/AutoscalingListener kueue.x-k8s.io/Workload serving.knative.dev/Revision
    operators.coreos.com/ClusterServiceVersion grafana.integreatly.org/GrafanaDashboard
    grafana.integreatly.org/GrafanaLibraryPanel`),
]);
