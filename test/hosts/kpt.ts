// kpt, which edits files in place.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { objectsOf, type Mapping } from "./manifests.ts";
import { installed, run, succeed, type Program, type Run } from "./programs.ts";
import type { Tree } from "./trees.ts";
import type { Wiring } from "./wiring.ts";

export const kpt: Program = installed("kpt.sh");

/** Runs `kpt fn` in the folder that is built; it has to succeed. */
export function kptFn(tree: Tree, args: readonly string[], wiring: Wiring): void {
  succeed(kpt, ["fn", ...args], { cwd: tree.build, env: wiring.env });
}

/** Runs `kpt fn`, whatever its status. */
export function tryKptFn(tree: Tree, args: readonly string[], wiring: Wiring): Run {
  return run(kpt, ["fn", ...args], { cwd: tree.build, env: wiring.env });
}

/** Path to text, for every file of a tree. */
export type Files = Readonly<Record<string, string>>;

/** Every file of a tree, in the order of their paths. */
export function filesOf(tree: Tree): Files {
  const paths = readdirSync(tree.folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    paths
      .filter((path) => statSync(join(tree.folder, path)).isFile())
      .map((path) => [path, readFileSync(join(tree.folder, path), "utf8")]),
  );
}

/** Every object of every manifest of a tree. */
export function objectsIn(files: Files): readonly Mapping[] {
  return Object.entries(files)
    .filter(([path]) => /(?:\.ya?ml|Kptfile)$/.test(path))
    .flatMap(([, text]) => objectsOf(text));
}
