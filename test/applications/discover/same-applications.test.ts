// Which application of one revision is which of another.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Application } from "../../../src/applications/discover/application.ts";
import { inBoth } from "../../../src/applications/discover/same-applications.ts";
import { freeName, uniquelyNamed } from "../../../src/applications/discover/unique-names.ts";

const app = (name: string, cluster?: string, more: Partial<Application> = {}): Application => ({
  name,
  path: "apps/web",
  kind: "Kustomize",
  foundBy: "FluxKustomization",
  isNamed: true,
  definedIn: [],
  ...(cluster === undefined ? {} : { cluster }),
  render: { by: "kustomize", folder: "apps/web" },
  ...more,
});
const X: Partial<Application> = { path: "x" };
const argo = (more: Partial<Application> = {}): Partial<Application> => ({ foundBy: "Application", ...more });
const chartOf = (name: string, releaseName: string): Partial<Application> => ({
  ...argo({ kind: "Helm", path: `${name}.yaml` }),
  render: {
    by: "helm",
    chart: { in: "helm", repository: "https://charts.example", name: "web", version: "1.0.0" },
    releaseName,
    values: [],
    parameters: [],
    fileParameters: [],
    skipCrds: false,
    skipTests: false,
    skipSchemaValidation: false,
    apiVersions: [],
    postRenderers: [],
  },
});
/** An Application for in-cluster in the folder of an Argo CD. Others with another command render something else. */
const ofArgo = (folder: string, command: string): Application =>
  app("web", "in-cluster", {
    ...argo({ definedIn: [`${folder}/web.yaml`] }),
    render: { by: "command", folder: "apps/web", command },
  });
/** One of an ApplicationSet that the applications of several clusters include. */
const ofRoot = (shownBy: string): Partial<Application> =>
  argo({ foundBy: "ApplicationSet", definedIn: ["base/set.yaml"], shownBy });
const release: Partial<Application> = { foundBy: "HelmRelease", path: "charts/web", kind: "Helm" };

/** Both revisions, with the folders by which clusters are called, and which of one is which of the other. */
const CASES: readonly {
  readonly it: string;
  readonly base: readonly Application[];
  readonly head: readonly Application[];
  readonly folders?: Readonly<Record<"base" | "head", readonly string[]>>;
  readonly pairs: readonly string[];
}[] = [
  {
    it: "another cluster gets it too",
    base: [app("web", "a")],
    head: [app("web", "a"), app("web", "b")],
    pairs: ["web = web@a", "+ web@b"],
  },
  {
    it: "one of two clusters has it no more",
    base: [app("web", "a"), app("web", "b")],
    head: [app("web", "b")],
    pairs: ["web@b = web", "- web@a"],
  },
  {
    it: "it moves to another cluster",
    base: [app("web", "a"), app("x", "b", X)],
    head: [app("web", "b"), app("x", "b", X), app("x", "a", X)],
    pairs: ["+ web", "x = x@b", "+ x@a", "- web"],
  },
  {
    it: "it moves from a cluster that is called by its name",
    base: [app("web", "prod")],
    head: [app("web", "dev")],
    folders: { base: [], head: [] },
    pairs: ["+ web", "- web"],
  },
  {
    it: "it gets a kubeconfig, or its cluster is known now",
    base: [app("web"), app("api")],
    head: [app("web", "prod"), app("api", "a")],
    folders: { base: ["a"], head: ["a"] },
    pairs: ["+ web", "api = api", "- web"],
  },
  {
    it: "the folder of a cluster has another name",
    base: [app("web", "old"), app("web", "kept")],
    head: [app("web", "kept"), app("web", "new")],
    folders: { base: ["old", "kept"], head: ["kept", "new"] },
    pairs: ["web@kept = web@kept", "web@old = web@new"],
  },
  {
    it: "a release of its name comes beside it",
    base: [app("web", "a")],
    head: [app("web", "a", release), app("web", "a")],
    pairs: ["+ web@charts/web", "web = web@apps/web"],
  },
  {
    it: "releases of one name are in two namespaces",
    base: [app("web", "a", { ...release, namespace: "one" }), app("web", "a", { ...release, namespace: "two" })],
    head: [app("web", "a", { ...release, namespace: "two" }), app("web", "a", { ...release, namespace: "three" })],
    pairs: ["web@a/two = web@a/two", "web@a/one = web@a/three"],
  },
  {
    it: "another Application renders the same for the same cluster and namespace",
    base: [app("web", "prod", argo({ namespace: "shop" }))],
    head: [app("shop", "prod", argo({ namespace: "shop", foundBy: "ApplicationSet" }))],
    pairs: ["web = shop"],
  },
  {
    it: "another Application renders the same for another namespace",
    base: [app("web", "prod", argo({ namespace: "shop" }))],
    head: [app("shop", "prod", argo({ namespace: "store" }))],
    pairs: ["+ shop", "- web"],
  },
  {
    it: "another Application makes the same release of a chart, whatever its file is",
    base: [app("web", "prod", chartOf("web", "web"))],
    head: [app("shop", "prod", chartOf("shop", "web"))],
    pairs: ["web = shop"],
  },
  {
    it: "another Application makes another release of a chart",
    base: [app("web", "prod", chartOf("web", "web"))],
    head: [app("shop", "prod", chartOf("shop", "shop"))],
    pairs: ["+ shop", "- web"],
  },
  {
    it: "it moves from Flux to Argo CD, which have other names for a cluster",
    base: [app("web", "a")],
    head: [app("shop", "in-cluster", argo({ namespace: "shop" }))],
    pairs: ["web = shop"],
  },
  {
    it: "the first object of an engine leads to it",
    base: [app("apps/web", undefined, { isNamed: false, foundBy: "Kustomization" })],
    head: [app("web", "prod", argo())],
    pairs: ["apps/web = web"],
  },
  {
    it: "an object leads to what was an orphan",
    base: [app("apps/web", undefined, { isNamed: false, foundBy: "Kustomization", orphan: true })],
    head: [app("web", "prod", argo())],
    pairs: ["+ web", "- apps/web"],
  },
  {
    it: "no object leads to it any more",
    base: [app("web", "prod", argo())],
    head: [app("apps/web", undefined, { isNamed: false, foundBy: "Kustomization", orphan: true })],
    pairs: ["+ apps/web", "- web"],
  },
  {
    it: "another Argo CD gets one with its name",
    base: [ofArgo("prod", "prod")],
    head: [ofArgo("dev", "dev"), ofArgo("prod", "prod")],
    pairs: ["+ web@dev/web.yaml", "web = web@prod/web.yaml"],
  },
  {
    it: "a third Argo CD gets one with its name",
    base: [ofArgo("prod", "prod"), ofArgo("test", "test")],
    head: [ofArgo("dev", "dev"), ofArgo("prod", "next"), ofArgo("test", "test")],
    pairs: ["+ web@dev/web.yaml", "web@prod/web.yaml = web@prod/web.yaml", "web@test/web.yaml = web@test/web.yaml"],
  },
  {
    it: "equal ones of two Argo CDs become different",
    base: [ofArgo("prod", "same"), ofArgo("test", "same")],
    head: [ofArgo("prod", "same"), ofArgo("test", "next")],
    pairs: ["web = web@prod/web.yaml", "web = web@test/web.yaml"],
  },
  {
    it: "different ones of two Argo CDs become equal",
    base: [ofArgo("prod", "same"), ofArgo("test", "next")],
    head: [ofArgo("prod", "same"), ofArgo("test", "same")],
    pairs: ["web@prod/web.yaml = web", "web@test/web.yaml = web"],
  },
  {
    it: "equal ones of one cluster become one for each of two clusters",
    base: [app("web", "a", argo({ definedIn: ["1.yaml"] })), app("web", "a", argo({ definedIn: ["2.yaml"] }))],
    head: [app("web", "a", argo({ definedIn: ["1.yaml"] })), app("web", "b", argo({ definedIn: ["2.yaml"] }))],
    pairs: ["web = web@a", "+ web@b"],
  },
  {
    it: "one for each of two clusters become equal ones of one cluster",
    base: [app("web", "a", argo({ definedIn: ["1.yaml"] })), app("web", "b", argo({ definedIn: ["2.yaml"] }))],
    head: [app("web", "a", argo({ definedIn: ["1.yaml"] })), app("web", "a", argo({ definedIn: ["2.yaml"] }))],
    pairs: ["web@a = web", "- web@b"],
  },
  {
    it: "one of two Argo CDs with the same ApplicationSet has it no more",
    base: [app("web", "in-cluster", ofRoot("dev")), app("web", "in-cluster", ofRoot("prod"))],
    head: [app("web", "in-cluster", ofRoot("prod"))],
    pairs: ["web@prod = web", "- web@dev"],
  },
  {
    it: "two others render the same",
    base: [app("web", "prod", argo())],
    head: [app("one", "prod", argo()), app("two", "prod", argo())],
    pairs: ["+ one", "+ two", "- web"],
  },
  {
    it: "those without a given name are the same by their path",
    base: [app("apps/web", undefined, { isNamed: false, foundBy: "Kustomization" })],
    head: [
      app("apps/web", undefined, { isNamed: false, foundBy: "Kustomization" }),
      app("x", undefined, { isNamed: false, foundBy: "Kustomization", path: "x" }),
    ],
    pairs: ["apps/web = apps/web", "+ x"],
  },
];

