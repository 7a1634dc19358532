/** How many of the first elements of a list come before something, if all that do are at its beginning. */
export function countBefore(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the sorted numbers are below a bound. */
export function countBelow(sorted: readonly number[], bound: number): number {
  return countBefore(sorted.length, (i) => (sorted[i] ?? bound) < bound);
}

/** Whether one of the sorted numbers is in a range, without its end. */
export function hasNumberBetween(sorted: readonly number[], from: number, to: number): boolean {
  return countBelow(sorted, to) > countBelow(sorted, from);
}
