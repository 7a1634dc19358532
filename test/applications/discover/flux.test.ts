import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Application } from "../../../src/applications/discover/application.ts";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { surveyed, type Known } from "../../../src/applications/discover/repository.ts";
import { withShown } from "../../../src/applications/discover/shown.ts";
import { treeOf } from "./tree-of.ts";

const URL = "https://github.com/example/repo";

function object(apiVersion: string, kind: string, name: string, spec: string): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}, namespace: flux-system}\nspec: ${spec}\n`;
}

const source = (kind: string, name: string, spec: string): string =>
  object("source.toolkit.fluxcd.io/v1", kind, name, spec);
const kustomization = (name: string, spec: string): string =>
  object(
    "kustomize.toolkit.fluxcd.io/v1",
    "Kustomization",
    name,
    `{sourceRef: {kind: GitRepository, name: flux-system}, ${spec}}`,
  );
const release = (name: string, spec: string): string => object("helm.toolkit.fluxcd.io/v2", "HelmRelease", name, spec);

const SYNC = (path: string): string =>
  `${source("GitRepository", "flux-system", `{url: "ssh://git@github.com/example/repo"}`)}---\n${kustomization("flux-system", `path: ./${path}`)}`;
const FILES = {
  "clusters/a/flux-system/gotk-sync.yaml": SYNC("clusters/a"),
  "clusters/b/flux-system/gotk-sync.yaml": SYNC("clusters/b"),
  "apps/a/kustomization.yaml": "resources: [../base]\n",
  "apps/b/kustomization.yaml": "resources: [../base]\n",
  "apps/base/kustomization.yaml": "",
};

function found(
  files: Readonly<Record<string, string>>,
  known: Known = { remotes: [URL] },
): { readonly all: readonly Application[]; readonly names: string[]; readonly not: string[] } {
  const { applications, notFound } = findApplications(surveyed(treeOf(files), known));
  return {
    all: applications,
    names: applications
      .map(({ name, kind, path, cluster, foundBy }) =>
        [name, kind, path, foundBy, ...(cluster === undefined ? [] : [cluster])].join(" "),
      )
      .sort(),
    not: notFound.map(({ name, reason, isFailure }) => `${name ?? ""}${isFailure ? "!" : ""}: ${reason}`),
  };
}

describe("kustomizations that are found by their place", () => {
  const files = { "clusters/a/kustomization.yaml": "resources: [../../apps/web.yaml]\n" };
  const web = { "apps/web.yaml": kustomization("web", 'path: "./apps/web/${ENVIRONMENT}"') };
  const argo = object("argoproj.io/v1alpha1", "Application", "web", "{source: {path: web, repoURL: x}}");
  const isUnrestricted = (more: Readonly<Record<string, string>>): readonly unknown[] =>
    found({ ...files, ...more })
      .all.filter(({ path }) => path === "clusters/a")
      .map(({ render }) => render.by === "kustomize" && render.isUnrestricted === true);

  it("may name files above their folders if Flux builds them", () => {
    assert.deepEqual(isUnrestricted(web), [true]);
    assert.deepEqual(isUnrestricted({}), [false]);
    assert.deepEqual(isUnrestricted({ ...web, "argo.yaml": argo }), [true]);
    assert.deepEqual(isUnrestricted({ ...web, "apps/web.yaml": argo }), [false]);
    const both = { "clusters/a/kustomization.yaml": "resources: [../../apps/web.yaml, argo.yaml]\n" };
    assert.deepEqual(isUnrestricted({ ...web, ...both, "clusters/a/argo.yaml": argo }), [false]);
    const plain = { "apps/other.yaml": web["apps/web.yaml"], "apps/web.yaml": "kind: ConfigMap\napiVersion: v1\n" };
    assert.deepEqual(isUnrestricted({ ...plain, "argo.yaml": argo }), [false]);
  });
});

describe("flux-operator's FluxInstance", () => {
  const instance = (spec: string): string => object("fluxcd.controlplane.io/v1", "FluxInstance", "flux", spec);
  const sync = (path: string, more = ""): string => `sync: {kind: GitRepository, url: "${URL}", path: ${path}${more}}`;
  const below = {
    "fleet/a/apps.yaml": kustomization("apps", "path: ./apps/a"),
    "apps/a/kustomization.yaml": "resources: [flux.yaml]\n",
  };

  it("begins a cluster, wherever its file is", () => {
    const { all, names, not } = found({ ...below, "apps/a/flux.yaml": instance(`{${sync("fleet/a")}}`) });
    assert.deepEqual(not, []);
    assert.deepEqual(names, [
      "apps Kustomize apps/a FluxKustomization fleet/a",
      "flux-system Kustomize fleet/a FluxKustomization fleet/a",
    ]);
    assert.deepEqual(all.find(({ name }) => name === "flux-system")?.definedIn, ["apps/a/flux.yaml"]);
  });

  it("may be written by the chart flux-instance", () => {
    const chart = "chart: {spec: {chart: flux-instance, sourceRef: {kind: HelmRepository, name: c}}}";
    for (const [how, more] of [
      [chart, ""],
      ["chartRef: {kind: OCIRepository, name: i}", source("OCIRepository", "i", "{url: oci://x/charts/flux-instance}")],
    ] as const) {
      const { names } = found({
        ...below,
        "apps/a/flux.yaml": `${release("i", `{${how}, values: {instance: {${sync("fleet/a", ", name: home")}}}}`)}---\n${more}`,
      });
      assert.deepEqual(
        names.filter((row) => row.includes("Kustomize")),
        ["apps Kustomize apps/a FluxKustomization fleet/a", "home Kustomize fleet/a FluxKustomization fleet/a"],
      );
    }
  });

  it("is listed once where flux bootstrap has written the same", () => {
    const { names, not } = found({
      "clusters/a/flux-system/gotk-sync.yaml": SYNC("clusters/a"),
      "clusters/a/flux.yaml": `${instance(`{${sync("clusters/a")}}`)}`,
    });
    assert.deepEqual(not, []);
    assert.deepEqual(names, ["flux-system Kustomize clusters/a FluxKustomization clusters/a"]);
  });

  it("may patch what it makes", () => {
    const merge = "{patch: 'spec: {postBuild: {substitute: {A: a, B: b}}}', target: {kind: Kustomization}}";
    const operation = (op: string, target: string): string =>
      `{patch: '[{op: add, path: /spec/${op}, value: c}]', target: {${target}}}`;
    const { all } = found({
      ...below,
      "flux.yaml": instance(
        `{${sync("fleet/a")}, kustomize: {patches: [${[
          merge,
          operation("postBuild/substitute/B", "kind: (GitRepository|Kustomization), name: flux-system"),
          operation("namePrefix", "kind: Kustomization, name: other"),
          operation("namePrefix", "kind: Deployment"),
          "{patch: ':'}",
        ].join(", ")}]}}`,
      ),
    });
    const { render } = all.find(({ name }) => name === "flux-system") ?? {};
    assert.ok(render?.by === "kustomize");
    assert.deepEqual(render.flux?.substitution?.substitute, { A: "a", B: "c" });
    assert.equal(render.flux?.namePrefix, undefined);
  });

  it("of another repository, or of none, is reported", () => {
    const { names, not } = found({
      "a.yaml": instance('{sync: {url: "https://x/other", path: p}}'),
      "b.yaml": object(
        "fluxcd.controlplane.io/v1",
        "FluxInstance",
        "flux",
        '{sync: {kind: OCIRepository, url: "oci://x/y", path: q}}',
      ),
      "c.yaml": instance("{sync: {}}"),
    });
    assert.deepEqual(
      names.filter((row) => row.includes("Flux")),
      [],
    );
    assert.deepEqual(not, [
      "flux-system: its source is another repository: https://x/other",
      "flux-system: its source OCIRepository flux-system is not a Git repository",
    ]);
  });
});

describe("Flux's Kustomizations", () => {
  it("of a folder that nothing leads to are applied together, unless kustomizations may take their file", () => {
    const apps = kustomization("apps", "path: ./apps/a");
    const { all } = found({
      "apps/a/x.yaml": "",
      "apps/b/x.yaml": "",
      "prod/apps.yaml": apps,
      "prod/config.yaml": kustomization("config", "path: ./apps/b"),
      "root.yaml": kustomization("root", "path: ./apps/a"),
      "base/web.yaml": kustomization("web", "path: ./apps/a"),
      "over/kustomization.yaml": "resources: [../base/web.yaml]\n",
      "dead/kustomization.yaml": "resources: []\n",
      "dead/dead.yaml": kustomization("dead", "path: ./apps/a"),
    });
    assert.deepEqual(
      all.flatMap(({ name, cluster, appliedWith, foundBy }) =>
        foundBy === "FluxKustomization" ? [`${name} ${cluster ?? "-"} ${appliedWith ?? "-"}`] : [],
      ),
      ["web - -", "dead@apps/a - -", "apps - prod", "root - -", "config - prod"],
    );
  });

  it("have the cluster that reads them behind equal names", () => {
    const { names, not } = found({
      ...FILES,
      "clusters/a/apps.yaml": kustomization("apps", "path: ./apps/a"),
      "clusters/b/apps.yaml": kustomization("apps", "path: ./apps/b"),
      "clusters/b/remote.yaml": kustomization("remote", "path: ./apps/a, kubeConfig: {secretRef: {name: other}}"),
    });
    assert.deepEqual(not, []);
    assert.deepEqual(names, [
      "apps@clusters/a Kustomize apps/a FluxKustomization clusters/a",
      "apps@clusters/b Kustomize apps/b FluxKustomization clusters/b",
      "flux-system@clusters/a Kustomize clusters/a FluxKustomization clusters/a",
      "flux-system@clusters/b Kustomize clusters/b FluxKustomization clusters/b",
      "remote Kustomize apps/a FluxKustomization other",
    ]);
  });

  it("say how they are built", () => {
    const { all } = found({
      ...FILES,
      "x.yaml": kustomization(
        "x",
        "path: apps/a, targetNamespace: shop, namePrefix: p-, images: [{name: a, newTag: b}], components: [c], commonMetadata: {labels: {l: m}}, postBuild: {substitute: {A: 1, B: b}, substituteFrom: [{kind: Secret, name: s, optional: true}]}",
      ),
    });
    const { render, namespace, definedIn } = all.find(({ name }) => name === "x") ?? {};
    assert.equal(namespace, "shop");
    assert.deepEqual(definedIn, ["x.yaml", "clusters/a/flux-system/gotk-sync.yaml"]);
    assert.deepEqual(render, {
      by: "kustomize",
      folder: "apps/a",
      flux: {
        namespace: "flux-system",
        targetNamespace: "shop",
        namePrefix: "p-",
        commonLabels: { l: "m" },
        commonAnnotations: {},
        patches: [],
        images: [Object.assign(Object.create(null), { name: "a", newTag: "b" })],
        components: ["c"],
        ignored: [],
        ignoreMissingComponents: false,
        substitution: {
          substitute: { A: "1", B: "b" },
          substituteFrom: [{ kind: "Secret", name: "s", optional: true }],
          always: false,
        },
      },
    });
  });

  it("say what their source leaves out", () => {
    const { all } = found({
      ...FILES,
      "clusters/a/flux-system/gotk-sync.yaml": SYNC("clusters/a").replace(
        '"ssh://git@github.com/example/repo"',
        '"ssh://git@github.com/example/repo", ignore: "# docs\\n/docs\\n"',
      ),
      ".sourceignore": "*.md\n",
    });
    const [a, b] = ["clusters/a", "clusters/b"].map((path) => all.find((one) => one.path === path)?.render);
    assert.ok(a?.by === "kustomize" && b?.by === "kustomize");
    const md = { folder: ".", pattern: "*.md" };
    assert.deepEqual(a.flux?.ignored, [md, { folder: ".", pattern: "/docs" }]);
    assert.deepEqual(b.flux?.ignored, [md]);
  });

  it("take a folder without a kustomization file as a whole", () => {
    const { names } = found({
      "k.yaml": kustomization("all", "path: ./apps"),
      "apps/x/kustomization.yaml": "",
      "apps/plain.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
    });
    assert.deepEqual(names, [". Files . Manifests", "all Kustomize apps FluxKustomization"]);
  });

  it("take of a folder with a kustomization file only what it names", () => {
    const { names } = found({
      "k.yaml": kustomization("all", "path: ./apps"),
      "apps/x/kustomization.yaml": "resources: [part]\n",
      "apps/x/part/kustomization.yaml": "",
      "apps/x/other/kustomization.yaml": "",
      "apps/y/deep/z/kustomization.yaml": "",
    });
    assert.deepEqual(names, [
      ". Files . Manifests",
      "all Kustomize apps FluxKustomization",
      "apps/x/other Kustomize apps/x/other Kustomization",
    ]);
  });

  it("of what is not in the repository, and those that depend on each other, are reported", () => {
    const { names, not } = found({
      ...FILES,
      "clusters/a/other.yaml": source("GitRepository", "other", "{url: https://github.com/other/repo}"),
      "clusters/a/x.yaml": [
        kustomization("other", "path: x").replace("name: flux-system}", "name: other}"),
        kustomization("renamed", "path: apps/a").replace("name: flux-system}", "name: other}"),
        kustomization("gone", "path: ./gone"),
        kustomization("variable", "path: './apps/${CLUSTER}'"),
        kustomization("patch", "path: x").replace(/sourceRef: \{[^}]*\}/u, "prune: true"),
        kustomization("bucket", "path: x").replace("kind: GitRepository", "kind: Bucket"),
        kustomization("first", "path: apps/a, dependsOn: [{name: second}]"),
        kustomization("second", "path: apps/b, dependsOn: [{name: first}]"),
      ].join("---\n"),
    });
    assert.ok(names.includes("first Kustomize apps/a FluxKustomization clusters/a"));
    assert.deepEqual(not, [
      "other: its source is another repository: https://github.com/other/repo",
      "renamed: its source is another repository: https://github.com/other/repo, although its path is here: if they are the same, run git remote add NAME with that address",
      "gone!: its path gone is not in this repository",
      "variable: its path ./apps/${CLUSTER} has a variable that only a rendering resolves",
      "patch: it names no source (spec.sourceRef): it may be a patch",
      "bucket: its source Bucket flux-system is not a Git repository",
      "first!: it depends on Kustomizations that depend on it: Flux never applies a cycle",
      "second!: it depends on Kustomizations that depend on it: Flux never applies a cycle",
    ]);
  });

  const base = (name: string): string => kustomization(name, "prune: true");
  const PATCHED = {
    ...FILES,
    "base/kustomization.yaml": "resources: [flux-system/gotk-sync.yaml, apps.yaml]\n",
    "base/flux-system/gotk-sync.yaml": base("flux-system"),
    "base/apps.yaml": base("apps"),
    "clusters/c/kustomization.yaml": "resources: [../../base]\n",
  };

  it("whose path overlays fill in are none as they stand, and the base is no cluster", () => {
    const { names, not } = found({ ...PATCHED, "base/web.yaml": kustomization("web", "path: ./apps/a") });
    const reason = "it names no path (spec.path): overlays may set it, otherwise it is the whole source";
    assert.deepEqual(not, [`apps: ${reason}`, `flux-system: ${reason}`]);
    assert.ok(names.includes("web Kustomize apps/a FluxKustomization"), names.join("\n"));
    // Nothing else is in all of the source.
    assert.ok(names.includes("clusters/c Kustomize clusters/c Kustomization"));
    // Where no kustomization may patch it, it is what it says, also below one that doesn't name its file.
    const below = found({ "kustomization.yaml": "resources: [apps]\n", "apps/a.yaml": "", "f/sync.yaml": base("all") });
    assert.deepEqual(
      [below.names.filter((one) => one.startsWith("all ")), below.not],
      [["all Kustomize . FluxKustomization ."], []],
    );
    const alone = found({ "sync.yaml": base("all"), "apps/a.yaml": FILES["apps/base/kustomization.yaml"] });
    assert.deepEqual(alone.names, ["all Kustomize . FluxKustomization ."]);
  });

  it("begin a cluster where the rendering of a folder shows the one that applies it", () => {
    const repository = surveyed(treeOf(PATCHED), { remotes: [URL] });
    const shown = surveyed(
      treeOf({ "x.yaml": `${SYNC("clusters/c")}---\n${kustomization("apps", "path: ./apps/a")}` }),
      { remotes: [URL] },
    ).objects;
    const bootstrap = findApplications(repository).applications.find(({ path }) => path === "clusters/c");
    assert.ok(bootstrap !== undefined);
    const showing = { application: bootstrap, objects: shown, reads: (file: string) => file.startsWith("base/") };
    const { applications, notFound } = findApplications(withShown(repository, [showing]));
    assert.deepEqual(notFound, []);
    assert.deepEqual(
      applications
        .filter(({ path }) => path.endsWith("/c") || path === "apps/a")
        .map(({ name, path, cluster }) => [name, path, cluster]),
      [
        ["apps", "apps/a", "clusters/c"],
        ["flux-system@clusters/c", "clusters/c", "clusters/c"],
      ],
    );
  });

  it("are made again only if what they are made from differs, also for the same object of a rendering", () => {
    const shown = surveyed(
      treeOf({
        "shown.yaml": [
          kustomization("web", "path: ./apps/a").replace("name: flux-system}", "name: own}"),
          release("app", "{chartRef: {kind: OCIRepository, name: app}}"),
        ].join("---\n"),
      }),
    ).objects;
    const rendersIn = (version: string, more: string = ""): readonly Application[] => {
      const repository = surveyed(
        treeOf({
          ...FILES,
          "apps/a/app.yaml": source("OCIRepository", "app", `{url: "oci://example.org/app", ref: {tag: ${version}}}`),
          "apps/own.yaml": source("GitRepository", "own", `{url: "${URL}"${more}}`),
        }),
        { remotes: [URL] },
      );
      const bootstrap = findApplications(repository).applications.find(({ path }) => path === "clusters/a");
      assert.ok(bootstrap !== undefined);
      const showing = { application: bootstrap, objects: shown, reads: () => false };
      return findApplications(withShown(repository, [showing])).applications.filter(
        ({ shownBy }) => shownBy !== undefined,
      );
    };
    const [web, app] = rendersIn("v1");
    const [webAgain, appAgain] = rendersIn("v1");
    assert.equal(web?.render, webAgain?.render);
    const [, appOther] = rendersIn("v2");
    assert.deepEqual(
      [app, appAgain, appOther].map((one) => one?.render.by === "helm" && one.render.chart),
      ["v1", "v1", "v2"].map((version) => ({ in: "helm", repository: "oci://example.org", name: "app", version })),
    );
    const ofSuspended = rendersIn("v1", ", suspend: true").map((one) => one.held);
    assert.deepEqual([web?.held, ...ofSuspended], [undefined, "Suspended", undefined]);
  });

  it("of another branch or version needn't have their path here", () => {
    for (const [ref, more] of [
      ["{branch: dev-team}", ", whose revision in its source is dev-team"],
      ["{branch: main, tag: v1}", ", whose revision in its source is v1"],
      ["{branch: main}", undefined],
    ] as const) {
      const { not } = found({
        ...FILES,
        "tenant.yaml": `${source("GitRepository", "tenant", `{url: "${URL}", ref: ${ref}}`)}---\n${kustomization("t", "path: ./production").replace("name: flux-system}", "name: tenant}")}`,
      });
      assert.deepEqual(not, [
        `t${more === undefined ? "!" : ""}: its path production is not in this repository${more ?? ""}`,
      ]);
    }
  });

  it("take a path that leads out for one from the root, as Flux joins it", () => {
    const { names, not } = found({
      ...FILES,
      "clusters/a/x.yaml": [
        kustomization("out", "path: ../../apps/a"),
        kustomization("round", "path: ./x/../../apps/b/"),
        kustomization("above", "path: ../gone"),
      ].join("---\n"),
    });
    assert.deepEqual(
      names.filter((row) => /^(?:out|round) /u.test(row)),
      ["out Kustomize apps/a FluxKustomization clusters/a", "round Kustomize apps/b FluxKustomization clusters/a"],
    );
    assert.deepEqual(not, ["above!: its path gone is not in this repository"]);
  });

  it("of an artifact are found where that is copied from", () => {
    const { names } = found({
      ...FILES,
      "clusters/a/artifacts.yaml": object(
        "source.extensions.fluxcd.io/v1beta1",
        "ArtifactGenerator",
        "generator",
        `{sources: [{alias: repo, kind: GitRepository, name: flux-system}], artifacts: [{name: apps, copy: [{from: "@repo/apps/base/**", to: "@artifact/base/"}, {from: "@repo/apps/a/**", to: "@artifact/here/"}]}]}`,
      ),
      "clusters/a/apps.yaml": kustomization("apps", "path: ./here").replace(
        "{kind: GitRepository, name: flux-system}",
        "{kind: ExternalArtifact, name: apps}",
      ),
    });
    assert.ok(names.includes("apps Kustomize apps/a FluxKustomization clusters/a"), names.join("\n"));
  });

  it("of an artifact that is copied from an image say so", () => {
    const { not } = found({
      ...FILES,
      "clusters/a/artifacts.yaml": object(
        "source.extensions.fluxcd.io/v1beta1",
        "ArtifactGenerator",
        "generator",
        `{sources: [{alias: repo, kind: OCIRepository, name: image}], artifacts: [{name: apps, copy: [{from: "@repo/apps/a/", to: "@artifact/apps/a/"}]}]}`,
      ),
      "clusters/a/apps.yaml": kustomization("apps", "path: ./apps/a").replace(
        "{kind: GitRepository, name: flux-system}",
        "{kind: ExternalArtifact, name: apps}",
      ),
    });
    assert.deepEqual(not, ["apps: its source OCIRepository image is not a Git repository"]);
  });
});

describe("Flux's HelmReleases", () => {
  it("take charts of repositories, of registries, of Git and of this repository", () => {
    const chart = (name: string, kind: string, from: string, more = ""): string =>
      `{chart: {spec: {chart: ${name}, version: 1.x, sourceRef: {kind: ${kind}, name: ${from}}${more}}}, values: {a: 1}, valuesFrom: [{kind: Secret, name: s, targetPath: x.y}]}`;
    const { all, names, not } = found({
      ...FILES,
      "sources.yaml": [
        source("HelmRepository", "charts", "{url: https://charts.example}"),
        source("OCIRepository", "oci", "{url: oci://ghcr.io/charts/app, ref: {tag: 2.0.0}}"),
        source("GitRepository", "git", "{url: https://github.com/other/charts, ref: {tag: v1}}"),
      ].join("---\n"),
      "charts/own/Chart.yaml": "apiVersion: v2\nname: own\n",
      "releases.yaml": [
        release("a", chart("redis", "HelmRepository", "charts")),
        release("b", "{chartRef: {kind: OCIRepository, name: oci}, targetNamespace: shop, test: {enable: true}}"),
        release("c", chart("./charts/x", "GitRepository", "git")),
        release("d", chart("./charts/own", "GitRepository", "flux-system", ", valuesFiles: [charts/own/v.yaml]")),
        release("e", chart("x", "HelmRepository", "absent")),
        release("f", "{}"),
        release("g", chart("./charts/none", "GitRepository", "flux-system")),
        release("h", "{chart: {spec: {sourceRef: {kind: HelmRepository, name: charts}}}}"),
        release("i", "{chart: {spec: {chart: x, sourceRef: {name: nowhere}}}}"),
      ].join("---\n"),
    });
    assert.deepEqual(
      names.filter((one) => one.includes("HelmRelease")),
      [
        "a Helm releases.yaml HelmRelease",
        "b Helm releases.yaml HelmRelease",
        "c Helm releases.yaml HelmRelease",
        "d Helm charts/own HelmRelease",
      ],
    );
    assert.deepEqual(not, [
      "e: the source of its chart, HelmRepository absent, is not in this repository",
      "f: it names no chart (spec.chart): it may be a patch",
      "g!: its chart ./charts/none is not in this repository",
      "h!: it names no chart",
      "i: the source of its chart, nowhere, is not in this repository",
    ]);
    // helm-controller runs a chart's tests where the release says so.
    assert.deepEqual(
      all.flatMap(({ name, render }) => (render.by === "helm" && !render.skipTests ? [name] : [])),
      ["b"],
    );
    const rendered = (wanted: string): unknown[] =>
      all.flatMap(({ name, render }) =>
        name === wanted && render.by === "helm" ? [render.chart, render.releaseName, render.values] : [],
      );
    const secret = {
      from: "object",
      kind: "Secret",
      name: "s",
      key: "values.yaml",
      targetPath: "x.y",
      literal: false,
      optional: false,
    };
    const values = { from: "values", values: Object.assign(Object.create(null), { a: 1 }) };
    assert.deepEqual(rendered("a"), [
      { in: "helm", repository: "https://charts.example", name: "redis", version: "1.x" },
      "a",
      [secret, values],
    ]);
    assert.deepEqual(rendered("b"), [
      { in: "helm", repository: "oci://ghcr.io/charts", name: "app", version: "2.0.0" },
      "shop-b",
      [],
    ]);
    assert.deepEqual(rendered("c")[0], {
      in: "git",
      repository: "https://github.com/other/charts",
      path: "./charts/x",
      revision: "v1",
    });
    assert.deepEqual(rendered("d"), [
      { in: "repository", folder: "charts/own" },
      "d",
      [{ from: "file", path: "charts/own/v.yaml", optional: false }, secret, values],
    ]);
  });

  it("take the version that the API server refuses because it has no quotes, not the newest", () => {
    const { all } = found({
      "all.yaml": [
        source("HelmRepository", "charts", "{url: https://charts.example}"),
        source("OCIRepository", "oci", "{url: oci://ghcr.io/charts/app, ref: {tag: 20260102}}"),
        source("GitRepository", "git", "{url: https://github.com/other/charts, ref: {tag: v1, semver: 2.x}}"),
        release("a", "{chart: {spec: {chart: x, version: 1.5, sourceRef: {kind: HelmRepository, name: charts}}}}"),
        release("b", "{chartRef: {kind: OCIRepository, name: oci}}"),
        release("c", "{chart: {spec: {chart: x, sourceRef: {kind: GitRepository, name: git}}}}"),
      ].join("---\n"),
    });
    const versions = all.flatMap(({ render }) => {
      if (render.by !== "helm") return [];
      const { chart } = render;
      return chart.in === "helm" ? [chart.version] : chart.in === "git" ? [chart.revision] : [];
    });
    assert.deepEqual(versions, ["1.5", "20260102", "2.x"]);
  });
});
