import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import { mayContain, predictBuild } from "../../../src/applications/render/predict-build.ts";
import { treeOf } from "../discover/tree-of.ts";

type Files = Readonly<Record<string, string>>;

const release = (name: string, spec: object = {}): string =>
  JSON.stringify({
    apiVersion: "helm.toolkit.fluxcd.io/v2",
    kind: "HelmRelease",
    metadata: { name },
    spec: { interval: "1h", chart: { spec: { chart: "./charts/web" } }, ...spec },
  });
const MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {A: x}\n";

/** What is predicted of the application in `app`: a Flux Kustomization with these fields. */
function predictionOf(
  files: Files,
  spec: object = {},
  isFile?: (path: string) => boolean,
): ReturnType<typeof predictBuild> {
  const sync = {
    apiVersion: "kustomize.toolkit.fluxcd.io/v1",
    kind: "Kustomization",
    metadata: { name: "app", namespace: "flux-system" },
    spec: { path: "./app", sourceRef: { kind: "GitRepository", name: "flux-system" }, ...spec },
  };
  const all: Files = { "clusters/a/app.yaml": JSON.stringify(sync), ...files };
  const repository = surveyed(treeOf(all));
  const application = findApplications(repository).applications.find(({ name }) => name === "app");
  assert.ok(application);
  return predictBuild(application, { repository, isFile: isFile ?? ((path) => Object.hasOwn(all, path)) });
}

/** With the kustomization of `app` beside a HelmRelease in `app/web.yaml`. */
const filesOf = (kustomization: object, more: Files = {}, spec: object = {}): Files => ({
  "app/kustomization.yaml": JSON.stringify({ resources: ["web.yaml"], ...kustomization }),
  "app/web.yaml": release("web", spec),
  ...more,
});

/** The objects, with their namespaces, or undefined where only a rendering shows them. */
const names = (found: ReturnType<typeof predictBuild>): string[] | undefined =>
  found?.objects.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);

const patch = (spec: object): string =>
  JSON.stringify({ apiVersion: "helm.toolkit.fluxcd.io/v2", kind: "HelmRelease", metadata: { name: "_" }, spec });
const RELEASES = { kind: "HelmRelease" };

describe("predictions of builds", () => {
  const rows: readonly (readonly [string, Files, string[], object?])[] = [
    ["where they are its resources", filesOf({}), ["HelmRelease /web"]],
    ["in the namespace of the outermost kustomization", filesOf({ namespace: "shop" }), ["HelmRelease shop/web"]],
    [
      "in that of the Flux Kustomization",
      filesOf({ namespace: "shop" }),
      ["HelmRelease x/web"],
      { targetNamespace: "x" },
    ],
    [
      "through bases and components",
      filesOf(
        { resources: ["web.yaml", "../base"], components: ["../part"], namespace: "shop" },
        {
          "base/kustomization.yaml": "resources: [api.yaml]\n",
          "base/api.yaml": release("api"),
          "part/kustomization.yaml": "kind: Component\nresources: [map.yaml]\nnamespace: other\n",
          "part/map.yaml": MAP,
        },
      ),
      ["HelmRelease shop/web", "HelmRelease shop/api"],
    ],
    [
      "where patches change how it is applied, and what stands in it",
      filesOf({ patches: [{ patch: patch({ install: { crds: "Skip" }, values: { a: 1 } }), target: RELEASES }] }),
      ["HelmRelease /web"],
    ],
    [
      "where patches are of others",
      filesOf(
        {
          resources: ["web.yaml", "map.yaml"],
          patches: [{ patch: patch({ chart: 1 }), target: { kind: "ConfigMap" } }],
        },
        { "app/map.yaml": MAP },
      ),
      ["HelmRelease /web"],
    ],
    [
      "where variables stand in values",
      filesOf({}, {}, { values: { host: "${HOST}" } }),
      ["HelmRelease /web"],
      { postBuild: { substitute: { HOST: "h" } } },
    ],
  ];
  for (const [name, files, expected, spec] of rows)
    it(name, () => {
      assert.deepEqual(names(predictionOf(files, spec)), expected);
    });
});

