import type { Finding } from "../catalogue/finding.ts";
import type { Item } from "../../yaml/read/items.ts";
import { fieldOf, repeatedKeys } from "../../yaml/read/repeated-keys.ts";
import { locationOf, resourceRef } from "./location.ts";

/** Warns of duplicate keys in a mapping: the last one counts. */
export function repeatedKeyFindings(items: readonly Item[]): Finding[] {
  return items.flatMap((item) =>
    item.tree.repeated.size === 0
      ? []
      : repeatedKeys(item).map(({ keyNode, path }): Finding => {
          const field = fieldOf(path);
          return {
            id: "duplicate-key",
            cause: "duplicate",
            params: { object: resourceRef(item), field },
            ...locationOf(item, { node: keyNode, field }),
          };
        }),
  );
}
