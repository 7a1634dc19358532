import { lstatSync, mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { marksFolder } from "../applications/discover/repository.ts";
import { errorCode, RollstampError } from "../base/errors.ts";
import { addTo, once } from "../base/grouped.ts";
import type { FileRead } from "../platform/ports/files.ts";
import type { RevisionRange } from "../platform/ports/git.ts";
import type { Contents, Revisions, Snapshot, SnapshotEntry } from "../platform/ports/snapshot.ts";
import { resolvedRange } from "./git.ts";
import { renderingsIn } from "./render-cache.ts";
import { listing } from "./revision-listing.ts";
import { entriesOf, gitObjects, type GitObjects, type RevisionsOptions } from "./revision-objects.ts";
import { keepYoungMemory } from "./processes.ts";
import { misnamed } from "./utf8.ts";
import { clearLeftBehind, copyPrefix, withFolder } from "./temporary-folders.ts";

/** Opens two revisions. Exported files are removed when `use` ends, even if it fails. */
export async function withRevisions<T>(
  range: RevisionRange,
  options: RevisionsOptions,
  use: (revisions: Revisions) => Promise<T>,
): Promise<T> {
  keepYoungMemory();
  const { prefix, baseCommit, headCommit, isDirty } = await resolvedRange(range, options);
  clearLeftBehind();
  return withFolder(async (folder) => {
    const temporary = realpathSync(folder());
    const objects = gitObjects(temporary, options);
    try {
      const contents: Contents = { fetch: objects.fetch, has: objects.has, text: textsOf(objects) };
      const opened = async (side: "base" | "head", commit: string): Promise<Snapshot> => {
        const entries = await entriesOf(commit, options);
        await objects.fetch([...entries.values()].flatMap(({ is, id }) => (is === "link" ? id : [])));
        const exported = exporter(join(temporary, side), { entries, objects, options });
        const files = { name: range[side], commit, entries, contents, export: exported, limits: options.limits };
        return Object.assign(files, await listing(files));
      };
      const base = await opened("base", baseCommit);
      const head = baseCommit === headCommit ? { ...base, name: range.head } : await opened("head", headCommit);
      return await use({ base, head, prefix, isDirty, kept: renderingsIn(join(temporary, "kept"), options.limits) });
    } finally {
      objects.close();
    }
  }, copyPrefix("plan"));
}

/**
 * Files that mark their folder as a kustomization, a chart or a package are many and small, and most are the same in both
 * revisions. Caching their texts also lets callers reuse what they parsed from the same text.
 */
function textsOf(objects: GitObjects): Contents["text"] {
  const known = new Map<string, FileRead>();
  return (id, shown) => {
    if (!marksFolder(posix.basename(shown))) return objects.text(id, shown);
    const key = `${id} ${shown}`;
    let read = known.get(key);
    if (read === undefined) known.set(key, (read = objects.text(id, shown)));
    return read;
  };
}

interface ToExport {
  readonly entries: Snapshot["entries"];
  readonly objects: GitObjects;
  readonly options: RevisionsOptions;
}

/** Writes the requested files of one revision into a folder, each file once. */
function exporter(folder: string, { entries, objects, options: { limits } }: ToExport): Snapshot["export"] {
  const exported = { root: folder, together: { folder: `${folder}-staged`, root: folder, limits } };
  const made = new Set<string>();
  const written = new Set<string>();
  const children = once(() => childrenOf(entries));
  /** Makes a folder and checks that it is not a link, which would lead the next file elsewhere. */
  const make = (path: string): void => {
    if (made.has(path)) return;
    const cut = path.lastIndexOf("/");
    if (path !== "") make(cut < 0 ? "" : path.slice(0, cut));
    const created = join(folder, path);
    try {
      mkdirSync(created, { mode: 0o700 });
    } catch (cause) {
      if (errorCode(cause) !== "EEXIST" || !lstatSync(created).isDirectory()) throw notWritten(path, cause);
    }
    made.add(path);
  };
  const write = (path: string, { is, id }: FileEntry): void => {
    const bytes = objects.bytes(id, path);
    written.add(path);
    const cut = path.lastIndexOf("/");
    make(cut < 0 ? "" : path.slice(0, cut));
    const file = join(folder, path);
    try {
      if (is === "link") symlinkSync(bytes?.toString("utf8") ?? "", file);
      else {
        writeFileSync(file, bytes ?? "", { mode: 0o600, flag: "wx" });
        // Whoever reads the file reports that it is too large.
        if (bytes === undefined) truncateSync(file, objects.sizeOf(id));
      }
    } catch (cause) {
      throw notWritten(path, cause);
    }
  };
  return async (paths) => {
    const found = new Map<string, FileEntry>();
    const take = (path: string): void => {
      if (path.endsWith("/")) {
        make("");
        make(path.slice(0, -1));
        return;
      }
      const entry = path === "." ? ROOT : entries.get(path);
      if (entry?.isMisnamed === true) throw misnamed(path);
      if (entry !== undefined && isFile(entry) && !written.has(path)) found.set(path, entry);
      if (entry?.is === "folder") for (const child of children().get(path) ?? []) take(child);
    };
    for (const path of paths) take(path);
    await objects.fetch([...found.values()].map(({ id }) => id));
    make("");
    // Another application may have written it during the fetch.
    for (const [path, entry] of found) if (!written.has(path)) write(path, entry);
    return exported;
  };
}

const ROOT: SnapshotEntry = { is: "folder", id: "" };

interface FileEntry extends SnapshotEntry {
  readonly is: "file" | "link";
}

function isFile(entry: SnapshotEntry): entry is FileEntry {
  return entry.is === "file" || entry.is === "link";
}

function childrenOf(entries: Snapshot["entries"]): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const path of entries.keys()) addTo(children, posix.dirname(path), path);
  return children;
}

function notWritten(path: string, cause: unknown): RollstampError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return new RollstampError("system", `'${shown}' can't be written (${errorCode(cause)})`, {
    remedy: "Files of a revision are written to the folder that TMPDIR names: it needs free space and shorter names.",
  });
}
