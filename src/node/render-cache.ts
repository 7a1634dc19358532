import { createHash, randomBytes } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BUILD_OPTIONS_VARIABLE } from "../applications/tools/build-options.ts";
import { errorCode, RollstampError } from "../base/errors.ts";
import type { Limits } from "../base/limits.ts";
import { VERSION } from "../base/version.ts";
import type { Environment } from "../platform/ports/environment.ts";
import type { RenderCache } from "../platform/ports/programs.ts";
import { versionOf } from "./render-application.ts";
import { readInPlace, repositoryOf } from "./repository-files.ts";

export interface CacheOptions {
  readonly environment: Environment;
  readonly limits: Limits;
}

/** Variables that change what the same files render to. */
const VARIABLES = [BUILD_OPTIONS_VARIABLE, "KUBE_VERSION", "KUBE_API_VERSIONS"] as const;

/**
 * Opens a folder of renderings, which contain Secrets. Throws a RollstampError for a folder that other users can enter, or
 * that is in a repository. Entries that don't match their digests are ignored.
 */
export async function openRenderCache(folder: string, options: CacheOptions): Promise<RenderCache> {
  const path = ownFolder(folder);
  const made = createHash("sha256");
  for (const part of [
    VERSION,
    await versionOf("kustomize", options.environment),
    await versionOf("helm", options.environment),
  ])
    made.update(`${part}\0`);
  for (const name of VARIABLES) made.update(`${options.environment[name] ?? ""}\0`);
  return renderingsIn(path, options.limits, made.digest("hex"));
}

/** A cache in a folder, which is created with the first entry. */
export function renderingsIn(folder: string, limits: Limits, prefix: string = ""): RenderCache {
  const fileOf = (key: string): string => join(folder, digestOf(`${prefix} ${key}`));
  return {
    get: (key) => {
      const read = readInPlace(fileOf(key), key, limits.inputSize);
      if (read.is === "refused") return Promise.resolve(undefined);
      const end = read.text.indexOf("\n");
      const text = read.text.slice(end + 1);
      return Promise.resolve(read.text.slice(0, Math.max(end, 0)) === digestOf(`${key} ${text}`) ? text : undefined);
    },
    put: (key, text) => {
      const temporary = `${fileOf(key)}.${randomBytes(6).toString("hex")}`;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(temporary, `${digestOf(`${key} ${text}`)}\n${text}`, { mode: 0o600, flag: "wx" });
        renameSync(temporary, fileOf(key));
      } catch {
        // A rendering that can't be kept is rendered again.
        rmSync(temporary, { force: true });
      }
      return Promise.resolve();
    },
    remove: (key) => {
      rmSync(fileOf(key), { force: true });
      return Promise.resolve();
    },
  };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

function ownFolder(folder: string): string {
  let existing = resolve(folder);
  while (!existsSync(existing)) existing = dirname(existing);
  const repository = repositoryOf(realpathSync(existing));
  if (repository !== undefined) {
    throw new RollstampError("usage", `--cache ${folder}: this folder is inside the repository ${repository}`, {
      remedy: "A commit could replace renderings, or add them, and they contain Secrets. Use a folder outside of it.",
    });
  }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new RollstampError("usage", `--cache ${folder}: the folder can't be created (${errorCode(cause)})`);
  }
  const real = realpathSync(folder);
  const stats = lstatSync(real);
  const user = process.getuid?.();
  if (user !== undefined && (stats.uid !== user || (stats.mode & 0o077) !== 0)) {
    throw new RollstampError("usage", `--cache ${folder}: other users can enter this folder`, {
      remedy: `Renderings contain Secrets. Run chmod 700 ${folder}, or use another folder.`,
    });
  }
  return real;
}
