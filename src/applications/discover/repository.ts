import { posix } from "node:path";
import { CHART_FILE, CHARTS_FOLDER, TEMPLATES_FOLDER } from "../../base/hosts/helm.ts";
import { isKustomizationFile } from "../../base/hosts/kustomize.ts";
import { folderOf, foldersAround, inPathOrder } from "./paths.ts";
import type { NotFound } from "./not-found.ts";
import type { GivenValues } from "./given-values.ts";
import { contentOf, type Marked, type Unread } from "./marked.ts";
import type { Mapping } from "../../yaml/read/json.ts";
import { withSyncs } from "./flux-instances.ts";
import { objectIndex, type ObjectIndex } from "./object-index.ts";
import { gitOpsObjects, type GitOpsObject } from "./objects.ts";
import { networkRemotes, ownAddress } from "./remotes.ts";
import { onceFor } from "../../base/grouped.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";

/** The content of a repository, before applications are searched. */
export interface Repository {
  readonly tree: Snapshot;
  /** By folder. Files in the templates of a chart do not count. */
  readonly kustomizations: ReadonlyMap<string, Marked>;
  /** By folder, with libraries. */
  readonly charts: ReadonlyMap<string, Marked>;
  readonly packages: ReadonlySet<string>;
  /** Every folder with a file in it, or below it. */
  readonly folders: ReadonlySet<string>;
  /**
   * The folders that Argo CD's git generator sees, in path order: without the root and without names that begin with a
   * dot.
   */
  readonly visibleFolders: readonly string[];
  readonly objects: readonly GitOpsObject[];
  readonly objectIndex: ObjectIndex;
  /** Objects that can't be read. */
  readonly unread: readonly NotFound[];
  readonly isOwnAddress: (address: string) => boolean;
  /** Whether the remotes identify this repository. */
  readonly isKnown: boolean;
  readonly given: GivenValues;
  /** Whether a file is a template of a chart, or is in one of its dependencies. */
  readonly isChartInput: (path: string) => boolean;
}

export const KPTFILE = "Kptfile";

/** Whether a file of this name makes its folder a kustomization, a chart or a package. */
export function marksFolder(name: string): boolean {
  return isKustomizationFile(name) || name === CHART_FILE || name === KPTFILE;
}

/** What is known about a repository in addition to its files. */
export interface Known {
  /** Without any, each address counts as this repository. */
  readonly remotes?: readonly string[];
  readonly given?: GivenValues;
  /** The revision that it is compared with. */
  readonly other?: Snapshot;
}

const NOTHING_GIVEN: GivenValues = { clusters: undefined, parameters: new Map() };

/** Reads the names of all files, and the files that make a folder a kustomization or a chart. */
export function surveyed(tree: Snapshot, { remotes = [], given = NOTHING_GIVEN, other }: Known = {}): Repository {
  const folders = new Set<string>(["."]);
  const kustomizationFiles: string[] = [];
  const chartFiles: string[] = [];
  const packages: string[] = [];
  for (const path of tree.files) {
    const folder = folderOf(path);
    if (!folders.has(folder)) {
      folders.add(folder);
      for (const above of foldersAround(folder)) {
        if (folders.has(above)) break;
        folders.add(above);
      }
    }
    const name = posix.basename(path);
    if (isKustomizationFile(name)) kustomizationFiles.push(path);
    else if (name === CHART_FILE) chartFiles.push(path);
    else if (name === KPTFILE) packages.push(folder);
  }
  const chartFolders = new Set(chartFiles.map(folderOf));
  const isChartInput = chartInput(chartFolders);
  const outside = (files: readonly string[]): string[] => files.filter((file) => !isChartInput(file));
  const known = networkRemotes(remotes);
  const kustomizations = marked(tree, outside(kustomizationFiles), other);
  const { objects: written, notFound } = gitOpsObjects(tree, { kustomizations, isChartInput });
  const { objects, index } = indexed(written, kustomizations);
  return {
    tree,
    objects,
    objectIndex: index,
    unread: notFound,
    isOwnAddress: ownAddress(known),
    isKnown: known.length > 0,
    given,
    visibleFolders: inPathOrder(
      [...folders].filter((folder) => folder !== "." && !/(?:^|\/)\./u.test(folder)),
      (folder) => folder,
    ),
    kustomizations,
    charts: marked(tree, outside(chartFiles), other),
    packages: new Set(packages.filter((folder) => !foldersAround(folder).some((above) => packages.includes(above)))),
    folders,
    isChartInput,
  };
}

/** A path, if it is a folder of a repository other than its root, which every repository has. */
export function folderHere({ folders }: Pick<Repository, "folders">, path: string | undefined): string | undefined {
  return path !== undefined && path !== "." && folders.has(path) ? path : undefined;
}

/** Why a path is not in a repository: it is in a submodule, whose files are in another one; undefined for other paths. */
export function inSubmodule({ tree }: Pick<Repository, "tree">, path: string): string | undefined {
  const { entries } = tree;
  const written = submodulesOf(tree);
  const module = [path, ...foldersAround(path)].find(
    (one) => entries.get(one)?.is === "module" || (!entries.has(one) && written.has(one)),
  );
  return module === undefined ? undefined : `is in the Git submodule ${module}, whose files are in another repository`;
}

/** The submodules of a worktree, which may be empty folders there. */
const submodulesOf: (tree: Snapshot) => ReadonlySet<string> = onceFor((tree) => {
  const read = tree.commit === "" ? tree.read(".gitmodules") : undefined;
  const text = read?.is === "text" ? read.text : "";
  return new Set([...text.matchAll(/^[ \t]*path[ \t]*=(.*)$/gmu)].map(([, path = ""]) => path.trim()));
});

/** Adds the objects that are created from others, and the index. */
export function indexed(
  written: readonly GitOpsObject[],
  kustomizations: ReadonlyMap<string, Marked>,
): { readonly objects: readonly GitOpsObject[]; readonly index: ObjectIndex } {
  const index = objectIndex(written, kustomizations);
  const objects = withSyncs(written, index);
  return { objects, index: objects.length === written.length ? index : objectIndex(objects, kustomizations) };
}

function chartInput(charts: ReadonlySet<string>): (path: string) => boolean {
  if (charts.size === 0) return () => false;
  const known = new Map<string, boolean>([[".", false]]);
  const isInput = (folder: string): boolean => {
    let found = known.get(folder);
    if (found === undefined) {
      const above = folderOf(folder);
      const name = posix.basename(folder);
      found = ((name === TEMPLATES_FOLDER || name === CHARTS_FOLDER) && charts.has(above)) || isInput(above);
      known.set(folder, found);
    }
    return found;
  };
  return (path) => isInput(folderOf(path));
}

function markedIn(
  tree: Snapshot,
  file: string,
  other: Snapshot | undefined,
): { readonly content: Mapping } | (Unread & { readonly otherContent?: Mapping }) {
  const read = contentOf(tree, file);
  if ("content" in read || other?.entries.get(file)?.is !== "file") return read;
  const otherRead = contentOf(other, file);
  return "content" in otherRead ? { ...read, otherContent: otherRead.content } : read;
}

function marked(tree: Snapshot, files: readonly string[], other: Snapshot | undefined): Map<string, Marked> {
  const found = new Map<string, Marked>();
  for (const file of inPathOrder(files, (path) => path)) {
    const folder = folderOf(file);
    if (!found.has(folder)) found.set(folder, { folder, file, ...markedIn(tree, file, other) });
  }
  return found;
}
