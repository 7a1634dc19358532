import process from "node:process";
import { setFlagsFromString } from "node:v8";

/** V8's default. */
const GROWTH = 2;

// How fast V8's memory for young objects grows. Once V8 runs, this flag is the only way to set it (Node 20 to 24); Bun
// ignores it.

/**
 * For runs that keep what they read until the end: a small young generation would copy it again and again. Growing it at once
 * saves a tenth of the time for 5,000 files.
 */
export function growYoungMemory(): void {
  setGrowth(16);
}

/**
 * For runs over many applications, whose data lives only as long as one application: growing would cost 32 MB, a quarter of
 * the memory of a plan over hundreds of applications, and save no time (docs/why/benchmarks.md).
 */
export function keepYoungMemory(): void {
  setGrowth(1);
}

function setGrowth(factor: number): void {
  // V8 refuses a code cache that was made with other flags. It is made at the exit (src/main/start.ts).
  process.prependOnceListener("exit", () => {
    setFlagsFromString(`--semi-space-growth-factor=${GROWTH}`);
  });
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}
