import { posix } from "node:path";
import type { InitTarget } from "./init-target.ts";
import { addToList, readAuthored, type Value } from "./yaml-insert.ts";

const FILE = ".pre-commit-config.yaml";

/** A hook of the repository's pre-commit configuration. */
export const PRE_COMMIT: InitTarget = {
  name: "pre-commit",
  summary: "a hook in the repository's .pre-commit-config.yaml",
  takes: [],
  propose: (folder, { version }) => {
    const path = posix.join(folder.repository, FILE);
    const before = folder.read(path);
    const notes = ["Install it with: pre-commit install"];
    if (before !== undefined && /\brollstamp\b/u.test(before)) return { files: [], notes };
    const text = before ?? "repos:\n";
    const after = addToList(readAuthored(text, path), ["repos"], hook(version));
    return { files: [{ path, before, after }], notes };
  },
};

/** From npm, as it needs no build there. References go across files, so the hook takes none. */
function hook(version: string): Value {
  return {
    repo: "local",
    hooks: [
      {
        id: "rollstamp",
        name: "stamp rollouts",
        entry: "rollstamp stamp .",
        language: "node",
        additional_dependencies: [`rollstamp@${version}`],
        pass_filenames: false,
        files: "\\.(ya?ml|json)$",
      },
    ],
  };
}
