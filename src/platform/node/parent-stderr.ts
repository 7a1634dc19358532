import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, writeSync } from "node:fs";
import { basename } from "node:path";

/**
 * Writes to the standard error of the process that started this one, or of another one, where the system shows it
 * (Linux), elsewhere to the terminal. False where that can't be done, or not without harm.
 */
export function writeParentStderr(text: string, pid: number = process.ppid): boolean {
  if (process.platform !== "linux") return writeTo("/dev/tty", text);
  const parent = `/proc/${pid}`;
  return writeTo(`${parent}/fd/2`, text, () => appends(`${parent}/fdinfo/2`));
}

// A post-renderer is often a script of a line or two: `kustomize build . | rollstamp`.
const SHELL = /^(?:sh|bash|dash|ash|ksh|zsh|busybox)$/u;
const MOST_SHELLS = 3;

/**
 * The process of the Helm that started this one, by itself or by a script, and that throws its standard error away, as far as
 * the system tells (Linux).
 */
export function helmAbove(): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    let pid = process.ppid;
    for (let shells = 0; shells <= MOST_SHELLS; shells += 1) {
      const { name, parent } = statusOf(pid);
      if (/^helm3?$/u.test(name)) return isSame(pid) ? undefined : pid;
      // A script has its own name, and the shell's program.
      const program = basename(readlinkSync(`/proc/${pid}/exe`));
      if (!SHELL.test(program) || !fstatSync(2).isFIFO()) return undefined;
      pid = parent;
    }
  } catch {
    // It is another user's, or has ended.
  }
  return undefined;
}

/** What is written to standard error is seen where that process writes: nothing of it is thrown away. */
function isSame(pid: number): boolean {
  return readlinkSync("/proc/self/fd/2") === readlinkSync(`/proc/${pid}/fd/2`);
}

function statusOf(pid: number): { readonly name: string; readonly parent: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, name = ""] = /^Name:\t(.*)$/mu.exec(status) ?? [];
  const [, parent = "0"] = /^PPid:\t(\d+)$/mu.exec(status) ?? [];
  return { name, parent: Number(parent) };
}

/** Writes a text to a file; `intoFile` is asked before text goes into a regular one. */
function writeTo(path: string, text: string, intoFile: () => boolean = () => true): boolean {
  // A pipe without a reader would hold us up for good.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK | constants.O_NOCTTY;
  let file: number | undefined;
  try {
    file = openSync(path, flags);
    if (fstatSync(file).isFile() && !intoFile()) return false;
    const bytes = Buffer.from(text);
    return writeSync(file, bytes) === bytes.length;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Whether the parent appends to its file. Else it writes at a place that we can't move (a shell's
 * `2>log`): what came next would go over our text, and who follows the file would not see it.
 */
function appends(fdinfo: string): boolean {
  const [, octal = "0"] = /^flags:\s*([0-7]+)$/mu.exec(readFileSync(fdinfo, "utf8")) ?? [];
  return (Number.parseInt(octal, 8) & constants.O_APPEND) !== 0;
}
