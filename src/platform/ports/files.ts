import type { RollstampError } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import type { NamedText } from "../../stamping/function/config.ts";

/** Why a file that a repository supplies is not read. */
export type Refusal =
  /** There is none, or a link to nothing. */
  | "missing"
  /** It is there and the system doesn't let us read it. */
  | "unreadable"
  | "folder"
  /** A pipe, a device or a socket: to open one may wait for ever, read without end, or do something. */
  | "special"
  /** A link leads out of the root. */
  | "leadsOut"
  | "tooLarge"
  | "notUtf8";

/** What comes of reading a file. */
export type FileRead = { readonly is: "text"; readonly text: string } | RefusedFile;

export interface RefusedFile {
  readonly is: "refused";
  readonly because: Refusal;
  /** The system's code, or the one that says most nearly the same. */
  readonly code: string;
  /** As it is told where the file was meant. */
  readonly error: RollstampError;
}

/** The text that was read. Throws the error of one that was refused. */
export function textOf(read: FileRead): string {
  if (read.is === "text") return read.text;
  throw read.error;
}

/** A file that may hold manifests. */
export interface FoundFile {
  /** As people see it: the path that was given, and the way from there. */
  readonly path: string;
  /** The file itself, behind every symbolic link. */
  readonly real: string;
  /** It was given by itself, not found in a folder. */
  readonly named: boolean;
}

/** What was found, not named, and is not read. */
export interface LeftFile {
  readonly path: string;
  readonly because: Refusal;
  /** As it is told where that matters. */
  readonly error?: RollstampError;
}

/** What kustomize builds from. */
export interface KustomizeInput {
  readonly path: string;
  /** The folder of the kustomization, where that is not in `path` itself but above it. */
  readonly builtFrom?: string;
}

export interface FoundFiles {
  /** Each file once, in the order of their paths. */
  readonly files: readonly FoundFile[];
  /** The folders and files that are kustomize's input and were left out. */
  readonly kustomizeInput: readonly KustomizeInput[];
  /** The folders of charts, but of those that another one brings. Their templates were left out. */
  readonly charts: readonly string[];
  /** Those of a manifest's name that are none, or lead out of the folder: left alone. */
  readonly left: readonly LeftFile[];
  /** What could not be looked at. */
  readonly errors: readonly RollstampError[];
}

export interface FindOptions {
  /** Whether files below a folder with a kustomization file count. */
  readonly kustomizeInput: boolean;
  /** Every file, whatever its name, templates of charts too. */
  readonly all?: boolean;
  /** What is found is written: a folder that is given may not be a link out of its repository. */
  readonly writes?: boolean;
  /** What no file may go beyond. */
  readonly limits: Limits;
}

/** A file that gets a new text. */
export interface Replacement {
  /** For messages. */
  readonly path: string;
  /** The file itself, behind symbolic links. */
  readonly real: string;
  /** What the new text was made of: a file that holds another by now is somebody's newer edit. */
  readonly before: string;
  readonly text: string;
}

export interface ReplaceOptions {
  /** Files that can't be written are told, and the others written all the same. */
  readonly keepGoing: boolean;
}

export interface NewFile {
  readonly path: string;
  readonly text: string;
  readonly executable: boolean;
}

/** The files of this machine. What throws, throws RollstampErrors. */
export interface Files {
  /** The folder that the command runs in, a real path. */
  readonly here: () => string;
  /** What a path leads to; undefined where that is nothing. */
  readonly kindOf: (path: string) => "file" | "folder" | "special" | undefined;
  /** The path behind every link; undefined where there is nothing. */
  readonly realPath: (path: string) => string | undefined;
  /** The folder of the repository in which a folder is; undefined where it is in none. */
  readonly repositoryOf: (folder: string) => string | undefined;
  /** The nearest file of a name in the folder of a path or above it, within its repository. */
  readonly findUpwards: (path: string, name: string) => string | undefined;
  readonly find: (paths: readonly string[], options: FindOptions) => FoundFiles;
  readonly read: (file: FoundFile, limits: Limits) => FileRead;
  /** Reads a regular file that was found by its name, such as the nearest rollstamp.yaml. */
  readonly readFound: (path: string, limits: Limits) => string;
  /** The templates of the charts in some folders, as text. */
  readonly chartTemplates: (paths: readonly string[], limits: Limits) => Promise<readonly NamedText[]>;
  /** Files of charts' values among some paths and below them, by their names, as text. */
  readonly valuesFiles: (paths: readonly string[], limits: Limits) => Promise<readonly NamedText[]>;
  /** What a wiring looks at. */
  readonly initFolder: (folder: string, limits: Limits) => Promise<InitFolder>;
  /** Gives files new texts; gives an error for each that could not be written. */
  readonly replace: (
    replacements: readonly Replacement[],
    options: ReplaceOptions,
  ) => Promise<readonly RollstampError[]>;
  /** Makes a file with its folders, never over one that is there. */
  readonly create: (file: NewFile) => void;
}

/** The files that a wiring may look at; paths from the folder that the command was given. */
export interface InitFolder {
  readonly read: (path: string) => string | undefined;
  /** The files of the folder that match a glob. */
  readonly find: (glob: string) => readonly string[];
  /** The files of the repository that match a glob, as paths from the folder. */
  readonly findInRepository: (glob: string) => readonly string[];
  /** The root of the repository, as a path from the folder; "." outside of one. */
  readonly repository: string;
  /** The folder, as a path from the root of the repository. */
  readonly path: string;
  readonly limits: Limits;
}
