import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inFolder, writeFiles, type Files } from "../../support/folders.ts";
import { pathWithoutRenderers } from "../../support/programs.ts";
import { commitAll, initialize, tag as tagHead } from "../../support/git-folder.ts";

const PATH = pathWithoutRenderers();

/** A Git repository of a test. */
export interface Repository {
  readonly folder: string;
  /** What commands need to find git. */
  readonly environment: Readonly<Record<string, string>>;
  /** Writes files, commits everything, and tags the commit. */
  readonly commit: (tag: string, files: Files) => void;
  /** Replaces `from` in a file, commits, and tags. Throws if the file does not contain it. */
  readonly edit: (tag: string, file: string, from: string, to: string) => void;
  readonly git: (...args: string[]) => string;
}

/** Runs a test in a new repository, with it as the current folder. */
export async function inRepository(files: Files, test: (repository: Repository) => Promise<void>): Promise<void> {
  // Other tests plan at the same time: what this one leaves behind is looked for in a place of its own.
  await inFolder({}, (temporary) => inFolder({}, (folder) => runIn(folder, temporary, files, test)));
}

async function runIn(
  folder: string,
  temporary: string,
  files: Files,
  test: (repository: Repository) => Promise<void>,
): Promise<void> {
  const environment = {
    TMPDIR: temporary,
    PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "test",
    GIT_AUTHOR_EMAIL: "test@example.com",
    GIT_COMMITTER_NAME: "test",
    GIT_COMMITTER_EMAIL: "test@example.com",
  };
  // A commit would start two more processes, which look whether the repository wants tidying.
  const env = {
    ...environment,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "maintenance.auto",
    GIT_CONFIG_VALUE_0: "false",
  };
  const git = (...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync("git", args, { cwd: folder, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  const commit = (tag: string, more: Files): void => {
    writeFiles(folder, more);
    if (!commitAll(folder, tag)) {
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", tag);
    }
    tagHead(folder, tag);
  };
  const edit = (tag: string, file: string, from: string, to: string): void => {
    const text = readFileSync(join(folder, file), "utf8");
    if (!text.includes(from)) throw new Error(`${file} has no '${from}'`);
    writeFileSync(join(folder, file), text.replace(from, to));
    commit(tag, {});
  };
  initialize(folder);
  commit("start", files);
  const before = { folder: process.cwd(), temporary: process.env["TMPDIR"] };
  process.chdir(folder);
  process.env["TMPDIR"] = temporary;
  try {
    await test({ folder, environment, commit, edit, git });
  } finally {
    process.chdir(before.folder);
    if (before.temporary === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before.temporary;
  }
}

/** Folders of temporary worktrees that are left behind, and what git still knows of them. */
export function leftBehind({ git, folder, environment }: Repository): string[] {
  const folders = readdirSync(environment["TMPDIR"] ?? "").filter((name) => name.startsWith("rollstamp-plan-"));
  const records = join(folder, ".git", "worktrees");
  const known = git("worktree", "list", "--porcelain")
    .split("\n")
    .filter((line) => line.startsWith("worktree "));
  return [...folders, ...known.slice(1), ...(existsSync(records) ? readdirSync(records) : [])];
}
