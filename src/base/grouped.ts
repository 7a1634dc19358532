/** Adds to the list that a key has, in the order in which things come. */
export function addTo<K, T>(lists: Map<K, T[]>, key: K, value: T): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}

/** Things with those of the same key, in the order of the first of each. */
export function groupedBy<K, T>(all: Iterable<T>, keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) addTo(groups, keyOf(one), one);
  return groups;
}
