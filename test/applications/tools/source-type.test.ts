import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jsonnetFileOf, repositoryRoot, sourceTypeOf } from "../../../src/applications/tools/source-type.ts";
import { isInside } from "../../../src/base/inside.ts";

describe("the type of an application's folder", () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [["kustomization.yaml", "app.yaml"], "kustomization"],
    [["kustomization.yml"], "kustomization"],
    [["Kustomization"], "kustomization"],
    [["Chart.yaml", "values.yaml", "templates"], "chart"],
    [["Chart.yaml", "kustomization.yaml"], "kustomization"],
    [["app.yaml", "chart.yaml"], "plain"],
    [[], "plain"],
  ];
  for (const [names, type] of cases) {
    it(`${names.join(", ") || "nothing"}: ${type}`, () => assert.equal(sourceTypeOf(names), type));
  }

  it("is unsupported for a plain folder with Jsonnet", () => {
    assert.equal(jsonnetFileOf(["a.yaml", "b.jsonnet"]), "b.jsonnet");
    assert.equal(jsonnetFileOf(["a.yaml", "b.libsonnet"]), undefined);
  });
});

describe("the root of the received files", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["/tmp/_cmp_server/1/apps/web", "apps/web", "/tmp/_cmp_server/1"],
    ["/tmp/_cmp_server/1/apps/web", "./apps/web/", "/tmp/_cmp_server/1"],
    ["/tmp/_cmp_server/1", ".", "/tmp/_cmp_server/1"],
    ["/tmp/_cmp_server/1", "", "/tmp/_cmp_server/1"],
    // With manifest-generate-paths, Argo CD sends only the common part of the paths.
    ["/tmp/_cmp_server/1/web", "apps/web", "/tmp/_cmp_server/1"],
    ["/web", "deep/web", "/"],
  ];
  for (const [folder, sourcePath, root] of cases) {
    it(`${folder} of ${JSON.stringify(sourcePath)} is ${root}`, () =>
      assert.equal(repositoryRoot(folder, sourcePath), root));
  }

  it("contains what is below it, and no sibling", () => {
    assert.equal(isInside("/r", "/r"), true);
    assert.equal(isInside("/r", "/r/a"), true);
    assert.equal(isInside("/r", "/r/..a"), true);
    assert.equal(isInside("/r", "/ra"), false);
    assert.equal(isInside("/r/a", "/r"), false);
    assert.equal(isInside("/", "/r"), true);
  });
});
