import process from "node:process";
import type { Interrupts } from "../platform/ports/io.ts";

// What happens when the process ends, or when a signal asks it to.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** An action that runs once: now, or when the process ends. */
export interface Pending {
  readonly now: () => void;
}

// They run in reverse: a program is killed before the folder that it works in is removed.
const pendingActions = new Set<() => void>();

/**
 * Runs an action when `now` is called, when a signal ends the process, or when the process exits. The signal then ends the
 * process as usual, so that the parent sees what it expects.
 */
export function runAtExit(act: () => void): Pending {
  if (pendingActions.size === 0) {
    for (const name of SIGNALS) process.on(name, onSignal);
    process.on("exit", runAll);
  }
  // The same function may be given twice.
  const action = (): void => act();
  pendingActions.add(action);
  return {
    now: () => {
      if (!pendingActions.delete(action)) return;
      if (pendingActions.size === 0) removeListeners();
      act();
    },
  };
}

/** Whether a command handles the next signal itself. */
let isHandled = false;

function onSignal(name: NodeJS.Signals): void {
  if (isHandled) return;
  runAll();
  process.kill(process.pid, name);
}

function runAll(): void {
  removeListeners();
  const all = [...pendingActions].toReversed();
  pendingActions.clear();
  for (const act of all) {
    try {
      act();
    } catch {
      // The others still have to run, and nobody is left to read an error.
    }
  }
}

function removeListeners(): void {
  for (const name of SIGNALS) process.removeListener(name, onSignal);
  process.removeListener("exit", runAll);
}

/** Catches the signals that end a process until `done` is called; a second signal ends the process as usual. */
export function interrupts(): Interrupts {
  const controller = new AbortController();
  let received: NodeJS.Signals | undefined;
  const ignoreSignals = (): void => {
    for (const name of SIGNALS) process.removeListener(name, abortOnSignal);
  };
  const abortOnSignal = (name: NodeJS.Signals): void => {
    received = name;
    ignoreSignals();
    // After the other listeners of this signal.
    setImmediate(() => (isHandled = false));
    controller.abort();
  };
  isHandled = true;
  for (const name of SIGNALS) process.on(name, abortOnSignal);
  return {
    signal: controller.signal,
    done: (isComplete = false) => {
      isHandled = false;
      ignoreSignals();
      if (received !== undefined && !isComplete) process.kill(process.pid, received);
    },
  };
}
