import { kindKey } from "../../base/identity.ts";
import type { Item } from "../../yaml/read/items.ts";
import { entriesOf, get, itemsOf, kindOf, stringOf } from "../../yaml/read/node.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";

/** Labels that an object of an unknown kind may give its pods, which are not in Git. */
export interface UnknownPods {
  readonly item: Item;
  readonly labels: ReadonlyMap<string, string>;
}

/** The labels in objects of unknown kinds. `known` are the workloads. */
export function unknownPods(items: readonly Item[], known: ReadonlySet<Item>): UnknownPods[] {
  return items.flatMap((item) =>
    known.has(item) || isBuiltIn(item) || hasNoPods(item)
      ? []
      : labelsBelow(item.tree, get(item.tree, item.node, "spec")).map((labels) => ({ item, labels })),
  );
}

function isBuiltIn({ group }: Item): boolean {
  return !group.includes(".") || group.endsWith(".k8s.io");
}

/** Groups and kinds whose objects make no pods. Their labels select pods, or are those of Secrets, alerts and hosts. */
const WITHOUT_PODS: ReadonlySet<string> = new Set([
  "bitnami.com",
  "cilium.io",
  "external-secrets.io",
  "networking.istio.io",
  "security.istio.io",
  "telemetry.istio.io",
  ...["PodMonitor", "Probe", "PrometheusRule", "ScrapeConfig", "ServiceMonitor"].map(
    (kind) => `monitoring.coreos.com/${kind}`,
  ),
]);

function hasNoPods(item: Item): boolean {
  return WITHOUT_PODS.has(item.group) || WITHOUT_PODS.has(kindKey(item));
}

// labels, podLabels, commonLabels.
const LABELS = /labels$/iu;
/** What selects pods, and the labels of a Secret. */
const OTHER_LABELS = /^(?:match|source)Labels$|selector$|^secretTemplate$/iu;

function labelsBelow(tree: YamlTree, node: number): ReadonlyMap<string, string>[] {
  if (kindOf(tree, node) === "sequence") return itemsOf(tree, node).flatMap((entry) => labelsBelow(tree, entry));
  return entriesOf(tree, node).flatMap(({ key, valueNode }) => {
    if (OTHER_LABELS.test(key)) return [];
    if (!LABELS.test(key) || kindOf(tree, valueNode) !== "mapping") return labelsBelow(tree, valueNode);
    return [new Map(entriesOf(tree, valueNode).map((label) => [label.key, stringOf(tree, label.valueNode) ?? ""]))];
  });
}
