// From which revisions of the repository an application is made: where these move, a plan of two others says nothing of it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Application } from "../../../src/applications/discover/application.ts";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import { pinOf, revisionsMoved } from "../../../src/applications/discover/source-revisions.ts";
import type { Json } from "../../../src/yaml/read/node.ts";
import { treeOf } from "./tree-of.ts";

const repoURL = "https://git.example/x.git";

const FOLDERS = { "app/kustomization.yaml": "resources: []\n", "chart/Chart.yaml": "apiVersion: v2\nname: chart\n" };

function revisionsOf(...objects: readonly Json[]): readonly (readonly string[] | undefined)[] {
  const text = objects.map((one) => JSON.stringify(one)).join("\n---\n");
  const { applications } = findApplications(surveyed(treeOf({ ...FOLDERS, "objects.yaml": text })));
  return applications.filter(({ isNamed }) => isNamed).map(({ revisions }) => revisions);
}

function argo(spec: Json): Json {
  return { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata: { name: "web" }, spec };
}

function flux(ref: Json): readonly Json[] {
  const sourceRef = { kind: "GitRepository", name: "shop" };
  const made = (group: string, kind: string, name: string, spec: Json): Json => ({
    apiVersion: `${group}.toolkit.fluxcd.io/v1`,
    kind,
    metadata: { name, namespace: "flux-system" },
    spec,
  });
  return [
    made("source", "GitRepository", "shop", { url: repoURL, ref }),
    made("kustomize", "Kustomization", "web", { path: "./app", sourceRef }),
    made("helm", "HelmRelease", "api", { chart: { spec: { chart: "./chart", sourceRef } } }),
  ];
}

describe("a version or commit that an application is deployed from", () => {
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const PINS = ["v1.2.3", "1.2.3-rc.1", "1.2.3+b5", commit, ">=1.0.0 <2.0.0", "~1.2", "^1"];
  // Each may be the name of a branch.
  const BRANCHES = [
    "refs/heads/1.2.3",
    "HEAD",
    "main",
    "prod",
    "v1",
    "v1.2",
    "1.2.x",
    "release-1.2.3",
    "1234567",
    commit.slice(1),
  ];
  it("is its only revision, if no branch is called so", () => {
    for (const revision of PINS) assert.equal(pinOf({ revisions: [revision] }), revision);
    for (const revision of BRANCHES) assert.equal(pinOf({ revisions: [revision] }), undefined, revision);
    for (const revisions of [undefined, [], ["v1.2.3", "v1.2.4"], ["HEAD", "v1.2.3"]])
      assert.equal(pinOf(revisions === undefined ? {} : { revisions }), undefined);
  });
});

describe("revisions that applications are made from", () => {
  it("are those of an Application's sources in this repository, and none where that is its default branch", () => {
    const cases: readonly (readonly [Json, readonly string[] | undefined])[] = [
      [{ source: { repoURL, path: "app" } }, undefined],
      [{ source: { repoURL, path: "app", targetRevision: "HEAD" } }, undefined],
      [{ source: { repoURL, path: "app", targetRevision: "refs/tags/v1" } }, ["v1"]],
      // A hash of digits without quotes.
      [{ source: { repoURL, path: "app", targetRevision: 1234567 } }, ["1234567"]],
      [{ source: { repoURL, path: "app", targetRevision: "refs/heads/1.2.3" } }, ["refs/heads/1.2.3"]],
      [{ sourceHydrator: { drySource: { repoURL, path: "app", targetRevision: "v1" } } }, ["v1"]],
      [
        {
          sources: [
            { repoURL: "https://charts.example", chart: "web", targetRevision: "9.0.0" },
            { repoURL, ref: "values", targetRevision: "v2" },
            { repoURL, path: "app", targetRevision: "v1" },
          ],
        },
        ["v1", "v2"],
      ],
    ];
    for (const [spec, revisions] of cases) assert.deepEqual(revisionsOf(argo(spec)), [revisions]);
  });

  it("are those of an ApplicationSet's template and of what its generators read", () => {
    const set = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "ApplicationSet",
      metadata: { name: "set" },
      spec: {
        generators: [{ git: { repoURL, revision: "v3", directories: [{ path: "app" }] } }],
        template: {
          metadata: { name: "{{path.basename}}" },
          spec: { source: { repoURL, path: "{{path}}", targetRevision: "v1" } },
        },
      },
    };
    assert.deepEqual(revisionsOf(set), [["v1", "v3"]]);
  });

  it("are that of a GitRepository, as Flux takes the first of its fields", () => {
    for (const [ref, revision] of [
      [{ branch: "main" }, "main"],
      [{ branch: "main", tag: "v1" }, "v1"],
      [{ branch: "main", tag: 20260102 }, "20260102"],
      [{ tag: "v1", semver: ">=1.0.0" }, ">=1.0.0"],
      [{ semver: "1.x", name: "refs/heads/next" }, "next"],
      [{ name: "refs/pull/1/head", commit: "abc" }, "abc"],
      [{ name: "refs/tags/1.2.3" }, "1.2.3"],
      // No version.
      [{ branch: "1.2.3" }, "refs/heads/1.2.3"],
    ] as const)
      assert.deepEqual(revisionsOf(...flux(ref)), [[revision], [revision]]);
  });

  it("are unknown where no file has the GitRepository, and don't move where one is added", () => {
    const [, ...without] = flux({ branch: "main" });
    assert.deepEqual(revisionsOf(...without), [[], []]);
    const application = (...objects: readonly Json[]): Application | undefined =>
      findApplications(
        surveyed(treeOf({ ...FOLDERS, "objects.yaml": objects.map((one) => JSON.stringify(one)).join("\n---\n") })),
      ).applications.find(({ name }) => name === "web");
    assert.equal(revisionsMoved(application(...without), application(...flux({ branch: "main" }))), undefined);
  });

  it("move where they change, not where an application is added or removed", () => {
    const withRevisionList = (...revisions: readonly string[]): NonNullable<Parameters<typeof revisionsMoved>[0]> => {
      const [found] = findApplications(surveyed(treeOf(FOLDERS))).applications;
      if (found === undefined) assert.fail("there is none");
      return revisions.length === 0 ? found : { ...found, revisions };
    };
    assert.equal(revisionsMoved(withRevisionList("v1"), withRevisionList("v1")), undefined);
    assert.deepEqual(revisionsMoved(withRevisionList("v1"), withRevisionList("v2")), { from: ["v1"], to: ["v2"] });
    assert.deepEqual(revisionsMoved(withRevisionList(), withRevisionList("v2")), { from: ["HEAD"], to: ["v2"] });
    assert.equal(revisionsMoved(withRevisionList(), withRevisionList("main")), undefined);
    assert.equal(revisionsMoved(withRevisionList("HEAD", "master"), withRevisionList("master")), undefined);
    assert.deepEqual(revisionsMoved(withRevisionList("master"), withRevisionList("main")), {
      from: ["master"],
      to: ["main"],
    });
    assert.equal(revisionsMoved(undefined, withRevisionList("v2")), undefined);
    assert.equal(revisionsMoved(withRevisionList("v2"), undefined), undefined);
  });
});
