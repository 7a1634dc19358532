const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Something that is to be done once: now, or when the process ends before. */
export interface Pending {
  readonly now: () => void;
}

// The last one first: a program is ended before the folder goes that it works in.
const pending = new Set<() => void>();

/**
 * Does something when it is told to, when a signal ends the process, or when that exits. A signal then has the
 * effect that it has without us: the parent sees what it expects.
 */
export function atTheEnd(act: () => void): Pending {
  if (pending.size === 0) {
    for (const name of SIGNALS) process.on(name, onSignal);
    process.on("exit", doAll);
  }
  const own = (): void => act();
  pending.add(own);
  return {
    now: () => {
      if (!pending.delete(own)) return;
      if (pending.size === 0) letGo();
      act();
    },
  };
}

function onSignal(name: NodeJS.Signals): void {
  doAll();
  process.kill(process.pid, name);
}

function doAll(): void {
  letGo();
  const all = [...pending].toReversed();
  pending.clear();
  for (const act of all) {
    try {
      act();
    } catch {
      // The others have to be done all the same, and there is nobody left to tell.
    }
  }
}

function letGo(): void {
  for (const name of SIGNALS) process.removeListener(name, onSignal);
  process.removeListener("exit", doAll);
}