describe("only a rendering shows", () => {
  const substitute = { postBuild: { substitute: { A: "a" } } };
  const rows: readonly (readonly [string, Files, object?])[] = [
    ["of a patch that changes the chart", filesOf({ patches: [{ patch: patch({ chart: {} }), target: RELEASES }] })],
    ["of a patch without a kind", filesOf({ patches: [{ patch: patch({ chart: {} }), target: { name: "web" } }] })],
    [
      "of a patch for a pattern of kinds",
      filesOf({ patches: [{ patch: patch({ chart: {} }), target: { kind: "Helm.*" } }] }),
    ],
    ["of a patch that names it", filesOf({ patches: [{ patch: patch({ chart: {} }).replace('"_"', '"web"') }] })],
    ["of a patch that names nothing that is there", filesOf({ patches: [{ patch: patch({}) }] })],
    ["of a patch that deletes", filesOf({ patches: [{ patch: `$patch: delete\n${patch({})}`, target: RELEASES }] })],
    [
      "of a patch that takes values away",
      filesOf({ patches: [{ patch: '[{"op": "remove", "path": "/spec/values"}]', target: RELEASES }] }),
    ],
    [
      "of a patch that makes another kind of a ConfigMap",
      filesOf(
        {
          resources: ["web.yaml", "map.yaml"],
          patches: [{ patch: '[{"op": "replace", "path": "/kind", "value": "x"}]', target: { kind: "ConfigMap" } }],
        },
        { "app/map.yaml": MAP },
      ),
    ],
    ["of a patch of Flux", filesOf({}), { patches: [{ patch: patch({ chart: {} }), target: RELEASES }] }],
    ["of a prefix", filesOf({ namePrefix: "x-" })],
    ["of a prefix of Flux", filesOf({}), { namePrefix: "x-" }],
    ["of replacements", filesOf({ replacements: [] })],
    ["of transformers", filesOf({ transformers: ["t.yaml"] })],
    ["of charts", filesOf({ helmCharts: [{ name: "web" }] })],
    ["of a remote base", filesOf({ resources: ["web.yaml", "https://example.com/x?ref=1"] })],
    ["of a file that is not there", filesOf({ resources: ["web.yaml", "absent.yaml"] })],
    ["of a file that stands above", filesOf({ resources: ["web.yaml", "../x.yaml"] }, { "x.yaml": MAP })],
    ["of two of one name", filesOf({ resources: ["web.yaml", "again.yaml"] }, { "app/again.yaml": release("web") })],
    [
      "of a circle",
      filesOf({ resources: ["web.yaml", "../base"] }, { "base/kustomization.yaml": "resources: [../app]\n" }),
    ],
    ["of two kustomization files", filesOf({}, { "app/kustomization.yml": "resources: []\n" })],
    ["of a folder without one", { "app/web.yaml": release("web") }],
    ["of variables in the chart", filesOf({}, {}, { chart: { spec: { chart: "./${A}" } } }), substitute],
    ["of variables in names", { ...filesOf({}), "app/web.yaml": release("${A}") }, substitute],
    [
      "of variables in kinds",
      filesOf({ resources: ["x.yaml"] }, { "app/x.yaml": MAP.replace("ConfigMap", "${A}") }),
      substitute,
    ],
    [
      "of values that say where a cluster begins",
      filesOf({}, {}, { values: { instance: { sync: "${A}" } } }),
      substitute,
    ],
    ["of what kustomize leaves out", filesOf({}, {}, { values: { a: "config.kubernetes.io/local-config" } })],
    ["of images anywhere", filesOf({ images: [] }, {}, { chart: { containers: [{ image: "a" }] } })],
  ];
  for (const [name, files, spec] of rows)
    it(name, () => {
      assert.equal(predictionOf(files, spec), undefined);
    });

  it("of files behind links", () => {
    assert.equal(
      predictionOf(filesOf({}), {}, (path) => path !== "app/web.yaml"),
      undefined,
    );
  });
});

describe("a rendering may hold", () => {
  it("the ConfigMaps and Secrets of its files, and of generators with a hash", () => {
    const found = predictionOf(
      filesOf(
        { resources: ["web.yaml", "map.yaml"], secretGenerator: [{ name: "made", literals: ["a=b"] }] },
        { "app/map.yaml": MAP },
      ),
    );
    assert.ok(found);
    const rows = [
      ["ConfigMap", "settings", true],
      ["Secret", "made", true],
      ["Secret", "made-2456789bcd", true],
      ["Secret", "settings", false],
      ["ConfigMap", "settings-2456789bcd", false],
    ] as const;
    for (const [kind, name, expected] of rows) assert.equal(mayContain(found, { kind, name }), expected, name);
  });
});
