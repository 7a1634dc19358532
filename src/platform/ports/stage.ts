// kustomize and helm run over a copy: a folder of our own that contains only regular files, no links, and of the repository
// only what the one reader has read. They open nothing else.

/** The most files and folders of one application: links that lead to one folder many times multiply it. */
export const MOST_STAGED_ENTRIES = 100_000;

/** A folder of our own that is filled from a repository. Paths in it are relative to it. */
export interface Stage {
  readonly folder: string;
  /** The repository that it is filled from. */
  readonly source: StageSource;
  readonly put: (path: string, bytes: Buffer | string) => void;
  /** Copies a file of the repository. Returns its bytes, which are valid until the next file is read. */
  readonly copy: (from: string, path: string, shown: string) => Buffer;
  /** Creates a file of which only the size matters. */
  readonly putEmpty: (path: string, size: number) => void;
  /** Counts an entry, and the bytes that helm unpacks from it. */
  readonly count: (bytes?: number) => void;
  readonly size: () => number;
}

/**
 * The files of a repository, by absolute paths; `shown` is a path for messages. Throws a RollstampError for a link out of the
 * repository and for what cannot be read.
 */
export interface StageSource {
  /** What is at a path, behind links; undefined if nothing is. */
  readonly find: (path: string, shown: string) => FoundPath | undefined;
  readonly text: (real: string, shown: string) => string;
  /** The bytes are valid until the next file is read. */
  readonly bytes: (real: string, shown: string, most: number) => Buffer;
  /** The entries of a folder, in the order of the bytes of their names. */
  readonly entries: (folder: string) => readonly StageEntry[];
  /** The files of a folder and of the folders below it, behind links, as helm finds them. `count` is called for each entry. */
  readonly filesBelow: (folder: string, shown: string, count: () => void) => readonly FileBelow[];
}

export interface FoundPath {
  readonly is: "file" | "folder";
  readonly real: string;
}

export interface StageEntry {
  readonly name: string;
  readonly isDirectory: () => boolean;
  readonly isFile: () => boolean;
}

export interface FileBelow {
  /** Relative to the folder. */
  readonly path: string;
  readonly real: string;
  readonly size: number;
}
