import { REFUSED } from "../discover/not-found.ts";
import { basename, dirname } from "node:path";
import { notExaminedRow, type NotExaminedKind } from "../../findings/not-examined/not-examined-kinds.ts";
import { renderedElsewhere } from "../../findings/not-examined/elsewhere.ts";
import type { NotExamined } from "../../findings/not-examined/not-examined.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { RollstampError } from "../../base/errors.ts";
import { CHART_FILE, LIBRARY_CHART } from "../../base/hosts/helm.ts";
import type { Limits } from "../../base/limits.ts";
import {
  textOf,
  type FileRead,
  type Files,
  type FindOptions,
  type FoundFile,
  type FoundFiles,
  type Refusal,
} from "../../platform/ports/files.ts";
import { holdsNothing, readManifests, type Manifests } from "../../yaml/read/items.ts";
import { looksLikeManifest, readFoundText, type FoundText, type ManifestFile } from "../../yaml/read/manifest-text.ts";
import { readTree } from "../../yaml/read/tree.ts";

export interface ManifestFiles {
  /** In path order. */
  readonly files: readonly ManifestFile[];
  /** The number of files with manifests that the command does not want. */
  readonly unwanted: number;
  /** The number of objects in all files. */
  readonly objects: number;
  /** Files with the name of a manifest that contain none. */
  readonly others: readonly string[];
  /** Paths that were found and not examined. */
  readonly notExamined: readonly NotExamined[];
  /** The text of templates of manifests, by their paths. */
  readonly templates: ReadonlyMap<string, string>;
  /** Errors of files that the user named. Without --keep-going, no file may be written then. */
  readonly errors: readonly RollstampError[];
  /** Findings for files that were found, look like manifests and can't be read. */
  readonly findings: readonly Finding<"unreadable-manifest">[];
}

export interface ReadOptions extends FindOptions {
  /** Reads standard input for the path `-`; without it, `-` is an error. */
  readonly readStdin?: (limits: Limits) => Promise<string>;
  /** Throws a RollstampError if some of the manifests are unusable. Files that were found are then skipped and reported. */
  readonly check?: (manifests: readonly Manifests[]) => void;
  /** Repairs text before it is read. Throws a RollstampError for text that must not be overwritten. */
  readonly repair?: (text: string, path: string) => string;
  /** Whether a file that the user named may be empty. */
  readonly takesEmpty?: boolean;
  /** Called before each file is read. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Real paths that are never manifests, such as the configuration file. */
  readonly except?: ReadonlySet<string>;
  /** Selects the manifests that the command needs, so that the rest of a large repository is not kept in memory. */
  readonly wants?: (manifests: Manifests) => boolean;
}

/**
 * Finds and reads the manifests at paths: files, folders, or `-` for standard input. Files that were found and are not manifests
 * are skipped and reported. Files that the user named and that are not manifests are errors.
 */
export async function readManifestFiles(
  from: Files,
  paths: readonly string[],
  options: ReadOptions,
): Promise<ManifestFiles> {
  const read = new Reading(options);
  if (paths.includes(STDIN)) {
    if (options.readStdin === undefined)
      throw new RollstampError("usage", "this command takes files and folders, not standard input");
    const manifests = namedManifests(await options.readStdin(options.limits), "stdin", options);
    if (manifests !== undefined) read.take({ path: "stdin", real: undefined, manifests, isNamed: true });
  }
  const found = from.find(
    paths.filter((path) => path !== STDIN),
    options,
  );
  read.found(found);
  found.files.forEach((file, i) => {
    options.onProgress?.(i, found.files.length);
    if (options.except?.has(file.real) === true && !file.named) return;
    const text = from.read(file, options.limits);
    if (file.named) read.named(file, text);
    else read.unnamed(file, text);
  });
  return read.result();
}

/** The path that stands for standard input. */
export const STDIN = "-";

/** What became of a file or a folder. */
type Outcome =
  | { readonly is: "read"; readonly file: ManifestFile }
  | { readonly is: "left"; readonly row: NotExamined; readonly unread?: RollstampError };

/** Collects the result while files are found and read. */
class Reading {
  readonly #options: ReadOptions;
  readonly #outcomes: Outcome[] = [];
  readonly #others: string[] = [];
  readonly #templates = new Map<string, string>();
  readonly #errors: RollstampError[] = [];
  readonly #libraries = new Set<string>();
  #unwanted = 0;
  #objects = 0;

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  /** Adds the result of the search. */
  found({ kustomizeInput, charts, left, errors }: FoundFiles): void {
    for (const error of errors) this.#errors.push(error);
    for (const { path, builtFrom } of kustomizeInput) {
      this.#leave(path, "Kustomization", builtFrom === undefined ? {} : { builtFrom });
    }
    for (const path of charts) this.#leave(path, "Chart");
    for (const { path, because, error } of left) this.#refused(path, because, error);
  }

