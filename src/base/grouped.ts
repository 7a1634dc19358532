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

/**
 * A function of an object that works its answer out when it is first asked, and forgets it with the object. For what many
 * ask of one thing that doesn't change: workloads of a source, sources of a volume.
 */
export function onceFor<K extends object, V>(make: (of: K) => V): (of: K) => V {
  const known = new WeakMap<K, { readonly made: V }>();
  return (of) => {
    let answer = known.get(of);
    if (answer === undefined) known.set(of, (answer = { made: make(of) }));
    return answer.made;
  };
}

/**
 * The same of two objects: for what follows from parts that many hold, each in an object of its own. What is known of an
 * object that has just been made goes into V8's old memory with it, and stays until all of that is looked through.
 */
export function onceForBoth<A extends object, B extends object, V>(make: (a: A, b: B) => V): (a: A, b: B) => V {
  const known = onceFor((a: A) => onceFor((b: B) => make(a, b)));
  return (a, b) => known(a)(b);
}

/** What is worked out when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
