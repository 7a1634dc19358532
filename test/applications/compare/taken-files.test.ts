// A folder of plain manifests that becomes an application, or the other way round: nothing deletes its objects.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { cli } from "../../support/cli.ts";
import type { Files } from "../../support/folders.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { withFakeKustomize } from "../../reports/plan/fake-kustomize.ts";
import { inRepository } from "../../reports/plan/repository.ts";

const KUSTOMIZATION: Files = { "web/kustomization.yaml": "resources: [all.yaml]\n" };
const argo = (destination: string): Files => ({
  "web.yaml": `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {repoURL: https://git.example/x.git, path: web}, destination: {${destination}}, syncPolicy: {automated: {prune: true}}}\n`,
});
const FLUX: Files = {
  "web.yaml":
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web, namespace: flux-system}\nspec: {path: ./web, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}\n",
};

/** The level and the changed workloads, to the files and back. */
async function planned(files: Files, more: Files): Promise<readonly (readonly string[])[]> {
  const plans: (readonly string[])[] = [];
  await inRepository(files, async (repository) => {
    repository.commit("changed", more);
    for (const range of ["start..changed", "changed..start"]) {
      const { stdout, stderr } = await cli(["plan", "-o", "json", "--git", range], {
        environment: withFakeKustomize(repository),
      });
      assert.notEqual(stdout, "", stderr);
      const { verdict, workloads }: PlanJson = JSON.parse(stdout);
      plans.push([
        verdict?.level ?? "",
        ...workloads
          .filter(({ orphan }) => orphan !== true)
          .map(({ name, action, leaves }) => [name, action, leaves && "leaves"].filter(Boolean).join(" ")),
      ]);
    }
  });
  return plans;
}

const PLAIN: Files = {
  "web/all.yaml": `${deployment("web", "env")}---\n${configMap("env", "a")}`,
  "other/all.yaml": deployment("other", "env"),
};

describe("a folder of plain manifests", () => {
  const nothing = [["ok"], ["ok"]];
  it("stays what it is if it gets a kustomization, or loses it", async () => {
    assert.deepEqual(await planned(PLAIN, KUSTOMIZATION), nothing);
  });
  it("loses what its kustomization does not have", async () => {
    const [there] = await planned(PLAIN, { "web/kustomization.yaml": "resources: []\n" });
    assert.deepEqual(there, ["attention", "web Delete"]);
  });
  it("stays what it is if Argo CD applies it, in its namespace", async () => {
    const directory = argo("name: in-cluster, namespace: shop");
    assert.deepEqual(await planned(PLAIN, directory), [["ok"], ["ok", "web Delete leaves"]]);
    assert.deepEqual(await planned({ ...PLAIN, ...KUSTOMIZATION }, directory), [["ok"], ["ok", "web Delete leaves"]]);
  });
  it("stays what it is if Flux applies it", async () => {
    const [there] = await planned(PLAIN, FLUX);
    assert.deepEqual(there, ["ok"]);
  });
});
