// A source of one application that pods of another one use: a controller may restart them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CONFIG_HASH_DEFAULTS } from "../../../src/stamping/function/config-hash.ts";
import { lookedAcross } from "../../../src/reports/plan/across-applications.ts";
import { readSide } from "../../../src/reports/plan/side.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { readTree } from "../../support/trees.ts";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { cli } from "../../support/cli.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { inRepository } from "./repository.ts";

const annotated = (manifest: string, annotations: Readonly<Record<string, string>>): string =>
  manifest.replace("metadata:\n", `metadata:\n  annotations: ${JSON.stringify(annotations)}\n`);

describe("who restarts pods for a source of another application", () => {
  const release = (controller: object): string =>
    JSON.stringify({
      apiVersion: "helm.toolkit.fluxcd.io/v2",
      kind: "HelmRelease",
      metadata: { name: "web", annotations: { "rollstamp.dev/stamp": "true" } },
      spec: {
        chart: { spec: { chart: "app-template", sourceRef: { kind: "HelmRepository", name: "x" } } },
        values: {
          controllers: {
            main: { ...controller, containers: { app: { envFrom: [{ configMapRef: { name: "env" } }] } } },
          },
        },
      },
    });
  const web = deployment("web", "env");
  const rows: readonly (readonly [says: string, manifest: string, watchedBy: readonly (string | undefined)[]])[] = [
    ["nobody", web, [undefined]],
    ["Reloader", annotated(web, { "reloader.stakater.com/auto": "true" }), ["Reloader"]],
    ["Reloader, by name", annotated(web, { "configmap.reloader.stakater.com/reload": "other,env" }), ["Reloader"]],
    ["nobody, of another name", annotated(web, { "configmap.reloader.stakater.com/reload": "other" }), [undefined]],
    ["nobody, of another type", annotated(web, { "secret.reloader.stakater.com/auto": "true" }), [undefined]],
    ["Wave", annotated(web, { "wave.pusher.com/update-on-config-change": "true" }), ["Wave"]],
    ["nobody, of a release", release({}), [undefined]],
    [
      "Reloader, of the Deployment of a chart",
      release({ annotations: { "reloader.stakater.com/auto": "true" } }),
      ["Reloader"],
    ],
    [
      "Reloader, of the pods of a chart",
      release({ pod: { annotations: { "reloader.stakater.com/auto": "true" } } }),
      ["Reloader"],
    ],
  ];
  for (const [says, manifest, expected] of rows) {
    it(says, () => {
      const side = readSide([readManifests(readTree(manifest, "a.yaml"))], CONFIG_HASH_DEFAULTS, undefined);
      assert.deepEqual(
        lookedAcross(side).lacks.map(({ watchedBy }) => watchedBy),
        expected,
      );
    });
  }
});

describe("a changed source that a workload of another application uses", () => {
  const application = (name: string): string =>
    `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\nspec: {source: {repoURL: https://git.example/x.git, path: ${name}}, destination: {name: in-cluster, namespace: shop}}\n`;
  const isPlanned = (web: string, expected: readonly [level: string, findings: readonly string[]]): Promise<void> =>
    inRepository(
      {
        "argo.yaml": ["conf", "web"].map(application).join("---\n"),
        "conf/env.yaml": configMap("env", "a"),
        "web/web.yaml": web,
      },
      async (repository) => {
        repository.commit("changed", { "conf/env.yaml": configMap("env", "b") });
        const { stdout } = await cli(["plan", "-o", "json", "--git", "start..changed"], repository);
        const { verdict, findings }: PlanJson = JSON.parse(stdout);
        assert.deepEqual([verdict?.level, findings.map(({ id, severity }) => `${id} ${severity}`)], expected);
      },
    );
  it("needs a review if nothing restarts the pods", () =>
    isPlanned(deployment("web", "env"), ["attention", ["cross-application-change warning"]]));
  it("is a note if Reloader restarts them", () =>
    isPlanned(annotated(deployment("web", "env"), { "reloader.stakater.com/auto": "true" }), [
      "ok",
      ["cross-application-change info"],
    ]));
});
