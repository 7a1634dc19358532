import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder, writeFiles } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

const PATH = process.env["PATH"] ?? "";
const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

/** The git of this machine, but that one of its commands fails as a fetch does: with the address of the remote. */
const failing = (command: string): string => `#!/bin/sh
case " $* " in
  *" ${command} "*) echo "fatal: unable to access 'https://ada:hunter2@git.example/x.git/': no route" >&2; exit 128 ;;
esac
exec ${git} "$@"
`;

const CASES: readonly (readonly [git: string, args: readonly string[]])[] = [
  ["cat-file", ["log", "deployment/web", "."]],
  ["log", ["log", "deployment/web", "."]],
  ["grep", ["log", "deployment/web", "."]],
  ["cat-file", ["plan", "--git", "HEAD~1..HEAD", "."]],
  ["rev-parse", ["plan", "--git", "HEAD~1..HEAD", "."]],
  ["log", ["audit", "."]],
  ["cat-file", ["audit", "."]],
  ["worktree", ["plan", "--git", "HEAD~1..HEAD", "--render", "cat web.yaml"]],
  ["merge-file", ["merge-driver", "web.yaml", "config.yaml", "web.yaml", "web.yaml"]],
];

describe("messages of git about a remote", () => {
  for (const [command, args] of CASES) {
    it(`are shown without credentials: git ${command} of rollstamp ${args[0] ?? ""}`, () =>
      inFolder({ "bin/git": failing(command) }, async (folder) => {
        const shim = join(folder, "bin");
        const clone = join(folder, "clone");
        chmodSync(join(shim, "git"), 0o755);
        const run = (...given: string[]): unknown =>
          execFileSync(git, ["-c", "user.name=t", "-c", "user.email=t@example.com", "-C", clone, ...given]);
        for (const value of ["a", "b"]) {
          writeFiles(clone, { "web.yaml": deployment("web", "settings"), "config.yaml": configMap("settings", value) });
          if (value === "a") run("init", "--quiet");
          run("add", "--all");
          run("commit", "--quiet", "--message", value);
        }
        const here = process.cwd();
        process.chdir(clone);
        try {
          const { stderr } = await cli(args, { environment: { PATH: `${shim}:${PATH}` } });
          assert.match(stderr, /git\.example/u);
          assert.doesNotMatch(stderr, /hunter2/u);
        } finally {
          process.chdir(here);
        }
      }));
  }
});
