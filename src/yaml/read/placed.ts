import { kindKey } from "../../base/identity.ts";
import type { Manifests } from "./items.ts";
import { getString } from "./node.ts";

/** Manifests as they are applied into a namespace: there is each object that names none. "" where it isn't known. */
export function placedIn(namespace: string, manifests: Manifests): Manifests {
  if (namespace === "") return manifests;
  const defined = clusterDefinitions(manifests);
  const items = manifests.items.map((item) =>
    item.namespace !== "" || isOfCluster(item.group, item.kind) || defined.has(kindKey(item))
      ? item
      : { ...item, namespace },
  );
  return { ...manifests, items };
}

/** The custom kinds that definitions beside them put into no namespace. */
function clusterDefinitions({ items }: Manifests): ReadonlySet<string> {
  const kinds = new Set<string>();
  for (const { tree, node, kind } of items) {
    if (kind !== "CustomResourceDefinition" || getString(tree, node, "spec", "scope") !== "Cluster") continue;
    const group = getString(tree, node, "spec", "group") ?? "";
    kinds.add(`${group}/${getString(tree, node, "spec", "names", "kind") ?? ""}`);
  }
  return kinds;
}

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
function isOfCluster(group: string, kind: string): boolean {
  const isOwn = !group.includes(".") || group.endsWith(".k8s.io");
  return isOwn ? CLUSTER_KINDS.has(kind) : /^Cluster[A-Z]/u.test(kind);
}
