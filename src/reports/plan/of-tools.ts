import { DOMAIN, LOCAL_CONFIG } from "../../base/hosts/krm.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";

/** Groups of files that only tools read, each in the documentation of its tool. */
const OF_TOOLS: ReadonlySet<string> = new Set([
  "backstage.io",
  "chainsaw.kyverno.io",
  "cli.kyverno.io",
  "client.authentication.k8s.io",
  DOMAIN,
  "ctlptl.dev",
  "k3d.io",
  "kind.x-k8s.io",
  "kpt.dev",
  "kubeadm.k8s.io",
  "kubelet.config.k8s.io",
  "kubeproxy.config.k8s.io",
  "kuttl.dev",
  "rollstamp.dev",
]);

/** Whether only tools read an object: no cluster gets it. */
export function isOfTools(item: Item): boolean {
  return OF_TOOLS.has(item.group) || annotationOf(item, LOCAL_CONFIG) === "true";
}
