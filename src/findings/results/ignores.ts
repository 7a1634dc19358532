import { IGNORE_DOMAIN } from "../../base/keys.ts";
import type { Item } from "../../yaml/read/items.ts";
import { entriesOf, getPath, stringOf } from "../../yaml/read/node.ts";

/** An annotation `ignore.rollstamp.dev/<ID>`. */
export interface Ignore {
  readonly id: string;
  /** Undefined where none is given: the annotation doesn't count then. */
  readonly reason: string | undefined;
  readonly node: number;
}

/** What such an annotation's key begins with. */
export const IGNORE_PREFIX: string = `${IGNORE_DOMAIN}/`;

// Who writes a switch has not said why.
const NO_REASON = /^(?:true|false|yes|no|on|off|[01])?$/iu;

/** The annotations of an object that name rules to ignore. */
export function ignores(item: Item): Ignore[] {
  const { tree } = item;
  return entriesOf(tree, getPath(tree, item.node, ["metadata", "annotations"]))
    .filter(({ key }) => key.startsWith(IGNORE_PREFIX))
    .map(({ key, valueNode }) => {
      const text = stringOf(tree, valueNode) ?? "";
      const reason = NO_REASON.test(text.trim()) ? undefined : text;
      return { id: key.slice(IGNORE_PREFIX.length), reason, node: valueNode };
    });
}

/** True where one of the objects ignores a rule, and says why. */
export function isIgnored(rule: string, items: readonly (Item | undefined)[]): boolean {
  return items.some(
    (item) => item !== undefined && ignores(item).some(({ id, reason }) => id === rule && reason !== undefined),
  );
}
