export interface Edge<T> {
  readonly from: T;
  readonly to: T;
}

/** What stays when all that nothing leads to, and all that leads to nothing, is taken away again and again. */
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
