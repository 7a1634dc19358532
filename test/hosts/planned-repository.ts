// Repositories for tests of plans over applications.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import type { PlanJson } from "../../src/output/plan-json.ts";
import { writeFiles, type Files } from "../support/folders.ts";
import { command, installed, unlessFound, type Program, type Run } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

export const KUSTOMIZE: Program = installed("kustomize.sh");
const HELM = installed("helm3.sh");

/** What `describe` takes as `skip`. */
export const missing: string | false = unlessFound(KUSTOMIZE) || unlessFound(HELM);

/** Where kustomize and helm are found. */
export const PATH: string = [KUSTOMIZE, HELM]
  .flatMap((program) => (program.found ? [dirname(program.path)] : []))
  .concat(process.env["PATH"] ?? "")
  .join(delimiter);

/** A repository of a test, and how it is called. */
export interface Repository {
  readonly folder: string;
  readonly temporary: string;
  readonly env: NodeJS.ProcessEnv;
  readonly commit: (tag: string, files: Files) => void;
}

/** A new repository with one commit, `start`. */
export function repository(files: Files): Repository {
  const folder = temporaryFolder();
  const temporary = temporaryFolder();
  const env = {
    PATH,
    HOME: folder,
    TMPDIR: temporary,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "test",
    GIT_AUTHOR_EMAIL: "test@example.com",
    GIT_COMMITTER_NAME: "test",
    GIT_COMMITTER_EMAIL: "test@example.com",
  };
  const git = (...args: string[]): void => {
    const { status, stderr } = spawnSync("git", args, { cwd: folder, env, encoding: "utf8" });
    assert.equal(status, 0, stderr);
  };
  const commit = (tag: string, more: Files): void => {
    writeFiles(folder, more);
    git("add", "--all");
    git("commit", "--quiet", "--message", tag);
    git("tag", tag);
  };
  git("init", "--quiet", "--initial-branch", "main");
  commit("start", files);
  return { folder, temporary, env, commit };
}

/** Runs the program in it. */
export function rollstamp({ folder, env }: Repository, ...args: readonly string[]): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  return { status, stdout, stderr };
}

/** Its plan, with the status; nothing is left behind by it. */
export function plan(
  of: Repository,
  ...args: readonly string[]
): { readonly report: PlanJson; readonly status: number | null } {
  const { status, stdout, stderr } = rollstamp(of, "plan", "-o", "json", "--as", "stamped", ...args);
  assert.notEqual(status, 2, stderr);
  assert.deepEqual(readdirSync(of.temporary), [], "nothing is left behind");
  const report: PlanJson = JSON.parse(stdout);
  return { report, status };
}

/** What became of each application. */
export const statuses = ({ applications = [] }: PlanJson): Record<string, string> =>
  Object.fromEntries(applications.map(({ name, status }) => [name, status]));
