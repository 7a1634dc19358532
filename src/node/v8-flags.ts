import process from "node:process";
import { setFlagsFromString } from "node:v8";

// Once V8 runs, flags are the only way to tell it how long a run is (Node 20 to 24); Bun ignores them.

const GROWTH = { name: "semi-space-growth-factor", usual: 2 };
const MOST_OPTIMIZED = { name: "max-optimized-bytecode-size", usual: 61_440 };

/**
 * For runs that keep what they read until the end: a small young generation would copy it again and again. Growing it at once
 * saves a tenth of the time for 5,000 files.
 */
export function growYoungMemory(): void {
  setFlag(GROWTH, 16);
}

/**
 * For runs over many applications, whose data lives only as long as one application: growing would cost 32 MB, a quarter of
 * the memory of a plan over hundreds of applications, and save no time (docs/why/benchmarks.md).
 */
export function keepYoungMemory(): void {
  setFlag(GROWTH, 1);
}

/** For runs of milliseconds: optimized code would be ready when they end, or later. Saves a fifth of the start. */
export function withoutOptimizing(): void {
  setFlag(MOST_OPTIMIZED, 0);
}

/** V8 of Node 24. A later one may lack a flag, and would say so on standard error. */
const LAST_TRIED = 13;

function setFlag({ name, usual }: { readonly name: string; readonly usual: number }, value: number): void {
  if (Number.parseInt(process.versions.v8, 10) > LAST_TRIED) return;
  // V8 refuses a code cache that was made with other flags. It is made at the exit (src/main/start.ts).
  process.prependOnceListener("exit", () => {
    setFlagsFromString(`--${name}=${usual}`);
  });
  setFlagsFromString(`--${name}=${value}`);
}
