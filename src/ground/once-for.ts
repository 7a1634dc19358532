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

/** What is worked out when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
