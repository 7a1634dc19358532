import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cli } from "../../support/cli.ts";
import type { Files } from "../../support/folders.ts";
import { configMap } from "../../support/manifests.ts";
import { inRepository, type Repository } from "./repository.ts";

// Which files of a revision are looked at, and which of a worktree.

interface Listed {
  readonly applications: readonly { readonly name: string; readonly kind: string; readonly status?: string }[];
}

const named = ({ applications }: Listed): readonly string[] =>
  applications.map(({ name, kind }) => `${kind} ${name}`).sort();

async function inWorktree({ environment }: Repository): Promise<readonly string[]> {
  const { stdout } = await cli(["apps", "-o", "json"], { environment });
  return named(JSON.parse(stdout) as Listed);
}

async function inRevisions({ environment }: Repository, range: string): Promise<Listed> {
  const { stdout } = await cli(["plan", "--git", range, "-o", "json"], { environment });
  return JSON.parse(stdout) as Listed;
}

const LINKED: readonly (readonly [what: string, files: Files, found: readonly string[]])[] = [
  [
    "a manifest that is a link to a file with another name",
    { "a/all.yaml": "-> all.txt", "a/all.txt": configMap("a", "1") },
    ["Files ."],
  ],
  [
    "a kustomization that is a link to another file of its folder",
    { "k/kustomization.yaml": "-> prod.yaml", "k/prod.yaml": "namePrefix: prod-\n" },
    ["Kustomize k"],
  ],
  [
    "a kustomization without a suffix that is a link",
    { "k/Kustomization": "-> prod.yaml", "k/prod.yaml": "namePrefix: prod-\n" },
    ["Kustomize k"],
  ],
  [
    "two kustomizations that are one file",
    { "a/kustomization.yaml": "namePrefix: a-\n", "b/kustomization.yaml": "-> ../a/kustomization.yaml" },
    ["Kustomize a", "Kustomize b"],
  ],
  [
    "two charts with one Chart.yaml",
    { "a/Chart.yaml": "apiVersion: v2\nname: a\n", "b/Chart.yaml": "-> ../a/Chart.yaml" },
    ["Helm a", "Helm b"],
  ],
  [
    "a manifest that a link shows twice, once",
    { "a/all.yaml": configMap("a", "1"), "b/all.yaml": "-> ../a/all.yaml" },
    ["Files ."],
  ],
  ["a link that leads out, or nowhere, to nothing", { "a/all.yaml": "-> ../../x.yaml", "b/all.yaml": "-> c.yaml" }, []],
];

describe("links between files of a repository", () => {
  for (const [what, files, found] of LINKED)
    it(`take ${what}, in a worktree and in a revision`, () =>
      inRepository({ ...files, "z/kustomization.yaml": "resources: []\n" }, async (repository) => {
        repository.commit("next", { README: "x" });
        const all = [...found, "Kustomize z"].sort();
        assert.deepEqual(await inWorktree(repository), all);
        const revisions = await inRevisions(repository, "start..next");
        assert.deepEqual(named(revisions), all);
        assert.ok(revisions.applications.every(({ status }) => status === "NotAffected"));
      }));
});

describe("files that ignore files name", () => {
  const files = {
    ".gitignore": "vendored\n",
    ".krmignore": "tests\n",
    "app/all.yaml": configMap("app", "1"),
    "tests/kustomization.yaml": "namePrefix: test-\n",
  };
  it("are in a revision and its worktree if they are committed, as git has it; what .krmignore names is not", () =>
    inRepository(files, async (repository) => {
      const vendored = configMap("vendored", "1");
      repository.commit("before", {
        "vendored/kustomization.yaml": "resources: [all.yaml]\n",
        "vendored/all.yaml": vendored,
      });
      assert.deepEqual(named(await inRevisions(repository, "start..before")), ["Files ."]);
      assert.deepEqual(await inWorktree(repository), ["Files ."]);
      repository.git("add", "--force", "vendored");
      repository.commit("next", {});
      const { applications } = await inRevisions(repository, "start..next");
      assert.deepEqual(
        applications.map(({ name }) => name),
        ["vendored", "."],
      );
      assert.deepEqual(await inWorktree(repository), ["Files .", "Kustomize vendored"]);
    }));
  it("are named from the root of the repository where a revision has too many patterns", () =>
    inRepository(files, async ({ commit, environment }) => {
      commit("before", { "app/.krmignore": `${"a".repeat(1001)}\n` });
      commit("next", { ".krmignore": Array.from({ length: 1001 }, (_, i) => `*${i}*\n`).join("") });
      for (const [range, message] of [
        ["start..before", /error: app\/\.krmignore:1: this pattern has more/u],
        ["start..next", /error: \.krmignore: with this ignore file 1001 patterns/u],
      ] as const) {
        const { status, stderr } = await cli(["plan", "--git", range], { environment });
        assert.equal(status, 2);
        assert.match(stderr, message);
      }
    }));
});
