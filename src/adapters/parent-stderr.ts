import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from "node:fs";

/**
 * Writes to the standard error of the process that started this one, where the system shows it
 * (Linux), elsewhere to the terminal. False where that can't be done, or not without harm.
 */
export function writeParentStderr(text: string): boolean {
  if (process.platform !== "linux") return writeTo("/dev/tty", text);
  const parent = `/proc/${process.ppid}`;
  return writeTo(`${parent}/fd/2`, text, () => appends(`${parent}/fdinfo/2`));
}

/** True where Helm started this process, as far as the system tells (Linux). */
export function isStartedByHelm(): boolean {
  if (process.platform !== "linux") return false;
  try {
    return /^helm3?\n$/u.test(readFileSync(`/proc/${process.ppid}/comm`, "utf8"));
  } catch {
    return false;
  }
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
