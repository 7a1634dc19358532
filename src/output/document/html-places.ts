import type { Block, Facets, Row } from "./document.ts";

/** Where rows are in the page, and which is the first with each value of a facet. */
export interface Places {
  readonly idOf: (row: Row) => string;
  readonly firstWith: (facet: string, value: string) => string | undefined;
  /** The attributes by which the script filters. */
  readonly attributesOf: (facets: Facets | undefined) => Readonly<Record<`data-${string}`, string>>;
}

/** Finds the places of all rows of a page. */
export function placesOf(blocks: readonly Block[]): Places {
  const ids = new Map<Row, string>();
  const firsts = new Map<string, string>();
  const isFiltered = hasFilter(blocks);
  for (const row of rowsOf(blocks)) {
    const id = `w${ids.size}`;
    ids.set(row, id);
    for (const [facet, values] of Object.entries(row.facets ?? {}))
      for (const value of values) if (!firsts.has(`${facet} ${value}`)) firsts.set(`${facet} ${value}`, id);
  }
  return {
    idOf: (row) => ids.get(row) ?? "",
    firstWith: (facet, value) => firsts.get(`${facet} ${value}`),
    attributesOf: (facets = {}) =>
      Object.fromEntries(
        Object.entries(isFiltered ? facets : {}).flatMap(([facet, values]): [`data-${string}`, string][] =>
          values.length === 0 ? [] : [[`data-${facet}`, values.map(token).join(" ")]],
        ),
      ),
  };
}

function hasFilter(blocks: readonly Block[]): boolean {
  return blocks.some((block) => block.is === "filter" || (block.is === "section" && hasFilter(block.blocks)));
}

/** Rows, in the order of the page. */
function rowsOf(blocks: readonly Block[]): readonly Row[] {
  return blocks.flatMap((block): readonly Row[] => {
    switch (block.is) {
      case "row":
        return [block];
      case "fold":
        return block.groups.flatMap(({ rows }) => rows);
      case "section":
      case "details":
        return rowsOf(block.blocks);
      default:
        return [];
    }
  });
}

/** A value of a facet among others, apart by spaces. */
export function token(value: string): string {
  return value.replaceAll("%", "%25").replaceAll(" ", "%20");
}
