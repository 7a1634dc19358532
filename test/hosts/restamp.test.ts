// Runs the jobs of examples/ci that stamp a branch again, in a clone as the host's runner makes it, with a bare remote; and the hooks of the real
// pre-commit.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { writeFiles } from "../support/folders.ts";
import { inRoot } from "../support/paths.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { command, installed, onPath, root, run, succeed, unlessFound, type Program, type Run } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";
import { rollstamp } from "./wiring.ts";

const NODE: Program = { found: true, path: process.execPath };
const GIT = onPath("git");
const BASH = onPath("bash");
const PRE_COMMIT = installed("pre-commit.sh");

const SHOP = {
  "web.yaml": deployment("web", "settings"),
  "config.yaml": configMap("settings", "a").trimEnd() + '\n  x: ""\n  y: ""\n  z: ""\n  other: "a"\n',
};

/** A bare remote with two branches that change two keys of one ConfigMap, and what looks at it. */
class Remote {
  readonly url: string;
  readonly work: string;
  readonly env: NodeJS.ProcessEnv;

  constructor() {
    const home = temporaryFolder();
    this.url = join(home, "shop.git");
    this.work = join(home, "work");
    writeFileSync(
      join(home, ".gitconfig"),
      `[init]\n\tdefaultBranch = main\n[url "${this.url}"]\n\tinsteadOf = https://rollstamp:token@gitlab.example/shop.git\n`,
    );
    const { env } = rollstamp;
    this.env = { PATH: env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
    mkdirSync(this.work);
    succeed(GIT, ["init", "--quiet", "--bare", this.url], { cwd: home, env: this.env });
    this.git(this.work, "init", "--quiet");
    this.git(this.work, "remote", "add", "origin", this.url);
  }

  git(cwd: string, ...args: string[]): string {
    const who = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
    return succeed(GIT, [...who, ...args], { cwd, env: this.env });
  }

  ours(...args: string[]): Run {
    return run(NODE, [command, ...args], { cwd: this.work, env: this.env });
  }

  /** A branch from main with another value, stamped, as a person pushes it. */
  push(branch: string, key: string, value: string): void {
    this.git(this.work, "checkout", "--quiet", "-B", branch, "main");
    const text = readFileSync(join(this.work, "config.yaml"), "utf8");
    writeFiles(this.work, { "config.yaml": text.replace(new RegExp(`^  ${key}: .*$`, "mu"), `  ${key}: "${value}"`) });
    assert.equal(this.ours("stamp", ".").status, 0);
    this.git(this.work, "commit", "--quiet", "--all", "--message", `${key} ${value}`);
  }

  /** main and feature, of which each has changed a key; gives a clone as the runner of a job has it. */
  branches(keys: readonly [string, string]): string {
    writeFiles(this.work, SHOP);
    assert.equal(this.ours("stamp", ".").status, 0);
    this.git(this.work, "add", "--all");
    this.git(this.work, "commit", "--quiet", "--message", "first");
    this.push("feature", keys[0], "by feature");
    this.push("main", keys[1], "by main");
    this.git(this.work, "push", "--quiet", "origin", "main", "feature");
    return temporaryFolder();
  }

  at(branch: string, path: string): string {
    return this.git(this.work, "--git-dir", this.url, "show", `${branch}:${path}`);
  }
}

/** How each host brings a job its branch, and what the job runs. */
const HOSTS = [
  {
    host: "github",
    file: "github/restamp.yml",
    // actions/checkout with fetch-depth 0.
    checkout: (remote: Remote, folder: string): void => {
      remote.git(folder, "clone", "--quiet", remote.url, ".");
      remote.git(folder, "checkout", "--quiet", "feature");
    },
    scriptOf: (text: string): string => {
      const { jobs } = parse(text) as { jobs: { restamp: { steps: { run?: string }[] } } };
      return jobs.restamp.steps.at(-1)?.run ?? "";
    },
    args: ["--noprofile", "--norc", "-eo", "pipefail", "-c"],
    env: { BASE: "main", BRANCH: "feature" },
  },
  {
    host: "gitlab",
    file: "gitlab/restamp.gitlab-ci.yml",
    // The runner fetches what the pipeline is for, and checks the commit out, on no branch.
    checkout: (remote: Remote, folder: string): void => {
      remote.git(folder, "init", "--quiet");
      remote.git(folder, "remote", "add", "origin", remote.url);
      remote.git(folder, "fetch", "--quiet", "origin", "+refs/heads/feature:refs/remotes/origin/feature");
      remote.git(folder, "checkout", "--quiet", "--detach", "origin/feature");
    },
    scriptOf: (text: string): string => {
      const { script } = (parse(text) as Record<string, { script: string[] }>)["rollstamp-restamp"] ?? assert.fail();
      assert.match(script[0] ?? "", /^npm install --global /u);
      return script.slice(1).join("\n");
    },
    args: ["-eo", "pipefail", "-c"],
    env: {
      CI_SERVER_HOST: "gitlab.example",
      CI_PROJECT_PATH: "shop",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "feature",
      RESTAMP_TOKEN: "token",
    },
  },
] as const;

describe("the job that stamps a branch again", { skip: unlessFound(GIT) || unlessFound(BASH) }, () => {
  for (const { host, file, checkout, scriptOf, args, env } of HOSTS) {
    const job = (remote: Remote, folder: string): Run => {
      checkout(remote, folder);
      const script = scriptOf(readFileSync(inRoot("examples", "ci", file), "utf8"));
      assert.notEqual(script, "");
      return run(BASH, [...args, script], { cwd: folder, env: { ...remote.env, ...env } });
    };

    it(`${host}: merges the default branch into a branch that conflicts only in stamps, and pushes it`, () => {
      const remote = new Remote();
      const folder = remote.branches(["value", "other"]);
      const before = remote.at("main", "web.yaml");
      const tree = run(GIT, ["merge-tree", "--write-tree", "main", "feature"], { cwd: remote.work, env: remote.env });
      assert.equal(tree.status, 1, "without the driver it conflicts");
      const ran = job(remote, folder);
      assert.equal(ran.status, 0, ran.stdout + ran.stderr);
      assert.match(remote.at("feature", "config.yaml"), /value: "by feature"\n[^]*other: "by main"/u);
      assert.equal(remote.at("main", "web.yaml"), before);
      remote.git(remote.work, "checkout", "--quiet", "--detach", "main");
      remote.git(remote.work, "fetch", "--quiet", "origin", "feature");
      remote.git(remote.work, "checkout", "--quiet", "FETCH_HEAD");
      assert.equal(remote.ours("stamp", "--check", "--require-stamps", ".").status, 0);
      // Now the host's own merge has nothing to decide.
      remote.git(remote.work, "merge-tree", "--write-tree", "main", "FETCH_HEAD");
    });

    it(`${host}: fails without a push if a person must decide`, () => {
      const remote = new Remote();
      const folder = remote.branches(["value", "value"]);
      const before = remote.git(remote.work, "--git-dir", remote.url, "rev-parse", "feature", "main");
      const ran = job(remote, folder);
      assert.notEqual(ran.status, 0);
      assert.match(ran.stdout, /CONFLICT \(content\): Merge conflict in config\.yaml/u);
      assert.equal(remote.git(remote.work, "--git-dir", remote.url, "rev-parse", "feature", "main"), before);
    });
  }
});

describe("the stages of pre-commit", { skip: unlessFound(PRE_COMMIT) || unlessFound(GIT) }, () => {
  it("stamp merged and cherry-picked files", () => {
    const remote = new Remote();
    const { work } = remote;
    const env = {
      ...remote.env,
      PRE_COMMIT_HOME: join(remote.env["HOME"] ?? "", "cache"),
      GIT_AUTHOR_NAME: "t",
      GIT_AUTHOR_EMAIL: "t@example.com",
      GIT_COMMITTER_NAME: "t",
      GIT_COMMITTER_EMAIL: "t@example.com",
    };
    const inWork = { cwd: work, env, timeout: 600_000 };
    const git = (...args: string[]): Run => run(GIT, args, inWork);
    writeFiles(work, { ...SHOP, ".pre-commit-config.yaml": "repos: []\n" });
    assert.equal(remote.ours("stamp", ".").status, 0);
    const wired = remote.ours("init", "git", "--write");
    assert.equal(wired.status, 0, wired.stderr);
    // The package as it would be published, in the registry's place.
    const packed = spawnSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", work], {
      cwd: root,
      encoding: "utf8",
    });
    assert.equal(packed.status, 0, packed.stderr);
    const config = readFileSync(join(work, ".pre-commit-config.yaml"), "utf8");
    const local = config.replaceAll(/rollstamp@\d[\w.-]*/gu, `rollstamp@file:${join(work, packed.stdout.trim())}`);
    assert.notEqual(local, config);
    writeFiles(work, { ".pre-commit-config.yaml": local, ".gitignore": "*.tgz\n" });
    remote.git(work, "add", "--all");
    remote.git(work, "commit", "--quiet", "--message", "first");
    remote.push("feature", "value", "by feature");
    remote.push("main", "other", "by main");
    const install = /pre-commit (install [^\n]*)/u.exec(wired.stderr)?.[1] ?? assert.fail(wired.stderr);
    succeed(PRE_COMMIT, install.split(" "), inWork);

    const isStamped = (): boolean => remote.ours("stamp", "--check", ".").status === 0;
    const merged = git("merge", "--no-edit", "feature");
    assert.equal(merged.status, 0, merged.stdout + merged.stderr);
    assert.match(merged.stdout + merged.stderr, /stamp what was merged/u);
    assert.ok(isStamped(), merged.stdout + merged.stderr);
    assert.equal(git("diff", "--name-only").stdout, "web.yaml\n", "the change is a person's to commit");

    git("reset", "--quiet", "--hard", "main~1");
    const picked = git("cherry-pick", "feature");
    assert.equal(picked.status, 0, picked.stdout + picked.stderr);
    assert.match(picked.stdout + picked.stderr, /stamp what was picked/u);
    assert.ok(isStamped(), picked.stdout + picked.stderr);
  });
});
