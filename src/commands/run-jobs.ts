import type { Io } from "../platform/ports/io.ts";
import { progressOf } from "./progress.ts";

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

interface Watched<T> {
  /** What is done with them, as the line on standard error begins: `rendering`. */
  readonly what: string;
  readonly jobs: number;
  readonly nameOf: (thing: T) => string;
}

/** Does something with each of many, as runJobs does it, and tells a terminal how far it has come and what it is at. */
export async function watchedJobs<T, R>(
  io: Io,
  things: readonly T[],
  { what, jobs, nameOf }: Watched<T>,
  work: (thing: T) => Promise<R>,
): Promise<readonly R[]> {
  const progress = progressOf(io, what);
  const working = new Set<string>();
  let done = 0;
  try {
    return await runJobs(things, jobs, async (thing) => {
      const name = nameOf(thing);
      working.add(name);
      progress.report(done, things.length, `${things.length - done} left, ${[...working].join(", ")}`);
      const result = await work(thing);
      done += 1;
      working.delete(name);
      return result;
    });
  } finally {
    progress.end();
  }
}
