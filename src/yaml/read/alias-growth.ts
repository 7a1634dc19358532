/**
 * What aliases make of a text: each stands for all that its anchor has, with the aliases in that. Five
 * lines can mean more values than memory holds, and everything behind the reader follows aliases.
 */
export interface AliasGrowth {
  /** A collection begins. */
  readonly opened: () => void;
  /** A collection ends. */
  readonly closed: (node: number, isAnchored: boolean) => void;
  /** An alias is used: all that aliases have added up to here, and how many levels it brings. */
  readonly used: (target: number, values: number) => { readonly total: number; readonly levels: number };
}

interface Grown {
  readonly added: number;
  readonly levels: number;
}

/** Begins to count. Each event costs the same, however much the aliases mean. */
export function aliasGrowth(): AliasGrowth {
  let total = 0;
  const before: number[] = [];
  const levels: number[] = [];
  const grown = new Map<number, Grown>();
  const contain = (inner: number): void => {
    const top = levels.length - 1;
    if (top >= 0) levels[top] = Math.max(levels[top] ?? 1, inner + 1);
  };
  return {
    opened: () => {
      before.push(total);
      levels.push(1);
    },
    closed: (node, isAnchored) => {
      const own = levels.pop() ?? 1;
      const added = total - (before.pop() ?? 0);
      if (isAnchored) grown.set(node, { added, levels: own });
      contain(own);
    },
    used: (target, values) => {
      const of = grown.get(target) ?? { added: 0, levels: 0 };
      total += values + of.added;
      contain(of.levels);
      return { total, levels: of.levels };
    },
  };
}
