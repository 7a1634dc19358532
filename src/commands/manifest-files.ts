import { RollstampError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";
import type { Finding } from "../findings/finding.ts";
import { textOf, type Files, type FindOptions, type FoundFile, type LeftFile, type Refusal } from "../io/files.ts";
import { holdsNothing, readManifests, type Manifests } from "../manifest/items.ts";
import { readManifestText, type ManifestFile } from "../manifest/manifest-text.ts";
import { readTree } from "../manifest/tree.ts";

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
  /** Whether a file that is named may hold nothing. */
  readonly takesEmpty?: boolean;
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
export async function readManifestFiles(
  from: Files,
  paths: readonly string[],
  options: ReadOptions,
): Promise<ManifestFiles> {
  const files: ManifestFile[] = [];
  const errors: RollstampError[] = [];
  if (paths.includes(STDIN)) {
    const read = options.readStdin;
    if (read === undefined)
      throw new RollstampError("usage", "this command takes files and folders, not standard input");
    const manifests = namedManifests(await read(options.limits), "stdin", options);
    if (manifests !== undefined) files.push({ path: "stdin", real: undefined, manifests });
  }
  const found = from.find(
    paths.filter((path) => path !== STDIN),
    options,
  );
  errors.push(...found.errors);
  let unwanted = 0;
  const left: LeftFile[] = [...found.left];
  found.files.forEach((file, i) => {
    options.onProgress?.(i, found.files.length);
    if (options.except?.has(file.real) === true && !file.named) return;
    try {
      const read = from.read(file, options.limits);
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

/** The path that stands for standard input. */
export const STDIN = "-";

function manifestsIn(text: string, { path, named }: FoundFile, options: ReadOptions): Manifests | undefined {
  return named ? namedManifests(text, path, options) : readManifestText(text, path, options.limits);
}

function namedManifests(text: string, path: string, { limits, takesEmpty }: ReadOptions): Manifests | undefined {
  const tree = readTree(text, path, limits);
  return takesEmpty === true && holdsNothing(tree) ? undefined : readManifests(tree);
}

/** What a file that was found may become until it is read; one that is named is an error. */
const LEFT: ReadonlySet<Refusal> = new Set<Refusal>(["missing", "folder", "special", "leadsOut"]);

/** One warning for all that is kustomize's input. */
function kustomizeFindings(paths: readonly string[]): Finding<"kustomize-input">[] {
  return paths.length === 0 ? [] : [{ id: "kustomize-input", cause: "leftAlone", params: { paths } }];
}
