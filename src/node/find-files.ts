import { existsSync, realpathSync, statSync, type Stats } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isInGitFolder, isInside, leadsOut } from "../base/inside.ts";
import { errorCode, RollstampError } from "../base/errors.ts";
import { CHART_FILE, CHARTS_FOLDER, TEMPLATES_FOLDER } from "../base/hosts/helm.ts";
import { isKustomizationFile, KUSTOMIZATION_FILES } from "../base/hosts/kustomize.ts";
import type { FindOptions, FoundFile, FoundFiles, KustomizeInput, LeftFile } from "../platform/ports/files.ts";
import { isManifestName } from "../yaml/read/manifest-text.ts";
import { isInIgnored, rulesAbove, rulesOf } from "./ignore-rules.ts";
import { fatesOfPaths, type FateOf, type Ignoring } from "./ignored-paths.ts";
import { noFile, repositoryOf } from "./repository-files.ts";
import { expectManyFiles } from "./v8-flags.ts";
import { isNeverEntered } from "./dependency-folders.ts";
import { misnamed, namedEntries } from "./utf8.ts";
import { marksFolder } from "../applications/discover/repository.ts";

/**
 * Finds the files that may contain manifests: named files, and in folders every YAML and JSON file, except those that
 * an ignore file excludes and Helm templates. A .gitignore excludes no file that Git tracks. Symbolic links are followed only
 * inside the given folder.
 */
export function findFiles(paths: readonly string[], options: FindOptions): FoundFiles {
  const left: LeftFile[] = [];
  const search: Search = {
    ...options,
    fateOf: fatesOfPaths((root) => left.push({ path: shownFrom(root), because: "unlisted" })),
    files: new Map(),
    kustomize: new Map(),
    charts: new Set(),
    left,
    errors: [],
  };
  for (const path of paths) {
    try {
      const real = realpathSync(path);
      if (statSync(real).isDirectory()) {
        if (search.writes === true && leavesRepository(path, real)) throw leadsOut(path);
        searchGiven(search, path, real);
      } else if (leavesRepository(path, real)) throw leadsOut(path);
      else search.files.set(real, { path, real, named: true });
    } catch (cause) {
      search.errors.push(cause instanceof RollstampError ? cause : unreadable(path, cause));
    }
  }
  if (search.files.size > MANY_FILES && search.all !== true) expectManyFiles();
  return {
    files: inPathOrder([...search.files.values()], (file) => file.path),
    kustomizeInput: inPathOrder([...search.kustomize.values()], ({ path }) => path),
    charts: inPathOrder([...search.charts], (path) => path),
    left: inPathOrder(search.left, ({ path }) => path),
    errors: search.errors,
  };
}

/** With more files than this, most of what is read stays in memory until the end. */
const MANY_FILES = 500;

interface Search extends FindOptions {
  readonly fateOf: FateOf;
  /** By real path. */
  readonly files: Map<string, FoundFile>;
  /** By path. */
  readonly kustomize: Map<string, KustomizeInput>;
  readonly charts: Set<string>;
  readonly left: LeftFile[];
  readonly errors: RollstampError[];
}

/** A given folder. Links may not lead out of it, and each target counts once. */
interface Tree {
  readonly root: string;
  /** Ignore files may be links into the whole repository. */
  readonly ignoreRoot: string;
  readonly seen: Set<string>;
  /** Followed last: a file inside the folder keeps its own path. */
  readonly links: Link[];
}

interface Link {
  readonly path: string;
  readonly linkPath: string;
  readonly seenAt: string;
  readonly ignoring: Ignoring;
}

function searchGiven(search: Search, path: string, real: string): void {
  const above = search.kustomizeInput ? undefined : kustomizationAbove(dirname(real));
  if (above !== undefined) {
    search.kustomize.set(path, { path, builtFrom: shownFrom(above) });
    return;
  }
  if (search.all !== true && isHelmTemplates(dirname(real), basename(real))) {
    search.charts.add(dirname(path));
    return;
  }
  const tree: Tree = { root: real, ignoreRoot: repositoryOf(real) ?? real, seen: new Set(), links: [] };
  const outer = rulesAbove(real, search.limits, (file) => {
    search.left.push({ ...file, path: shownFrom(file.path) });
  });
  // If the user names an ignored folder, its content counts.
  const rules = isInIgnored(outer, real) ? undefined : outer;
  searchFolder(search, tree, { path, real, seenAs: real, rules, isIgnored: false, isDependency: false });
  for (const link of tree.links) followLink(search, tree, link);
}

