import { setFlagsFromString } from "node:v8";
import { RollstampError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";
import { isResourceList, readManifests, type Manifests } from "../manifest/items.ts";
import { getString } from "../manifest/node.ts";
import { readTree, type YamlTree } from "../manifest/tree.ts";
import type { Finding } from "../findings/finding.ts";
import type { Refusal } from "../io/files.ts";
import { findFiles, type FindOptions, type FoundFile, type LeftFile } from "./find-files.ts";
import { readInPlace, textOf } from "./repository-files.ts";

/** A file with manifests, read and parsed. */
export interface ManifestFile {
  /** As messages and lists show it; `stdin` for standard input. */
  readonly path: string;
  /** The file itself, behind symbolic links; undefined for standard input. */
  readonly real: string | undefined;
  readonly manifests: Manifests;
}

export interface ManifestFiles {
  /** In the order of their paths. */
  readonly files: readonly ManifestFile[];
  /** How many files with manifests were read and not wanted. */
  readonly unwanted: number;
  /** What was found and is no file, or leads out. */
  readonly left: readonly LeftFile[];
  /** One for each file that can't be taken. Without --keep-going nothing may be written then. */
  readonly errors: readonly RollstampError[];
  /** What was left alone, and should be known. */
  readonly findings: readonly Finding<"kustomize-input">[];
}

export interface ReadOptions extends FindOptions {
  /** Reads standard input, for the path `-`; without it `-` is refused. */
  readonly readStdin?: (limits: Limits) => Promise<string>;
  /** Called before each file is read: for a progress line. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Real paths that are not manifests whatever they hold: the configuration file. */
  readonly except?: ReadonlySet<string>;
  /** Of large repositories most is of no use to a command: what it doesn't want isn't kept. All without it. */
  readonly wants?: (manifests: Manifests) => boolean;
}

/**
 * Finds, reads and parses the manifests at PATH…: files, folders, `-` for standard input. A file in
 * a folder that holds no Kubernetes object is skipped; one that was given by itself is an error.
 */
export async function readManifestFiles(paths: readonly string[], options: ReadOptions): Promise<ManifestFiles> {
  const files: ManifestFile[] = [];
  const errors: RollstampError[] = [];
  if (paths.includes(STDIN)) {
    const read = options.readStdin;
    if (read === undefined)
      throw new RollstampError("usage", "this command takes files and folders, not standard input");
    files.push({
      path: "stdin",
      real: undefined,
      manifests: readManifests(readTree(await read(options.limits), "stdin", options.limits)),
    });
  }
  const found = findFiles(
    paths.filter((path) => path !== STDIN),
    options,
  );
  errors.push(...found.errors);
  if (found.files.length > MANY_FILES) growYoungGeneration();
  let unwanted = 0;
  const left: LeftFile[] = [...found.left];
  found.files.forEach((file, i) => {
    options.onProgress?.(i, found.files.length);
    if (options.except?.has(file.real) === true && !file.named) return;
    try {
      const read = readInPlace(file.real, file.path, options.limits.inputSize);
      if (read.is === "refused" && !file.named && LEFT.has(read.because)) {
        left.push({ path: file.path, because: read.because });
        return;
      }
      const manifests = manifestsIn(textOf(read), file, options);
      if (manifests === undefined) return;
      if (options.wants?.(manifests) === false) unwanted += 1;
      else files.push({ path: file.path, real: file.real, manifests });
    } catch (cause) {
      if (!(cause instanceof RollstampError)) throw cause;
      errors.push(cause);
    }
  });
  return { files, unwanted, left, errors, findings: kustomizeFindings(found.kustomizeInput) };
}

const MANY_FILES = 500;

/**
 * What is read here stays until the end: the garbage collector's nursery, which copies it while it is
 * small, is let grow at once. Takes a tenth off the time of 5,000 files.
 */
function growYoungGeneration(): void {
  setFlagsFromString("--semi-space-growth-factor=16");
}

/** The path that stands for standard input. */
export const STDIN = "-";

function manifestsIn(text: string, { path, named }: FoundFile, { limits }: ReadOptions): Manifests | undefined {
  return named ? readManifests(readTree(text, path, limits)) : readManifestText(text, path, limits);
}

/** What a file that was found may become until it is read; one that is named is an error. */
const LEFT: ReadonlySet<Refusal> = new Set<Refusal>(["missing", "folder", "special", "leadsOut"]);

/** The manifests in the text of a file that nobody said holds any; undefined where it holds none. */
export function readManifestText(text: string, path: string, limits: Limits): Manifests | undefined {
  // Both words stand in every manifest: what lacks one is none, and need not even be valid YAML.
  if (!text.includes("apiVersion") || !text.includes("kind")) return undefined;
  let tree: YamlTree;
  try {
    tree = readTree(text, path, limits);
  } catch (cause) {
    if (path.endsWith(".json") && isOtherJson(text)) return undefined;
    throw cause;
  }
  const isObject = (root: number): boolean =>
    getString(tree, root, "apiVersion") !== undefined && getString(tree, root, "kind") !== undefined;
  // A ResourceList in a folder is the input of someone's function, nothing that is applied.
  return tree.documents.some((root) => isObject(root) && !isResourceList(tree, root)) ? readManifests(tree) : undefined;
}

/** True for valid JSON that is no Kubernetes object: our reader is stricter with its white space. */
function isOtherJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/u, ""));
    return !(value !== null && typeof value === "object" && "apiVersion" in value && "kind" in value);
  } catch {
    return false;
  }
}

/** One warning for all that is kustomize's input. */
function kustomizeFindings(paths: readonly string[]): Finding<"kustomize-input">[] {
  return paths.length === 0 ? [] : [{ id: "kustomize-input", cause: "leftAlone", params: { paths } }];
}
