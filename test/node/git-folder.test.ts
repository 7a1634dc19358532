import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { inFolder, writeFiles } from "../support/folders.ts";
import { commitAll, initialize } from "../support/git-folder.ts";

// What tests write as git would, held against git.

const FILES = {
  "a/b/c.txt": "c",
  "a.txt": "",
  "a-b/d": "d",
  "a/é\n.txt": "é",
  [`long/${"x".repeat(200)}`]: "x",
  link: "-> a.txt",
  run: "#!/bin/sh\n",
};

describe("commits of test repositories", () => {
  it("are the same as those of git", () =>
    inFolder(FILES, (folder) => {
      const git = (...args: string[]): string =>
        execFileSync("git", ["-C", folder, ...args], {
          encoding: "utf8",
          env: { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
        });
      chmodSync(join(folder, "run"), 0o755);
      initialize(folder);
      assert.ok(commitAll(folder, "first", "Ada <ada@example.com>", 1_763_600_000));
      const isWhole = (): void => {
        assert.equal(git("fsck", "--strict", "--no-progress"), "");
        assert.equal(git("status", "--porcelain"), "");
        const tree = git("rev-parse", "HEAD^{tree}");
        rmSync(join(folder, ".git", "index"));
        git("add", "--all");
        assert.equal(git("write-tree"), tree);
      };
      isWhole();
      assert.equal(git("log", "--format=%an %ae %aI %s"), "Ada ada@example.com 2025-11-20T00:53:20+00:00 first\n");
      rmSync(join(folder, "a"), { recursive: true });
      assert.ok(commitAll(folder, "second"));
      isWhole();
      assert.equal(git("log", "--format=%s"), "second\nfirst\n");
    }));

  it("are made by git if there are ignore files", () =>
    inFolder({ "a/b": "" }, (folder) => {
      initialize(folder);
      writeFiles(folder, { "a/.gitignore": "b\n" });
      assert.equal(commitAll(folder, "x"), false);
    }));
});
