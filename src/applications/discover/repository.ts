import { posix } from "node:path";
import { CHART_FILE, CHARTS_FOLDER, TEMPLATES_FOLDER } from "../../base/hosts/helm.ts";
import { isKustomizationFile } from "../../base/hosts/kustomize.ts";
import { folderOf, foldersAround, inPathOrder } from "./paths.ts";
import type { NotFound } from "./not-found.ts";
import type { GivenValues } from "./given-values.ts";
import { contentOf, type Marked } from "./marked.ts";
import { withSyncs } from "./flux-instances.ts";
import { objectIndex, type ObjectIndex } from "./object-index.ts";
import { gitOpsObjects, type GitOpsObject } from "./objects.ts";
import { networkRemotes, ownAddress } from "./remotes.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";

/** What stands in a repository, before anyone says what of it is an application. */
export interface Repository {
  readonly tree: Snapshot;
  /** By folder; what only looks like one in the templates of a chart isn't among them. */
  readonly kustomizations: ReadonlyMap<string, Marked>;
  /** By folder, libraries too. */
  readonly charts: ReadonlyMap<string, Marked>;
  /** The topmost folders with a Kptfile. */
  readonly packages: ReadonlySet<string>;
  /** Every folder that has a file in it, or below it. */
  readonly folders: ReadonlySet<string>;
  /** Those that Argo CD's git generator sees: in path order, without the root and what begins with a dot. */
  readonly visibleFolders: readonly string[];
  /** The objects of Argo CD and Flux in its files. */
  readonly objects: readonly GitOpsObject[];
  readonly objectIndex: ObjectIndex;
  /** Such that can't be read. */
  readonly unread: readonly NotFound[];
  /** True for an address of this repository. */
  readonly isOwnAddress: (address: string) => boolean;
  /** Whether its remotes tell which repository this is. */
  readonly isKnown: boolean;
  readonly given: GivenValues;
  /** True for a file among the templates of a chart, or in a chart that one brings. */
  readonly isChartInput: (path: string) => boolean;
}

const KPTFILE = "Kptfile";

/** True for the name of a file that makes its folder a kustomization, a chart or a package. */
export function marksFolder(name: string): boolean {
  return isKustomizationFile(name) || name === CHART_FILE || name === KPTFILE;
}

/** What is known of a repository beside its files. */
export interface Known {
  /** The addresses of its remotes; without any, each address is its own. */
  readonly remotes?: readonly string[];
  readonly given?: GivenValues;
}

const NOTHING_GIVEN: GivenValues = { clusters: undefined, parameters: new Map() };

/** Looks at the names of all files, and into those that make a folder a kustomization or a chart. */
export function surveyed(tree: Snapshot, { remotes = [], given = NOTHING_GIVEN }: Known = {}): Repository {
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
  const kustomizations = marked(tree, outside(kustomizationFiles));
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
    charts: marked(tree, outside(chartFiles)),
    packages: new Set(packages.filter((folder) => !foldersAround(folder).some((above) => packages.includes(above)))),
    folders,
    isChartInput,
  };
}

/** Objects with those that are made of them, and how to find them. */
export function indexed(
  written: readonly GitOpsObject[],
  kustomizations: ReadonlyMap<string, Marked>,
): { readonly objects: readonly GitOpsObject[]; readonly index: ObjectIndex } {
  const index = objectIndex(written, kustomizations);
  const objects = withSyncs(written, index.namespaceOf);
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

function marked(tree: Snapshot, files: readonly string[]): Map<string, Marked> {
  const found = new Map<string, Marked>();
  for (const file of inPathOrder(files, (path) => path)) {
    const folder = folderOf(file);
    if (!found.has(folder)) found.set(folder, { folder, file, ...contentOf(tree, file) });
  }
  return found;
}
