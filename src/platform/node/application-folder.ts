import { readdirSync, realpathSync, statSync, type Dirent } from "node:fs";
import { join, relative } from "node:path";
import { SKIP_MARK } from "../../base/hosts/argocd.ts";
import { isGits, isInside, leadsOut, leadsToGits } from "../../base/inside.ts";
import { errorCode, RollstampError } from "../../base/errors.ts";
import type { ApplicationFolder } from "../ports/applications.ts";
import { textOf } from "../ports/files.ts";
import { isManifestName, readManifestText, type ManifestFile } from "../../yaml/read/manifest-text.ts";
import { readInPlace, readInside } from "./repository-files.ts";
import { checkNames } from "./utf8.ts";

/** The names in the folder, sorted. */
export function namesIn(folder: string): readonly string[] {
  return entriesIn(folder).map(({ name }) => name);
}

function entriesIn(folder: string): Dirent[] {
  try {
    // Sorted: the order of a render must not depend on the file system.
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    throw new RollstampError("system", `the folder can't be read (${errorCode(cause)})`, { place: { file: folder } });
  }
}

/** Whoever commits the link has no command line on which to name a file. */
const COPY_IT = "Put the file itself there.";

/**
 * The manifests of a plain folder, as Argo CD finds them (reposerver/repository,
 * getPotentiallyValidManifests): no ignore file counts, folders below only with `recurse`, links
 * only inside the repository. `except` are real paths that are no manifests.
 */
export function plainManifests(
  application: ApplicationFolder,
  { recurse, except }: { readonly recurse: boolean; readonly except: ReadonlySet<string> },
): readonly ManifestFile[] {
  const files: ManifestFile[] = [];
  const visit = (folder: string): void => {
    const entries = entriesIn(folder);
    const manifests = entries.map(({ name }) => name).filter(isManifestName);
    checkNames(manifests, folder, relative(application.folder, folder) || ".");
    for (const entry of entries) {
      const at = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (recurse && entry.name !== ".git") visit(at);
      } else if (isManifestName(entry.name)) {
        const real = realFile(application, at);
        if (real !== undefined && !except.has(real)) files.push(...manifestFile(application, at, real));
      }
    }
  };
  visit(application.folder);
  return files;
}

function manifestFile({ folder, limits }: ApplicationFolder, at: string, real: string): ManifestFile[] {
  const path = relative(folder, at);
  const text = textOf(readInPlace(real, path, limits.inputSize));
  if (text.includes(SKIP_MARK)) return [];
  const manifests = readManifestText(text, path, limits);
  return manifests === undefined ? [] : [{ path, real, manifests }];
}

/** The file behind a path; undefined where a link leads nowhere or to something else than a file. */
function realFile({ folder, root }: ApplicationFolder, at: string): string | undefined {
  let real: string;
  try {
    real = realpathSync(at);
    if (!statSync(real).isFile()) return undefined;
  } catch {
    return undefined;
  }
  if (!isInside(root, real)) throw leadsOut(relative(folder, at), COPY_IT);
  if (isGits(root, real)) throw leadsToGits(relative(folder, at));
  return real;
}

/**
 * The file that a parameter names: from the application's folder, or from the repository's root
 * with a leading slash; undefined where there is none. Throws a RollstampError for one outside:
 * the plugin's own files, its keys among them, are nobody's values.
 */
export function repositoryFile(
  { folder, root }: ApplicationFolder,
  path: string,
  parameter: string,
): string | undefined {
  const refuse = (message: string): RollstampError =>
    new RollstampError("usage", `the plugin parameter '${parameter}' names '${path}', ${message}`, {
      remedy: "It takes files of the application's repository.",
    });
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//u.test(path)) throw refuse("which is no file");
  const at = path.startsWith("/") ? join(root, path) : join(folder, path);
  // Looked at before it is opened: whether a file is there is no more to be told than what it holds.
  if (!isInside(root, at)) throw refuse("which is outside the repository");
  let real: string;
  try {
    real = realpathSync(at);
  } catch {
    return undefined;
  }
  if (!isInside(root, real)) throw refuse("which leads out of the repository");
  if (isGits(root, real)) throw refuse("which is git's own");
  // helm would wait for a pipe.
  if (!statSync(real).isFile()) throw refuse("which is no file");
  return real;
}

/** The text of a file in the application's folder. Throws a RollstampError, also for one that leads out. */
export function applicationText({ folder, root, limits }: ApplicationFolder, name: string): string {
  return textOf(readInside(join(folder, name), { root, shown: name, most: limits.inputSize }));
}

/** The text of a file by its path from the root; undefined where there is none. Throws for what may not be read. */
export function fileText({ root, limits }: ApplicationFolder, path: string): string | undefined {
  const at = join(root, path);
  if (!isInside(root, at)) throw leadsOut(path, "It takes files of the repository.");
  const read = readInside(at, { root, shown: path, most: limits.inputSize });
  return read.is === "refused" && read.because === "missing" ? undefined : textOf(read);
}

/** The nearest file of a name in the application's folder or above it, in what was sent. */
export function nearestFile(application: ApplicationFolder, name: string): string | undefined {
  const { folder, root } = application;
  for (let at = folder; isInside(root, at); at = join(at, "..")) {
    const names = namesIn(at);
    if (names.includes(name)) return realFile(application, join(at, name));
    if (at === root) return undefined;
  }
  return undefined;
}
