import { lstatSync, mkdtempSync, readdirSync, rmdirSync, rmSync, unlinkSync, type Stats } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCode, RollstampError } from "../base/errors.ts";
import { runAtExit, type Pending } from "./process-end.ts";

/** Makes a folder that only its owner can read, if the system supports that. Throws a RollstampError. */
export function makeTemporaryFolder(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (cause) {
    throw new RollstampError("system", `can't create a temporary folder in ${tmpdir()} (${errorCode(cause)})`, {
      remedy: "Mount a writable volume there, or set TMPDIR to another folder.",
    });
  }
}

/** Runs `work` with a temporary folder that only its owner can read. It is made at the first call and always removed. */
export async function withFolder<T>(
  work: (folder: () => string) => Promise<T>,
  prefix: string = "rollstamp-",
): Promise<T> {
  let folder: string | undefined;
  let removal: Pending | undefined;
  const make = (): string => {
    const made = makeTemporaryFolder(prefix);
    removal = runAtExit(() => removeFolder(made));
    return made;
  };
  try {
    return await work(() => (folder ??= make()));
  } finally {
    removal?.now();
  }
}

/**
 * Removes a folder of ours with its content. Faster than Node's rmSync, which asks for the type of each entry and tries to
 * remove folders before they are empty; rmSync takes over if anything fails.
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
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeAll(path);
    else unlinkSync(path);
  }
  rmdirSync(folder);
}

// Argo CD kills a call that takes too long, and CI a job, with SIGKILL, which can't be caught: the copy of the application or
// of the revisions stays, with the Secrets in it. A later call removes it.

const NAME = /^rollstamp-(?:cmp|plan)-(\d{1,10})-[A-Za-z0-9]{6}$/u;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The prefix of the folders of this process: copies of an application to render, or of a plan's revisions. */
export function copyPrefix(purpose: "cmp" | "plan" = "cmp"): string {
  return `rollstamp-${purpose}-${process.pid}-`;
}

/**
 * Removes copies that other processes left behind: folders (not links) with our prefix, owned by and open only to our user,
 * older than an hour, of a process that has ended. A process in another container looks ended, so it gets an hour; a
 * process id may be reused, so after a day the folder is removed in any case.
 */
export function clearLeftBehind(now: number = Date.now()): void {
  if (process.getuid === undefined) return;
  for (const name of namesIn(tmpdir())) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined) continue;
    const folder = join(tmpdir(), name);
    try {
      const stats = lstatSync(folder);
      const age = now - stats.mtimeMs;
      if (isOurs(stats) && age > HOUR_MS && (age > DAY_MS || !isRunning(Number(pid))))
        rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another call has just removed it, or it can't be removed: that must not stop a render.
    }
  }
}

const WORKTREE = /^(rollstamp-plan-(\d{1,10})-[A-Za-z0-9]{6})-(?:base|head)$/u;

/**
 * Removes Git's records of checkouts that other processes left behind in the worktrees of a repository, with the folders. One
 * whose folder is not here may belong to a process in another container, so it gets an hour.
 */
export function clearLeftWorktrees(worktrees: string, now: number = Date.now()): void {
  const here = new Set(namesIn(tmpdir()));
  for (const name of namesIn(worktrees)) {
    const [, root = "", pid] = WORKTREE.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const folder = join(tmpdir(), root);
    const record = join(worktrees, name);
    try {
      if (!here.has(root) && now - lstatSync(record).mtimeMs < HOUR_MS) continue;
      rmSync(record, { recursive: true, force: true });
      if (isOurs(lstatSync(folder))) rmSync(folder, { recursive: true, force: true });
    } catch {
      // As above.
    }
  }
}

/** Whether something is a folder of this user that nobody else can open. */
function isOurs(stats: Stats): boolean {
  return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
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
