import { IGNORE_DOMAIN } from "../../base/keys.ts";
import type { Item } from "../../yaml/read/items.ts";
import { entriesOf, stringOf } from "../../yaml/read/node.ts";

/** An annotation `ignore.rollstamp.dev/<ID>`. */
export interface Ignore {
  readonly id: string;
  /** Undefined without a reason: the annotation does not count then. */
  readonly reason: string | undefined;
  readonly node: number;
}

/** The prefix of the annotation's key. */
export const IGNORE_PREFIX: string = `${IGNORE_DOMAIN}/`;

// Reports show a reason in one line.
const LONGEST_REASON = 300;

// A switch is not a reason.
const NO_REASON = /^(?:true|false|yes|no|on|off|[01])?$/iu;

/** The annotations of an object that ignore rules. */
export function ignores(item: Item): Ignore[] {
  const { tree } = item;
  return entriesOf(tree, item.annotations)
    .filter(({ key }) => key.startsWith(IGNORE_PREFIX))
    .map(({ key, valueNode }) => {
      const text = stringOf(tree, valueNode) ?? "";
      const reason = NO_REASON.test(text.trim()) ? undefined : text.slice(0, LONGEST_REASON);
      return { id: key.slice(IGNORE_PREFIX.length), reason, node: valueNode };
    });
}

/** Whether one of the objects ignores a rule with a reason. */
export function isIgnored(rule: string, items: readonly (Item | undefined)[]): boolean {
  return items.some(
    (item) => item !== undefined && ignores(item).some(({ id, reason }) => id === rule && reason !== undefined),
  );
}
