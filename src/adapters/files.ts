import { RollstampError } from "../ground/errors.ts";
import { readBytes } from "./read-all.ts";
import { decodeUtf8 } from "./stdio.ts";

/** Reads a text file. Throws a RollstampError that names it. */
export function readTextFile(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readBytes(file, file);
  } catch (cause) {
    if (cause instanceof RollstampError) throw cause;
    throw new RollstampError("system", `the file can't be read (${errorCode(cause)})`, {
      place: { file },
      remedy: "Check the path and its permissions.",
    });
  }
  return decodeUtf8(bytes, file);
}

/** The code of a system error, such as ENOENT. */
export function errorCode(cause: unknown): string {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "unknown cause";
}
