import { lstatSync, mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { marksFolder } from "../../applications/discover/repository.ts";
import { errorCode, RollstampError } from "../../base/errors.ts";
import { addTo } from "../../base/grouped.ts";
import type { FileRead } from "../ports/files.ts";
import type { RevisionRange } from "../ports/revisions.ts";
import type { Revision, Revisions, RevisionsOptions, WrittenTree } from "../ports/revisions.ts";
import { resolvedRange } from "./git.ts";
import { clearLeftBehind, copyPrefix, withFolder } from "./temporary-folders.ts";
import { entriesOf, gitObjects, type GitObjects } from "./revision-objects.ts";
import { renderingsIn } from "./render-cache.ts";
import { keepYoungMemory } from "./processes.ts";

/** Opens two revisions; what was written of them goes when `use` ends, whatever happens. */
export async function withRevisions<T>(
  range: RevisionRange,
  options: RevisionsOptions,
  use: (revisions: Revisions) => Promise<T>,
): Promise<T> {
  keepYoungMemory();
  const { prefix, baseCommit, headCommit, isDirty } = await resolvedRange(range, options);
  clearLeftBehind();
  return withFolder(async (folder) => {
    const own = realpathSync(folder());
    const objects = gitObjects(own, options);
    try {
      const base: Revision = {
        revision: range.base,
        commit: baseCommit,
        entries: await entriesOf(baseCommit, options),
      };
      const head: Revision = {
        revision: range.head,
        commit: headCommit,
        entries: baseCommit === headCommit ? base.entries : await entriesOf(headCommit, options),
      };
      const links = [base, head].flatMap(({ entries }) => [...entries.values()].filter(({ is }) => is === "link"));
      await objects.fetch(links.map(({ id }) => id));
      const folders = {
        [baseCommit]: writer(join(own, "base"), objects, options),
        [headCommit]: writer(join(own, "head"), objects, options),
      };
      return await use({
        base,
        head,
        prefix,
        isDirty,
        limits: options.limits,
        fetch: objects.fetch,
        has: objects.has,
        text: textsOf(objects),
        writeOut: (revision, paths) => {
          const write = folders[revision.commit];
          if (write === undefined) throw new Error("a revision of another run");
          return write(revision, paths);
        },
        kept: renderingsIn(join(own, "kept"), options.limits),
      });
    } finally {
      objects.close();
    }
  }, copyPrefix("plan"));
}

/**
 * Of what makes its folder a kustomization, a chart or a package there are many, they are small, and most are the same in
 * both revisions: who reads one anew gets what was read, and what was made of it.
 */
function textsOf(objects: GitObjects): Revisions["text"] {
  const known = new Map<string, FileRead>();
  return (id, shown) => {
    if (!marksFolder(posix.basename(shown))) return objects.text(id, shown);
    const key = `${id} ${shown}`;
    let read = known.get(key);
    if (read === undefined) known.set(key, (read = objects.text(id, shown)));
    return read;
  };
}

/** Writes what is asked for of one revision, each file once. */
function writer(folder: string, objects: GitObjects, { limits }: RevisionsOptions): Revisions["writeOut"] {
  const tree: WrittenTree = { root: folder, together: { folder: `${folder}-staged`, root: folder, limits } };
  const made = new Set<string>();
  const written = new Set<string>();
  const below = new Map<Revision, ReadonlyMap<string, readonly string[]>>();
  /** A folder that we have made: one that is a link would lead the next file elsewhere. */
  const make = (path: string): void => {
    if (made.has(path)) return;
    const cut = path.lastIndexOf("/");
    if (path !== "") make(cut < 0 ? "" : path.slice(0, cut));
    const at = join(folder, path);
    try {
      mkdirSync(at, { mode: 0o700 });
    } catch (cause) {
      if (errorCode(cause) !== "EEXIST" || !lstatSync(at).isDirectory()) throw notWritten(path, cause);
    }
    made.add(path);
  };
  const write = (path: string, { is, id }: { readonly is: "file" | "link"; readonly id: string }): void => {
    written.add(path);
    const cut = path.lastIndexOf("/");
    make(cut < 0 ? "" : path.slice(0, cut));
    const at = join(folder, path);
    const bytes = objects.bytes(id);
    try {
      if (is === "link") symlinkSync(bytes?.toString("utf8") ?? "", at);
      else {
        writeFileSync(at, bytes ?? "", { mode: 0o600, flag: "wx" });
        // Whoever reads it says that it is too large.
        if (bytes === undefined) truncateSync(at, objects.sizeOf(id));
      }
    } catch (cause) {
      throw notWritten(path, cause);
    }
  };
  return async (revision, paths) => {
    const found = new Set<string>();
    const take = (path: string): void => {
      if (path.endsWith("/")) {
        make("");
        make(path.slice(0, -1));
        return;
      }
      const entry = path === "." ? { is: "folder" } : revision.entries.get(path);
      if (entry?.is === "file" || entry?.is === "link") found.add(path);
      if (entry?.is !== "folder") return;
      let names = below.get(revision);
      if (names === undefined) below.set(revision, (names = childrenOf(revision)));
      for (const child of names.get(path) ?? []) take(child);
    };
    for (const path of paths) take(path);
    const missing = [...found].filter((path) => !written.has(path));
    const entries = missing.flatMap((path) => {
      const entry = revision.entries.get(path);
      return entry === undefined || entry.is === "folder" || entry.is === "module"
        ? []
        : [{ path, is: entry.is, id: entry.id }];
    });
    await objects.fetch(entries.map(({ id }) => id));
    make("");
    // Another application may have written it while we waited.
    for (const { path, is, id } of entries) if (!written.has(path)) write(path, { is, id });
    return tree;
  };
}

function childrenOf({ entries }: Revision): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const path of entries.keys()) {
    const cut = path.lastIndexOf("/");
    const folder = cut < 0 ? "." : path.slice(0, cut);
    addTo(children, folder, path);
  }
  return children;
}

function notWritten(path: string, cause: unknown): RollstampError {
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return new RollstampError("system", `'${shown}' can't be written (${errorCode(cause)})`, {
    remedy: "Files of a revision are written to the folder that TMPDIR names: it needs room, and shorter names.",
  });
}
