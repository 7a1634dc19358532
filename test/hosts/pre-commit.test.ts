// pre-commit runs the hooks of a checkout: it clones it, installs it with npm and calls the command.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { writeFiles } from "../support/folders.ts";
import { unstampedShop } from "../support/shop.ts";
import { installed, root, run, succeed, onPath, unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const preCommit = installed("pre-commit.sh");
const git = onPath("git");

describe("pre-commit", { skip: unlessFound(preCommit) || unlessFound(git) }, () => {
  const work = temporaryFolder();
  const repository = join(work, "shop");
  const env = {
    ...process.env,
    // An installation of this test alone: nothing of the person's is used or left.
    PRE_COMMIT_HOME: join(work, "cache"),
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@example.com",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@example.com",
  };
  // The first run installs the checkout, which builds it.
  const inRepository = { cwd: repository, env, timeout: 900_000 };
  const gitIn = (...args: string[]): string => succeed(git, args, inRepository);

  it("stamps with the hook of a checkout, and passes when everything is stamped", () => {
    writeFiles(repository, unstampedShop());
    const revision = succeed(git, ["rev-parse", "HEAD"], { cwd: root, env }).trim();
    writeFileSync(
      join(repository, ".pre-commit-config.yaml"),
      `repos:\n  - repo: ${root}\n    rev: ${revision}\n    hooks:\n      - id: rollstamp\n`,
    );
    gitIn("init", "-q");
    gitIn("add", ".");
    const first = run(preCommit, ["run", "--all-files"], inRepository);
    assert.equal(first.status, 1, first.stderr + first.stdout);
    assert.match(first.stdout, /stamp rollouts\.+Failed[^]*files were modified by this hook/u);
    assert.match(readFileSync(join(repository, "storefront.yaml"), "utf8"), /configmap\.rollstamp\.dev\/shop: "h1-/u);
    gitIn("add", ".");
    const second = run(preCommit, ["run", "--all-files"], inRepository);
    assert.equal(second.status, 0, second.stderr + second.stdout);
    assert.match(second.stdout, /stamp rollouts\.+Passed/u);
  });
});
