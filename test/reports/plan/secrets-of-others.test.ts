// What repeats a value of a Secret of another application.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cli } from "../../support/cli.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { inRepository } from "./repository.ts";

const VALUE = "planted-value-7";
const application = (name: string): string =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\nspec: {source: {repoURL: https://git.example/x.git, path: ${name}}, destination: {name: in-cluster, namespace: ${name}}}\n`;
const secret = (kind: string, value: string): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: {name: token}\nstringData: {TOKEN: ${value}}\n`;
// Long lines are shortened before the next application is compared.
const web = (value: string): string =>
  `${deployment("web", "env").replace("image: app:1", `image: app:${value}`)}---\n${configMap("env", `${"a".repeat(190)} ${value} ${"b".repeat(190)}`)}`;

describe("a plan hides a value of a Secret of another application", () => {
  const rows: readonly (readonly [string, start: Record<string, string>, changed: Record<string, string>])[] = [
    ["in a file, which stays", { "other/token.yaml": secret("Secret", VALUE) }, {}],
    [
      "of a generator, which stays",
      { "other/kustomization.yaml": `secretGenerator: [{name: token, literals: [TOKEN=${VALUE}]}]\n` },
      {},
    ],
    [
      "of files that a generator reads, which stay",
      {
        "other/kustomization.yaml": "secretGenerator: [{name: token, files: [token], envs: [missing, all.env]}]\n",
        "other/all.env": `# all\nTOKEN=${VALUE}\n`,
      },
      {},
    ],
    [
      "that only its rendering shows",
      { "zz/token.yaml": secret('"\\x53ecret"', "before") },
      { "zz/token.yaml": secret('"\\x53ecret"', VALUE) },
    ],
  ];
  it("but not words and short texts, which any manifest may have", () =>
    inRepository(
      {
        "argo.yaml": ["web", "other"].map(application).join("---\n"),
        "web/all.yaml": web("before"),
        "other/token.yaml": secret("Secret", "25m").replace("{TOKEN", "{USER: production, TOKEN"),
      },
      async (repository) => {
        repository.commit("changed", { "web/all.yaml": web("25m-production") });
        const { stdout } = await cli(["plan", "--git", "start..changed"], repository);
        assert.match(stdout, /app:before → app:25m-production/u);
      },
    ));
  for (const [where, start, changed] of rows) {
    it(where, () =>
      inRepository(
        { "argo.yaml": ["web", "other", "zz"].map(application).join("---\n"), "web/all.yaml": web("before"), ...start },
        async (repository) => {
          repository.commit("changed", { "web/all.yaml": web(VALUE), ...changed });
          for (const format of ["text", "json", "markdown", "html"]) {
            const { stdout } = await cli(
              ["plan", "-o", format, "--show-values", "--git", "start..changed"],
              repository,
            );
            assert.ok(stdout.includes("web"), stdout);
            assert.ok(!stdout.includes(VALUE), stdout);
          }
        },
      ),
    );
  }
});
