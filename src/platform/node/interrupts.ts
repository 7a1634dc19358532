import { statSync } from "node:fs";
import type { Interrupts } from "../ports/io.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Takes the signals that end a process until `done`; the second one has the effect that it has without us. */
export function interrupts(): Interrupts {
  const controller = new AbortController();
  let came: NodeJS.Signals | undefined;
  const letGo = (): void => {
    for (const name of SIGNALS) process.removeListener(name, onSignal);
  };
  const onSignal = (name: NodeJS.Signals): void => {
    came = name;
    letGo();
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    done: () => {
      letGo();
      if (came !== undefined) process.kill(process.pid, came);
    },
  };
}

/** When a file was last written; undefined for what is no regular file. */
export function writtenAt(path: string): Date | undefined {
  try {
    const found = statSync(path);
    return found.isFile() ? found.mtime : undefined;
  } catch {
    return undefined;
  }
}
