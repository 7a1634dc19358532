import type { NotExaminedKind } from "../../findings/not-examined/not-examined-kinds.ts";
import type { Refusal } from "../../platform/ports/files.ts";
import type { RollstampError } from "../../base/errors.ts";
import type { NotExamined } from "../../findings/not-examined/not-examined.ts";

/** Why a file is not read, with the line and column in it. */
export function reasonOf({ message, place }: Pick<RollstampError, "message" | "place">): string {
  if (place?.line === undefined) return message;
  return `line ${place.line}${place.column === undefined ? "" : `, column ${place.column}`}: ${message}`;
}

/** The row for reports. */
export function rowOf({ path, kind, reason, name, builtFrom, missing }: NotFound): NotExamined {
  return {
    path,
    kind,
    ...(name === undefined ? {} : { name }),
    reason,
    ...(builtFrom === undefined ? {} : { builtFrom }),
    ...(missing === undefined ? {} : { missing }),
  };
}

/** Something that is not an application, with the reason. */
export interface NotFound extends NotExamined {
  /** Whether something is wrong in the repository (status 1); otherwise the repository alone does not show it. */
  readonly isFailure: boolean;
  /** Of an object; "" if it is unknown. */
  readonly namespace?: string;
  /** A rendering may show it as it is applied. */
  readonly isShown?: true;
  /** Patterns of the files that an ApplicationSet may read, which does not expand here. */
  readonly mayRead?: readonly string[];
  /** The folder of this repository that it leads to, if its source is this repository under another address. */
  readonly pathHere?: string;
  /** Another object defines the application, too. */
  readonly isDuplicate?: true;
}

/** The rows for files that were found and not read; undefined if there is no row. */
export const REFUSED: Readonly<Record<Refusal, NotExaminedKind | undefined>> = {
  missing: undefined,
  folder: undefined,
  unreadable: "Unreadable",
  special: "Special",
  leadsOut: "LinkOut",
  tooLarge: "TooLarge",
  longIgnoreFile: "IgnoreFile",
  unlisted: "GitIndex",
  notUtf8: "Encoding",
};
