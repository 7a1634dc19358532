import process from "node:process";
import { setFlagsFromString } from "node:v8";

// Once V8 runs, flags are the only way to tell it how long a run is (Node 20 to 24); Bun ignores them.

interface Flag {
  readonly name: string;
  readonly usual: number;
  readonly value: number;
  /** The major versions of V8 that have the flag with this usual value. */
  readonly versions: readonly [number, number];
}

const ALL = [11, 13] as const;
const GROWING: Flag = { name: "semi-space-growth-factor", usual: 2, value: 16, versions: ALL };
const CONSTANT: Flag = { ...GROWING, value: 1 };
const NOT_OPTIMIZED: Flag = { name: "max-optimized-bytecode-size", usual: 61_440, value: 0, versions: ALL };
const OPTIMIZED_LATER: Flag = { name: "interrupt-budget", usual: 67_584, value: 600_000, versions: [11, 11] };

/** For runs of milliseconds: optimized code would be ready when they end, or later. Saves a fifth of the start. */
export function expectLittleInput(): void {
  setFlags(NOT_OPTIMIZED);
}

/**
 * For runs of a second, Node 20 optimizes too much: 181 functions for 5,000 resources. With this value it optimizes 53, and
 * takes a quarter less CPU time. Later versions of V8 gain nothing by waiting longer.
 */
export function expectMuchInput(): void {
  setFlags(OPTIMIZED_LATER);
}

/**
 * For runs that keep what they read until the end: a small young generation would copy it again and again. Growing it at once
 * saves a tenth of the time for 5,000 files.
 */
export function expectManyFiles(): void {
  setFlags(GROWING, OPTIMIZED_LATER);
}

/**
 * For runs over many applications, whose data lives only as long as one application: a growing young generation would cost
 * 32 MB, a quarter of the memory of a plan over hundreds of applications, and save no time (docs/why/benchmarks.md).
 */
export function expectManyApplications(): void {
  setFlags(CONSTANT, OPTIMIZED_LATER);
}

const given = new Set<string>();

function setFlags(...flags: readonly Flag[]): void {
  const version = Number.parseInt(process.versions.v8, 10);
  for (const { name, usual, value, versions } of flags) {
    // V8 says on standard error that it lacks a flag.
    if (version < versions[0] || version > versions[1]) continue;
    setFlagsFromString(`--${name}=${value}`);
    if (given.has(name)) continue;
    given.add(name);
    // V8 refuses a code cache that was made with other flags. It is made at the exit (src/main/start.ts).
    process.prependOnceListener("exit", () => {
      setFlagsFromString(`--${name}=${usual}`);
    });
  }
}
