import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cli } from "../../support/cli.ts";
import { fakeKustomize, startsOf } from "../../support/fake-kustomize.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { inRepository } from "./repository.ts";

const kustomization = (name: string, spec: object): string =>
  `---\n${JSON.stringify({
    apiVersion: "kustomize.toolkit.fluxcd.io/v1",
    kind: "Kustomization",
    metadata: { name, namespace: "flux-system" },
    spec: { path: "./app", sourceRef: { kind: "GitRepository", name: "flux-system" }, ...spec },
  })}\n`;

const substituted = (name: string, color: string): string =>
  kustomization(name, { postBuild: { substitute: { COLOR: color } } });

describe("Kustomizations of Flux with one path", () => {
  it("are one build for each revision where only variables, labels or annotations differ", () =>
    inRepository(
      {
        "cluster/all.yaml": [
          substituted("a", "red"),
          substituted("b", "blue"),
          kustomization("c", { commonMetadata: { labels: { team: "c" } } }),
          kustomization("d", { postBuild: { substitute: { COLOR: "black" } }, targetNamespace: "d" }),
        ].join(""),
        "app/kustomization.yaml": "resources: [all.yaml]\n",
        "app/all.yaml": `${configMap("web", "${COLOR}")}---\n${deployment("web", "web")}`,
      },
      async ({ commit, edit, environment }) => {
        const temporary = environment["TMPDIR"] ?? "";
        const PATH = fakeKustomize(temporary, environment["PATH"] ?? "");
        const changed = async (): Promise<readonly string[]> => {
          const args = ["plan", "--git", "HEAD~1..HEAD", "--output", "json"];
          const { status, stdout, stderr } = await cli(args, { environment: { ...environment, PATH } });
          assert.equal(status, 0, stderr);
          const { applications = [] } = JSON.parse(stdout) as PlanJson;
          return applications.flatMap(({ name, status: is }) => (is === "Changed" && name !== "." ? [name] : []));
        };
        commit("edited", { "app/all.yaml": `${configMap("web", "${COLOR} 2")}---\n${deployment("web", "web")}` });
        assert.deepEqual(await changed(), ["a", "b", "c", "d"]);
        assert.equal(startsOf(temporary, "/app"), 4, "with and without a namespace, in two revisions");
        // Another variable alone: both revisions have the same build. In the same cluster, d may use what changes.
        edit("recolored", "cluster/all.yaml", "red", "green");
        assert.deepEqual(await changed(), ["a"]);
        assert.equal(startsOf(temporary, "/app"), 4 + 2);
      },
    ));
});
