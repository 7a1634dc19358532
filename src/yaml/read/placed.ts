import { kindKey } from "../../base/identity.ts";
import type { Item, Manifests } from "./items.ts";
import { getString } from "./node.ts";

/** Manifests as they are applied into a namespace: objects without a namespace are in it. "" if it is unknown. */
export function placedIn(namespace: string, manifests: Manifests): Manifests {
  if (namespace === "") return manifests;
  const defined = clusterDefinitions(manifests.items);
  const items = manifests.items.map((item) =>
    item.namespace !== "" || isOfCluster(item, defined) ? item : { ...item, namespace },
  );
  return { ...manifests, items };
}

/** The namespace of each object: its own, else the default, or "" if its kind is cluster-scoped. */
export function namespacesIn(items: readonly Item[], defaultNamespace: string): (item: Item) => string {
  const defined = clusterDefinitions(items);
  return (item) => item.namespace || (isOfCluster(item, defined) ? "" : defaultNamespace);
}

/** The custom kinds that CustomResourceDefinitions in the input make cluster-scoped. */
function clusterDefinitions(items: readonly Item[]): ReadonlySet<string> {
  const kinds = new Set<string>();
  for (const { tree, node, kind } of items) {
    if (kind !== "CustomResourceDefinition" || getString(tree, node, "spec", "scope") !== "Cluster") continue;
    const group = getString(tree, node, "spec", "group") ?? "";
    kinds.add(`${group}/${getString(tree, node, "spec", "names", "kind") ?? ""}`);
  }
  return kinds;
}

// The cluster-scoped kinds of Kubernetes' own APIs (`kubectl api-resources --namespaced=false`) and of other APIs whose
// group ends with k8s.io.
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

const NONE_DEFINED: ReadonlySet<string> = new Set();

/**
 * Whether a kind is cluster-scoped, judging by its name. For a custom kind, only its definition is certain; by
 * convention, the names of cluster-scoped kinds begin with Cluster (ClusterIssuer, ClusterSecretStore; Cluster itself
 * is not cluster-scoped).
 */
export function isOfCluster(
  { group, kind }: Pick<Item, "group" | "kind">,
  defined: ReadonlySet<string> = NONE_DEFINED,
): boolean {
  if (defined.has(kindKey({ group, kind }))) return true;
  return isBuiltIn({ group }) ? CLUSTER_KINDS.has(kind) : /^Cluster[A-Z]/u.test(kind);
}

/** Whether a kind is one of Kubernetes' own APIs, or of another API whose group ends with k8s.io. */
export function isBuiltIn({ group }: Pick<Item, "group">): boolean {
  return !group.includes(".") || group.endsWith(".k8s.io");
}
