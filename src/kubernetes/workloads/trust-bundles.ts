import { TRUST_BUNDLE } from "../../base/referenced-kinds.ts";
import { onceFor } from "../../base/grouped.ts";
import { matchesSelector } from "../../base/selector.ts";
import { type Item, labelsOf, nameAt } from "../../yaml/read/items.ts";
import { get, getString } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";
import { selectorAt } from "./pod-labels.ts";

export interface TrustBundle {
  readonly name: string;
  readonly signerName: string | undefined;
  readonly labels: ReadonlyMap<string, string>;
}

/** The ClusterTrustBundles among items; indexed once per input. */
export const trustBundlesIn: (items: readonly Item[]) => readonly TrustBundle[] = onceFor((items: readonly Item[]) =>
  items
    .filter(({ group, kind }) => group === TRUST_BUNDLE.group && kind === TRUST_BUNDLE.kind)
    .map((item) => ({
      name: item.name,
      signerName: getString(item.tree, item.node, "spec", "signerName"),
      labels: labelsOf(item),
    })),
);

/**
 * The bundles that a `clusterTrustBundle` of a projected volume shows: the one that it names, or those of its signer that its
 * labels select. Without a selector it shows none (core/v1, ClusterTrustBundleProjection).
 */
export function shownBundles(tree: YamlTree, node: number, bundles: readonly TrustBundle[]): readonly TrustBundle[] {
  const name = nameAt(tree, node, "name");
  if (name !== undefined && name !== "") return bundles.filter((bundle) => bundle.name === name);
  const signerName = getString(tree, node, "signerName");
  const selectorNode = get(tree, node, "labelSelector");
  const selector = selectorNode === NONE ? undefined : selectorAt(tree, selectorNode);
  if (signerName === undefined || signerName === "" || selector === undefined) return [];
  return bundles.filter((bundle) => bundle.signerName === signerName && matchesSelector(selector, bundle.labels));
}
