import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Calls `look` until it finds something. Throws after ten seconds. */
export async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = look();
    if (found !== undefined) return found;
    await sleep(25);
  }
  throw new Error("it did not happen within ten seconds");
}

/** The process id in the file `pid` of a folder, once a program has written it. */
export function pidIn(folder: string): Promise<number> {
  const file = join(folder, "pid");
  return eventually(() => {
    const text = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
    return text === "" ? undefined : Number(text);
  });
}

/** Resolves when a process has ended; a zombie has ended, too. */
export async function ended(pid: number): Promise<void> {
  await eventually(() => {
    try {
      process.kill(pid, 0);
      const isZombie = existsSync(`/proc/${pid}/stat`) && /\) Z /u.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
      return isZombie ? true : undefined;
    } catch {
      return true;
    }
  });
}
