import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { outsideOf } from "../applications/render/stage/staging.ts";
import type { StagedKustomizations } from "../applications/render/stage/kustomization-staging.ts";
import { errorCode, RollstampError } from "../base/errors.ts";
import { isInGitFolder, isInside, leadsOut, gitFolderError } from "../base/inside.ts";
import { tooLarge } from "../base/limits.ts";
import { onceFor } from "../base/grouped.ts";
import type { SharedStage } from "../platform/ports/applications.ts";
import { textOf } from "../platform/ports/files.ts";
import {
  MOST_STAGED_ENTRIES,
  type FileBelow,
  type FoundPath,
  type Stage,
  type StageEntry,
} from "../platform/ports/stage.ts";
import { realPath } from "./real-path.ts";
import { rawBytesInside, readInside } from "./repository-files.ts";
import { checkNames } from "./utf8.ts";
import { shortened } from "../base/words.ts";

export interface StageOptions {
  /** An empty folder. */
  readonly folder: string;
  /** The real path of the repository's root: nothing outside is read. */
  readonly root: string;
  /** The bytes that all files together may have. */
  readonly most: number;
}

/** Creates an empty stage. */
export function makeStage({ folder, root, most }: StageOptions): Stage {
  let size = 0;
  let entries = 0;
  const count = (bytes = 0): void => {
    entries += 1;
    size += bytes;
    if (size > most) throw tooLarge("what the application is rendered from", most);
    if (entries <= MOST_STAGED_ENTRIES) return;
    throw new RollstampError("input", `the application has more than ${MOST_STAGED_ENTRIES} files and folders`, {
      remedy: "Each symbolic link to a folder adds a copy of its files: use fewer links.",
    });
  };
  const made = new Set<string>();
  const put = (path: string, bytes: Buffer | string): void => {
    count(bytes.length);
    const target = join(folder, path);
    if (!isInside(folder, target)) throw new Error("a staged file outside of its stage");
    try {
      if (!made.has(dirname(target))) mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
      made.add(dirname(target));
      writeFileSync(target, bytes, { mode: 0o600 });
    } catch (cause) {
      throw notWritten(path, cause);
    }
  };
  return {
    folder,
    source: {
      find: (path, shown) => find(path, root, shown),
      text: (real, shown) => textOf(readInside(real, { root, shown, most })),
      bytes: (real, shown, limit) => rawBytesInside(real, { root, shown, most: limit }),
      entries: entriesIn,
      filesBelow: (target, shown, countEntry) => filesBelow(target, { root, shown, count: countEntry }),
    },
    put,
    count,
    size: () => size,
    copy: (from, path, shown) => {
      const bytes = rawBytesInside(from, { root, shown, most });
      put(path, bytes);
      return bytes;
    },
    putEmpty: (path, length) => {
      put(path, "");
      const descriptor = openSync(join(folder, path), "r+");
      try {
        ftruncateSync(descriptor, length);
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

/** The path is too long with our folder before it, or the disk is full. */
function notWritten(path: string, cause: unknown): RollstampError {
  return new RollstampError("system", `the copy of '${shortened(path, 200)}' can't be written (${errorCode(cause)})`, {
    remedy: "helm and kustomize run over a copy in the folder that TMPDIR names: it needs space, and shorter names.",
  });
}

/** Nothing outside the root is looked at. */
function find(path: string, root: string, shown: string): FoundPath | undefined {
  if (!isInside(root, path)) throw outsideOf(shown);
  let real: string;
  try {
    real = realPath(path);
  } catch {
    return undefined;
  }
  if (!isInside(root, real)) throw linkOut(shown);
  if (isInGitFolder(root, real)) throw gitFolderError(shown);
  const stats = statSync(real);
  if (stats.isDirectory()) return { is: "folder", real };
  if (stats.isFile()) return { is: "file", real };
  throw new RollstampError("input", "this is a pipe, a socket or a device; expected a file", {
    place: { file: shown },
  });
}

function entriesIn(folder: string): readonly StageEntry[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
      Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)),
    );
  } catch (cause) {
    throw new RollstampError("system", `the folder can't be read (${errorCode(cause)})`, { place: { file: folder } });
  }
}

/**
 * A link that leads nowhere, or to a folder that contains it, is left out. So is `.git`: helm does not need it, and it may
 * hold credentials.
 */
function filesBelow(
  folder: string,
  { root, shown, count }: { readonly root: string; readonly shown: string; readonly count: () => void },
): readonly FileBelow[] {
  const files: FileBelow[] = [];
  const visit = (at: string, below: string, above: readonly string[]): void => {
    const names = entriesIn(at).map(({ name }) => name);
    checkNames(names, at, `${shown}${below}` || ".");
    for (const name of names.sort()) {
      if (name === ".git") continue;
      const path = below === "" ? name : `${below}/${name}`;
      count();
      let real: string;
      try {
        real = realpathSync(join(at, name));
      } catch {
        continue;
      }
      if (!isInside(root, real)) throw linkOut(`${shown}${path}`);
      if (isInGitFolder(root, real)) throw gitFolderError(`${shown}${path}`);
      const stats = statSync(real);
      if (stats.isDirectory()) {
        if (!above.includes(real)) visit(real, path, [...above, real]);
      } else if (stats.isFile()) files.push({ path, real, size: stats.size });
      else
        throw new RollstampError("input", "this is a pipe, a socket or a device, and helm would wait for it", {
          place: { file: `${shown}${path}` },
        });
    }
  };
  const real = realpathSync(folder);
  visit(real, "", [real]);
  return files;
}

/** The error for a link out of the repository: to a key of the plugin, or to another application. */
function linkOut(path: string): RollstampError {
  return leadsOut(path, "Put the file itself there.");
}

/** A shared stage that is in use. */
export interface OpenStage {
  readonly stage: Stage;
  readonly staged: StagedKustomizations;
  /** An empty folder: the home of the programs that run over the stage. */
  readonly home: string;
}

/** Opens a shared stage. All its files together have the limit of one application; what exceeds it gets a stage of its own. */
export const openStage: (shared: SharedStage) => OpenStage = onceFor(({ folder, root, limits }) => {
  const made = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const stage = makeStage({ folder: made("in"), root, most: limits.inputSize });
  return { stage, staged: { files: new Map(), folders: new Map() }, home: made("home") };
});
