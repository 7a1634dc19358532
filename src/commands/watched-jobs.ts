import type { Io } from "../platform/ports/io.ts";
import { progressOf } from "./progress.ts";
import { runJobs } from "./run-jobs.ts";

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
