import { existsSync, readdirSync, realpathSync, statSync, type Dirent } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { isInside } from "../cmp/source-type.ts";
import { RollstampError } from "../ground/errors.ts";
import { CHART_FILE, TEMPLATES_FOLDER } from "../ground/hosts/helm.ts";
import { isKustomizationFile, KUSTOMIZATION_FILES } from "../ground/hosts/kustomize.ts";
import { errorCode } from "./files.ts";
import { isIgnored, repositoryOf, rulesAbove, rulesOf, type IgnoreRules } from "./ignore-rules.ts";

/** A file that may hold manifests. */
export interface FoundFile {
  /** As people see it: the path that was given, and the way from there. */
  readonly path: string;
  /** The file itself, behind every symbolic link. */
  readonly real: string;
  /** It was given by itself, not found in a folder. */
  readonly named: boolean;
}

export interface FoundFiles {
  /** Each file once, in the order of their paths. */
  readonly files: readonly FoundFile[];
  /** The folders and files that are kustomize's input and were left out. */
  readonly kustomizeInput: readonly string[];
  /** What could not be looked at. */
  readonly errors: readonly RollstampError[];
}

export interface FindOptions {
  /** Whether files below a folder with a kustomization file count. */
  readonly kustomizeInput: boolean;
}

/**
 * Finds the files that may hold manifests: those that are given, and in folders every YAML and JSON
 * file that no ignore file names and that is no Helm template. A symbolic link is followed only
 * to what is inside the given folder.
 */
export function findFiles(paths: readonly string[], options: FindOptions): FoundFiles {
  const search: Search = { ...options, files: new Map(), left: new Set(), errors: [] };
  for (const path of paths) {
    try {
      const real = realpathSync(path);
      if (statSync(real).isDirectory()) searchGiven(search, path, real);
      else addNamed(search, path, real);
    } catch (cause) {
      search.errors.push(unreadable(path, cause));
    }
  }
  return {
    files: inPathOrder([...search.files.values()], (file) => file.path),
    kustomizeInput: inPathOrder([...search.left], (path) => path),
    errors: search.errors,
  };
}

interface Search extends FindOptions {
  /** By real path. */
  readonly files: Map<string, FoundFile>;
  readonly left: Set<string>;
  readonly errors: RollstampError[];
}

/** One folder that was given: links may not lead out of it, nor twice to one place. */
interface Tree {
  readonly root: string;
  readonly seen: Set<string>;
  /** Followed last, so that a file that stands inside anyway has its own path. */
  readonly links: Link[];
}

interface Link {
  readonly path: string;
  readonly at: string;
  readonly rules: IgnoreRules | undefined;
}

function searchGiven(search: Search, path: string, real: string): void {
  if (!search.kustomizeInput && isBelowKustomization(dirname(real))) {
    search.left.add(path);
    return;
  }
  if (isHelmTemplates(dirname(real), basename(real))) return;
  const tree: Tree = { root: real, seen: new Set(), links: [] };
  const above = rulesAbove(real);
  // Who names an ignored folder means what is in it.
  searchFolder(search, tree, path, real, isIgnored(above, real, true) ? undefined : above);
  for (const link of tree.links) followLink(search, tree, link);
}

function addNamed(search: Search, path: string, real: string): void {
  if (!search.kustomizeInput && !isKustomizationFile(basename(real)) && isBelowKustomization(dirname(real))) {
    search.left.add(path);
    return;
  }
  search.files.set(real, { path, real, named: true });
}

