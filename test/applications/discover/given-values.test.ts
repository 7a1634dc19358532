// The values of --clusters, where several Argo CDs read one repository.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Application } from "../../../src/applications/discover/application.ts";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { readGivenValues } from "../../../src/applications/discover/given-values.ts";
import { surveyed, type Repository } from "../../../src/applications/discover/repository.ts";
import { withShown, type Showing } from "../../../src/applications/discover/shown.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { treeOf } from "./tree-of.ts";

const URL = "https://github.com/example/repo.git";
const SET = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: set, namespace: argocd}
spec:
  generators: [{clusters: {}}]
  template:
    metadata: {name: 'web-{{name}}'}
    spec: {source: {repoURL: "${URL}", path: web}, destination: {name: '{{name}}'}}
`;

const read = (text: string): ReturnType<typeof readGivenValues> => readGivenValues(text, "c.yaml", DEFAULT_LIMITS);

function over(clusters: string, files: Readonly<Record<string, string>>): Repository {
  return surveyed(treeOf({ "web/kustomization.yaml": "", ...files }), { given: read(clusters) });
}

function discovered(repository: Repository): { readonly names: string[]; readonly not: string[] } {
  const { applications, notFound } = findApplications(repository);
  return {
    names: applications.flatMap(({ name, foundBy }) => (foundBy === "ApplicationSet" ? [name] : [])).sort(),
    not: notFound.map(({ reason, isFailure }) => `${isFailure ? "!" : ""}${reason}`),
  };
}

const TWO = "clusters: [{name: p, for: [argo/prod]}, {name: s, for: ['argo/st*/', ./other]}, {name: all}]";

describe("clusters of several Argo CDs", () => {
  it("are those of the ApplicationSets in the folders that they are for, or of all", () => {
    assert.deepEqual(discovered(over(TWO, { "argo/prod/set.yaml": SET })).names, ["web-all", "web-p"]);
    assert.deepEqual(discovered(over(TWO, { "argo/stage/deep/set.yaml": SET })).names, ["web-all", "web-s"]);
    assert.deepEqual(discovered(over(TWO, { "other/set.yaml": SET })).names, ["web-all", "web-s"]);
    assert.deepEqual(discovered(over(TWO, { "set.yaml": SET })).names, ["web-all"]);
    assert.deepEqual(discovered(over("clusters: [{name: p, for: [argo/*.yaml]}]", { "argo/set.yaml": SET })).names, [
      "web-p",
    ]);
  });

  it("are reported as missing if there are none for an ApplicationSet, which is not an error", () => {
    assert.deepEqual(discovered(over("clusters: [{name: p, for: [argo]}]", { "base/set.yaml": SET })), {
      names: [],
      not: ["its generator lists the clusters of Argo CD, and --clusters FILE has none for base"],
    });
    assert.deepEqual(discovered(over("clusters: []", { "base/set.yaml": SET })), { names: [], not: [] });
  });

  it("are for what renderings show, by the folder that is rendered: also where two show the same", () => {
    const overlay = "resources: [../../base]\n";
    const repository = over(TWO, {
      "base/set.yaml": SET,
      "argo/prod/kustomization.yaml": overlay,
      "argo/stage/kustomization.yaml": overlay,
    });
    const showing = (path: string): Showing => {
      const application: Application = {
        name: path,
        path,
        kind: "Kustomize",
        foundBy: "Kustomization",
        isNamed: false,
        definedIn: [],
        render: { by: "kustomize", folder: path },
      };
      return { application, objects: repository.objects, reads: () => true };
    };
    const shown = withShown(repository, [showing("argo/prod"), showing("argo/stage")]);
    assert.deepEqual(discovered(shown).names, ["web-all@argo/prod", "web-all@argo/stage", "web-p", "web-s"]);
  });

  it("are called by their names, whichever of both a destination has", () => {
    const application = (name: string, destination: string): string =>
      `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\nspec: {source: {repoURL: "${URL}", path: web}, destination: ${destination}}\n`;
    const given = "clusters: [{name: west, server: https://w}, {name: here, server: https://kubernetes.default.svc}]";
    const clustersFor = (clusters: string): readonly string[] =>
      findApplications(
        over(clusters, {
          "a.yaml": [
            application("a", "{server: https://w}"),
            application("b", "{name: west}"),
            application("c", "{server: https://e}"),
            application("d", "{server: https://kubernetes.default.svc}"),
            application("e", "{name: here}"),
          ].join("---\n"),
        }),
      ).applications.flatMap(({ name, cluster, foundBy }) => (foundBy === "Application" ? [`${name} ${cluster}`] : []));
    assert.deepEqual(clustersFor(given), ["a west", "b west", "c https://e", "d here", "e here"]);
    // Two Argo CDs have different ones.
    const two = given.replace("]", ", {name: there, server: https://kubernetes.default.svc}]");
    assert.deepEqual(clustersFor(two), ["a west", "b west", "c https://e", "d in-cluster", "e here"]);
  });

  it("are refused with patterns that are none", () => {
    const refused = (places: string): string => {
      try {
        read(`clusters: [{name: p, for: ${places}}]`);
        return "";
      } catch (cause) {
        return cause instanceof Error ? cause.message : "";
      }
    };
    assert.equal(refused("argo"), "'for' of the cluster p must be a list of patterns");
    assert.equal(refused("[1]"), "'for' of the cluster p has what is not a valid pattern of paths");
    assert.equal(refused("['a[']"), "'for' of the cluster p has what is not a valid pattern of paths");
    assert.equal(refused("[argo]"), "");
  });
});
