/** Repositories on disk that an engine applies. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../support/folders.ts";
import type { Files } from "./engine-types.ts";

/** Where a repository is, in the folder of its cluster. */
export const repositoryOf = (folder: string, name: string): string => join(folder, "repositories", name);

/** Runs git in a repository, as somebody. */
export const git = (root: string, ...args: readonly string[]): string =>
  execFileSync("git", ["-C", root, "-c", "user.name=e2e", "-c", "user.email=e2e@example.com", ...args], {
    encoding: "utf8",
  }).trim();

/** The commit that is checked out. */
export const headOf = (root: string): string => git(root, "rev-parse", "HEAD");

/** Commits files in place of all that the repository has, which is made at first. */
export function commitFiles(root: string, files: Files): string {
  if (!existsSync(root)) {
    mkdirSync(root, { recursive: true });
    git(root, "init", "--quiet", "--initial-branch=main");
  }
  for (const entry of readdirSync(root)) if (entry !== ".git") rmSync(join(root, entry), { recursive: true });
  writeFiles(root, files);
  git(root, "add", "--all");
  git(root, "commit", "--quiet", "--allow-empty", "--message=Change");
  return headOf(root);
}
