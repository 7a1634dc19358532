import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { basename } from "node:path";
import { withLinks } from "../../../src/applications/compare/compared-range.ts";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import type { PlannedRange } from "../../../src/reports/plan/plan-report.ts";
import { cli } from "../../support/cli.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { assertSchema } from "../../reports/plan/planned.ts";
import { inRepository, type Repository } from "../../reports/plan/repository.ts";

const COMPARED: PlannedRange = {
  repository: "acme/shop",
  range: "main...topic",
  base: { ref: "main", commit: "60e2a89".padEnd(40, "0") },
  head: { ref: "topic", commit: "37e22ea".padEnd(40, "0") },
};

describe("links to the server of a repository", () => {
  const GITHUB = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "acme/shop" };
  const CASES: readonly (readonly [what: string, environment: Record<string, string>, links: object | undefined])[] = [
    ["none without CI", {}, undefined],
    [
      "GitHub",
      { ...GITHUB, GITHUB_RUN_ID: "7" },
      {
        repository: "https://github.com/acme/shop",
        compare: "https://github.com/acme/shop/compare/60e2a89..37e22ea",
        run: "https://github.com/acme/shop/actions/runs/7",
      },
    ],
    [
      "GitLab",
      { CI_PROJECT_URL: "https://git.acme.example/acme/shop", CI_PROJECT_PATH: "acme/shop" },
      {
        repository: "https://git.acme.example/acme/shop",
        compare: "https://git.acme.example/acme/shop/-/compare/60e2a89...37e22ea?straight=true",
      },
    ],
    ["none if CI runs for another repository", { ...GITHUB, GITHUB_REPOSITORY: "acme/tools" }, undefined],
    ["none without https", { ...GITHUB, GITHUB_SERVER_URL: "http://github.com" }, undefined],
    ["none with credentials", { ...GITHUB, GITHUB_SERVER_URL: "https://a:b@github.com" }, undefined],
  ];
  for (const [what, environment, links] of CASES)
    it(what, () => assert.deepEqual(withLinks(COMPARED, environment).links, links));
  it("are those of this run alone", () =>
    assert.equal(
      withLinks({ ...COMPARED, links: { repository: "https://a", compare: "https://b" } }, {}).links,
      undefined,
    ));
});

describe("the compared revisions in a plan", () => {
  const FILES = {
    "deploy/web.yaml": deployment("web", "env"),
    "deploy/env.yaml": configMap("env", "a"),
  };
  async function inChanged(test: (repository: Repository) => Promise<void>): Promise<void> {
    await inRepository(FILES, async (repository) => {
      repository.git("branch", "topic");
      repository.edit("ahead", "deploy/env.yaml", '"a"', '"b"');
      repository.git("checkout", "--quiet", "topic");
      repository.edit("changed", "deploy/env.yaml", '"a"', '"c"');
      await test(repository);
    });
  }
  async function planOf({ environment }: Repository, ...args: string[]): Promise<PlanJson> {
    const { stdout, stderr } = await cli(["plan", "-o", "json", ...args], { environment });
    assert.equal(stderr, "");
    assertSchema(stdout);
    return JSON.parse(stdout);
  }

  it("are the repository's folder, the refs, and of A...B the merge base", () =>
    inChanged(async (repository) => {
      const { git, folder } = repository;
      const commit = (ref: string): string => git("rev-parse", ref);
      const sides = {
        base: { ref: "ahead", commit: commit("start") },
        head: { ref: "topic", commit: commit("topic") },
      };
      const range = ["--git", "ahead...topic"];
      const ways = [
        [...range],
        [...range, "--render", "cat deploy/web.yaml; echo ---; cat deploy/env.yaml"],
        [...range, "--scope", "all", "."],
      ];
      for (const way of ways) {
        const { repository: name, base, head, links } = await planOf(repository, ...way);
        assert.deepEqual({ name, base, head, links }, { name: basename(folder), ...sides, links: undefined });
      }
      assert.equal((await planOf(repository, "--git", "ahead..topic")).base?.commit, commit("ahead"));
      process.chdir("deploy");
      assert.equal((await planOf(repository, ...range)).repository, basename(folder));
      process.chdir("..");
    }));
  it("have the owner and name on the server", () =>
    inChanged(async (repository) => {
      repository.git("remote", "add", "origin", "git@git.example:Acme/Shop.git");
      assert.equal((await planOf(repository, "--git", "ahead..topic")).repository, "Acme/Shop");
    }));
  it("are absent for files", () =>
    inChanged(async (repository) => {
      const { repository: name, base, head } = await planOf(repository, "deploy", "deploy");
      assert.deepEqual([name, base, head], [undefined, undefined, undefined]);
    }));
});
