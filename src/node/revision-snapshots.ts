import {
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join, posix } from "node:path";
import { marksFolder } from "../applications/discover/repository.ts";
import { errorCode, RollstampError } from "../base/errors.ts";
import { addTo, once } from "../base/grouped.ts";
import { formatCommit } from "../base/names.ts";
import type { FileRead } from "../platform/ports/files.ts";
import type { RevisionRange } from "../platform/ports/git.ts";
import type { RenderCache } from "../platform/ports/programs.ts";
import type { Contents, OpenHistory, Revisions, Snapshot, SnapshotEntry } from "../platform/ports/snapshot.ts";
import { prefixOf, resolvedRange } from "./git.ts";
import { renderingsIn } from "./render-cache.ts";
import { listing } from "./revision-listing.ts";
import { objectSession } from "./git-batch.ts";
import { gitObjects, type GitObjects } from "./revision-objects.ts";
import { treesIn, type RevisionsOptions } from "./revision-trees.ts";
import { expectManyFiles, expectManyApplications } from "./v8-flags.ts";
import { misnamed } from "./utf8.ts";
import { clearLeftBehind, copyPrefix, removeFolder, withFolder } from "./temporary-folders.ts";
import { shortened } from "../base/words.ts";

/** Opens two revisions. Exported files are removed when `use` ends, even if it fails. */
export async function withRevisions<T>(
  range: RevisionRange,
  options: RevisionsOptions,
  use: (revisions: Revisions) => Promise<T>,
): Promise<T> {
  expectManyApplications();
  const { prefix, baseCommit, headCommit, isDirty } = await resolvedRange(range, options);
  return withStore(options, async ({ opened, kept, areaOf }) => {
    const base = await opened(range.base, baseCommit, areaOf("base"));
    const head =
      baseCommit === headCommit ? { ...base, name: range.head } : await opened(range.head, headCommit, areaOf("head"));
    return use({ base, head, prefix, isDirty, kept });
  });
}

/** A comparison needs two commits, and sometimes older ones; the next two are read meanwhile. */
const MOST_OPEN = 6;

/** Opens commits one after another. Exported files are removed when `use` ends, even if it fails. */
export async function withHistory<T>(options: RevisionsOptions, use: (history: OpenHistory) => Promise<T>): Promise<T> {
  expectManyFiles();
  const prefix = await prefixOf(options);
  return withStore(options, async ({ opened, kept, areaOf }) => {
    const open = new Map<string, { readonly area: ExportArea; readonly snapshot: Promise<Snapshot> }>();
    const areaFor = (commit: string): ExportArea => {
      const [oldest] = open;
      if (oldest === undefined || open.size < MOST_OPEN) return areaOf(commit);
      open.delete(oldest[0]);
      return oldest[1].area;
    };
    const opening = (commit: string): { readonly area: ExportArea; readonly snapshot: Promise<Snapshot> } => {
      const area = areaFor(commit);
      return { area, snapshot: opened(formatCommit(commit), commit, area) };
    };
    return use({
      prefix,
      kept,
      open: (commit) => {
        const known = open.get(commit) ?? opening(commit);
        // The one that was used last comes last.
        open.delete(commit);
        open.set(commit, known);
        return known.snapshot;
      },
    });
  });
}

/** The revisions of a run, with the contents that they share. */
interface Store {
  /** Opens a commit, whose files are exported to an area. What the area has of another commit is kept where it is the same. */
  readonly opened: (name: string, commit: string, area: ExportArea) => Promise<Snapshot>;
  readonly areaOf: (name: string) => ExportArea;
  readonly kept: RenderCache;
}

function withStore<T>(options: RevisionsOptions, use: (store: Store) => Promise<T>): Promise<T> {
  clearLeftBehind();
  return withFolder(async (folder) => {
    const temporary = realpathSync(folder());
    const session = objectSession(options);
    const objects = gitObjects(temporary, session, options.limits.inputSize);
    const entriesOf = treesIn(session, options);
    const contents: Contents = { fetch: objects.fetch, has: objects.has, text: textsOf(objects) };
    const opened: Store["opened"] = async (name, commit, area) => {
      const entries = await entriesOf(commit);
      await objects.fetch([...entries.values()].flatMap(({ is, id }) => (is === "link" ? id : [])));
      prepare(area, entries);
      const exported = exporter(area, { entries, objects, options });
      const files = { name, commit, entries, contents, export: exported, limits: options.limits };
      return Object.assign(files, await listing(files));
    };
    const areaOf: Store["areaOf"] = (at) => ({ folder: join(temporary, at), made: new Set(), written: new Map() });
    try {
      return await use({ opened, areaOf, kept: renderingsIn(join(temporary, "kept"), options.limits) });
    } finally {
      session.close();
      objects.close();
    }
  }, copyPrefix("plan"));
}

interface ExportArea {
  readonly folder: string;
  readonly made: Set<string>;
  /** The files and links in it, with what identifies them. */
  readonly written: Map<string, string>;
}

/** A link and a file may have the same content. */
function idOf(entry: SnapshotEntry | undefined): string {
  return entry === undefined ? "" : `${entry.is} ${entry.id}`;
}

/** The folder in which the kustomizations of an area are staged together. */
function stagedIn({ folder }: Pick<ExportArea, "folder">): string {
  return `${folder}-staged`;
}

/** Removes from an area what another commit has differently. */
function prepare(area: ExportArea, entries: Snapshot["entries"]): void {
  const { folder, made, written } = area;
  if (made.size === 0) return;
  if (existsSync(stagedIn(area))) removeFolder(stagedIn(area));
  for (const [path, entry] of written) {
    if (idOf(entries.get(path)) === entry) continue;
    written.delete(path);
    rmSync(join(folder, path));
  }
  // Those below come first.
  for (const path of [...made].sort().toReversed()) {
    if (path === "" || path === "." || entries.get(path)?.is === "folder") continue;
    made.delete(path);
    rmdirSync(join(folder, path));
  }
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
function exporter(area: ExportArea, { entries, objects, options: { limits } }: ToExport): Snapshot["export"] {
  const { folder, made, written } = area;
  const exported = { root: folder, together: { folder: stagedIn(area), root: folder, limits } };
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
    written.set(path, idOf({ is, id }));
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
  return new RollstampError("system", `'${shortened(path, 200)}' can't be written (${errorCode(cause)})`, {
    remedy: "Files of a revision are written to the folder that TMPDIR names: it needs free space and shorter names.",
  });
}
