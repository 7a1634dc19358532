import type { Source } from "../../kubernetes/sources/types.ts";

/** What tells a source from every other of its input. */
export function sourceId({ item, provides }: Source): string {
  return `${item.group}/${item.kind}/${item.name}/${provides.kind}/${provides.namespace}/${provides.name}`;
}
