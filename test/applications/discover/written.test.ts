import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import { RollstampError } from "../../../src/base/errors.ts";
import { treeOf } from "./tree-of.ts";

const FILES = {
  "a/prod/kustomization.yaml": "",
  "a/test/kustomization.yaml": "",
  "charts/db/Chart.yaml": "apiVersion: v2\nname: db\n",
  "gen/x.cue": "",
  "old/x/kustomization.yaml": "",
  "plain/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
};

function found(spec: string): { readonly names: string[]; readonly not: string[] } {
  const text = `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\n---\napiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: ${spec}\n`;
  const { applications, notFound } = findApplications(surveyed(treeOf({ ...FILES, "rollstamp.yaml": text })));
  return {
    names: applications
      .map(({ name, path, kind, foundBy, cluster = "", render }) =>
        [name, path, kind, foundBy, cluster, render.by].join(" "),
      )
      .sort(),
    not: notFound.map(({ name, reason, isFailure }) => `${name ?? ""}${isFailure ? "!" : ""}: ${reason}`),
  };
}

describe("a document of kind Applications", () => {
  it("comes before all else; the first that a folder matches counts", () => {
    const { names, not } = found(
      "{applications: [{path: a/prod/, name: web, cluster: p}, {path: 'a/*'}, {path: charts/db, values: [v.yaml, /w.yaml]}, {path: gen, command: cue export}], ignore: [old]}",
    );
    assert.deepEqual(not, []);
    assert.deepEqual(names, [
      ". . Files Manifests  files",
      "a/test a/test Kustomize Applications  kustomize",
      "charts/db charts/db Helm Applications  helm",
      "gen gen Files Applications  command",
      "web a/prod Kustomize Applications p kustomize",
    ]);
  });

  it("names values from the application's folder, with a leading slash from the root", () => {
    const spec =
      "{applications: [{path: charts/db, values: [v.yaml, ../v.yaml, /w.yaml, /env/x.yaml, ../../../out.yaml]}]}";
    const text = `apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: ${spec}\n`;
    const { applications } = findApplications(surveyed(treeOf({ ...FILES, "rollstamp.yaml": text })));
    const render = applications.find(({ path }) => path === "charts/db")?.render;
    const file = (path: string): object => ({ from: "file", path, optional: false });
    assert.deepEqual(render?.by === "helm" && render.values, [
      ...["charts/db/v.yaml", "charts/v.yaml", "w.yaml", "env/x.yaml"].map(file),
      { from: "address", address: "../../../out.yaml", optional: false },
    ]);
  });

  it("makes several of one folder where each has a name, and drops none without a word", () => {
    const { names, not } = found(
      "{applications: [{path: charts/db, name: db-prod, values: [p.yaml]}, {path: charts/db, name: db-test, values: [t.yaml]}, {path: 'charts/*'}, {path: a/prod, cluster: p}, {path: a/prod, cluster: q}, {path: a/prod, name: b}], ignore: [old, plain, gen, a/test]}",
    );
    assert.deepEqual(names, [
      "a/prod a/prod Kustomize Applications p kustomize",
      "db-prod charts/db Helm Applications  helm",
      "db-test charts/db Helm Applications  helm",
    ]);
    assert.deepEqual(not, [
      "a/prod!: earlier entries have all folders that it matches: several applications of one folder need names",
    ]);
  });

  it("may set how it is rendered; an impossible one is reported", () => {
    const { names, not } = found(
      "{applications: [{path: plain, render: kpt}, {path: a/prod, render: helm}, {path: a/test, values: [x]}, {path: none, name: n}, {path: gen, render: command}, {path: '[', name: n}], ignore: ['{old,charts}/**', a]}",
    );
    assert.deepEqual(names, ["plain plain Kpt Applications  kpt"]);
    assert.deepEqual(not.sort(), [
      "[!: no folder of the repository matches this path",
      "a/prod!: no folder of the repository matches this path",
      "a/test!: no folder of the repository matches this path",
      "gen!: it names no command, and is to be rendered by one",
      "none!: no folder of the repository matches this path",
    ]);
    assert.deepEqual(found("{applications: [{path: a/prod, render: helm}, {path: a/test, values: [x]}]}").not, [
      "a/prod!: it has no Chart.yaml, and is to be rendered by helm",
      "a/test!: it has values, and is rendered by kustomize: only charts have values",
    ]);
  });

  it("that isn't valid is an error with its place and the nearest name", () => {
    assert.throws(
      () => found("{aplications: []}"),
      (error: unknown) =>
        error instanceof RollstampError &&
        error.code === "config" &&
        error.place?.line === 6 &&
        /unknown field 'spec.aplications', did you mean 'applications'\?/u.test(error.message),
    );
    assert.throws(() => found("{ignore: ['[']}"), /is not a valid pattern of paths/u);
  });
});
