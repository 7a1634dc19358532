import { get, isTrue } from "../../yaml/read/node.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";
import type { TrustBundle } from "./trust-bundles.ts";
import type { Reference, ReferencePath, Via } from "./types.ts";

/** Where references are read, and the namespace in which they are looked up. */
export interface ReferenceScope {
  readonly tree: YamlTree;
  readonly namespace: string;
  /** The ClusterTrustBundles of the input; none if only one object is read. */
  readonly trustBundles?: () => readonly TrustBundle[];
  /** The keys of the pod template's annotations. */
  readonly annotations?: () => ReadonlyMap<string, string>;
}

/** A field outside the pod spec that names sources, at one place of an object. */
export interface NamingField {
  readonly path: ReferencePath;
  readonly node: number;
  readonly field: string;
  /** What the `*` of its path matched, and how many of them belong to the pod template. */
  readonly stars: readonly string[];
  readonly anchorStars: number;
  /** The node at which its path starts. */
  readonly root: number;
}

/** A reference to a whole source: it shows all keys. */
export function whole(
  scope: ReferenceScope,
  kind: ReferencedKind,
  name: string,
  via: Via,
  node: number,
  field: string,
  containers: readonly string[],
): Reference {
  return {
    kind,
    namespace: scope.namespace,
    name,
    keys: "*",
    requiredKeys: [],
    via,
    optional: isTrue(scope.tree, get(scope.tree, node, "optional")),
    containers,
    field,
    node,
  };
}
