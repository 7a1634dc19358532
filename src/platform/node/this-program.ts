import { existsSync } from "node:fs";
import process from "node:process";

/** The words of a command line that runs this program: Node and its file, or an executable that is both. */
export function thisProgram(): readonly string[] {
  const [, file] = process.argv;
  // An executable names a file in itself, or itself.
  const isFile = file !== undefined && file !== process.execPath && existsSync(file);
  return isFile ? [process.execPath, file] : [process.execPath];
}
