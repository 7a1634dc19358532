import type { Io } from "../../platform/ports/io.ts";
import { printable } from "../../findings/results/terminal.ts";

export interface Progress {
  /** `now`: the current items. */
  readonly report: (done: number, total: number, now?: string) => void;
  /** Removes the line. */
  readonly end: () => void;
}

// Short work needs no line, and a terminal only a few updates a second.
const AFTER_MS = 400;
const EVERY_MS = 100;
const WIDTH = 80;

/** A line on standard error that is updated in place; nothing if that is not a terminal. */
export function progressOf(io: Io, what: string): Progress {
  if (!io.stderrIsTerminal) return { report: () => undefined, end: () => undefined };
  const start = performance.now();
  let last = 0;
  return {
    report: (done, total, at = "") => {
      const now = performance.now();
      if (now - start < AFTER_MS || now - last < EVERY_MS) return;
      last = now;
      const line = `${what} ${done}/${total}${at === "" ? "" : `: ${printable(at)}`}`;
      // A line that the terminal wraps can't be removed.
      const most = (io.stderrColumns ?? WIDTH) - 1;
      io.writeStderr(`\r\u001b[K${line.length <= most ? line : `${line.slice(0, Math.max(0, most - 1))}…`}`);
    },
    end: () => {
      if (last > 0) io.writeStderr("\r\u001b[K");
      last = 0;
    },
  };
}

/** A line on standard error while waiting; nothing if that is not a terminal. */
export function waitingFor(io: Io, what: string): Pick<Progress, "end"> {
  if (!io.stderrIsTerminal) return { end: () => undefined };
  let isShown = false;
  const timer = setTimeout(() => {
    isShown = true;
    io.writeStderr(`\r\u001b[K${what} …`);
  }, AFTER_MS);
  return {
    end: () => {
      clearTimeout(timer);
      if (isShown) io.writeStderr("\r\u001b[K");
      isShown = false;
    },
  };
}
