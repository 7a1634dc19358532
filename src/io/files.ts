import type { RollstampError } from "../ground/errors.ts";

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
