/** Adds a value to the list of a key. */
export function addTo<K, T>(lists: Map<K, [T, ...T[]]> | Map<K, T[]>, key: K, value: T): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}

/** Adds values to the list of a key. */
export function addAllTo<K, T>(lists: Map<K, T[]>, key: K, values: readonly T[]): void {
  for (const value of values) addTo(lists, key, value);
}

/** Groups values by key. Groups and values keep their order. */
export function groupedBy<K, T>(all: Iterable<T>, keyOf: (one: T) => K): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const element of all) addTo(groups, keyOf(element), element);
  return groups;
}

/** Some values as one list that has a first one; nothing if there is no value. */
export function nonEmpty<T>(all: readonly T[]): readonly (readonly [T, ...T[]])[] {
  const [first, ...others] = all;
  return first === undefined ? [] : [[first, ...others]];
}

/** The sum of a number that each value has. */
export function sumOf<T>(all: readonly T[], numberOf: (one: T) => number): number {
  return all.reduce((sum, one) => sum + numberOf(one), 0);
}

/**
 * Caches what a function returns for an object, as long as the object exists. Use it for results that many callers
 * need: the workloads of a source, the sources of a volume.
 */
export function onceFor<K extends object, V>(make: (object: K) => V): (object: K) => V {
  const known = new WeakMap<K, { readonly made: V }>();
  return (object) => {
    let answer = known.get(object);
    if (answer === undefined) known.set(object, (answer = { made: make(object) }));
    return answer.made;
  };
}

/**
 * Caches what a function returns for two objects. Use it only for objects that many callers share: a WeakMap entry
 * moves a new object to V8's old generation, where it stays until a full collection.
 */
export function onceForPair<A extends object, B extends object, V>(make: (a: A, b: B) => V): (a: A, b: B) => V {
  const known = onceFor((a: A) => onceFor((b: B) => make(a, b)));
  return (a, b) => known(a)(b);
}

/** Caches what a function returns for a string, or a number. */
export function onceForText<V, K extends string | number = string>(make: (text: K) => V): (text: K) => V {
  const known = new Map<K, { readonly made: V }>();
  return (text) => {
    let answer = known.get(text);
    if (answer === undefined) known.set(text, (answer = { made: make(text) }));
    return answer.made;
  };
}

/** Computes a value on first use. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/**
 * Caches the last result of a function for an object, as long as everything else that the result depends on is identical: texts,
 * or objects that are the same.
 */
export function lastFor<K extends object, V>(): (object: K, others: readonly unknown[], make: () => V) => V {
  const known = new WeakMap<K, { readonly others: readonly unknown[]; readonly made: V }>();
  return (object, others, make) => {
    const last = known.get(object);
    if (last?.others.length === others.length && last.others.every((one, i) => one === others[i])) return last.made;
    const made = make();
    known.set(object, { others, made });
    return made;
  };
}

/** The first answer that is not undefined. */
export function firstAnswer<A, B>(those: readonly A[], ask: (one: A) => B | undefined): B | undefined {
  for (const candidate of those) {
    const answer = ask(candidate);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