/** Whether a named path is a link out of its repository: a commit may have added it. */
function leavesRepository(path: string, real: string): boolean {
  const root = real === resolve(path) ? undefined : repositoryOf(dirname(resolve(path)));
  return root !== undefined && isOutOf(realpathSync(root), real);
}

function isOutOf(root: string, real: string): boolean {
  return !isInside(root, real) || isInGitFolder(root, real);
}

interface Folder extends Ignoring {
  /** As shown to the user. */
  readonly path: string;
  readonly real: string;
  /** The path for ignore files: behind a link, that of the link. */
  readonly seenAs: string;
  /** The folder is in the dependencies of a chart, which are rendered with that chart. */
  readonly isDependency: boolean;
}

// Not a glob: each folder decides about the folders below (ignore files, a kustomization file, a chart), and excluded
// folders such as node_modules are never entered.
function searchFolder(search: Search, tree: Tree, folder: Folder): void {
  const { path, real, seenAs, rules: above, isIgnored, isDependency } = folder;
  if (tree.seen.has(real)) return;
  tree.seen.add(real);
  let named: ReturnType<typeof namedEntries>;
  try {
    named = namedEntries(real);
  } catch (cause) {
    const error = unreadable(path, cause);
    if (real === tree.root) search.errors.push(error);
    else search.left.push({ path, because: "unreadable", error });
    return;
  }
  const { entries } = named;
  if (!search.kustomizeInput && entries.some((entry) => isKustomizationFile(entry.name))) {
    search.kustomize.set(path, { path });
    return;
  }
  const isChart = entries.some((entry) => entry.name === CHART_FILE);
  if (isChart && !isDependency) search.charts.add(path);
  const hasRules = entries.some((entry) => entry.name.endsWith("ignore"));
  const refused = (file: LeftFile): void => {
    search.left.push({ ...file, path: joined(path, file.path) });
  };
  const rules = hasRules
    ? rulesOf(real, above, { root: tree.ignoreRoot, seenAs, limits: search.limits, refused })
    : above;
  const ignoring: Ignoring = { rules, isIgnored };
  for (const { name, isFolder } of named.wrong) {
    const shownPath = joined(path, name);
    if ((isFolder || isManifestName(name)) && search.fateOf(ignoring, below(seenAs, name), isFolder) !== "out")
      search.left.push({ path: shownPath, because: "unreadable", error: misnamed(shownPath) });
  }
  for (const entry of entries) {
    const { name } = entry;
    const shownPath = joined(path, name);
    const seenAt = below(seenAs, name);
    if (entry.isSymbolicLink()) {
      tree.links.push({ path: shownPath, linkPath: below(real, name), seenAt, ignoring });
      continue;
    }
    const realAt = seenAs === real ? seenAt : below(real, name);
    if (entry.isDirectory()) {
      if (isNeverEntered(name, (file) => existsSync(join(realAt, file)))) continue;
      if (isChart && name === TEMPLATES_FOLDER && search.all !== true) continue;
      const fate = search.fateOf(ignoring, seenAt, true);
      if (fate !== "out")
        searchFolder(search, tree, {
          path: shownPath,
          real: realAt,
          seenAs: seenAt,
          rules,
          isIgnored: fate === "tracked",
          isDependency: isDependency || (isChart && name === CHARTS_FOLDER),
        });
    } else if (isWanted(search, name) && search.fateOf(ignoring, seenAt, false) !== "out") {
      if (entry.isFile()) addFound(search, shownPath, realAt);
      else search.left.push({ path: shownPath, because: "special" });
    }
  }
}

function isWanted({ all }: Search, name: string): boolean {
  return all === true || isManifestName(name);
}

