import type { RollstampError } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import type { NamedText } from "../../stamping/function/config.ts";

/** Why a file of a repository is not read. */
export type Refusal =
  /** It does not exist, or is a broken link. */
  | "missing"
  /** The system denies access. */
  | "unreadable"
  | "folder"
  /** A pipe, a device or a socket: opening it may wait forever, read without end, or have side effects. */
  | "special"
  /** A link leads out of the root. */
  | "leadsOut"
  | "tooLarge"
  /** An ignore file that is larger than ignore files may be. */
  | "longIgnoreFile"
  /** A folder whose tracked files git can't list. */
  | "unlisted"
  | "notUtf8";

export type FileRead = { readonly is: "text"; readonly text: string } | RefusedFile;

export interface RefusedFile {
  readonly is: "refused";
  readonly because: Refusal;
  /** The code of the system, or the closest one. */
  readonly code: string;
  /** The error if the file is required. */
  readonly error: RollstampError;
}

/** The text of a file. Throws the error if it was not read. */
export function textOf(read: FileRead): string {
  if (read.is === "text") return read.text;
  throw read.error;
}

/** A file that may contain manifests. */
export interface FoundFile {
  /** The path in messages, which begins with the path that the user gave. */
  readonly path: string;
  readonly real: string;
  /** Whether the user named it; otherwise it was found in a folder. */
  readonly named: boolean;
}

/** A file that was found and is not read. */
export interface LeftFile {
  readonly path: string;
  readonly because: Refusal;
  /** The error if the file is required. */
  readonly error?: RollstampError;
}

export interface KustomizeInput {
  readonly path: string;
  /** The folder of the kustomization, if it is above `path`. */
  readonly builtFrom?: string;
}

export interface FoundFiles {
  /** Each file once, in path order. */
  readonly files: readonly FoundFile[];
  /** Folders and files that are excluded because they are inputs of kustomize. */
  readonly kustomizeInput: readonly KustomizeInput[];
  /** Folders of charts, without subcharts. Their templates are excluded. */
  readonly charts: readonly string[];
  /** Files with the name of a manifest that are not read. */
  readonly left: readonly LeftFile[];
  /** Errors of paths that could not be searched. */
  readonly errors: readonly RollstampError[];
}

export interface FindOptions {
  /** Whether to include files below a folder with a kustomization. */
  readonly kustomizeInput: boolean;
  /** Include every file, whatever its name, and templates of charts. */
  readonly all?: boolean;
  /** The command writes the files, so a given folder must not be a link out of its repository. */
  readonly writes?: boolean;
  readonly limits: Limits;
}

/** A file to overwrite. */
export interface Replacement {
  /** The path in messages. */
  readonly path: string;
  readonly real: string;
  /** The text that the new one was made from. A file with another text has been edited in the meantime. */
  readonly before: string;
  readonly text: string;
}

export interface ReplaceOptions {
  /** Write the other files if one can't be written. */
  readonly keepGoing: boolean;
}

export interface NewFile {
  readonly path: string;
  readonly text: string;
  readonly executable: boolean;
}

/** The files of this machine. Throws RollstampErrors. */
export interface Files {
  /** The real path of the current folder. */
  readonly here: () => string;
  /** What is at a path, after links; undefined if nothing is. */
  readonly kindOf: (path: string) => "file" | "folder" | "special" | undefined;
  /** The real path; undefined if nothing is there. */
  readonly realPath: (path: string) => string | undefined;
  /** The root of the repository that contains a folder; undefined if none does. */
  readonly repositoryOf: (folder: string) => string | undefined;
  /** The nearest file of a name in the folder of a path or above it, within its repository. */
  readonly findUpwards: (path: string, name: string) => string | undefined;
  readonly find: (paths: readonly string[], options: FindOptions) => FoundFiles;
  readonly read: (file: FoundFile, limits: Limits) => FileRead;
  /** Whether two files or folders have the same content. False if one can't be read. */
  readonly areSame: (one: string, other: string) => boolean;
  /** Reads a regular file that was found by its name, such as the nearest rollstamp.yaml. */
  readonly readFound: (path: string, limits: Limits) => string;
  /** The templates of the charts in some folders, as text. */
  readonly chartTemplates: (paths: readonly string[], limits: Limits) => Promise<readonly NamedText[]>;
  /** The values files of charts at and below some paths, by their names, as text. */
  readonly valuesFiles: (paths: readonly string[], limits: Limits) => Promise<readonly NamedText[]>;
  /** The files that `init` reads. */
  readonly initFolder: (folder: string, limits: Limits) => Promise<InitFolder>;
  /** Overwrites files; returns an error for each that could not be written. */
  readonly replace: (
    replacements: readonly Replacement[],
    options: ReplaceOptions,
  ) => Promise<readonly RollstampError[]>;
  /** Creates a file and its folders; never overwrites. */
  readonly create: (file: NewFile) => void;
}

/** The files that `init` reads; paths are relative to the given folder. */
export interface InitFolder {
  /** The text of a file inside the repository, or inside another real folder. */
  readonly read: (path: string, root?: string) => string | undefined;
  /** The files of the folder that match a glob. */
  readonly find: (glob: string) => readonly string[];
  /** The files of the repository that match a glob, as paths relative to the folder. */
  readonly findInRepository: (glob: string) => readonly string[];
  /** The root of the repository, as a path relative to the folder; "." outside of a repository. */
  readonly repository: string;
  /** The folder, as a path from the root of the repository. */
  readonly path: string;
  /** The folder, as the user typed it. */
  readonly typed: string;
  readonly limits: Limits;
}
