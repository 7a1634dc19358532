import { isAbsolute, relative, sep } from "node:path";
import { RollstampError } from "./errors.ts";

/** True for a path in a folder, or the folder itself. Both are real paths. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** True for a path inside of `.git`: no commit contains it, and it may contain addresses with passwords. */
export function isInGitFolder(folder: string, path: string): boolean {
  return relative(folder, path).split(sep).includes(".git");
}

/** The error for a path inside of `.git`. */
export function gitFolderError(file: string): RollstampError {
  return new RollstampError("input", "the path is inside .git", {
    place: { file },
    remedy: "Use a file of the repository.",
  });
}

/** The error for a link out of a repository. */
export function leadsOut(file: string, remedy: string = PUT_IT_OR_NAME_IT): RollstampError {
  return new RollstampError("input", "this link leads out of the repository", { place: { file }, remedy });
}

const PUT_IT_OR_NAME_IT = "Replace the link by the file, or name the file on the command line.";
