import { readdirSync, realpathSync, statSync, type Dirent } from "node:fs";
import { join, relative } from "node:path";
import { SKIP_MARK } from "../base/hosts/argocd.ts";
import { isInGitFolder, isInside, leadsOut, gitFolderError } from "../base/inside.ts";
import { errorCode, RollstampError } from "../base/errors.ts";
import type { ApplicationFolder } from "../platform/ports/applications.ts";
import { textOf } from "../platform/ports/files.ts";
import { isManifestName, readManifestText, type ManifestFile } from "../yaml/read/manifest-text.ts";
import { readInPlace, readInside } from "./repository-files.ts";
import { checkNames } from "./utf8.ts";

/** The names in a folder, sorted. */
export function namesIn(folder: string): readonly string[] {
  return entriesIn(folder).map(({ name }) => name);
}

function entriesIn(folder: string): Dirent[] {
  try {
    // Sorted, so that a rendering does not depend on the file system.
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (cause) {
    throw new RollstampError("system", `the folder can't be read (${errorCode(cause)})`, { place: { file: folder } });
  }
}

/** The author of a link can't name the file on a command line instead. */
const COPY_IT = "Put the file itself there.";

/**
 * Finds the manifests of a plain folder like Argo CD (reposerver/repository, getPotentiallyValidManifests): without ignore
 * files, in subfolders only with `recurse`, and through links only inside the repository. `except` are real paths that are not
 * manifests.
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
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (recurse && entry.name !== ".git") visit(path);
      } else if (isManifestName(entry.name)) {
        const real = realFile(application, path);
        if (real !== undefined && !except.has(real)) files.push(...manifestFile(application, path, real));
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

/** The real path of a file; undefined for a broken link and for anything that is not a file. */
function realFile({ folder, root }: ApplicationFolder, at: string): string | undefined {
  let real: string;
  try {
    real = realpathSync(at);
    if (!statSync(real).isFile()) return undefined;
  } catch {
    return undefined;
  }
  if (!isInside(root, real)) throw leadsOut(relative(folder, at), COPY_IT);
  if (isInGitFolder(root, real)) throw gitFolderError(relative(folder, at));
  return real;
}

/**
 * The file that a parameter names: a path from the folder of the application, or from the root of the repository with a
 * leading slash. Undefined if it does not exist. Throws a RollstampError for a file outside of the repository, because the
 * files of the plugin include its keys.
 */
export function repositoryFile(
  { folder, root }: ApplicationFolder,
  path: string,
  parameter: string,
): string | undefined {
  const refuse = (message: string): RollstampError =>
    new RollstampError("usage", `the plugin parameter '${parameter}' names '${path}', ${message}`, {
      remedy: "Use a file of the application's repository.",
    });
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//u.test(path)) throw refuse("which is not a file");
  const file = path.startsWith("/") ? join(root, path) : join(folder, path);
  // Checked first, because even the existence of a file outside must not be revealed.
  if (!isInside(root, file)) throw refuse("which is outside the repository");
  let real: string;
  try {
    real = realpathSync(file);
  } catch {
    return undefined;
  }
  if (!isInside(root, real)) throw refuse("which leads out of the repository");
  if (isInGitFolder(root, real)) throw refuse("which is inside .git");
  // helm would wait for a pipe.
  if (!statSync(real).isFile()) throw refuse("which is not a file");
  return real;
}

/** The text of a file in the folder of the application. Throws a RollstampError, also for a link that leads outside. */
export function applicationText({ folder, root, limits }: ApplicationFolder, name: string): string {
  return textOf(readInside(join(folder, name), { root, shown: name, most: limits.inputSize }));
}

/** The text of a file by its path from the root; undefined if it does not exist. Throws a RollstampError if it can't be read. */
export function fileText({ root, limits }: ApplicationFolder, path: string): string | undefined {
  const file = join(root, path);
  if (!isInside(root, file)) throw leadsOut(path, "Use a file of the repository.");
  const read = readInside(file, { root, shown: path, most: limits.inputSize });
  return read.is === "refused" && read.because === "missing" ? undefined : textOf(read);
}

/** The nearest file of a name in the folder of the application or above it. */
export function nearestFile(application: ApplicationFolder, name: string): string | undefined {
  const { folder, root } = application;
  for (let current = folder; isInside(root, current); current = join(current, "..")) {
    const names = namesIn(current);
    if (names.includes(name)) return realFile(application, join(current, name));
    if (current === root) return undefined;
  }
  return undefined;
}
