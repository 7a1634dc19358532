import { lstatSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
