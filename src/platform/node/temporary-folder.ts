import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RollstampError } from "../../base/errors.ts";
import { errorCode } from "./system-errors.ts";

/** Makes a folder that only its owner can read, where the system has those. Throws a RollstampError. */
export function makeTemporaryFolder(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (cause) {
    throw new RollstampError("system", `no temporary folder can be made in ${tmpdir()} (${errorCode(cause)})`, {
      remedy: "Mount a writable volume there, or name another folder by TMPDIR.",
    });
  }
}
