import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { objectSession, type ObjectSession } from "../../src/node/git-batch.ts";
import { treesIn } from "../../src/node/revision-trees.ts";
import { inFolder } from "../support/folders.ts";

const environment = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };

type Git = (...args: string[]) => string;

async function inRepository(test: (folder: string, git: Git, session: ObjectSession) => Promise<void>): Promise<void> {
  await inFolder({}, async (folder) => {
    const git: Git = (...args) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
        cwd: folder,
        encoding: "utf8",
        env: environment,
        stdio: ["ignore", "pipe", "pipe"],
      });
    git("init", "--quiet");
    const session = objectSession({ cwd: folder, environment });
    try {
      await test(folder, git, session);
    } finally {
      session.close();
    }
  });
}

function commit(git: Git): string {
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message", "x");
  return git("rev-parse", "HEAD").trim();
}

describe("the trees of commits", () => {
  const options = { cwd: ".", environment, limits: DEFAULT_LIMITS };

  it("are what git lists, and each is read once", () =>
    inRepository(async (folder, git, session) => {
      mkdirSync(join(folder, "a", "b"), { recursive: true });
      mkdirSync(join(folder, "a-b"));
      writeFileSync(join(folder, "a", "b", "é.yaml"), "1");
      writeFileSync(join(folder, "a", "run.sh"), "2", { mode: 0o755 });
      writeFileSync(join(folder, "a-b", "c"), "");
      symlinkSync("a/run.sh", join(folder, "link"));
      const first = commit(git);
      git("update-index", "--add", "--cacheinfo", `160000,${first},module`);
      writeFileSync(join(folder, "a", "b", "two"), "2");
      const second = commit(git);
      const asked: string[] = [];
      const trees = treesIn(
        {
          ...session,
          read: (names, taker) => {
            asked.push(...names);
            return session.read(names, taker);
          },
        },
        options,
      );
      const types = { "100": "file", "120": "link", "040": "folder", "160": "module" };
      for (const revision of [first, second]) {
        const listed = git("ls-tree", "-r", "-t", "-z", revision).split("\0").filter(Boolean);
        const expected = listed.map((line) => {
          const [, mode = "", id = "", path = ""] = /^(\d{3})\d+ \w+ (\w+)\t(.*)$/su.exec(line) ?? [];
          return [path, { is: Object.entries(types).find(([key]) => key === mode)?.[1], id }];
        });
        assert.deepEqual([...(await trees(revision))], expected);
      }
      // Both roots, then a, a-b and a/b, and of the second commit a and a/b.
      assert.equal(asked.length, 2 + 3 + 2);
    }));

  it("have limits", () =>
    inRepository(async (folder, git, session) => {
      for (let i = 0; i < 20; i += 1) writeFileSync(join(folder, `file-${i}`), "");
      const head = commit(git);
      const trees = treesIn(session, { ...options, limits: { ...DEFAULT_LIMITS, inputSize: 1000 } });
      await assert.rejects(trees(head), /larger than 1000 bytes/u);
    }));

  it("have limits before the folders below are read: a few objects can be any number of folders", () =>
    inRepository(async (folder, git, session) => {
      const treeOf = (input: string): string =>
        execFileSync("git", ["mktree"], { cwd: folder, input, encoding: "utf8", env: environment }).trim();
      let tree = treeOf("");
      for (let depth = 0; depth < 20; depth += 1)
        tree = treeOf(Array.from({ length: 10 }, (_, i) => `040000 tree ${tree}\t${i}\n`).join(""));
      const head = git("commit-tree", "-m", "x", tree).trim();
      const trees = treesIn(session, { ...options, limits: { ...DEFAULT_LIMITS, inputSize: 10_000 } });
      await assert.rejects(trees(head), /larger than 10000 bytes/u);
    }));
});

describe("a session of git", () => {
  it("answers requests in turn, also after a receiver failed", () =>
    inRepository(async (folder, git, session) => {
      for (const name of ["a", "b"]) writeFileSync(join(folder, name), name);
      commit(git);
      const [a = "", b = ""] = ["a", "b"].map((name) => git("rev-parse", `HEAD:${name}`).trim());
      const read = async (names: readonly string[], fails = false): Promise<string> => {
        let text = "";
        await session.read(names, {
          begin: () => {
            if (fails) throw new Error("the receiver failed");
            return true;
          },
          take: (piece) => {
            text += piece.toString("utf8");
          },
          missing: () => {
            text += "-";
          },
        });
        return text;
      };
      assert.deepEqual(await Promise.all([read([a]), read([b, a]), read([])]), ["a", "ba", ""]);
      await assert.rejects(read([a, b], true), /the receiver failed/u);
      assert.equal(await read(["0".repeat(40), b]), "-b");
    }));

  it("asks for nothing more after a receiver failed", () =>
    inFolder({}, async (folder) => {
      const asked = join(folder, "asked");
      const script = `#!/bin/sh\necho no\nsleep 1\nwc -l >${asked}.new\nmv ${asked}.new ${asked}\n`;
      writeFileSync(join(folder, "git"), script, { mode: 0o755 });
      const session = objectSession({ cwd: folder, environment: { PATH: `${folder}:${environment.PATH}` } });
      const names = Array.from({ length: 100_000 }, () => "0".repeat(40));
      const taker = { begin: () => true, take: () => undefined, missing: () => undefined };
      await assert.rejects(session.read(names, taker), /git failed/u);
      while (!existsSync(asked)) await setTimeout(50);
      assert.ok(Number(readFileSync(asked, "utf8")) < names.length);
    }));

  it("fails with the message of git", async () => {
    await inFolder({}, async (folder) => {
      const session = objectSession({ cwd: folder, environment });
      await assert.rejects(
        session.read(["x"], { begin: () => true, take: () => undefined, missing: () => undefined }),
        /git failed/u,
      );
      session.close();
    });
  });
});
