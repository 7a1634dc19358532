import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { RollstampError } from "../../../src/base/errors.ts";
import { parseRange } from "../../../src/applications/inputs/revision-range.ts";
import { cli, type CliResult } from "../../support/cli.ts";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { inFolder, type Files } from "../../support/folders.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { inRoot } from "../../support/paths.ts";
import { inRepository, leftBehind, type Repository } from "./repository.ts";

const FILES = { "web.yaml": deployment("web", "env"), "env.yaml": configMap("env", "a") };

async function changedRepository(test: (repository: Repository) => Promise<void>): Promise<void> {
  await inRepository(FILES, async (repository) => {
    repository.edit("changed", "env.yaml", '"a"', '"b"');
    await test(repository);
    assert.deepEqual(leftBehind(repository), []);
  });
}

const plan = ({ environment }: Repository, ...args: string[]): Promise<CliResult> =>
  cli(["plan", ...args], { environment });

/** Whether a process is there, and is not just waiting to be forgotten by its parent. */
function isRunning(pid: string): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

describe("a range of revisions", () => {
  const TABLE: Readonly<Record<string, readonly [string, string, boolean]>> = {
    "main..HEAD": ["main", "HEAD", false],
    "main...topic": ["main", "topic", true],
    "v1.2.3..v1.2.4": ["v1.2.3", "v1.2.4", false],
    "main..": ["main", "HEAD", false],
  };
  for (const [text, [base, head, sinceMergeBase]] of Object.entries(TABLE)) {
    it(text, () => assert.deepEqual(parseRange(text), { base, head, sinceMergeBase }));
  }
  for (const text of ["main", "..", "...", "..topic", "...topic"])
    it(`not ${text}`, () => assert.throws(() => parseRange(text), RollstampError));
});

