// English words that depend on a number.

/** The word beside a number: `workload` beside one, `workloads` beside none or several; or two forms that are given. */
export function wordFor(n: number, one: string, many: string = `${one}s`): string {
  return n === 1 ? one : many;
}

/** A number and its word: `1 workload`, `2 workloads`; `1 fails`, `2 fail`. */
export function counted(n: number, one: string, many: string = `${one}s`): string {
  return `${n} ${wordFor(n, one, many)}`;
}
