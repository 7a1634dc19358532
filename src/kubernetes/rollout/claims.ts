import type { Item } from "../../yaml/read/items.ts";
import { getPath, itemsOf, stringOf } from "../../yaml/read/node.ts";

/** A PersistentVolumeClaim, and its mode if only one pod or node can use the volume at a time. */
export interface Claim {
  readonly item: Item;
  /** Undefined if several can. */
  readonly mode: typeof ONE_POD | typeof ONE_NODE | undefined;
}

/** The PersistentVolumeClaims of an input, by namespace and name. */
export type Claims = ReadonlyMap<string, Claim>;

export function indexClaims(items: readonly Item[], defaultNamespace: string): Claims {
  return new Map(
    items
      .filter(({ group, kind }) => group === "" && kind === "PersistentVolumeClaim")
      .map((item) => [`${item.namespace || defaultNamespace}/${item.name}`, { item, mode: heldMode(item) }]),
  );
}

const ONE_POD = "ReadWriteOncePod";
export const ONE_NODE = "ReadWriteOnce";

function heldMode({ tree, node }: Item): Claim["mode"] {
  const modes = itemsOf(tree, getPath(tree, node, ["spec", "accessModes"])).flatMap(
    (mode) => stringOf(tree, mode) ?? [],
  );
  if (modes.includes(ONE_POD)) return ONE_POD;
  return modes.length > 0 && modes.every((mode) => mode === ONE_NODE) ? ONE_NODE : undefined;
}
