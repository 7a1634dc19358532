// Plans in which nothing was examined, and revisions without applications.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cli } from "../../support/cli.ts";
import type { Files } from "../../support/folders.ts";
import { configMap } from "../../support/manifests.ts";
import { inRepository } from "./repository.ts";

const SET = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web}
spec:
  generators: [{clusters: {}}]
  template: {metadata: {name: "web-{{name}}"}, spec: {source: {repoURL: https://git.example/x.git, path: web}}}
`;

interface Row {
  readonly says: string;
  readonly base: Files;
  readonly head: Files;
  readonly args?: readonly string[];
  readonly error: RegExp;
}

const ROWS: readonly Row[] = [
  {
    says: "an ApplicationSet needs its clusters",
    base: { "set.yaml": SET },
    head: { "set.yaml": SET.replace("web-", "app-") },
    error: /nothing was examined: .* 1 Argo CD ApplicationSet/u,
  },
  {
    says: "no application can be rendered, as before",
    base: { "app/kustomization.yaml": "resources: [absent.yaml]\n" },
    head: { "README.md": "a\n" },
    args: ["--all-apps"],
    error: /nothing was examined: no application can be rendered in either revision/u,
  },
];

describe("a plan in which nothing was examined", () => {
  for (const { says, base, head, args = [], error } of ROWS)
    it(`has the status 2 and no verdict: ${says}`, () =>
      inRepository(base, async ({ commit, environment }) => {
        commit("changed", head);
        const run = (output: string): ReturnType<typeof cli> =>
          cli(["plan", "--git", "start..changed", "-o", output, ...args], { environment });
        const json = await run("json");
        assert.deepEqual([json.status, JSON.parse(json.stdout).verdict], [2, null]);
        assert.match(json.stderr, error);
        for (const output of ["text", "markdown", "html"]) {
          const { status, stdout } = await run(output);
          assert.deepEqual(
            [status, stdout.includes("Safe to merge"), stdout.includes("Not checked:")],
            [2, false, true],
          );
        }
      }));

  it("is another one if an application is not affected: that one counts as examined", () =>
    inRepository({ "app/kustomization.yaml": "resources: [absent.yaml]\n" }, async ({ commit, environment }) => {
      commit("changed", { "README.md": "a\n" });
      const { status, stdout } = await cli(["plan", "--git", "start..changed", "-o", "json"], { environment });
      const { verdict, examined } = JSON.parse(stdout);
      assert.deepEqual([status, verdict.level, examined.applications], [0, "ok", 1]);
    }));
});

describe("plan -o summary of invalid input", () => {
  it("is one line without a verdict that says why", () =>
    inRepository({ "a.yaml": "kind: ConfigMap\n", "b.yaml": "a: [\n" }, async ({ environment }) => {
      const summaries: readonly (readonly [readonly string[], RegExp])[] = [
        [["absent.yaml", "a.yaml"], /^manifests cannot be read/u],
        [["--git", "absent..HEAD"], /absent/u],
        [["a.yaml", "b.yaml"], /^manifests cannot be read/u],
        [["--merge", "a.yaml"], /^a\.yaml: /u],
      ];
      for (const [args, error] of summaries) {
        const { status, stdout, stderr } = await cli(["plan", "-o", "summary", ...args], { environment });
        assert.match(stdout, /^[^\n]+\n$/u);
        const { error: why, ...line } = JSON.parse(stdout);
        assert.deepEqual([status, line], [2, { verdict: null, status: 2, labels: [] }], args.join(" "));
        assert.match(why, error);
        assert.match(stderr, /^rollstamp: error: /u);
      }
    }));
});

describe("revisions without applications", () => {
  const NONE = /^rollstamp: error: no application found in ([^\n]*)\n {2}Looked for [^\n]*\n {2}Fix: [^\n]*\n(.*)$/su;
  const rows: readonly (readonly [string, Files, Files, RegExp, string])[] = [
    ["both", {}, { "README.md": "a\n" }, /^[\da-f]{7} \(start\) and [\da-f]{7} \(changed\)$/u, ""],
    [
      "the first",
      { "README.md": "a\n" },
      { "env.yaml": configMap("env", "a") },
      /^[\da-f]{7} \(start\)$/u,
      "  If everything is intended to be created, use --allow-empty.\n",
    ],
  ];
  for (const [which, base, head, names, more] of rows)
    it(`are an error that names what was looked for: ${which}`, () =>
      inRepository(base, async ({ commit, environment }) => {
        commit("changed", head);
        const { status, stdout, stderr } = await cli(["plan", "--git", "start..changed"], { environment });
        const [, found = "", rest] = NONE.exec(stderr) ?? [];
        assert.deepEqual([status, stdout, rest], [2, "", more], stderr);
        assert.match(found, names);
      }));
});
