import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, RollstampError } from "../../base/errors.ts";
import { isGits, isInside, leadsOut, leadsToGits } from "../../base/inside.ts";
import { tooLarge } from "../../base/limits.ts";
import { rawBytesInside } from "./repository-files.ts";
import { checkNames } from "./utf8.ts";

// kustomize and helm run over a copy: a folder of our own, in which are regular files, no links, and of the
// repository only what was read by the one reader. What they open is what is there.

/** Files and folders of one application; links that lead to the same folder again and again make many. */
export const MOST_ENTRIES = 100_000;

/** A folder of our own that is filled from a repository. */
export interface Stage {
  readonly folder: string;
  /** Writes a file; the path is from the folder. */
  readonly put: (path: string, bytes: Buffer | string) => void;
  /** Copies a file of the repository, and gives its bytes, which are good until the next is read. */
  readonly copy: (from: string, path: string, shown: string) => Buffer;
  /** A file of which only the size matters. */
  readonly putEmpty: (path: string, size: number) => void;
  /** Counts something that was made or looked at; with the bytes that helm unpacks of it, where it is packed. */
  readonly count: (bytes?: number) => void;
  /** The bytes that were counted. */
  readonly size: () => number;
}

/** What a stage is made with. */
export interface StageOptions {
  /** The folder, which exists and is empty. */
  readonly folder: string;
  /** The real path of the repository's root: nothing else is read. */
  readonly root: string;
  /** The bytes that all files may have. */
  readonly most: number;
}

/** An empty stage. */
export function makeStage({ folder, root, most }: StageOptions): Stage {
  let size = 0;
  let entries = 0;
  const count = (bytes = 0): void => {
    entries += 1;
    size += bytes;
    if (size > most) throw tooLarge("what the application is rendered from", most);
    if (entries <= MOST_ENTRIES) return;
    throw new RollstampError("input", `the application has more than ${MOST_ENTRIES} files and folders`, {
      remedy: "Links to one folder from many others make it many times: keep the files once.",
    });
  };
  const made = new Set<string>();
  const put = (path: string, bytes: Buffer | string): void => {
    count(bytes.length);
    const at = join(folder, path);
    if (!isInside(folder, at)) throw new Error("a staged file outside of its stage");
    try {
      if (!made.has(dirname(at))) mkdirSync(dirname(at), { recursive: true, mode: 0o700 });
      made.add(dirname(at));
      writeFileSync(at, bytes, { mode: 0o600 });
    } catch (cause) {
      throw notWritten(path, cause);
    }
  };
  return {
    folder,
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

/** A path that is too long with our folder before it, a disk that is full. */
function notWritten(path: string, cause: unknown): RollstampError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return new RollstampError("system", `the copy of '${shown}' can't be written (${errorCode(cause)})`, {
    remedy: "helm and kustomize run over a copy, in the folder that TMPDIR names: it needs room, and shorter names.",
  });
}

/** A name for something of ours that a folder has not. */
export function freeName(folder: string, name: string): string {
  let free = name;
  for (let tries = 1; existsSync(join(folder, free)); tries += 1) free = `${name}-${tries}`;
  return free;
}

/** A file of a folder, behind links that stay in the root. */
export interface FoundFile {
  /** From the folder. */
  readonly path: string;
  readonly real: string;
  readonly size: number;
}

/**
 * The files of a folder and of those below, as helm finds them: links are followed. Throws a RollstampError for a
 * link out of the root and for what is no file; a link that leads nowhere, or to a folder in which it stands, is
 * left out. `.git` too: helm has no use for it, and it may hold credentials.
 */
export function filesBelow(
  folder: string,
  { root, shown, count }: { readonly root: string; readonly shown: string; readonly count: () => void },
): readonly FoundFile[] {
  const files: FoundFile[] = [];
  const visit = (at: string, below: string, above: readonly string[]): void => {
    for (const name of namesOf(at, `${shown}${below}`)) {
      if (name === ".git") continue;
      const path = below === "" ? name : `${below}/${name}`;
      count();
      const real = endOf(join(at, name));
      if (real === undefined) continue;
      if (!isInside(root, real)) throw linkOut(`${shown}${path}`);
      if (isGits(root, real)) throw leadsToGits(`${shown}${path}`);
      const stats = statSync(real);
      if (stats.isDirectory()) {
        if (!above.includes(real)) visit(real, path, [...above, real]);
      } else if (stats.isFile()) files.push({ path, real, size: stats.size });
      else throw noFile(`${shown}${path}`);
    }
  };
  const real = realpathSync(folder);
  visit(real, "", [real]);
  return files;
}

function namesOf(folder: string, shown: string): readonly string[] {
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch (cause) {
    throw new RollstampError("system", `the folder can't be read (${errorCode(cause)})`, { place: { file: folder } });
  }
  checkNames(names, folder, shown || ".");
  return names;
}

/** Where a path leads to; undefined for a link that leads nowhere. */
function endOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** The error for a link that leads out of the repository, to the plugin's key or another's application. */
export function linkOut(path: string): RollstampError {
  return leadsOut(path, "Put the file itself there.");
}

function noFile(path: string): RollstampError {
  return new RollstampError("input", "this is a pipe, a socket or a device, which helm would wait for", {
    place: { file: path },
  });
}
