// Merges random branches with git and the setup of `rollstamp init git`, and compares with merges of the same branches without
// stamps: no additional conflict, every other line the same, no stale stamp.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { writeFiles, type Files } from "../support/folders.ts";
import { change, copyOf, filesOf, randomOf, randomRepository, type Repository } from "./git-repositories.ts";
import { command, onPath, run, succeed, unlessFound, type Run } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const git = onPath("git");
const PAIRS = process.env["ROLLSTAMP_LONG"] === "1" ? 500 : 24;
const FIRST = Number(process.env["FC_SEED"] ?? 1);
const WAYS = ["merge", "rebase", "cherry-pick", "octopus"] as const;

const home = temporaryFolder();
const programs = join(home, "bin");
mkdirSync(programs);
writeFileSync(join(programs, "rollstamp"), `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
chmodSync(join(programs, "rollstamp"), 0o755);
writeFileSync(
  join(home, ".gitconfig"),
  "[user]\n\tname = t\n\temail = t@example.com\n[init]\n\tdefaultBranch = main\n",
);
const env = {
  PATH: [programs, process.env["PATH"] ?? ""].join(delimiter),
  HOME: home,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_EDITOR: "true",
};

const inGit = (folder: string, ...args: string[]): Run => run(git, args, { cwd: folder, env });
const done = (folder: string, ...args: string[]): string => succeed(git, args, { cwd: folder, env });

/** Puts the files of a repository in place of those that are there, stamped or not, and commits. */
async function commit(folder: string, repository: Repository, stamped: boolean, message: string): Promise<void> {
  rmSync(join(folder, "apps"), { recursive: true, force: true });
  writeFiles(folder, filesOf(repository));
  if (stamped) {
    const made = await cli(["stamp", folder]);
    assert.equal(made.status, 0, made.stderr);
    for (const { name, file, restartedAt } of repository.workloads) {
      if (restartedAt === undefined) continue;
      const { status, stderr } = await cli(["restart", `deployment/${name}`, join(folder, file), "--at", restartedAt]);
      assert.equal(status, 0, stderr);
    }
  }
  done(folder, "add", "--all");
  done(folder, "commit", "--quiet", "--no-verify", "--allow-empty", "--message", message);
}

/** The files of a folder without what a stamp writes. */
function plainFiles(folder: string): Files {
  return Object.fromEntries(Object.entries(everyFile(folder)).map(([name, text]) => [name, withoutStamps(text)]));
}

function everyFile(folder: string): Files {
  const apps = join(folder, "apps");
  if (!existsSync(apps)) return {};
  const names = readdirSync(apps).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(apps, name), "utf8")]));
}

/** By lines alone, unlike the program: stamps, then keys of annotations that have none left. */
function withoutStamps(text: string): string {
  return text
    .replaceAll(
      /^ *["']?(?:(?:configmap|secret)\.rollstamp\.dev\/|rollstamp\.dev\/(?:config-hash|restartedAt)).*\r?\n/gmu,
      "",
    )
    .replaceAll(/^( *)annotations:\r?\n(?!\1 )/gmu, "");
}

/** The conflicts in the files of a folder that hold nothing but stamps. */
function ownHunks(folder: string): string[] {
  return Object.values(everyFile(folder)).flatMap((text) =>
    [...text.matchAll(/^<{7} .*\n([^]*?)^={7}\r?\n([^]*?)^>{7} /gmu)].flatMap(([hunk, ours = "", theirs = ""]) =>
      withoutStamps(ours) === withoutStamps(theirs) ? [hunk] : [],
    ),
  );
}

/** The files in conflict that both sides have. */
function inConflict(folder: string): string[] {
  const stages = done(folder, "ls-files", "--unmerged").split("\n");
  const has = (path: string, stage: number): boolean => stages.some((line) => line.endsWith(` ${stage}\t${path}`));
  return [...new Set(stages.flatMap((line) => line.split("\t").slice(1)))].filter(
    (path) => has(path, 2) && has(path, 3),
  );
}

function bring(folder: string, way: (typeof WAYS)[number]): Run {
  switch (way) {
    case "merge":
      return inGit(folder, "merge", "--no-edit", "--quiet", "theirs");
    case "rebase": {
      done(folder, "checkout", "--quiet", "theirs");
      return inGit(folder, "rebase", "--quiet", "main");
    }
    case "cherry-pick":
      return inGit(folder, "cherry-pick", "--keep-redundant-commits", "--allow-empty", "main..theirs");
    case "octopus": {
      const all = inGit(folder, "merge", "--no-edit", "--quiet", "theirs", "third");
      if (all.status === 0) return all;
      // git asks no driver for more than two heads (git-merge-one-file): one after the other it does.
      inGit(folder, "reset", "--quiet", "--hard");
      const first = bring(folder, "merge");
      if (first.status !== 0) return first;
      done(folder, "commit", "--quiet", "--allow-empty", "--all", "--message", "stamped");
      return inGit(folder, "merge", "--no-edit", "--quiet", "third");
    }
  }
}

/** Two histories that differ in nothing but stamps. */
async function branches(seed: number): Promise<{ readonly ours: string; readonly plain: string }> {
  const random = randomOf(seed);
  const [ours, plain] = [temporaryFolder(), temporaryFolder()];
  const start = randomRepository(random);
  const both = async (repository: Repository, message: string): Promise<void> => {
    await commit(ours, repository, true, message);
    await commit(plain, repository, false, message);
  };
  for (const folder of [ours, plain]) done(folder, "init", "--quiet");
  await both(start, "start");
  const wired = await cli(["init", "git", ours, "--write"], { environment: env });
  assert.equal(wired.status, 0, wired.stderr);
  done(ours, "add", "--all");
  done(ours, "commit", "--quiet", "--message", "wired");
  for (const branch of ["theirs", "third", "main"]) {
    const now = copyOf(start);
    for (const folder of [ours, plain]) {
      if (branch === "main") done(folder, "checkout", "--quiet", "main");
      else done(folder, "checkout", "--quiet", "-b", branch, "main");
    }
    for (let left = 1 + random(2); left > 0; left--) {
      change(now, random, branch[1] === "a" ? "m" : branch[2] === "e" ? "t" : "i");
      await both(now, `${branch} ${left}`);
    }
  }
  return { ours, plain };
}

describe("merges of stamped branches", { skip: unlessFound(git) }, () => {
  it(`${PAIRS} pairs of branches merge as git merges them without stamps, and no stamp is stale`, async () => {
    const counts = { clean: 0, conflicts: 0, apart: 0, deleted: 0, needed: 0 };
    for (let seed = FIRST; seed < FIRST + PAIRS; seed++) {
      const way = WAYS[seed % WAYS.length] ?? "merge";
      const { ours, plain } = await branches(seed).catch((cause: unknown) => {
        throw new Error(`FC_SEED=${seed}: ${String(cause)}`, { cause });
      });
      // As it would be without the driver: that it is needed is counted, so that the test can fail.
      const alone = [
        "-c",
        "merge.rollstamp.driver=git merge-file %A %O %B",
        "merge-tree",
        "--write-tree",
        "main",
        "theirs",
      ];
      const isNeeded = inGit(ours, ...alone).status !== 0;
      const wanted = bring(plain, way);
      const got = bring(ours, way);
      const shown = `FC_SEED=${seed} (${way}): ${got.stdout}${got.stderr}`;
      if (wanted.status !== 0) {
        // Lines that only stamps part conflict without them.
        if (got.status === 0) counts.apart += 1;
        else counts.conflicts += 1;
        assert.deepEqual(ownHunks(ours), [], shown);
      } else if (got.status !== 0) {
        // One side has deleted a file of which the other has changed stamps: git asks no driver.
        assert.deepEqual(inConflict(ours), [], shown);
        counts.deleted += 1;
      } else {
        assert.deepEqual(plainFiles(ours), plainFiles(plain), shown);
        counts.clean += 1;
        if (isNeeded) counts.needed += 1;
      }
      if (got.status === 0) {
        const { status, stdout, stderr } = await cli(["stamp", "--check", ours]);
        // Both sides have moved a workload, each to a different file.
        const isTwice = status === 2 && / is duplicated/u.test(stderr);
        assert.ok(status === 0 || isTwice, `${shown}\nstale: ${stdout}${stderr}`);
      }
      for (const folder of [ours, plain]) rmSync(folder, { recursive: true });
    }
    assert.ok(
      counts.clean > PAIRS / 3 && counts.needed > PAIRS / 10 && counts.deleted < PAIRS / 10,
      JSON.stringify(counts),
    );
  });

  it("the hook stamps an octopus merge", async () => {
    const folder = temporaryFolder();
    const [start, changed, added] = [0, 1, 2].map(() => randomRepository(randomOf(7)));
    assert.ok(start && changed && added);
    const [config] = changed.configs;
    const [workload] = added.workloads;
    assert.ok(config && workload);
    config.data["LEVEL"] = "debug";
    added.workloads.push({ ...workload, name: "more", file: "apps/more.yaml", sources: [config.name] });
    // Nothing that is there uses it: no file changes on both branches.
    for (const { workloads } of [start, changed, added])
      for (const each of workloads) if (each.name !== "more") each.sources = [];
    done(folder, "init", "--quiet");
    await commit(folder, start, true, "start");
    assert.equal((await cli(["init", "git", folder, "--write"], { environment: env })).status, 0);
    done(folder, "add", "--all");
    done(folder, "commit", "--quiet", "--message", "wired");
    for (const [branch, repository] of [
      ["changed", changed],
      ["added", added],
    ] as const) {
      done(folder, "checkout", "--quiet", "-b", branch, "main");
      await commit(folder, repository, true, branch);
    }
    done(folder, "checkout", "--quiet", "main");
    done(folder, "commit", "--quiet", "--allow-empty", "--message", "else all would be two branches alone");
    const merged = inGit(folder, "merge", "--no-edit", "changed", "added");
    assert.equal(merged.status, 0, merged.stderr);
    assert.match(merged.stderr, /rollstamp: stamped again, to be committed:\n.*apps\/more\.yaml/u);
    assert.equal(done(folder, "rev-list", "--parents", "-1", "HEAD").trim().split(" ").length, 4, "an octopus");
    assert.equal((await cli(["stamp", "--check", folder])).status, 0);
    assert.equal(done(folder, "diff", "--name-only").trim(), "apps/more.yaml");
  });
});
