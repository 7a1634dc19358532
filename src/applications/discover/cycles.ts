export interface Edge<T> {
  readonly from: T;
  readonly to: T;
}

/** The nodes on cycles: removes edges that nothing leads to, or that lead nowhere, until none are left. */
export function onCycles<T>(edges: readonly Edge<T>[]): ReadonlySet<T> {
  let left = edges;
  for (;;) {
    const from = new Set(left.map((edge) => edge.from));
    const to = new Set(left.map((edge) => edge.to));
    const next = left.filter((edge) => from.has(edge.to) && to.has(edge.from));
    if (next.length === left.length) return from;
    left = next;
  }
}