function below(folder: string, name: string): string {
  return folder === sep ? folder + name : folder + sep + name;
}

/** Follows a link inside the given folder. If a link and a plain path have the same target, it counts once. */
function followLink(search: Search, tree: Tree, { path, linkPath, seenAt, ignoring }: Link): void {
  let real: string;
  let stats: Stats;
  try {
    real = realpathSync(linkPath);
    stats = statSync(real);
  } catch {
    // The link leads nowhere, or to itself.
    return;
  }
  const isFolder = stats.isDirectory();
  if (search.fateOf(ignoring, seenAt, isFolder) === "out") return;
  const isManifest = !isFolder && isWanted(search, basename(linkPath));
  if (isOutOf(tree.root, real)) {
    if (isFolder || isManifest) search.left.push({ path, because: "leadsOut" });
  } else if (isFolder)
    searchFolder(search, tree, {
      path,
      real,
      seenAs: seenAt,
      rules: ignoring.rules,
      isIgnored: false,
      isDependency: false,
    });
  else if (isManifest && stats.isFile()) {
    // If all files count, the target is found anyway.
    if (search.all === true && countsBesideItsTarget(linkPath, real))
      search.files.set(linkPath, { path, real, named: false });
    else addFound(search, path, real);
  } else if (isManifest) search.left.push({ path, because: "special" });
}

function addFound(search: Search, path: string, real: string): void {
  if (!search.files.has(real)) search.files.set(real, { path, real, named: false });
}

/** The nearest folder with a kustomization file: the folder itself, or one above it in the same repository. */
function kustomizationAbove(folder: string): string | undefined {
  const root = repositoryOf(folder);
  for (let current = folder; ; current = dirname(current)) {
    if (KUSTOMIZATION_FILES.some((name) => existsSync(join(current, name)))) return current;
    if (current === root || dirname(current) === current) return undefined;
  }
}

/** A real path relative to the current folder. */
function shownFrom(real: string): string {
  return relative(realpathSync(process.cwd()), real) || ".";
}

function isHelmTemplates(parent: string, name: string): boolean {
  return name === TEMPLATES_FOLDER && existsSync(join(parent, CHART_FILE));
}

function joined(path: string, name: string): string {
  if (path === "." || path === "./") return name;
  return path.endsWith(sep) ? path + name : path + sep + name;
}

/** Sorts by path, with the separator before all other characters: the files of a folder stay together. */
function inPathOrder<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  const keyed = items.map((item) => ({ item, key: pathOf(item).replaceAll(sep, "\0") }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ item }) => item);
}

function unreadable(path: string, cause: unknown): RollstampError {
  const code = errorCode(cause);
  // A pipe of the shell, <(…), has no real path.
  if (code === "ENOENT" && statSync(path, { throwIfNoEntry: false })?.isFIFO() === true) return noFile(path, "a pipe");
  return new RollstampError("system", code === "ENOENT" ? "no such file or folder" : `this can't be read (${code})`, {
    place: { file: path },
    remedy: "Check the path and its permissions.",
  });
}

/**
 * The nearest file of a name in the folder of a path or above it, within its repository. Throws a RollstampError for a
 * link out of the repository: the author of a commit is not the user who runs the command.
 */
export function findUpwards(path: string, name: string): string | undefined {
  const start = resolve(path);
  let current = existsSync(start) && statSync(start).isDirectory() ? start : dirname(start);
  const root = repositoryOf(current);
  for (;;) {
    const file = join(current, name);
    if (existsSync(file)) {
      if (root !== undefined && isOutOf(realpathSync(root), realpathSync(file))) throw leadsOut(file);
      return file;
    }
    if (current === root || dirname(current) === current) return undefined;
    current = dirname(current);
  }
}

/**
 * Whether a link to a file of the repository counts in addition to the file: it makes its folder an application, or
 * only the link has the name of a manifest. Otherwise the same content would count twice.
 */
export function countsBesideItsTarget(link: string, target: string): boolean {
  return marksFolder(basename(link)) || (isManifestName(link) && !isManifestName(target));
}
