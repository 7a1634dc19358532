import { fstatSync } from "node:fs";

/** True for an open file, by number, that is a terminal. */
export function isTerminal(file: 0 | 1 | 2): boolean {
  try {
    // Node's streams take milliseconds to make: a pipe or a file is no terminal without them.
    return fstatSync(file).isCharacterDevice() && STREAMS[file]().isTTY === true;
  } catch {
    return false;
  }
}

const STREAMS = { 0: () => process.stdin, 1: () => process.stdout, 2: () => process.stderr } as const;

/** How many columns a terminal has; undefined for what is none, and where it doesn't say. */
export function columnsOf(file: 1 | 2): number | undefined {
  if (!isTerminal(file)) return undefined;
  const { columns } = file === 1 ? process.stdout : process.stderr;
  return columns > 0 ? columns : undefined;
}
