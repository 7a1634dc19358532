import { RollstampError } from "../../base/errors.ts";
import type { Io } from "../../platform/ports/io.ts";
import { errorText } from "../../findings/results/terminal.ts";

/** Prints errors as the command line prints the one that ends it. */
export function tellErrors(io: Pick<Io, "writeStderr">, errors: readonly RollstampError[]): void {
  for (const error of errors) {
    io.writeStderr(`rollstamp: error: ${errorText(error)}\n`);
  }
}

/** What every command that writes files says where it wrote none. */
export const NOTHING_WRITTEN = "rollstamp: nothing was written\n";

/** Puts names of files as people know them into a text: `main:deploy/web.yaml` for one in a temporary folder. */
export type NameOf = (text: string) => string;

/** Runs something whose errors may name files in temporary folders. */
export async function namingFiles<T>(nameOf: NameOf, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw cause instanceof RollstampError ? renamed(cause, nameOf) : cause;
  }
}

/** An error with the names of files as people know them. */
export function renamed({ code, message, place, remedy }: RollstampError, nameOf: NameOf): RollstampError {
  return new RollstampError(code, nameOf(message), {
    ...(place === undefined ? {} : { place: { ...place, file: nameOf(place.file) } }),
    ...(remedy === undefined ? {} : { remedy: nameOf(remedy) }),
  });
}
