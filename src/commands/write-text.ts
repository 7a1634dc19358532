import { withoutPlaceholders } from "../base/placeholders.ts";
import type { Document } from "../output/document/document.ts";
import { printText } from "../output/document/text.ts";
import type { Io } from "../platform/ports/io.ts";

/**
 * Writes a report to standard output. A document is printed as text, wrapped at the width of a terminal. A string is for
 * programs and stays as it is, except for unknown values.
 */
export async function writeReport(io: Io, report: string | Document, color: boolean = false): Promise<void> {
  await io.writeStdout(
    typeof report === "string"
      ? withoutPlaceholders(report)
      : await printText(report, { color, columns: io.stdoutColumns }),
  );
}
