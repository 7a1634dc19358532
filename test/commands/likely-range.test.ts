// `rollstamp plan` without arguments says which plan is most likely wanted.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";

const environment = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };
const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { encoding: "utf8" });
const commit = (name: string): string => git("commit", "--quiet", "--allow-empty", "-m", name);

/** What `rollstamp plan` proposes after some commands of git in a new repository. */
async function proposed(branch: string, work: () => void): Promise<string | undefined> {
  let stderr = "";
  const before = process.cwd();
  await inFolder({}, async (folder) => {
    process.chdir(folder);
    try {
      git("init", "--quiet", `--initial-branch=${branch}`);
      work();
      const result = await cli(["plan"], { environment });
      assert.equal(result.status, 2);
      ({ stderr } = result);
    } finally {
      process.chdir(before);
    }
  });
  return /rollstamp plan --git (\S+)\n$/u.exec(stderr)?.[1];
}

describe("plan without arguments", () => {
  for (const branch of ["main", "master"])
    it(`proposes what a branch has since it left ${branch}`, async () =>
      assert.equal(
        await proposed(branch, () => {
          commit("a");
          git("checkout", "--quiet", "-b", "topic");
          commit("b");
        }),
        `${branch}...HEAD`,
      ));

  it("takes the default branch of the remote, as git knows it", async () =>
    assert.equal(
      await proposed("main", () => {
        commit("a");
        git("update-ref", "refs/remotes/origin/trunk", "HEAD");
        git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
        commit("b");
      }),
      "origin/trunk...HEAD",
    ));

  it("proposes the last commit on the default branch itself", async () =>
    assert.equal(
      await proposed("main", () => {
        commit("a");
        commit("b");
      }),
      "HEAD~1..HEAD",
    ));

  it("proposes nothing if there is nothing to compare", async () => {
    assert.equal(await proposed("main", () => undefined), undefined);
    assert.equal(await proposed("main", () => commit("a")), undefined);
    assert.equal(await proposed("trunk", () => commit("a")), undefined);
    const before = process.cwd();
    await inFolder({}, async (folder) => {
      process.chdir(folder);
      const { status, stderr } = await cli(["plan"], { environment });
      process.chdir(before);
      assert.equal(status, 2);
      assert.match(stderr, /plan compares two renderings, and none is given/u);
    });
  });
});
