import { posix } from "node:path";
import { shellWord } from "../../base/words.ts";
import type { InitFolder } from "../../platform/ports/files.ts";

// Commands that init prints run where init ran.

/** A path from the folder that was given, as a word of a command. */
export function typedHere({ typed }: Pick<InitFolder, "typed">, path: string = "."): string {
  return shellWord(posix.join(typed, path).replace(/(?<=.)\/$/u, ""));
}

/** A path from the root of the repository, as a word of a command. */
export function typedFromRoot(folder: Pick<InitFolder, "typed" | "repository">, path: string = "."): string {
  return typedHere(folder, posix.join(folder.repository, path));
}

/** A command that runs in the root of the repository. */
export function inRoot(folder: Pick<InitFolder, "typed" | "repository">, command: string): string {
  const root = typedFromRoot(folder);
  return root === "." ? command : `(cd ${root} && ${command})`;
}
