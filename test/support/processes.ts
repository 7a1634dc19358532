import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** What `look` finds, asked until it finds something. Throws after ten seconds. */
export async function eventually<T>(look: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = look();
    if (found !== undefined) return found;
    await sleep(25);
  }
  throw new Error("it did not happen within ten seconds");
}

/** The number that a program has written into the file `pid` of a folder, once it is there. */
export function pidIn(folder: string): Promise<number> {
  const file = join(folder, "pid");
  return eventually(() => {
    const text = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
    return text === "" ? undefined : Number(text);
  });
}

/** Resolves once a process has ended; one that nobody has asked for its status has, too. */
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