  /** Adds a file that the user named. */
  named({ path, real }: FoundFile, read: FileRead): void {
    try {
      const { text, written } = this.#repaired(textOf(read), path);
      const manifests = namedManifests(text, path, this.#options);
      if (manifests !== undefined) this.take({ path, real, manifests, isNamed: true, ...written });
    } catch (cause) {
      if (!(cause instanceof RollstampError)) throw cause;
      this.#errors.push(cause);
    }
  }

  /** Adds a file that was found: an error in it does not stop the command. */
  unnamed({ path, real }: FoundFile, read: FileRead): void {
    if (read.is === "refused") {
      this.#refused(path, read.because, read.error);
      return;
    }
    if (basename(path) === CHART_FILE && LIBRARY_CHART.test(read.text)) this.#libraries.add(dirname(path));
    try {
      const { text, written } = this.#repaired(read.text, path);
      this.#text({ path, real, ...written }, readFoundText(text, path, this.#options.limits));
    } catch (cause) {
      if (!(cause instanceof RollstampError)) throw cause;
      this.#errors.push(cause);
    }
  }

  /** The repaired text, and the original one if it differs. */
  #repaired(written: string, path: string): { readonly text: string; readonly written: { readonly written?: string } } {
    const text = this.#options.repair?.(written, path) ?? written;
    return { text, written: text === written ? {} : { written } };
  }

  take(file: ManifestFile): void {
    const { items } = file.manifests;
    if (file.written !== undefined || this.#options.wants?.(file.manifests) !== false) {
      this.#outcomes.push({ is: "read", file });
      return;
    }
    this.#objects += items.length;
    this.#unwanted += 1;
    for (const row of renderedElsewhere(items, file.path)) this.#outcomes.push({ is: "left", row });
  }

  result(): ManifestFiles {
    const files: ManifestFile[] = [];
    const notExamined: NotExamined[] = [];
    const findings: Finding<"unreadable-manifest">[] = [];
    for (const outcome of this.#checked()) {
      if (outcome.is === "left") {
        notExamined.push(outcome.row);
        if (outcome.unread !== undefined) findings.push(unreadFinding(outcome.unread));
        continue;
      }
      const { items } = outcome.file.manifests;
      this.#objects += items.length;
      files.push(outcome.file);
      // One by one, because a large stream exceeds the number of arguments of a call.
      for (const row of renderedElsewhere(items, outcome.file.path)) notExamined.push(row);
    }
    return {
      files,
      unwanted: this.#unwanted,
      objects: this.#objects,
      others: this.#others,
      templates: this.#templates,
      notExamined: notExamined.filter(({ kind, path }) => kind !== "Chart" || !this.#libraries.has(path)),
      errors: this.#errors,
      findings,
    };
  }

  /** The outcomes after the check: of all files together, and only if this fails, of each. */
  #checked(): readonly Outcome[] {
    const found = this.#outcomes.flatMap((outcome) =>
      outcome.is === "read" && outcome.file.isNamed !== true ? [outcome.file.manifests] : [],
    );
    if (this.#problemOf(found) === undefined) return this.#outcomes;
    return this.#outcomes.map((outcome) => {
      if (outcome.is === "left" || outcome.file.isNamed === true) return outcome;
      const error = this.#problemOf([outcome.file.manifests]);
      return error === undefined ? outcome : broken(outcome.file.path, error);
    });
  }

  #problemOf(manifests: readonly Manifests[]): RollstampError | undefined {
    try {
      this.#options.check?.(manifests);
      return undefined;
    } catch (cause) {
      if (cause instanceof RollstampError && cause.code === "input") return cause;
      throw cause;
    }
  }

  #text(file: Omit<ManifestFile, "manifests">, text: FoundText): void {
    const { path } = file;
    switch (text.is) {
      case "manifests":
        this.take({ ...file, manifests: text.manifests });
        break;
      case "other":
        this.#others.push(path);
        break;
      case "template":
        if (looksLikeManifest(text.text)) this.#templates.set(path, text.text);
        this.#leave(path, "Template", { reason: `it contains {{ and can't be read as manifests: ${text.problem}` });
        break;
      case "broken":
        this.#outcomes.push(broken(path, text.error));
        break;
    }
  }

  #refused(path: string, because: Refusal, error: RollstampError | undefined): void {
    const kind = REFUSED[because];
    // Deleted in the meantime.
    if (kind === undefined) return;
    // It may contain manifests.
    const unread = kind === "Unreadable" || kind === "TooLarge" ? error : undefined;
    const row = leftRow(path, kind, error === undefined ? {} : { reason: error.message });
    this.#outcomes.push({ is: "left", row, ...(unread === undefined ? {} : { unread }) });
  }

  #leave(path: string, kind: NotExaminedKind, more: Partial<NotExamined> = {}): void {
    this.#outcomes.push({ is: "left", row: leftRow(path, kind, more) });
  }
}

function leftRow(path: string, kind: NotExaminedKind, more: Partial<NotExamined>): NotExamined {
  return { path, kind, reason: notExaminedRow(kind).reason, ...more };
}

function broken(path: string, error: RollstampError): Outcome {
  return { is: "left", row: leftRow(path, "Manifest", { reason: error.message }), unread: error };
}

function unreadFinding({ message, place }: RollstampError): Finding<"unreadable-manifest"> {
  return {
    id: "unreadable-manifest",
    cause: "unreadable",
    params: { problem: message },
    ...(place === undefined ? {} : { place }),
  };
}

function namedManifests(text: string, path: string, { limits, takesEmpty }: ReadOptions): Manifests | undefined {
  const tree = readTree(text, path, limits);
  return takesEmpty === true && holdsNothing(tree) ? undefined : readManifests(tree);
}
