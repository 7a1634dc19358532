import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { deployment } from "../support/manifests.ts";

describe("rollstamp restart --max-workloads", () => {
  const names = ["w1", "w2", "w3"];
  const run = (folder: string, ...args: string[]): ReturnType<typeof cli> =>
    cli(["restart", ...args, folder], {
      environment: { PATH: process.env["PATH"] ?? "", ROLLSTAMP_NOW: "2026-11-22T12:00:00Z" },
    });
  const git = (folder: string, ...args: string[]): void => {
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", "-C", folder, ...args]);
  };
  const restarted = (folder: string, time: string): string =>
    names.filter((name) => readFileSync(join(folder, `${name}.yaml`), "utf8").includes(time)).join(" ");
  const files = Object.fromEntries(names.map((name) => [`${name}.yaml`, deployment(name, "settings")]));

  it("restarts a number of workloads with each commit, until all have the time", () =>
    inFolder(files, async (folder) => {
      git(folder, "init", "-q");
      git(folder, "add", ".");
      git(folder, "commit", "-qm", "x");
      const args = ["--all", "--at", "2026-11-22T00:00:00Z", "--max-workloads", "1"];
      for (const expected of ["w1", "w1 w2", "w1 w2 w3"]) {
        const { stderr } = await run(folder, ...args);
        assert.equal(restarted(folder, "2026-11-22T00:00:00Z"), expected);
        assert.equal(
          stderr.includes("left because of --max-workloads: commit, then run it again"),
          expected !== "w1 w2 w3",
        );
        assert.equal((await run(folder, ...args)).stdout, "", "the same command again lets no more go");
        git(folder, "commit", "-qam", "x");
      }
      assert.equal((await run(folder, ...args)).stdout, "");
      // Now those come first whose last restart is the longest ago.
      await run(folder, "deployment/w2", "--at", "2026-11-22T06:00:00Z");
      git(folder, "commit", "-qam", "x");
      await run(folder, "--all", "--max-workloads", "2");
      assert.equal(restarted(folder, "2026-11-22T12:00:00Z"), "w1 w3");
    }));

  it("counts a workload that rolls out for another reason as restarted", () =>
    inFolder(files, async (folder) => {
      git(folder, "init", "-q");
      git(folder, "add", ".");
      git(folder, "commit", "-qm", "x");
      const file = join(folder, "w3.yaml");
      writeFileSync(file, readFileSync(file, "utf8").replace("app:1", "app:2"));
      await run(folder, "--all", "--max-workloads", "2");
      assert.equal(restarted(folder, "2026-11-22T12:00:00Z"), "w1 w3");
    }));
});
