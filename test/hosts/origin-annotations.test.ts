// The annotations of buildMetadata are those of kustomize over the repository, although rollstamp builds a copy.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { describe, it } from "node:test";
import { renderKustomization } from "../../src/node/render-kustomization.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { writeFiles, type Files } from "../support/folders.ts";
import { configMap } from "../support/manifests.ts";
import { installed, unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const KUSTOMIZE = installed("kustomize.sh");
const HELM = installed("helm3.sh");

const OPTIONS = ["--enable-helm", "--load-restrictor=LoadRestrictionsNone"];
const FILES: Files = {
  "app/kustomization.yaml":
    "resources: [../base, ../shared/a.yaml, own.yaml, ../charts]\nbuildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]\nhelmCharts: [{name: c, releaseName: r}]\nconfigMapGenerator: [{name: g, files: [../shared/f.txt]}]\ntransformers: [../shared/t.yaml]\nnamePrefix: p-\n",
  "base/kustomization.yaml": "resources: [b.yaml, ../shared/d.yaml]\n",
  "charts/kustomization.yml":
    "helmGlobals: {chartHome: ../app/charts}\nhelmCharts: [{name: c, releaseName: s}]\nnamePrefix: s-\n",
  "base/b.yaml": configMap("b", "a"),
  "shared/a.yaml": configMap("a", "path: ../shared/a.yaml"),
  "shared/d.yaml": configMap("d", "a"),
  "shared/f.txt": "f\n",
  "shared/t.yaml":
    "apiVersion: builtin\nkind: AnnotationsTransformer\nmetadata: {name: x}\nannotations: {x: y}\nfieldSpecs: [{path: metadata/annotations, create: true}]\n",
  "app/own.yaml": configMap("own", "a"),
  "app/charts/c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
  "app/charts/c/values.yaml": "",
  "app/charts/c/templates/c.yaml": configMap("{{ .Release.Name }}", "a"),
};

describe("origins of buildMetadata", { skip: unlessFound(KUSTOMIZE) || unlessFound(HELM) }, () => {
  it("name files of the repository, also for files that were copied", async () => {
    assert.ok(KUSTOMIZE.found && HELM.found);
    const path = [dirname(KUSTOMIZE.path), dirname(HELM.path), process.env["PATH"] ?? ""].join(delimiter);
    const root = temporaryFolder();
    writeFiles(root, FILES);
    const { text } = await renderKustomization({
      application: { folder: join(root, "app"), root, limits: DEFAULT_LIMITS },
      given: new Map(),
      environment: { PATH: path, ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: OPTIONS.join(" ") },
    });
    const { stdout, status, stderr } = spawnSync(KUSTOMIZE.path, ["build", ...OPTIONS, join(root, "app")], {
      env: { PATH: path, HOME: temporaryFolder() },
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    const objects = (printed: string): readonly string[] => printed.trimEnd().split("\n---\n").sort();
    assert.deepEqual(objects(text), objects(stdout));
    assert.match(text, /path: \.\.\/shared\/d\.yaml/u);
  });
});
