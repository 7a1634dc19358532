import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Application, FluxBuild } from "../../../src/applications/discover/application.ts";
import { withOrphans } from "../../../src/applications/discover/orphans.ts";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import { treeOf } from "./tree-of.ts";

// What nothing deploys (contract, section 8, "What is deployed"): here HelmReleases that renderings show.

const RELEASE = "base/release.yaml";

const repository = surveyed(
  treeOf({
    "flux.yaml":
      "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: prod, namespace: flux-system}\nspec: {path: ./prod, sourceRef: {kind: GitRepository, name: flux-system}}\n",
    "base/kustomization.yaml": "resources: [release.yaml]\n",
    [RELEASE]:
      "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\nspec: {chart: {spec: {chart: web}}}\n",
    "prod/kustomization.yaml": "resources: [../base]\n",
    "dev/kustomization.yaml": "resources: [../base]\n",
  }),
);

const FLUX: FluxBuild = {
  namespace: "flux-system",
  commonLabels: {},
  commonAnnotations: {},
  patches: [],
  images: [],
  components: [],
  ignoreMissingComponents: false,
  ignored: [],
  substitution: undefined,
};

const kustomized = (name: string, foundBy: "Kustomization" | "FluxKustomization"): Application => ({
  name,
  path: name,
  kind: "Kustomize",
  foundBy,
  isNamed: foundBy === "FluxKustomization",
  definedIn: [],
  render: { by: "kustomize", folder: name, ...(foundBy === "FluxKustomization" ? { flux: FLUX } : {}) },
});

const release = (name: string, shownBy?: string, alsoShownBy?: readonly string[]): Application => ({
  name,
  givenName: "web",
  path: RELEASE,
  kind: "Helm",
  foundBy: "HelmRelease",
  isNamed: true,
  definedIn: [RELEASE],
  ...(shownBy === undefined ? {} : { shownBy }),
  ...(alsoShownBy === undefined ? {} : { alsoShownBy }),
  render: { by: "files", folder: ".", files: [] },
});

const orphans = (...releases: readonly Application[]): readonly string[] =>
  withOrphans(
    [kustomized("prod", "FluxKustomization"), kustomized("dev", "Kustomization"), ...releases],
    repository,
    [],
  )
    .filter(({ orphan }) => orphan === true)
    .map(({ name }) => name);

describe("a HelmRelease that an orphan shows", () => {
  it("is an orphan, if a deployed overlay of the same file shows another one", () =>
    assert.deepEqual(orphans(release("web@dev", "dev"), release("web@prod", "prod")), ["dev", "web@dev"]));
  it("is none, if a deployed overlay shows the same one", () => {
    assert.deepEqual(orphans(release("web", "dev", ["prod"])), ["dev"]);
    assert.deepEqual(orphans(release("web", "prod", ["dev"])), ["dev"]);
  });
  it("is none, if what a deployed overlay of its file contains is unknown", () =>
    assert.deepEqual(orphans(release("web", "dev")), ["dev"]));
  it("is none, if only its file is known, which a deployed overlay includes", () =>
    assert.deepEqual(orphans(release("web")), ["dev"]));
});
