import assert from "node:assert/strict";
import { execFileSync, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { cli, type CliResult } from "../support/cli.ts";
import { inFolder, writeFiles, type Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

const PLAIN = { "web.yaml": deployment("web", "settings"), "config.yaml": configMap("settings", "a") };
const HOOKS = ["post-merge", "post-rewrite", "post-commit"];

async function inRepository(files: Files, test: (folder: string) => Promise<void>): Promise<void> {
  await inFolder({}, async (folder) => {
    execFileSync("git", ["init", "--quiet", folder]);
    writeFiles(folder, files);
    await test(folder);
  });
}

const environment = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
const init = (...args: string[]): Promise<CliResult> => cli(["init", "git", ...args], { environment });
const setting = (folder: string, key: string): string =>
  execFileSync("git", ["-C", folder, "config", "--local", "--default", "", key], { encoding: "utf8" }).trim();
const text = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");

describe("rollstamp init git", () => {
  it("writes attributes, hooks and the driver; a second run changes nothing", () =>
    inRepository(PLAIN, async (folder) => {
      const shown = await init(folder);
      assert.equal(shown.status, 0);
      assert.match(shown.stdout, /^\+\*\.yaml merge=rollstamp$/mu);
      assert.match(shown.stdout, /^git config merge\.rollstamp\.driver '.*rollstamp merge-driver .*-- %O %A %B %P/mu);
      assert.ok(!existsSync(join(folder, ".gitattributes")) && !existsSync(join(folder, ".git/hooks/post-merge")));
      assert.equal(setting(folder, "merge.rollstamp.driver"), "");

      const wired = await init(folder, "--write");
      assert.equal(wired.status, 0, wired.stderr);
      assert.equal(wired.stdout, shown.stdout);
      assert.match(wired.stderr, /run 'rollstamp init git --write' once in each clone/u);
      for (const name of HOOKS) {
        assert.match(
          text(folder, `.git/hooks/${name}`),
          /^#!\/bin\/sh\n# Made by: rollstamp init git\n[^]*rollstamp stamp \./u,
        );
        assert.ok((statSync(join(folder, ".git/hooks", name)).mode & 0o111) !== 0);
        execFileSync("sh", ["-n", join(folder, ".git/hooks", name)]);
      }
      assert.match(setting(folder, "merge.rollstamp.driver"), /rollstamp merge-driver/u);
      const again = await init(folder, "--write");
      assert.deepEqual([again.status, again.stdout], [0, ""]);
      assert.match(again.stderr, /git is set up already/u);
    }));

  it("writes the hooks of the repository from a linked worktree", () =>
    inRepository(PLAIN, async (folder) => {
      const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
      execFileSync("git", ["add", "-A"], { cwd: folder });
      execFileSync("git", [...identity, "commit", "--quiet", "--message", "x"], { cwd: folder });
      const linked = join(folder, "linked");
      execFileSync("git", ["worktree", "add", "--quiet", linked], { cwd: folder });
      const { status, stderr } = await init(linked, "--write");
      assert.equal(status, 0, stderr);
      for (const name of HOOKS) assert.match(text(folder, `.git/hooks/${name}`), /rollstamp stamp \./u);
      assert.match((await init(linked, "--write")).stderr, /git is set up already/u);
    }));

  it("updates its own hooks, but not those of the user", () =>
    inRepository(
      {
        ...PLAIN,
        ".git/hooks/post-merge": "#!/bin/sh\necho mine\n",
        ".git/hooks/post-rewrite": "#!/bin/sh\n# Made by: rollstamp init git\nrollstamp stamp old\n",
        ".git/hooks/post-commit": "#!/bin/sh\nrollstamp stamp . # by hand\n",
      },
      async (folder) => {
        const { stderr } = await init(folder, "--write");
        assert.match(stderr, /\.git\/hooks\/post-merge exists and stays as it is: add 'rollstamp stamp \.' to it/u);
        assert.doesNotMatch(stderr, /post-commit/u);
        assert.equal(text(folder, ".git/hooks/post-merge"), "#!/bin/sh\necho mine\n");
        assert.equal(text(folder, ".git/hooks/post-commit"), "#!/bin/sh\nrollstamp stamp . # by hand\n");
        assert.match(text(folder, ".git/hooks/post-rewrite"), /changed=\$\(rollstamp stamp \.\)/u);
      },
    ));

  it("inserts its lines before existing attributes, with their line endings", () =>
    inRepository({ ...PLAIN, ".gitattributes": "* text=auto\r\nold/*.yaml -merge\r\n" }, async (folder) => {
      const { stderr } = await init(folder, "--write");
      assert.match(stderr, /'old\/\*\.yaml -merge', which takes precedence over ours/u);
      const lines = text(folder, ".gitattributes").split("\r\n");
      assert.deepEqual(lines.slice(-3), ["* text=auto", "old/*.yaml -merge", ""]);
      const check = (path: string): string =>
        execFileSync("git", ["-C", folder, "check-attr", "merge", path], { encoding: "utf8" }).trim();
      assert.equal(check("a.yaml"), "a.yaml: merge: rollstamp");
      assert.equal(check("old/a.yaml"), "old/a.yaml: merge: unset");
    }));

  it("uses the folder of core.hooksPath, if it is in the repository", () =>
    inRepository(PLAIN, async (folder) => {
      execFileSync("git", ["-C", folder, "config", "core.hooksPath", "tools/hooks"]);
      assert.equal((await init(folder, "--write")).status, 0);
      assert.ok(
        existsSync(join(folder, "tools/hooks/post-merge")) && !existsSync(join(folder, ".git/hooks/post-merge")),
      );
    }));

  it("writes no hook into a folder that other repositories use", () =>
    inFolder({ "shared/x": "" }, (shared) =>
      inRepository(PLAIN, async (folder) => {
        execFileSync("git", ["-C", folder, "config", "core.hooksPath", join(shared, "shared")]);
        const { status, stderr } = await init(folder, "--write");
        assert.equal(status, 0);
        assert.match(stderr, /which other repositories use too: call 'rollstamp stamp \.'/u);
        assert.ok(!existsSync(join(shared, "shared/post-merge")));
      }),
    ));

  it("adds stages of pre-commit if the repository uses it", () =>
    inRepository({ ...PLAIN, ".pre-commit-config.yaml": "repos: []\n" }, async (folder) => {
      const { stderr } = await init(folder, "--write");
      assert.match(stderr, /pre-commit install --hook-type post-merge --hook-type post-rewrite/u);
      assert.ok(!existsSync(join(folder, ".git/hooks/post-merge")));
      const { repos } = parse(text(folder, ".pre-commit-config.yaml")) as {
        repos: { hooks: { entry: string; stages: string[] }[] }[];
      };
      assert.deepEqual(
        repos[0]?.hooks.map(({ stages }) => stages),
        [["post-merge", "post-rewrite"], ["post-commit"]],
      );
      execFileSync("sh", ["-nc", repos[0]?.hooks[1]?.entry ?? "("]);
      assert.match((await init(folder, "--write")).stderr, /git is set up already/u);
    }));

  it("merges and shows like git if rollstamp fails, whatever the name of a file", () =>
    inRepository({ ...PLAIN, "-x.yaml": "a: 1\n" }, async (folder) => {
      assert.equal((await init(folder, "--write")).status, 0);
      writeFiles(folder, { "bin/rollstamp": "#!/bin/sh\nexit 1\n" });
      chmodSync(join(folder, "bin/rollstamp"), 0o755);
      const PATH = `${join(folder, "bin")}:${environment.PATH}`;
      const git = (...args: string[]): SpawnSyncReturns<string> =>
        spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
          cwd: folder,
          encoding: "utf8",
          env: { ...environment, PATH },
        });
      const commit = (value: number): void => {
        writeFiles(folder, { "-x.yaml": `a: ${value}\n` });
        assert.equal(git("commit", "--all", "--quiet", "--message", "a").status, 0);
      };
      git("add", ".");
      commit(1);
      git("checkout", "--quiet", "-b", "other");
      commit(2);
      assert.match(git("show").stdout, /^\+a: 2$/mu);
      git("checkout", "--quiet", "-");
      commit(3);
      assert.equal(git("merge", "other").status, 1);
      assert.match(text(folder, "-x.yaml"), /^<<<<<<< [^]*^a: 3$[^]*^a: 2$[^]*^>>>>>>> /mu);
    }));

  it("fails if no file is stamped, or outside of a repository", async () => {
    await inRepository({ "values.yaml": "a: 1\n" }, async (folder) => {
      const { status, stderr } = await init(folder, "--write");
      assert.equal(status, 2);
      assert.match(stderr, /no file of this repository is stamped/u);
    });
    await inFolder(PLAIN, async (folder) => {
      const { status, stderr } = await init(folder, "--write");
      assert.equal(status, 2);
      assert.match(stderr, /not in a Git worktree/u);
    });
  });
});
