import { posix } from "node:path";
import { RollstampError } from "../ground/errors.ts";
import { CHART_FILE, CHARTS_FOLDER, TEMPLATES_FOLDER } from "../ground/hosts/helm.ts";
import { isKustomizationFile } from "../ground/hosts/kustomize.ts";
import { isMapping, type Mapping } from "../manifest/json-keys.ts";
import { toJson, type Json } from "../manifest/node.ts";
import { readTree } from "../manifest/tree.ts";
import { folderOf, foldersAround, inPathOrder } from "./paths.ts";
import type { RepositoryTree } from "./repository-tree.ts";

/** A folder with a file that makes it something; `problem` in the place of its content where that can't be read. */
export type Marked =
  | {
      readonly folder: string;
      readonly file: string;
      readonly content: Mapping;
      readonly problem?: undefined;
      readonly isTemplate?: false;
    }
  | ({ readonly folder: string; readonly file: string; readonly content?: undefined } & Unread);

/** Why a file can't be read as YAML. */
export interface Unread {
  readonly problem: RollstampError;
  /** It has `{{`: something makes it before kustomize or Helm reads it. */
  readonly isTemplate: boolean;
}

/** What stands in a repository, before anyone says what of it is an application. */
export interface Repository {
  readonly tree: RepositoryTree;
  /** By folder; what only looks like one in the templates of a chart isn't among them. */
  readonly kustomizations: ReadonlyMap<string, Marked>;
  /** By folder, libraries too. */
  readonly charts: ReadonlyMap<string, Marked>;
  /** The topmost folders with a Kptfile. */
  readonly packages: ReadonlySet<string>;
  /** Every folder that has a file in it, or below it. */
  readonly folders: ReadonlySet<string>;
  /** True for a file among the templates of a chart, or in a chart that one brings. */
  readonly isChartInput: (path: string) => boolean;
}

const KPTFILE = "Kptfile";

/** Looks at the names of all files, and into those that make a folder a kustomization or a chart. */
export function surveyed(tree: RepositoryTree): Repository {
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
  return {
    tree,
    kustomizations: marked(tree, outside(kustomizationFiles)),
    charts: marked(tree, outside(chartFiles)),
    packages: new Set(packages.filter((folder) => !foldersAround(folder).some((above) => packages.includes(above)))),
    folders,
    isChartInput,
  };
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

function marked(tree: RepositoryTree, files: readonly string[]): Map<string, Marked> {
  const found = new Map<string, Marked>();
  for (const file of inPathOrder(files, (path) => path)) {
    const folder = folderOf(file);
    if (!found.has(folder)) found.set(folder, { folder, file, ...contentOf(tree, file) });
  }
  return found;
}

/** The mapping that a file holds; an empty one for an empty file. */
export function contentOf(tree: RepositoryTree, file: string): { readonly content: Mapping } | Unread {
  const read = documentsOf(tree, file);
  if ("problem" in read) return read;
  const [first = null] = read.documents;
  if (first === null) return { content: {} };
  return isMapping(first)
    ? { content: first }
    : { problem: new RollstampError("input", "this is no mapping", { place: { file } }), isTemplate: false };
}

/** The documents of a file, as plain data. */
export function documentsOf(tree: RepositoryTree, file: string): { readonly documents: readonly Json[] } | Unread {
  const read = tree.read(file);
  if (read.is === "refused") return { problem: read.error, isTemplate: false };
  try {
    const yaml = readTree(read.text, file, tree.limits);
    return { documents: yaml.documents.map((root) => toJson(yaml, root)) };
  } catch (cause) {
    if (cause instanceof RollstampError) return { problem: cause, isTemplate: read.text.includes("{{") };
    throw cause;
  }
}