describe("an application of two revisions", () => {
  for (const { it: what, base, head, folders = { base: ["a", "b"], head: ["a", "b"] }, pairs } of CASES) {
    it(what, () => {
      const sides = (all: readonly Application[]): readonly { readonly application: Application }[] =>
        uniquelyNamed(all).applications.map((application) => ({ application }));
      const both = inBoth(sides(base), sides(head), {
        base: (path) => folders.base.includes(path),
        head: (path) => folders.head.includes(path),
      });
      const found = both.map(({ before, after }) => {
        if (before === undefined) return `+ ${after?.application.name}`;
        return after === undefined
          ? `- ${before.application.name}`
          : `${before.application.name} = ${after.application.name}`;
      });
      assert.deepEqual(found, pairs);
    });
  }

  it("are not looked for in all pairs of thousands that are alike", () => {
    let looks = 0;
    const alike = (prefix: string): readonly { readonly application: Application }[] =>
      Array.from({ length: 3000 }, (_, i) => {
        const application = app(`${prefix}${i}`, "a", argo());
        return {
          get application() {
            looks += 1;
            return application;
          },
        };
      });
    const isFolder = (): boolean => false;
    const both = inBoth(alike("before-"), alike("after-"), { base: isFolder, head: isFolder });
    assert.equal(both.length, 6000);
    assert.ok(looks < 200_000, `${looks} looks`);
  });

  it("that only one revision has gets a name that none of the other has", () => {
    const taken = new Set(["web", "web@a", "web@apps/web"]);
    assert.equal(
      freeName(app("web", "b"), (name) => taken.has(name)),
      "web@b",
    );
    assert.equal(
      freeName(app("web@x", "a", { givenName: "web" }), (name) => taken.has(name)),
      "web@x",
    );
    assert.equal(
      freeName(app("web", "a"), (name) => taken.has(name)),
      "web@a/apps/web",
    );
    assert.equal(
      freeName(app("web"), (name) => taken.has(name)),
      "web@2",
    );
  });
});
