import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { relative } from "node:path";
import { describe, it } from "node:test";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { findFiles } from "../../src/node/find-files.ts";
import { inFolder, writeFiles, type Files } from "../support/folders.ts";

function git(folder: string, ...args: readonly string[]): void {
  execFileSync("git", ["-C", folder, ...args], { stdio: ["ignore", "ignore", "inherit"] });
}

interface Case {
  readonly name: string;
  readonly files: Files;
  /** The files that git tracks. */
  readonly tracked: readonly string[];
  readonly given?: string;
  readonly found: readonly string[];
}

describe("files that a .gitignore names", () => {
  const cases: readonly Case[] = [
    {
      name: "count if Git tracks them",
      files: { ".gitignore": "*.yaml\n", "a.yaml": "", "b.yaml": "", "x/é.yaml": "" },
      tracked: ["a.yaml", "x/é.yaml"],
      found: ["a.yaml", "x/é.yaml"],
    },
    {
      name: "count in an ignored folder, also below another one, without the rest of it",
      files: { ".gitignore": "/out/\n", "out/a.yaml": "", "out/b.yaml": "", "out/x/c.yaml": "", "out/y/d.yaml": "" },
      tracked: ["out/a.yaml", "out/x/c.yaml"],
      found: ["out/a.yaml", "out/x/c.yaml"],
    },
    {
      name: "are not included again by a .gitignore in an ignored folder, as in Git",
      files: { ".gitignore": "out\n", "out/.gitignore": "!b.yaml\n", "out/a.yaml": "", "out/b.yaml": "" },
      tracked: ["out/a.yaml"],
      found: ["out/a.yaml"],
    },
    {
      name: "count in a given folder below the root",
      files: { ".gitignore": "/x/out\n", "x/out/a.yaml": "", "x/out/b.yaml": "", "x/c.yaml": "" },
      tracked: ["x/out/a.yaml"],
      given: "x",
      found: ["x/c.yaml", "x/out/a.yaml"],
    },
    {
      name: "do not count if a .krmignore names them as well",
      files: { ".gitignore": "out\n", ".krmignore": "b.yaml\n", "out/a.yaml": "", "out/b.yaml": "", "b.yaml": "" },
      tracked: ["out/a.yaml", "out/b.yaml", "b.yaml"],
      found: ["out/a.yaml"],
    },
    {
      name: "count as a tracked link to a file, and what is in a tracked link to a folder",
      files: {
        ".gitignore": "links\nreal.txt\n",
        "links/a.yaml": "-> ../real.txt",
        "links/b.yaml": "-> ../real.txt",
        "links/in": "-> ../.krmignored/x",
        ".krmignore": ".krmignored\n",
        ".krmignored/x/c.yaml": "",
        "real.txt": "",
      },
      tracked: ["links/a.yaml", "links/in"],
      found: ["links/a.yaml", "links/in/c.yaml"],
    },
  ];
  for (const { name, files, tracked, given = ".", found } of cases)
    it(name, () =>
      inFolder(files, (root) => {
        git(root, "init", "--quiet");
        git(root, "add", "--force", "--", ...tracked);
        assert.deepEqual(foundIn(root, given), found);
      }),
    );

  it("are known for each of several repositories", () =>
    inFolder({}, (root) => {
      for (const [name, tracked] of [
        ["a", "x.yaml"],
        ["b", "y.yaml"],
      ] as const) {
        writeFiles(root, { [`${name}/.gitignore`]: "*.yaml\n", [`${name}/x.yaml`]: "", [`${name}/y.yaml`]: "" });
        git(root, "init", "--quiet", name);
        git(`${root}/${name}`, "add", "--force", tracked);
      }
      assert.deepEqual(foundIn(root, "."), ["a/x.yaml", "b/y.yaml"]);
    }));

  it("count as soon as Git tracks them", () =>
    inFolder({ ".gitignore": "*.yaml\n", "a.yaml": "", "b.yaml": "" }, (root) => {
      git(root, "init", "--quiet");
      for (const name of ["a.yaml", "b.yaml"]) {
        git(root, "add", "--force", name);
        assert.equal(foundIn(root, ".").at(-1), name);
      }
    }));

  it("count in a linked worktree", () =>
    inFolder({ "main/.gitignore": "out\n", "main/out/a.yaml": "" }, (root) => {
      const main = `${root}/main`;
      git(main, "init", "--quiet");
      git(main, "add", "--force", ".");
      git(main, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "--message=x");
      git(main, "worktree", "add", "--quiet", "../linked");
      writeFiles(`${root}/linked`, { "out/b.yaml": "" });
      assert.deepEqual(foundIn(root, "linked"), ["linked/out/a.yaml"]);
    }));

  it("do not count where git fails, which is said", () =>
    inFolder({ ".git/HEAD": "", ".gitignore": "a.yaml\n", "a.yaml": "", "b.yaml": "" }, (root) => {
      assert.deepEqual(foundIn(root, "."), ["b.yaml"]);
      const { left } = findFiles([root], { kustomizeInput: false, limits: DEFAULT_LIMITS });
      assert.deepEqual(
        left.map(({ because }) => because),
        ["unlisted"],
      );
    }));
});

function foundIn(root: string, given: string): readonly string[] {
  const { files, errors } = findFiles([`${root}/${given}`], { kustomizeInput: false, limits: DEFAULT_LIMITS });
  assert.deepEqual(errors, []);
  return files.map(({ path }) => relative(root, path));
}
