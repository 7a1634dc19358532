// English words that depend on a number.

/** The word beside a number: `workload` beside one, `workloads` beside none or several; or two forms that are given. */
export function pluralize(n: number, one: string, many: string = `${one}s`): string {
  return n === 1 ? one : many;
}

/** A number and its word: `1 workload`, `2 workloads`; `1 fails`, `2 fail`. */
export function counted(n: number, one: string, many: string = `${one}s`): string {
  return `${n} ${pluralize(n, one, many)}`;
}

/** True where the name of an application is its path, or has it behind an `@`: then it need not be told again. */
export function saysPath(name: string, path: string): boolean {
  return name === path || name.endsWith(`@${path}`);
}
