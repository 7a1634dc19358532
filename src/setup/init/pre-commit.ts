import { posix } from "node:path";
import type { InitTarget } from "./init-target.ts";
import { shellWord } from "../../base/shell-words.ts";
import { checksOf, pluginLines, shellOf, type Checks } from "./checks.ts";
import { addToList, readAuthored, type Value } from "./yaml-insert.ts";

const FILE = ".pre-commit-config.yaml";

/** A hook of the repository's pre-commit configuration. */
export const PRE_COMMIT: InitTarget = {
  name: "pre-commit",
  summary: "a hook in the repository's .pre-commit-config.yaml",
  takes: [],
  looks: true,
  propose: (folder, { version, survey }) => {
    const path = posix.join(folder.repository, FILE);
    const before = folder.read(path);
    const notes = ["Install it with: pre-commit install"];
    if (before !== undefined && /\brollstamp\b/u.test(before)) return { files: [], notes };
    const text = before ?? "repos:\n";
    const checks = checksOf(folder, survey(), "refuse");
    const after = addToList(readAuthored(text, path), ["repos"], hooks(version, checks));
    return { files: [{ path, before, after }], because: checks.because, notes: [...notes, ...needs(checks)] };
  },
};

function needs({ renderings, charts }: Checks): string[] {
  const programs = [...(renderings.length > 0 ? ["kustomize"] : []), ...(charts.length > 0 ? ["helm"] : [])];
  return programs.length === 0 ? [] : [`The hook runs ${programs.join(" and ")}: each machine needs it on PATH.`];
}

/** From npm, as it needs no build there. References go across files, so the hooks take none. */
function hooks(version: string, checks: Checks): Value {
  const common = { language: "node", additional_dependencies: [`rollstamp@${version}`], pass_filenames: false };
  // What is plain is stamped, and pre-commit fails where that changes a file; of a rendering nothing can be written.
  const stamp = checks.files?.replace(" --check", "");
  const checked = { ...checks, files: undefined };
  const lines = [...pluginLines(checks, '"${TMPDIR:-/tmp}/rollstamp-kustomize"'), ...shellOf(checked)];
  const isRendered = checks.renderings.length + checks.charts.length > 0;
  return {
    repo: "local",
    hooks: [
      ...(stamp === undefined
        ? []
        : [{ id: "rollstamp", name: "stamp rollouts", entry: stamp, ...common, files: "\\.(ya?ml|json)$" }]),
      ...(isRendered
        ? [
            {
              id: "rollstamp-renderings",
              name: "check rollouts",
              entry: `bash -o pipefail -c ${shellWord(lines.join("; "))}`,
              ...common,
            },
          ]
        : []),
    ],
  };
}
