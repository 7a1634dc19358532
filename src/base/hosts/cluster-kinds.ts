// Kinds of Kubernetes' own APIs whose objects are in no namespace (`kubectl api-resources --namespaced=false`), and those of
// the APIs beside it whose group ends with k8s.io too.
const CLUSTER_KINDS: ReadonlySet<string> = new Set([
  "APIService",
  "CSIDriver",
  "CSINode",
  "CertificateSigningRequest",
  "ClusterRole",
  "ClusterRoleBinding",
  "ClusterTrustBundle",
  "ComponentStatus",
  "CustomResourceDefinition",
  "DeviceClass",
  "DeviceTaintRule",
  "FlowSchema",
  "GatewayClass",
  "IPAddress",
  "IngressClass",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "MutatingWebhookConfiguration",
  "Namespace",
  "Node",
  "PersistentVolume",
  "PodSecurityPolicy",
  "PriorityClass",
  "PriorityLevelConfiguration",
  "ResourceSlice",
  "RuntimeClass",
  "ServiceCIDR",
  "StorageClass",
  "StorageVersion",
  "StorageVersionMigration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "ValidatingWebhookConfiguration",
  "VolumeAttachment",
  "VolumeAttributesClass",
  "VolumeSnapshotClass",
  "VolumeSnapshotContent",
]);

/**
 * Whether objects of a kind are in no namespace, as far as its name tells: of a custom kind only its definition does, and by
 * custom those of the cluster begin with it (ClusterIssuer, ClusterSecretStore; a Cluster itself doesn't).
 */
export function isOfCluster(group: string, kind: string): boolean {
  const isOwn = !group.includes(".") || group.endsWith(".k8s.io");
  return isOwn ? CLUSTER_KINDS.has(kind) : /^Cluster[A-Z]/u.test(kind);
}
