import { HMAC_KEY_FILE_VARIABLE, HMAC_KEY_VARIABLE } from "../base/keys.ts";
import { lstatSync, readFileSync } from "node:fs";
import { errorCode, RollstampError } from "../base/errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../base/limits.ts";
import { helmVersion } from "./helm-parent.ts";
import type { RunContext } from "../stamping/function/krm-function.ts";

/** The context of a run on this machine: the environment variables that the contract names. */
export function systemContext(environment: NodeJS.ProcessEnv): RunContext {
  return {
    hmacKey: () => readHmacKey(environment),
    variable: (name) => environment[name] || undefined,
    helmVersion: () => helmVersion(environment),
    systemTime: () => new Date(),
    limits: DEFAULT_LIMITS,
  };
}

/** The context of a run inside another program: the result does not depend on the machine. */
export function contextForLibrary(
  hmacKey: string | Uint8Array | undefined,
  limits: Limits = DEFAULT_LIMITS,
): RunContext {
  return {
    hmacKey: () => {
      if (hmacKey === undefined) {
        throw new RollstampError("config", "'secrets: Keyed' needs a key, but none is set", {
          configPath: SECRETS,
          remedy: "Set the option 'hmacKey'.",
        });
      }
      return notEmpty(typeof hmacKey === "string" ? Buffer.from(hmacKey, "utf8") : hmacKey, "the key is empty");
    },
    variable: () => undefined,
    helmVersion: () => undefined,
    systemTime: () => {
      throw new RollstampError("config", "this run has no current time", {
        remedy: "Set the time in the configuration.",
      });
    },
    limits,
  };
}

const SECRETS: readonly string[] = ["spec", "secrets"];

/** The key of `secrets: Keyed`, from one variable or from the file that the other variable names. */
function readHmacKey(environment: NodeJS.ProcessEnv): Uint8Array {
  const key = environment[HMAC_KEY_VARIABLE];
  if (key !== undefined)
    return notEmpty(Buffer.from(key, "utf8"), `the environment variable ${HMAC_KEY_VARIABLE} is empty`);
  const file = environment[HMAC_KEY_FILE_VARIABLE];
  if (file === undefined || file === "") {
    throw new RollstampError("config", "'secrets: Keyed' needs a key, but none is set", {
      configPath: SECRETS,
      remedy: `Set ${HMAC_KEY_VARIABLE}, or ${HMAC_KEY_FILE_VARIABLE} to the path of a file with the key.`,
    });
  }
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (cause) {
    const shown = shownPath(file);
    throw new RollstampError(
      "config",
      `the file that ${HMAC_KEY_FILE_VARIABLE} names${shown} can't be read (${errorCode(cause)})`,
      {
        configPath: SECRETS,
        remedy:
          shown === ""
            ? `Set it to the path of a file. Its value is not shown, because it could be the key itself, which belongs in ${HMAC_KEY_VARIABLE}.`
            : "Mount the file, or correct its path.",
      },
    );
  }
  // Editors and `echo` end a file with a line break, which is not part of the key.
  let end = bytes.length;
  if (bytes[end - 1] === 0x0a) end -= bytes[end - 2] === 0x0d ? 2 : 1;
  return notEmpty(bytes.subarray(0, end), `the file that ${HMAC_KEY_FILE_VARIABLE} names${shownPath(file)} is empty`);
}

/**
 * The path for messages; empty if it could be the key itself in the wrong variable. A slash proves nothing, because base64 has
 * slashes: the file, or the first folder of the path, has to exist.
 */
function shownPath(file: string): string {
  const folder = /^[/\\]?[^/\\]+(?=[/\\])/u.exec(file)?.[0];
  return exists(file) || (folder !== undefined && exists(folder)) ? `, '${file}',` : "";
}

/** Whether a path exists, even as a broken link. */
function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

function notEmpty(key: Uint8Array, message: string): Uint8Array {
  if (key.length > 0) return key;
  throw new RollstampError("config", message, {
    configPath: SECRETS,
    remedy: "Use a key of at least 32 random bytes.",
  });
}
