import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { it } from "node:test";
import { clearLeftBehind, clearLeftWorktrees, copyPrefix } from "../../src/node/temporary-folders.ts";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";

const HOUR_MS = 3_600_000;
// Above what Linux gives out.
const ENDED = 4_200_000;

it("only copies that a killed process left behind are removed", () =>
  inFolder({ "elsewhere/kept": "" }, (folder) => {
    const now = Date.now();
    const make = (name: string, age: number, mode = 0o700): void => {
      const path = join(folder, name);
      mkdirSync(join(path, "in"), { recursive: true });
      writeFileSync(join(path, "in", "secret.yaml"), "a: b\n", { mode: 0o600 });
      chmodSync(path, mode);
      utimesSync(path, (now - age) / 1000, (now - age) / 1000);
    };
    make(`rollstamp-cmp-${ENDED}-aaaaaa`, 2 * HOUR_MS);
    make(`rollstamp-cmp-${ENDED}-aaaaab`, HOUR_MS / 2);
    make(`rollstamp-cmp-${process.ppid}-aaaaac`, 2 * HOUR_MS);
    make(`rollstamp-cmp-${process.ppid}-aaaaad`, 25 * HOUR_MS);
    make(`rollstamp-cmp-${ENDED}-aaaaae`, 2 * HOUR_MS, 0o755);
    make(`rollstamp-cmp-x-aaaaaf`, 25 * HOUR_MS);
    make(`rollstamp-plan-aaaaag`, 25 * HOUR_MS);
    make(`rollstamp-plan-${ENDED}-aaaaaj`, 2 * HOUR_MS);
    symlinkSync(join(folder, "elsewhere"), join(folder, `rollstamp-cmp-${ENDED}-aaaaah`));
    writeFileSync(join(folder, `rollstamp-cmp-${ENDED}-aaaaai`), "");
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = folder;
    try {
      clearLeftBehind(now);
      assert.match(`${copyPrefix()}aaaaaa`, /^rollstamp-cmp-\d+-aaaaaa$/u);
      assert.match(`${copyPrefix("plan")}aaaaaa`, /^rollstamp-plan-\d+-aaaaaa$/u);
      clearLeftBehind(now);
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
    assert.deepEqual(
      readdirSync(folder).sort(),
      [
        "elsewhere",
        "rollstamp-cmp-4200000-aaaaab",
        "rollstamp-cmp-4200000-aaaaae",
        "rollstamp-cmp-4200000-aaaaah",
        "rollstamp-cmp-4200000-aaaaai",
        `rollstamp-cmp-${process.ppid}-aaaaac`,
        "rollstamp-cmp-x-aaaaaf",
        "rollstamp-plan-aaaaag",
      ].sort(),
    );
    assert.deepEqual(readdirSync(join(folder, "elsewhere")), ["kept"]);
  }));

it("the checkouts of a killed process are removed at once, with Git's records of them", () =>
  inFolder({ "web.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n" }, async (folder) => {
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", "-C", folder, ...args], {
        encoding: "utf8",
      });
    const worktrees = (): readonly string[] =>
      git("worktree", "list", "--porcelain")
        .split("\n")
        .filter((line) => line.startsWith("worktree "));
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "one");
    const folderOf = (pid: number): string => mkdtempSync(join(tmpdir(), `rollstamp-plan-${pid}-`));
    const [left, running] = [folderOf(ENDED), folderOf(process.ppid)];
    try {
      for (const root of [left, running]) {
        for (const side of ["base", "head"]) {
          git("worktree", "add", "-q", "--detach", join(root, `${basename(root)}-${side}`));
        }
      }
      assert.equal(worktrees().length, 5);
      const home = process.cwd();
      process.chdir(folder);
      try {
        const { status, stderr } = await cli(["plan", "--git", "HEAD..HEAD", "--render", "cat web.yaml"], {
          environment: { PATH: process.env["PATH"] ?? "" },
        });
        assert.equal(status, 0, stderr);
      } finally {
        process.chdir(home);
      }
      assert.ok(!existsSync(left));
      assert.deepEqual(
        worktrees()
          .slice(1)
          .map((line) => basename(dirname(line))),
        [basename(running), basename(running)],
      );
      // A folder that is not here may be that of a process in another container.
      git("worktree", "add", "-q", "--detach", join(folder, "x", `rollstamp-plan-${ENDED}-aaaaaa-base`));
      const records = join(realpathSync(folder), ".git", "worktrees");
      clearLeftWorktrees(records);
      assert.equal(worktrees().length, 4);
      clearLeftWorktrees(records, Date.now() + HOUR_MS);
      assert.equal(worktrees().length, 3);
    } finally {
      for (const root of [left, running]) rmSync(root, { recursive: true, force: true });
    }
  }));
