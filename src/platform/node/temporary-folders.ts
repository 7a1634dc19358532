import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCode, RollstampError } from "../../base/errors.ts";
import { atTheEnd, type Pending } from "./processes.ts";

/** Makes a folder that only its owner can read, where the system has those. Throws a RollstampError. */
export function makeTemporaryFolder(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (cause) {
    throw new RollstampError("system", `no temporary folder can be made in ${tmpdir()} (${errorCode(cause)})`, {
      remedy: "Mount a writable volume there, or name another folder by TMPDIR.",
    });
  }
}

/** Runs a work with a folder that only its owner can read, made at the first call. It goes whatever happens. */
export async function withFolder<T>(
  work: (folder: () => string) => Promise<T>,
  prefix: string = "rollstamp-",
): Promise<T> {
  let folder: string | undefined;
  let removal: Pending | undefined;
  const make = (): string => {
    const made = makeTemporaryFolder(prefix);
    removal = atTheEnd(() => removeFolder(made));
    return made;
  };
  try {
    return await work(() => (folder ??= make()));
  } finally {
    removal?.now();
  }
}

/**
 * Removes a folder of ours with all that is in it. Node's rmSync asks of each thing what it is, and tries each folder
 * before it is empty; where anything is in the way, that one has the means to go on.
 */
export function removeFolder(folder: string): void {
  try {
    removeAll(folder);
  } catch {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function removeAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const at = join(folder, entry.name);
    if (entry.isDirectory()) removeAll(at);
    else unlinkSync(at);
  }
  rmdirSync(folder);
}

// Argo CD ends a call that takes too long by SIGKILL, CI a job, of which we learn nothing: the copy of the application or
// of the revisions stays, with the Secrets that are in it. A later call takes it away.

const NAME = /^rollstamp-(?:cmp|plan)-(\d{1,10})-[A-Za-z0-9]{6}$/u;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What the name of this process's copies begins with: of an application to render, or of a plan's revisions. */
export function copyPrefix(of: "cmp" | "plan" = "cmp"): string {
  return `rollstamp-${of}-${process.pid}-`;
}

/**
 * Removes copies that other processes have left: folders, no links, by their name, our user's and nobody else's to
 * enter, made an hour ago or more, by a process that is no longer there. A process of another container looks
 * ended, and one may have got an ended one's number: so an hour is waited, and after a day nothing counts for it.
 */
export function clearLeftBehind(now: number = Date.now()): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  for (const name of namesIn(tmpdir())) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined) continue;
    const folder = join(tmpdir(), name);
    try {
      const stats = lstatSync(folder);
      const age = now - stats.mtimeMs;
      const isOurs = stats.isDirectory() && stats.uid === user && (stats.mode & 0o077) === 0;
      if (isOurs && age > HOUR_MS && (age > DAY_MS || !isRunning(Number(pid))))
        rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another call has just taken it away, or it can't be: that stops no render.
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM";
  }
}
