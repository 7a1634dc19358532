import type { Document } from "../output/document/document.ts";
import { printText } from "../output/document/text.ts";
import { wrapped } from "../output/wrapped.ts";
import type { Io } from "../platform/ports/io.ts";

/**
 * Writes a report to standard output. A document is printed as text, wrapped at the width of a terminal. A string is for
 * programs and stays as it is.
 */
export async function writeReport(
  io: Io,
  report: string | Document,
  output: string = "json",
  color: boolean = false,
): Promise<void> {
  await io.writeStdout(await reportText(io, report, output, color));
}

/** A report as `writeReport` writes it. */
export async function reportText(
  { stdoutColumns }: Pick<Io, "stdoutColumns">,
  report: string | Document,
  output: string,
  color: boolean,
): Promise<string> {
  if (typeof report !== "string") return printText(report, { color, columns: stdoutColumns });
  return output === "text" ? wrapped(report, stdoutColumns) : report;
}