describe("plan --git", () => {
  it("reports an unknown revision, and one that looks like an option", () =>
    changedRepository(async (repository) => {
      for (const revision of ["nowhere", "--output=/tmp/x"]) {
        const { status, stderr } = await plan(repository, "--git", `${revision}..HEAD`, ".");
        assert.equal(status, 2);
        assert.ok(stderr.includes(`unknown revision '${revision}'`), stderr);
        assert.match(stderr, /fetch-depth: 0/u);
      }
    }));

  it("reports a name of several refs, of which git would choose one", () =>
    changedRepository(async (repository) => {
      repository.git("branch", "start");
      const { status, stderr } = await plan(repository, "--git", "start..HEAD", ".");
      assert.equal(status, 2);
      assert.ok(stderr.includes("the revision 'start' is ambiguous"), stderr);
      assert.equal((await plan(repository, "--git", "refs/tags/start..HEAD", ".")).stderr, "");
    }));

  it("compares what other clones have, not what this one replaces", () =>
    inRepository({ "web.yaml": deployment("web", "env") }, async (repository) => {
      repository.edit("changed", "web.yaml", "app:1", "app:2");
      repository.git("replace", "changed:web.yaml", "start:web.yaml");
      const { stdout } = await plan(repository, "--git", "start..changed");
      assert.match(stdout, /app:1 → app:2/u);
    }));

  it("needs a worktree", () =>
    inFolder(FILES, async (folder) => {
      const before = process.cwd();
      process.chdir(folder);
      try {
        const { status, stderr } = await cli(["plan", "--git", "a..b", "."], {
          environment: { PATH: process.env["PATH"] ?? "", GIT_CEILING_DIRECTORIES: dirname(folder) },
        });
        assert.equal(status, 2);
        assert.match(stderr, /--git needs a Git worktree/u);
      } finally {
        process.chdir(before);
      }
    }));

  it("reports uncommitted changes", () =>
    changedRepository(async (repository) => {
      assert.equal((await plan(repository, "--git", "start..HEAD", ".")).stderr, "");
      writeFileSync("env.yaml", configMap("env", "c"));
      const { status, stderr, stdout } = await plan(repository, "--git", "start..HEAD", ".");
      assert.equal(status, 0);
      assert.match(stderr, /warning: the worktree has uncommitted changes/u);
      assert.match(stdout, /Deployment default\/web/u);
    }));

  it("shows the output, status and revision of a failing render command, and ends the other one", () =>
    changedRepository(async (repository) => {
      const command = `grep -q '"b"' env.yaml && { echo "no such overlay" >&2; exit 3; }; sleep 30; touch ${join(repository.folder, "waited")}`;
      const { status, stderr, stdout } = await plan(repository, "--git", "start..changed", "--render", command);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, /the render command of changed ended with status 3: /u);
      assert.match(stderr, /no such overlay/u);
      assert.ok(!existsSync(join(repository.folder, "waited")), "the other command was ended");
    }));

  it("refuses a revision that renders nothing, unless that is allowed", () =>
    changedRepository(async (repository) => {
      const command = `grep -q '"b"' env.yaml && cat web.yaml; true`;
      const refused = await plan(repository, "--git", "start..changed", "--render", command);
      assert.equal(refused.status, 2);
      assert.match(refused.stderr, /the render command of start printed nothing/u);
      const taken = await plan(repository, "--git", "start..changed", "--render", command, "--allow-empty");
      assert.equal(taken.status, 0, taken.stderr);
      assert.match(taken.stdout, /CREATED +\+ Deployment default\/web/u);
    }));

  it("refuses paths that a revision lacks, unless that is allowed", () =>
    changedRepository(async (repository) => {
      repository.commit("more", { "new/api.yaml": deployment("api", "env") });
      const refused = await plan(repository, "--git", "start..more", "new");
      assert.equal(refused.status, 2);
      assert.match(refused.stderr, /new is not in start/u);
      const taken = await plan(repository, "--git", "start..more", "new", "--allow-empty");
      assert.match(taken.stdout, /CREATED +\+ Deployment default\/api/u);
    }));

  it("names files of a checkout by their revision", () =>
    changedRepository(async (repository) => {
      repository.commit("broken", { "more.yaml": "apiVersion: v1\nkind: [\n" });
      const { status, stderr } = await plan(repository, "--git", "start..broken", "more.yaml", "--allow-empty");
      assert.equal(status, 2);
      assert.match(stderr, /broken:more\.yaml:\d+:\d+: /u);
      const folder = await plan(repository, "--git", "start..broken", ".");
      assert.equal(folder.status, 1);
      assert.match(folder.stdout, /^Do not merge: broken:more\.yaml:3:1: .* \(unreadable-manifest\)$/mu);
      assert.match(folder.stdout, /^ERROR +broken:more\.yaml:\d+:\d+: /mu);
      assert.ok(!`${folder.stdout}${folder.stderr}`.includes("rollstamp-plan-"), folder.stdout);
      repository.commit("twice", { "more.yaml": configMap("env", "x") });
      const apart = await plan(repository, "--git", "start..twice", ".");
      assert.match(
        apart.stdout.replaceAll(/\s+/gu, " "),
        /twice:more\.yaml:1:1: ConfigMap env is in twice:env\.yaml:1 and in twice:more\.yaml:1/u,
      );
      assert.ok(!`${apart.stdout}${apart.stderr}`.includes("rollstamp-plan-"), apart.stdout);
      const twice = await plan(repository, "--git", "start..twice", "--scope", "all", ".");
      assert.match(
        twice.stderr,
        /twice:more\.yaml:1:1: ConfigMap env is duplicated: the first is at twice:env\.yaml:1/u,
      );
      assert.ok(!twice.stderr.includes("rollstamp-plan-"), twice.stderr);
    }));

  const BROKEN = "apiVersion: v1\nkind: [\n";
  const NUMBER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {LEVEL: 1}\n";
  const UNREADABLE: Readonly<Record<string, readonly [Files, Files, number, readonly string[], string?]>> = {
    "with text that is no YAML": [{}, { "more.yaml": BROKEN }, 1, ["head:more.yaml"]],
    "with a number as a value of a ConfigMap": [{}, { "env.yaml": NUMBER }, 1, ["head:env.yaml"]],
    "that is as in the base": [
      { "more.yaml": BROKEN },
      { "web.yaml": deployment("web", "env").replace("app:1", "app:2") },
      0,
      [],
    ],
    "that changes, and could not be read in the base either": [
      { "env.yaml": NUMBER },
      { "env.yaml": `${NUMBER}# more\n` },
      1,
      ["head:env.yaml"],
    ],
    "that only the base can't read": [
      { "env.yaml": NUMBER },
      { "env.yaml": configMap("env", "b") },
      1,
      [],
      "env.yaml: line 4, column 15: the value of 'data.LEVEL' of ConfigMap env must be a string, but is a number",
    ],
  };
  for (const [which, [base, head, status, files, failure]] of Object.entries(UNREADABLE)) {
    it(`reports a file ${which}`, () =>
      inRepository(FILES, async (repository) => {
        repository.commit("base", base);
        repository.commit("head", head);
        const ran = await plan(repository, "-o", "json", "--git", "base..head");
        const { findings, applications = [] }: PlanJson = JSON.parse(ran.stdout);
        assert.deepEqual(
          [ran.status, findings.map(({ message }) => /^[^:]+:[^:]+/u.exec(message)?.[0])],
          [status, files],
        );
        assert.ok(failure === undefined || applications.some(({ message }) => message?.includes(failure)), ran.stdout);
      }));
  }

  it("says on a terminal that it renders, if that takes long", () =>
    changedRepository(async ({ environment }) => {
      const args = ["plan", "--git", "start..changed", "--render", "sleep 0.6; cat web.yaml"];
      assert.match((await cli(args, { environment, terminal: true })).stderr, /rendering start and changed …/u);
      assert.equal((await cli(args, { environment })).stderr.includes("rendering"), false);
    }));

  it("is not disturbed by the variables that git gives to its hooks, and runs no hook", () =>
    changedRepository(async (repository) => {
      writeFileSync(join(repository.folder, ".git", "hooks", "post-checkout"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
      const environment = {
        ...repository.environment,
        GIT_DIR: join(repository.folder, ".git"),
        GIT_INDEX_FILE: "nowhere",
        GIT_WORK_TREE: "/",
      };
      const { status, stdout, stderr } = await cli(
        ["plan", "--git", "start..changed", "--render", "cat *.yaml | sed 's/^apiVersion/---\\n&/'"],
        { environment },
      );
      assert.equal(status, 0, stderr);
      assert.match(stdout, /^As if stamped: Safe to merge: /u);
    }));

  it("does not write the index, which would run a hook", () =>
    changedRepository(async ({ folder, environment }) => {
      const ran = join(folder, ".git", "ran");
      const hook = join(folder, ".git", "hooks", "post-index-change");
      writeFileSync(hook, `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
      utimesSync(join(folder, "web.yaml"), 1, 1);
      const index = readFileSync(join(folder, ".git", "index"));
      const { stderr } = await cli(["plan", "--git", "start..changed", "--render", "cat web.yaml"], { environment });
      assert.deepEqual([existsSync(ran), readFileSync(join(folder, ".git", "index"))], [false, index], stderr);
    }));

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it(`removes its worktrees when ${signal} ends it, and ends the render commands`, () =>
      changedRepository(async (repository) => {
        const marks = join(repository.folder, ".git", "marks");
        const command = `echo $$ >> ${marks}; sleep 60; echo late >> ${marks}`;
        const child = spawn(
          process.execPath,
          [inRoot("dist/rollstamp.cjs"), "plan", "--git", "start..changed", "--render", command],
          {
            cwd: repository.folder,
            env: repository.environment,
            stdio: "ignore",
          },
        );
        while (!existsSync(marks) || readFileSync(marks, "utf8").split("\n").length < 3) {
          assert.equal(child.exitCode, null, "it ended before it rendered");
          await setTimeout(20);
        }
        child.kill(signal);
        const [, endedBy] = await once(child, "exit");
        assert.equal(endedBy, signal);
        for (const pid of readFileSync(marks, "utf8").trim().split("\n")) {
          for (let tries = 0; isRunning(pid); tries++) {
            assert.ok(tries < 100, "a render command is still running");
            await setTimeout(20);
          }
        }
      }));
  }
});

describe("what plan is given", () => {
  const WRONG: readonly (readonly [string[], RegExp])[] = [
    [["a"], /and one is given/u],
    [["-", "-"], /only one of the two renderings can be standard input/u],
    [["--render", "x", "a", "b"], /--render needs --git/u],
    [["--git", "a..b", "--scope", "all"], /--git needs to know where the manifests are/u],
    [["--git", "a..b", "--render", "x", "y"], /--render can't go together with paths/u],
    [["--git", "a..b", "-"], /standard input has no revisions/u],
    [["--fail-on", "RS044", "a", "b"], /--fail-on RS044: unknown value 'RS044', did you mean 'RS004'/u],
    [["--fail-on", "RS004,outages", "a", "b"], /unknown value 'outages', did you mean 'outage'/u],
    [["--accept-deletes", "web", "a", "b"], /--accept-deletes web: must be a pattern of KIND.NAMESPACE.NAME/u],
    [["--max-pods", "many", "a", "b"], /--max-pods must be a whole number, got "many"/u],
    [["--max-workloads", "", "a", "b"], /--max-workloads must be a whole number, got ""/u],
    [["--max-deletes", "-1", "a", "b"], /--max-deletes must be a whole number, got "-1"/u],
    [["--jobs", "1.5", "a", "b"], /--jobs must be a whole number, got "1\.5"/u],
    [["--output", "yaml", "a", "b"], /Allowed choices are/u],
  ];
  for (const [args, message] of WRONG) {
    it(`is refused: plan ${args.join(" ")}`, async () => {
      const { status, stderr, stdout } = await cli(["plan", ...args]);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, message);
    });
  }

  it("is two files, two folders, or one of them from standard input", () =>
    inFolder(
      {
        "base/env.yaml": configMap("env", "a"),
        "base/web.yaml": FILES["web.yaml"],
        "head.yaml": `${configMap("env", "b")}---\n${FILES["web.yaml"]}`,
      },
      async (folder) => {
        const head = readFileSync(join(folder, "head.yaml"), "utf8");
        for (const args of [
          [`${folder}/base`, `${folder}/head.yaml`],
          [`${folder}/base`, "-"],
          ["-", `${folder}/base`],
        ]) {
          const { status, stdout, stderr } = await cli(["plan", ...args], { stdin: head });
          assert.equal(status, 0, stderr);
          assert.match(stdout, /Deployment default\/web/u);
        }
      },
    ));

  it("is not empty, unless that is allowed", () =>
    inFolder({ "empty.yaml": "# nothing\n", "web.yaml": FILES["web.yaml"], "none/README.md": "" }, async (folder) => {
      for (const empty of ["empty.yaml", "none"]) {
        const refused = await cli(["plan", `${folder}/${empty}`, `${folder}/web.yaml`]);
        assert.equal(refused.status, 2, refused.stdout);
        const taken = await cli(["plan", "--allow-empty", `${folder}/${empty}`, `${folder}/web.yaml`]);
        assert.equal(taken.status, 0, taken.stderr);
        assert.match(taken.stdout, /CREATED/u);
      }
    }));

  it("is stamped by the configuration next to the head, or the one of --config", () =>
    inFolder(
      {
        "base/m.yaml": `${configMap("env", "a")}---\n${FILES["web.yaml"]}`,
        "head/m.yaml": `${configMap("env", "b")}---\n${FILES["web.yaml"]}`,
        "head/rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {selection: Annotated}\n",
        "all.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\n",
      },
      async (folder) => {
        assert.match(
          (await cli(["plan", `${folder}/base`, `${folder}/head`])).stdout,
          /^As if stamped: Safe to merge: no rollouts \(1 other object changes\)\n/u,
        );
        assert.match(
          (await cli(["plan", "--config", `${folder}/all.yaml`, `${folder}/base`, `${folder}/head`])).stdout,
          /^ROLLS /mu,
        );
      },
    ));

  it("exits with 1 over a limit, and names the limit", () =>
    inFolder(
      {
        "a.yaml": `${configMap("env", "a")}---\n${FILES["web.yaml"]}`,
        "b.yaml": `${configMap("env", "b")}---\n${FILES["web.yaml"]}`,
      },
      async (folder) => {
        const run = (...args: string[]): Promise<CliResult> =>
          cli(["plan", ...args, `${folder}/a.yaml`, `${folder}/b.yaml`]);
        assert.equal((await run("--max-workloads", "1", "--max-pods", "1", "--fail-on", "RS006")).status, 0);
        for (const args of [
          ["--max-workloads", "0"],
          ["--max-pods", "0"],
        ]) {
          const { status, stdout } = await run(...args);
          assert.equal(status, 1);
          assert.match(stdout, new RegExp(`^LIMIT .*${args[0]}`, "mu"));
        }
      },
    ));
});
