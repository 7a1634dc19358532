// Who is asked for applications before whom: each finds what those before it have left, but what Argo CD and Flux apply both
// is an application of each.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import { treeOf } from "./tree-of.ts";

const SOURCE = "source: {repoURL: https://git.example/x.git, path: app}";

/** The definitions of the folder `app`, in the order of the search. */
const TELLING: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  [
    "Applications",
    {
      "rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {applications: [{path: app}]}\n",
    },
  ],
  [
    "Application",
    {
      "argo/app.yaml": `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {${SOURCE}}\n`,
      "argo/set.yaml": `apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: set}\nspec: {generators: [{list: {elements: [{a: b}]}}], template: {metadata: {name: web}, spec: {${SOURCE}}}}\n`,
    },
  ],
  [
    "FluxKustomization",
    {
      "flux/app.yaml":
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web, namespace: flux-system}\nspec: {path: ./app, sourceRef: {kind: GitRepository, name: flux-system}}\n",
      "flux/source.yaml":
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {url: https://git.example/x.git}\n",
    },
  ],
  ["Kustomization", { "app/kustomization.yaml": "resources: [web.yaml]\n" }],
  ["Chart", { "app/Chart.yaml": "apiVersion: v2\nname: app\n" }],
  ["Kptfile", { "app/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: app}\n" }],
  ["Manifests", { "app/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" }],
];

describe("applications of one folder", () => {
  for (const [i, [first]] of TELLING.entries())
    it(`are defined by ${first}, which takes precedence over ${
      TELLING.slice(i + 1)
        .map(([later]) => later)
        .join(", ") || "nobody"
    }`, () => {
      const files = Object.assign({}, ...TELLING.slice(i).map(([, one]) => one)) as Readonly<Record<string, string>>;
      const { applications } = findApplications(surveyed(treeOf(files)));
      assert.deepEqual(
        // Manifests alone are those of the whole repository.
        applications.filter(({ path }) => path === "app" || first === "Manifests").map(({ foundBy }) => foundBy),
        first === "Application" ? ["Application", "ApplicationSet", "FluxKustomization"] : [first],
      );
    });

  it("are those of each cluster, where Argo CD applies a chart to one and Flux to another one", () => {
    const { applications } = findApplications(
      surveyed(
        treeOf({
          "app/Chart.yaml": "apiVersion: v2\nname: app\n",
          "argo/app.yaml": `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {${SOURCE}, destination: {name: one}}\n`,
          "clusters/two/release.yaml":
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\nspec: {chart: {spec: {chart: ./app, sourceRef: {kind: GitRepository, name: flux-system}}}}\n",
        }),
      ),
    );
    assert.deepEqual(
      applications.filter(({ path }) => path === "app").map(({ foundBy, namespace }) => [foundBy, namespace]),
      [
        ["Application", undefined],
        ["HelmRelease", "shop"],
      ],
    );
  });
});