// A walk of our own, not a glob: each folder decides for what is below it (its ignore files, a
// kustomization file, a chart), and what it leaves out, such as node_modules, is never entered.
function searchFolder(search: Search, tree: Tree, path: string, real: string, above: IgnoreRules | undefined): void {
  if (tree.seen.has(real)) return;
  tree.seen.add(real);
  let entries: Dirent[];
  try {
    entries = readdirSync(real, { withFileTypes: true });
  } catch (cause) {
    search.errors.push(unreadable(path, cause));
    return;
  }
  if (!search.kustomizeInput && entries.some((entry) => isKustomizationFile(entry.name))) {
    search.left.add(path);
    return;
  }
  const isChart = entries.some((entry) => entry.name === CHART_FILE);
  const hasRules = entries.some((entry) => entry.name.endsWith("ignore"));
  const rules = hasRules ? rulesOf(real, above) : above;
  for (const entry of entries) {
    const { name } = entry;
    const at = joined(path, name);
    if (entry.isSymbolicLink()) {
      tree.links.push({ path: at, at: join(real, name), rules });
      continue;
    }
    const realAt = real === sep ? real + name : real + sep + name;
    if (entry.isDirectory()) {
      if (NEVER_ENTERED.has(name) || (isChart && name === TEMPLATES_FOLDER)) continue;
      if (!isIgnored(rules, realAt, true)) searchFolder(search, tree, at, realAt, rules);
    } else if (entry.isFile() && MANIFEST_NAME.test(name) && !isIgnored(rules, realAt, false)) {
      addFound(search, at, realAt);
    }
  }
}

const MANIFEST_NAME = /\.(?:yaml|yml|json)$/u;
// No one keeps manifests there, and both are large.
const NEVER_ENTERED: ReadonlySet<string> = new Set([".git", "node_modules"]);

/** A link to a place inside the given folder; what a link and a plain path both lead to counts once. */
function followLink(search: Search, tree: Tree, { path, at, rules }: Link): void {
  let real: string;
  let isFolder: boolean;
  try {
    real = realpathSync(at);
    isFolder = statSync(real).isDirectory();
  } catch {
    // It leads nowhere, or to itself: as git has it, a link is no content.
    return;
  }
  if (!real.startsWith(tree.root + sep) || isIgnored(rules, at, isFolder)) return;
  if (isFolder) searchFolder(search, tree, path, real, rules);
  else if (MANIFEST_NAME.test(basename(at))) addFound(search, path, real);
}

function addFound(search: Search, path: string, real: string): void {
  if (!search.files.has(real)) search.files.set(real, { path, real, named: false });
}

/** The error for a link out of a repository. */
export function leadsOut(file: string): RollstampError {
  return new RollstampError("input", "this link leads out of the repository", {
    place: { file },
    remedy: "Put the file itself there, or name the one that is meant on the command line.",
  });
}

/** True where a folder, or one above it in the same repository, has a kustomization file. */
function isBelowKustomization(folder: string): boolean {
  const root = repositoryOf(folder);
  for (let at = folder; ; at = dirname(at)) {
    if (KUSTOMIZATION_FILES.some((name) => existsSync(join(at, name)))) return true;
    if (at === root || dirname(at) === at) return false;
  }
}

function isHelmTemplates(parent: string, name: string): boolean {
  return name === TEMPLATES_FOLDER && existsSync(join(parent, CHART_FILE));
}

function joined(path: string, name: string): string {
  if (path === "." || path === "./") return name;
  return path.endsWith(sep) ? path + name : path + sep + name;
}

/** In the order of paths, with the separator before all else: a folder's files stay together. */
function inPathOrder<T>(items: readonly T[], pathOf: (item: T) => string): T[] {
  const keyed = items.map((item) => ({ item, key: pathOf(item).replaceAll(sep, "\0") }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ item }) => item);
}

function unreadable(path: string, cause: unknown): RollstampError {
  const code = errorCode(cause);
  return new RollstampError(
    "system",
    code === "ENOENT" ? "there is no such file or folder" : `this can't be read (${code})`,
    {
      place: { file: path },
      remedy: "Check the path and its permissions.",
    },
  );
}

/**
 * The nearest file of a name in the folder of a path or above it, within its repository. Throws a
 * RollstampError for a link that leads out of that: who commits it is not who runs the command.
 */
export function findUpwards(path: string, name: string): string | undefined {
  const start = resolve(path);
  let at = existsSync(start) && statSync(start).isDirectory() ? start : dirname(start);
  const root = repositoryOf(at);
  for (;;) {
    const file = join(at, name);
    if (existsSync(file)) {
      if (root !== undefined && !isInside(realpathSync(root), realpathSync(file))) throw leadsOut(file);
      return file;
    }
    if (at === root || dirname(at) === at) return undefined;
    at = dirname(at);
  }
}
