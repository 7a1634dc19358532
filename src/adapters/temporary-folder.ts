import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RollstampError } from "../errors.ts";
import { errorCode } from "./files.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A folder for the time of a work, and the signal that tells the work to stop. */
export interface TemporaryFolder {
  readonly path: string;
  readonly signal: AbortSignal;
}

/**
 * Runs a work with a folder of its own, which only its owner can read. It goes when the work ends,
 * and when a signal ends the process: then `signal` is aborted first, and the process dies of the
 * signal, as its parent expects.
 */
export async function withTemporaryFolder<T>(work: (folder: TemporaryFolder) => Promise<T>): Promise<T> {
  const path = makeFolder();
  const controller = new AbortController();
  const clear = (): void => {
    for (const name of SIGNALS) process.removeListener(name, onSignal);
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  };
  const onSignal = (name: NodeJS.Signals): void => {
    controller.abort();
    clear();
    process.kill(process.pid, name);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  try {
    return await work({ path, signal: controller.signal });
  } finally {
    clear();
  }
}

function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), "rollstamp-"));
  } catch (cause) {
    throw new RollstampError("system", `no temporary folder can be made in ${tmpdir()} (${errorCode(cause)})`, {
      remedy: "Mount a writable volume there, or name another folder by TMPDIR.",
    });
  }
}
