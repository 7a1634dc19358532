import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";

// The two bundles that the command is made of (docs/decisions/0003-bundles.md). They stand beside the
// file that this code is in; the single executable has them in itself.

/** The function: what hosts call. */
export function loadFunction(): typeof import("./main-function.ts") {
  return loadCompiled("function.cjs") ?? orAlone(() => require("./function.cjs"));
}

/** All other commands. */
export function loadCommands(): typeof import("./main-commands.ts") {
  return loadCompiled("commands.cjs") ?? orAlone(() => require("./commands.cjs"));
}

/**
 * A rollstamp.cjs that was copied to a plugin's folder without the others is all of the command, too: its
 * last comment is both bundles in one (scripts/bundles.mjs), which V8 skips in a millisecond.
 */
function orAlone<T>(load: () => T): T | typeof import("./main-alone.ts") {
  try {
    return load();
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "MODULE_NOT_FOUND")) throw cause;
    const text = readFileSync(__filename, "utf8");
    const comment = text.slice(text.lastIndexOf("\n/*") + "\n/*".length, text.lastIndexOf("*/"));
    return compile(comment.replaceAll("*\u0001/", "*/"), __filename);
  }
}

/**
 * Loads a bundle with the code that V8 made of it when it was built, which saves a third of the start;
 * undefined where there is none for this V8, or not for this very bundle. V8 tells its own version, but
 * takes damaged code, and code of another source of the same length (scripts/code-cache.mjs).
 */
function loadCompiled(name: string) {
  const file = join(__dirname, name);
  let source: Buffer;
  let kept: Buffer;
  try {
    kept = readFileSync(`${file}.${process.versions.v8}-${process.arch}.cache`);
    source = readFileSync(file);
  } catch {
    return undefined;
  }
  const cachedData = kept.subarray(DIGEST_LENGTH);
  const digest = createHash("sha256").update(source).update(cachedData).digest();
  if (!digest.equals(kept.subarray(0, DIGEST_LENGTH))) return undefined;
  return compile(source.toString("utf8"), file, cachedData);
}

function compile(source: string, filename: string, cachedData?: Buffer) {
  const options = cachedData === undefined ? { filename } : { filename, cachedData };
  const script = new Script(`(function (require, module) {${source}\nreturn module.exports;\n})`, options);
  return script.runInThisContext()(require, { exports: {} });
}

/** What the kept code begins with: the SHA-256 of the bundle and the code. */
const DIGEST_LENGTH = 32;
