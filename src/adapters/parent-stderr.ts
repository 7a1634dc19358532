import { closeSync, constants, openSync, writeSync } from "node:fs";

/**
 * Writes to the standard error of the process that started this one, where the system shows it
 * (Linux), else to the terminal. False where there is neither: nobody sees the text.
 */
export function writeParentStderr(text: string): boolean {
  return [`/proc/${process.ppid}/fd/2`, "/dev/tty"].some((path) => writeTo(path, text));
}

function writeTo(path: string, text: string): boolean {
  // A pipe without a reader would hold us up for good, and a log that is no pipe has lines already.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK | constants.O_NOCTTY;
  let file: number | undefined;
  try {
    file = openSync(path, flags);
    writeSync(file, text);
    return true;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
