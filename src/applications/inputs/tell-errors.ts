import { RollstampError } from "../../base/errors.ts";
import type { Io } from "../../platform/ports/io.ts";
import { errorText } from "../../findings/results/terminal.ts";

/** Prints errors as the command line prints the one that ends it. */
export function tellErrors(io: Pick<Io, "writeStderr">, errors: readonly RollstampError[]): void {
  for (const error of errors) {
    io.writeStderr(`rollstamp: error: ${errorText(error)}\n`);
  }
}

/** Printed by every command that writes files, if it wrote none. */
export const NOTHING_WRITTEN = "rollstamp: nothing was written\n";
