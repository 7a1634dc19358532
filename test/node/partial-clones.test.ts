import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Account } from "../../src/findings/not-examined/not-examined.ts";
import type { RolloutPlan } from "../../src/reports/plan/plan-report.ts";
import { cli } from "../support/cli.ts";
import { inFolder, writeFiles } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

const environment = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };

/** A repository of two commits, and a clone of it; `cut` takes its remote away, or brings it back. */
async function inClone(
  args: readonly string[],
  test: (clone: string, cut: (isCut: boolean) => void, git: (...args: string[]) => string) => Promise<void>,
): Promise<void> {
  await inFolder({}, async (folder) => {
    const [remote, clone] = [join(folder, "remote"), join(folder, "clone")];
    const gitIn =
      (cwd: string) =>
      (...given: string[]): string =>
        // A fetch would start tidying that goes on while the folder is removed.
        execFileSync(
          "git",
          ["-c", "maintenance.auto=false", "-c", "user.name=t", "-c", "user.email=t@example.com", ...given],
          {
            cwd,
            encoding: "utf8",
            env: environment,
            stdio: ["ignore", "pipe", "pipe"],
          },
        );
    const git = gitIn(folder);
    git("init", "--quiet", "--initial-branch=main", remote);
    const there = gitIn(remote);
    there("config", "uploadpack.allowFilter", "true");
    for (const value of ["a", "b"]) {
      writeFiles(remote, { "web.yaml": deployment("web", "settings"), "config.yaml": configMap("settings", value) });
      assert.equal((await cli(["stamp", remote])).status, 0);
      there("add", "--all");
      there("commit", "--quiet", "--message", value);
    }
    git("clone", "--quiet", ...args, `file://${remote}`, clone);
    const cut = (isCut: boolean): void =>
      isCut ? renameSync(remote, `${remote}-gone`) : renameSync(`${remote}-gone`, remote);
    await test(clone, cut, gitIn(clone));
  });
}

describe("a clone that lacks an object", () => {
  for (const command of [() => ["plan", "--git", "HEAD~1..HEAD", "."], () => ["log", "deployment/web", "."]]) {
    it(`is reported, and the suggested command helps: ${command().slice(0, 2).join(" ")}`, () =>
      inClone(["--filter=blob:none"], async (clone, cut, git) => {
        const here = process.cwd();
        process.chdir(clone);
        try {
          // A fetch would run this program, whatever the user allows.
          const marker = join(clone, "..", "marker");
          git("config", "core.sshCommand", `touch ${marker}; false`);
          git("config", "protocol.ssh.allow", "always");
          const address = git("remote", "get-url", "origin").trim();
          git("remote", "set-url", "origin", "ssh://git@git.invalid/team/repository");
          const without = await cli(command(), { environment });
          assert.equal(existsSync(marker), false);
          git("remote", "set-url", "origin", address);
          assert.equal((await cli(command(), { environment })).status, 2, "the remote is within reach");
          assert.equal(without.status, 2);
          assert.match(
            without.stderr,
            /^rollstamp: error: this clone is incomplete: an object of a revision is missing\n/u,
          );
          assert.doesNotMatch(without.stderr, /fatal/u);
          const [remedy = ""] = /git fetch --refetch --no-filter/u.exec(without.stderr) ?? [];
          git(...remedy.split(" ").slice(1), "--quiet");
          cut(true);
          const whole = await cli(command(), { environment });
          assert.equal(whole.status, 0, whole.stderr);
        } finally {
          process.chdir(here);
        }
      }));
  }

  it("gets another suggestion if it is shallow", () =>
    inClone(["--depth", "1"], async (clone) => {
      const here = process.cwd();
      process.chdir(clone);
      try {
        const { status, stderr } = await cli(["plan", "--git", "HEAD~1..HEAD", "."], { environment });
        assert.equal(status, 2);
        assert.match(stderr, /unknown revision 'HEAD~1'\n.*git fetch --unshallow/u);
      } finally {
        process.chdir(here);
      }
    }));

  it("is named with its path, and everything else is planned", () =>
    inClone([], async (clone, _cut, git) => {
      const here = process.cwd();
      process.chdir(clone);
      try {
        git("config", "user.email", "t@example.com");
        for (const image of ["web:1", "web:2"]) {
          for (const name of ["one", "two"])
            writeFiles(clone, {
              [`${name}.yaml`]: deployment(name, "settings").replace(/image: .*/u, `image: ${image}`),
            });
          git("add", "--all");
          git("commit", "--quiet", "--message", image);
        }
        const id = git("rev-parse", "HEAD~1:two.yaml").trim();
        rmSync(join(clone, ".git", "objects", id.slice(0, 2), id.slice(2)));
        const { stdout } = await cli(["plan", "--git", "HEAD~1..HEAD", "-o", "json"], { environment });
        const { workloads, notExamined } = JSON.parse(stdout) as RolloutPlan & Pick<Account, "notExamined">;
        assert.deepEqual(
          workloads.map(({ name, action }) => [name, action]),
          [["one", "Roll"]],
        );
        assert.deepEqual(
          notExamined.map(({ path, reason }) => [path, reason.includes(id)]),
          [["two.yaml", true]],
        );
        for (const [name, status] of [
          ["one", 0],
          ["two", 2],
        ] as const) {
          const log = await cli(["log", `deployment/${name}`], { environment });
          assert.equal(log.status, status, log.stderr);
          assert.equal(log.stderr.includes(id), status === 2);
        }
      } finally {
        process.chdir(here);
      }
    }));
});
