import type { Io } from "../../platform/ports/io.ts";
import { progressOf } from "./progress.ts";

interface Watched<T> {
  /** The work, as the line on the terminal begins: `rendering`. */
  readonly what: string;
  readonly jobs: number;
  readonly nameOf: (thing: T) => string;
}

/** Does the same work for many things, several at once, and shows the progress on a terminal. Results are in order. */
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

/** Ends with the first error, after the work that has already started. */
async function runJobs<T, R>(
  things: readonly T[],
  jobs: number,
  work: (thing: T) => Promise<R>,
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
        results[index] = await work(thing);
      } catch (cause) {
        isOver = true;
        throw cause;
      }
    }
  };
  const workers = Array.from({ length: Math.max(1, Math.min(jobs, things.length)) }, worker);
  // Wait for all of them: each removes its own temporary folder.
  const ended = await Promise.allSettled(workers);
  for (const result of ended) if (result.status === "rejected") throw result.reason;
  return results;
}
