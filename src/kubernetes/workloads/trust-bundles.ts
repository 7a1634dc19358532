import { TRUST_BUNDLE } from "../../base/referenced-kinds.ts";
import { stampKey } from "../../base/stamp-keys.ts";
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

/**
 * The bundles with a stamp that are not in the input, and that a `clusterTrustBundle` may show: the run may see only a part, and
 * a removed stamp would restart pods. Their names are as in the keys of stamps, with a colon for each `_`: the name of a bundle
 * begins with its signer.
 */
export function stampedBundles(
  tree: YamlTree,
  node: number,
  bundles: readonly TrustBundle[],
  annotations: ReadonlyMap<string, string>,
): readonly string[] {
  const prefix = stampKey(TRUST_BUNDLE.kind, "", "");
  const known = stampKeysOf(bundles);
  const stamped = [...annotations.keys()].filter((key) => key.startsWith(prefix) && !known.has(key));
  const name = nameAt(tree, node, "name");
  if (name !== undefined && name !== "") return stamped.includes(stampKey(TRUST_BUNDLE.kind, "", name)) ? [name] : [];
  const signerName = getString(tree, node, "signerName") ?? "";
  if (signerName === "" || get(tree, node, "labelSelector") === NONE) return [];
  const names = stamped.map((key) => key.slice(prefix.length).replaceAll("_", ":"));
  return names.filter((one) => one.startsWith(`${signerName.replaceAll("/", ":")}:`));
}

const stampKeysOf = onceFor(
  (bundles: readonly TrustBundle[]): ReadonlySet<string> =>
    new Set(bundles.map(({ name }) => stampKey(TRUST_BUNDLE.kind, "", name))),
);
