import { addTo, once } from "../../base/grouped.ts";
import { objectKey } from "../../base/identity.ts";
import type { Places } from "../../reports/plan/side.ts";
import { hasOwnName, type Item } from "../../yaml/read/items.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";
import type { PartFile } from "../discover/repeats.ts";
import type { PlanSides } from "./plan-sides.ts";

/** Returns the package of a file, whose files are applied together; undefined if it is in none. */
export type PackageOf = (path: string) => string | undefined;

/**
 * Where the objects of both sides are. An object that a file loses is kept if it has another definition there, or another
 * file of its package has one. Other files, also with the same text, may be those of another environment.
 */
export function placesOf(
  { base, head }: Pick<PlanSides, "base" | "head">,
  defaultNamespace: string,
  packageOf: PackageOf,
): Places {
  const paths = new Map<YamlTree, string>();
  for (const { path, file } of [...base, ...head]) for (const { tree } of file.manifests.items) paths.set(tree, path);
  const fileOf = ({ tree }: Item): string => paths.get(tree) ?? "";
  const keyOf = (item: Item): string => objectKey(item, item.namespace || defaultNamespace);
  const kept = once(() => byKey(head, keyOf));
  return {
    fileOf,
    keptAs: (item) => {
      if (!hasOwnName(item)) return undefined;
      const path = fileOf(item);
      const inPackage = packageOf(path);
      return kept()
        .get(keyOf(item))
        ?.find((other) => {
          const beside = fileOf(other);
          return inPackage === undefined ? beside === path : packageOf(beside) === inPackage;
        });
    },
  };
}

function byKey(files: readonly PartFile[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of files.flatMap(({ file }) => file.manifests.items)) addTo(found, keyOf(item), item);
  return found;
}
