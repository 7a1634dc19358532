import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { cli } from "../../support/cli.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { inRepository, type Repository } from "./repository.ts";

// Applications that a post-renderer stamps on their way to the cluster, each with the configuration of its revision.

const APPLICATIONS = (stampedBy: string): string =>
  `apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nmetadata: {name: all}\nspec: {applications: [{path: web, render: files, stampedBy: ${stampedBy}}]}\n`;
const CONFIG = (spec: string): string =>
  `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamps}\nspec: {${spec}}\n`;
const WEB = (value: string): string => `${deployment("web", "env")}---\n${configMap("env", value)}`;

async function planned({ environment }: Repository, range: string, ...args: string[]): Promise<PlanJson> {
  const { status, stdout, stderr } = await cli(["plan", "-o", "json", "--git", range, ...args], { environment });
  assert.notEqual(status, 2, stderr);
  return JSON.parse(stdout) as PlanJson;
}

const brief = ({ workloads, applications = [] }: PlanJson): unknown => [
  applications.map(({ status, stampedBy }) => `${status} ${stampedBy}`),
  workloads.map(({ action, reasons }) => [action, ...reasons.map(({ type }) => type)]),
];

describe("an application that is stamped on its way", () => {
  it("rolls with its content, though no stamp is in Git", () =>
    inRepository({ "rollstamp.yaml": APPLICATIONS("PostRenderer"), "web/all.yaml": WEB("a") }, async (repository) => {
      repository.commit("changed", { "web/all.yaml": WEB("b") });
      assert.deepEqual(brief(await planned(repository, "start..changed")), [
        ["Changed PostRenderer"],
        [["Roll", "Source"]],
      ]);
      assert.deepEqual(brief(await planned(repository, "start..changed", "--stamped-by", "Nothing")), [
        ["Changed Nothing"],
        [["Stale", "Source"]],
      ]);
      assert.deepEqual(
        brief(await planned(repository, "start..changed", "--stamped-by", "Nothing", "--as", "stamped")),
        [["Changed Nothing"], [["Roll", "Source"]]],
      );
    }));

  it("rolls when the configuration that stamps it changes", () =>
    inRepository(
      { "rollstamp.yaml": APPLICATIONS("PostRenderer"), "web/rollstamp.yaml": CONFIG(""), "web/all.yaml": WEB("a") },
      async (repository) => {
        repository.commit("combined", { "web/rollstamp.yaml": CONFIG("layout: Combined") });
        assert.deepEqual(brief(await planned(repository, "start..combined")), [
          ["Changed PostRenderer"],
          [["Roll", "Stamp", "Stamp"]],
        ]);
      },
    ));
});

describe("a source that an application loses", () => {
  const rows = "{path: a, render: files, cluster: prod}, {path: b, render: files, cluster: prod}";
  const both = `apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nmetadata: {name: all}\nspec: {applications: [${rows}]}\n`;
  it("is not lost if another application of its cluster has it", () =>
    inRepository(
      { "rollstamp.yaml": both, "a/all.yaml": WEB("a"), "b/all.yaml": configMap("other", "a") },
      async (repository) => {
        const lost = async (range: string): Promise<unknown> => {
          const { summary, workloads } = await planned(repository, range);
          return [summary.lost, workloads.map((workload) => workload.lost?.map(({ source }) => source.name))];
        };
        repository.commit("gone", { "a/all.yaml": deployment("web", "env") });
        repository.commit("moved", { "b/all.yaml": `${configMap("other", "a")}---\n${configMap("env", "a")}` });
        assert.deepEqual(await lost("start..gone"), [1, [["env"]]]);
        assert.deepEqual(await lost("start..moved"), [0, []]);
      },
    ));
});
