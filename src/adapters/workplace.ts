import { rmSync } from "node:fs";
import { makeTemporaryFolder } from "./temporary-folder.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What a work that starts programs has: a signal that tells it to stop, and a folder if it needs one. */
export interface Workplace {
  readonly signal: AbortSignal;
  /** A folder that only its owner can read; made at the first call. */
  readonly folder: () => string;
}

/**
 * Runs a work that starts programs. When a signal ends this process, `signal` is aborted first, and
 * the process dies of the signal, as its parent expects. The folder goes in either case.
 */
export async function withWorkplace<T>(work: (workplace: Workplace) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let folder: string | undefined;
  const clear = (): void => {
    for (const name of SIGNALS) process.removeListener(name, onSignal);
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const onSignal = (name: NodeJS.Signals): void => {
    controller.abort();
    clear();
    process.kill(process.pid, name);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  try {
    return await work({ signal: controller.signal, folder: () => (folder ??= makeTemporaryFolder("rollstamp-")) });
  } finally {
    clear();
  }
}
