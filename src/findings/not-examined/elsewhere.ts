import { kindKey } from "../../base/identity.ts";
import type { Item } from "../../yaml/read/items.ts";
import { NOT_EXAMINED_ORDER, notExaminedRow, type NotExaminedKind } from "./not-examined-kinds.ts";
import type { NotExamined } from "./not-examined.ts";

const BY_GROUP_AND_KIND: ReadonlyMap<string, NotExaminedKind> = new Map(
  NOT_EXAMINED_ORDER.flatMap((row) => (notExaminedRow(row).objects ?? []).map((kind) => [kindKey(kind), row] as const)),
);

/** Whether the workloads of an object are rendered by another tool. */
export function isRenderedElsewhere(item: Pick<Item, "group" | "kind">): boolean {
  return BY_GROUP_AND_KIND.has(kindKey(item));
}

/** Why the workloads of an object are not examined: what renders them; undefined for other objects. */
export function whyElsewhere(item: Pick<Item, "group" | "kind">): string | undefined {
  const row = BY_GROUP_AND_KIND.get(kindKey(item));
  return row === undefined ? undefined : notExaminedRow(row).reason;
}

/** The objects of a file whose workloads are rendered by another tool. */
export function renderedElsewhere(items: readonly Item[], path: string): NotExamined[] {
  return items.flatMap(({ group, kind, namespace, name }) => {
    const row = BY_GROUP_AND_KIND.get(kindKey({ group, kind }));
    if (row === undefined) return [];
    return [
      { path, kind: row, name: namespace === "" ? name : `${namespace}/${name}`, reason: notExaminedRow(row).reason },
    ];
  });
}
