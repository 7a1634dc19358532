import { posix } from "node:path";
import { shellWord } from "../../base/words.ts";
import { checkLines, checksOf, type Checks } from "./checks.ts";
import { filledData } from "./fill.ts";
import type { InitTarget } from "./init-target.ts";
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
    const checks = checksOf(folder, survey(), "refuse");
    const hooks: Value = { repo: "local", hooks: hooksOf(version, checks) };
    const after = addToList(readAuthored(before ?? "repos:\n", path), ["repos"], hooks);
    return { files: [{ path, before, after }], because: checks.because, notes: [...notes, ...programNotes(checks)] };
  },
};

function programNotes({ renderings, charts }: Checks): string[] {
  const programs = [...(renderings.length > 0 ? ["kustomize"] : []), ...(charts.length > 0 ? ["helm"] : [])];
  return programs.length === 0 ? [] : [`The hook runs ${programs.join(" and ")}: install it on each machine.`];
}

/**
 * The hooks install rollstamp from npm, which needs no build. They get no file names: references go across files. Plain
 * files are stamped, and pre-commit fails if that changes one; renderings can only be checked.
 */
function hooksOf(version: string, checks: Checks): readonly Value[] {
  const stamp = checks.files?.replace(" --check", "");
  const lines = checkLines({ ...checks, files: undefined }, '"${TMPDIR:-/tmp}/rollstamp-kustomize"');
  const isRendered = checks.renderings.length + checks.charts.length > 0;
  return [
    ...(stamp === undefined ? [] : [filledData("pre-commit/stamp.yml", { VERSION: version, STAMP: stamp })]),
    ...(isRendered
      ? [
          filledData("pre-commit/renderings.yml", {
            VERSION: version,
            CHECKS: `bash -o pipefail -c ${shellWord(lines.join("; "))}`,
          }),
        ]
      : []),
  ];
}
