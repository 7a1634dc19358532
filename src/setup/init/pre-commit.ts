import { posix } from "node:path";
import { shellWord } from "../../base/words.ts";
import { checkLines, checksOf, type Checks } from "./checks.ts";
import { filledLines } from "./fill.ts";
import type { InitTarget } from "./init-target.ts";
import { inRoot } from "./typed.ts";
import { addToList, readAuthored } from "./yaml-insert.ts";

/** The configuration of pre-commit at the root of a repository. */
export const PRE_COMMIT_FILE = ".pre-commit-config.yaml";

/** A hook of the repository's pre-commit configuration. */
export const PRE_COMMIT: InitTarget = {
  name: "pre-commit",
  summary: "a hook in the repository's .pre-commit-config.yaml",
  takes: [],
  propose: async (folder, { version, survey }) => {
    const path = posix.join(folder.repository, PRE_COMMIT_FILE);
    const before = folder.read(path);
    const notes = [`Install it with: ${inRoot(folder, "pre-commit install")}`];
    if (before !== undefined && /\brollstamp\b/u.test(before)) return { files: [], notes };
    const checks = checksOf(folder, await survey(), "refuse");
    const hooks = ["repo: local", "hooks:", ...hooksOf(version, checks)];
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
function hooksOf(VERSION: string, checks: Checks): string[] {
  const STAMP = checks.files?.replace(" --check", "");
  const isRendered = checks.renderings.length + checks.charts.length > 0;
  const CHECKS = checkLines({ ...checks, files: undefined }, '"${TMPDIR:-/tmp}/rollstamp-kustomize"');
  return [
    ...(STAMP === undefined ? [] : filledLines("pre-commit/stamp.yml", { VERSION, STAMP })),
    ...(isRendered ? filledLines("pre-commit/renderings.yml", { VERSION, CHECKS: bash(CHECKS) }) : []),
  ];
}

/** pre-commit splits the entry of a hook into words, as a shell does. */
function bash(lines: readonly string[]): string[] {
  return [`bash -o pipefail -c ${shellWord(lines.join("; "))}`];
}
