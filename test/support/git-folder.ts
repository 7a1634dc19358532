import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// What `git init` and `git tag` write, without a process: starting one copies the tables of this process's memory, which
// takes longer than git itself.

/** Makes a folder a repository without a commit, on the branch `main`. */
export function initialize(folder: string): void {
  const git = join(folder, ".git");
  for (const part of ["hooks", "info", "objects", "refs/heads", "refs/tags"])
    mkdirSync(join(git, part), { recursive: true });
  writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
  const core = "repositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true";
  writeFileSync(join(git, "config"), `[core]\n\t${core}\n`);
}

/** Tags the commit that is checked out in a repository whose branches stand in files. */
export function tag(folder: string, name: string): void {
  const git = join(folder, ".git");
  const head = readFileSync(join(git, "HEAD"), "utf8").trim();
  const id = head.startsWith("ref: ") ? readFileSync(join(git, head.slice(5)), "utf8") : `${head}\n`;
  writeFileSync(join(git, "refs", "tags", name), id, { flag: "wx" });
}
