/** Does something with each of many, so many at once; what comes of each is in their order. Ends with the first that throws. */
export async function runJobs<T, R>(
  things: readonly T[],
  jobs: number,
  work: (thing: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  let isOver = false;
  const worker = async (): Promise<void> => {
    while (!isOver && next < things.length) {
      const index = next;
      next += 1;
      const thing = things[index];
      if (thing === undefined) continue;
      try {
        results[index] = await work(thing, index);
      } catch (cause) {
        isOver = true;
        throw cause;
      }
    }
  };
  const workers = Array.from({ length: Math.max(1, Math.min(jobs, things.length)) }, worker);
  // The others end what they are at: their folders go with them.
  const ended = await Promise.allSettled(workers);
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return results;
}
