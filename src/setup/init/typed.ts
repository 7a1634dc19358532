import { posix } from "node:path";
import { shellPath } from "../../base/words.ts";
import type { InitFolder } from "../../platform/ports/files.ts";

// Commands that init prints run where init ran.

/** A path from the folder that was given, as a word of a command. */
export function typedHere({ typed }: Pick<InitFolder, "typed">, path: string = "."): string {
  return shellPath(posix.join(typed, path).replace(/(?<=.)\/$/u, ""));
}

/** A path from the root of the repository, as a word of a command. */
export function typedFromRoot(folder: Pick<InitFolder, "typed" | "path">, path: string = "."): string {
  return typedHere(folder, posix.relative(folder.path, path));
}

/** A command that runs in the root of the repository. */
export function inRoot(folder: Pick<InitFolder, "typed" | "path">, command: string): string {
  const root = typedFromRoot(folder);
  return root === "." ? command : `(cd ${root} && ${command})`;
}

/** What everybody should know before the first stamps. */
export const FIRST_STAMPS = "The first stamps restart their pods once; the plan of the commit shows which.";

/** The deepest folder that contains two folders. */
export function commonFolderOf(one: string, other: string): string {
  const others = other.split("/");
  const parts = one.split("/");
  const end = parts.findIndex((part, i) => part !== others[i]);
  return (end === -1 ? parts : parts.slice(0, end)).join("/") || ".";
}
