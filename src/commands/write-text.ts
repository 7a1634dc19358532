import type { Io } from "../platform/ports/io.ts";
import { wrapped } from "../output/wrapped.ts";

/**
 * Writes a report to standard output: its text form is wrapped at the width of a terminal. All others, and what goes
 * into a pipe or a file, is for programs: its lines stay as they are.
 */
export function writeReport(io: Io, text: string, output: string = "text"): Promise<void> {
  return io.writeStdout(onTerminal(io, text, output));
}

/** A report as `writeReport` writes it. */
export function onTerminal({ stdoutColumns }: Pick<Io, "stdoutColumns">, text: string, output: string): string {
  return output === "text" ? wrapped(text, stdoutColumns) : text;
}
