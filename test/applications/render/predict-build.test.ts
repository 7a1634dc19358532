import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import { dataIn } from "../../../src/applications/render/find-data.ts";
import { renderableOf } from "../../../src/applications/render/renderable.ts";
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
const REMOTE = "https://example.com/x?ref=1";
const MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {A: x}\n";

/** What is predicted of the application in `app`: a Flux Kustomization with these fields. */
function predictionOf(
  files: Files,
  spec: object = {},
  isFile?: (path: string) => boolean,
  mayFetch: boolean = false,
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
  const isRemote = Object.values(files).some((text) => text.includes(REMOTE));
  const side = { application, renderable: renderableOf(application, dataIn(repository)), closure: { isRemote } };
  return predictBuild(side, { repository, isFile: isFile ?? ((path) => Object.hasOwn(all, path)), mayFetch });
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
const yamlPatch = (name: string): string =>
  `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: ${name}}\n`;
const RELEASES = { kind: "HelmRelease" };
const SETTINGS = { name: "settings", literals: ["a=b"] };
const BASE: Files = { "base/kustomization.yaml": "resources: [web.yaml]\n", "base/web.yaml": release("web") };
const RENAMING = { patch: yamlPatch("shop"), target: RELEASES, options: { allowNameChange: true } };

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
      "without an object that a patch deletes",
      filesOf(
        {
          resources: ["web.yaml", "api.yaml"],
          patches: [{ patch: `$patch: delete\n${yamlPatch("api")}` }],
        },
        { "app/api.yaml": release("api") },
      ),
      ["HelmRelease /web"],
    ],
    [
      "where variables stand in values",
      filesOf({}, {}, { values: { host: "${HOST}" } }),
      ["HelmRelease /web"],
      { postBuild: { substitute: { HOST: "h" } } },
    ],
    [
      "beside a file of comments",
      filesOf({ resources: ["web.yaml", "none.yaml"] }, { "app/none.yaml": "---\n# kind: ConfigMap — é 😀\r\n\n" }),
      ["HelmRelease /web"],
    ],
    [
      "where variables stand in names",
      filesOf({}, { "app/web.yaml": release("${NAME:=web}-${A}") }),
      ["HelmRelease /web-a"],
      { postBuild: { substitute: { A: "a" } } },
    ],
    [
      "where Flux takes files from anywhere",
      filesOf({ resources: ["web.yaml", "../x.yaml"] }, { "x.yaml": release("x") }),
      ["HelmRelease /web", "HelmRelease /x"],
    ],
    [
      "where Flux generates the kustomization",
      {
        "app/web.yaml": release("web"),
        "app/parts/api.yml": release("api"),
        "app/whole/kustomization.yaml": "resources: [map.yaml]\n",
        "app/whole/map.yaml": MAP,
        "app/whole/unused.yaml": release("unused"),
        "app/.github/ci.yaml": release("ci"),
        "app/notes.txt": "",
      },
      ["HelmRelease x/api", "HelmRelease x/web"],
      { targetNamespace: "x" },
    ],
    ["where Flux generates one without resources", { "app/notes.txt": "" }, []],
    [
      "in a namespace that replaces a variable",
      {
        ...filesOf({ namespace: "shop" }),
        "app/web.yaml": release("web").replace('{"name":"web"}', '{"name":"web","namespace":"${A}"}'),
      },
      ["HelmRelease shop/web"],
      { postBuild: { substitute: { A: "a" } } },
    ],
    [
      "with a configuration for the names of generators",
      filesOf(
        { configurations: ["names.yaml"], configMapGenerator: [{ name: "settings", literals: ["a=b"] }] },
        { "app/names.yaml": "nameReference: [{kind: ConfigMap, fieldSpecs: [{path: spec/valuesFrom/name}]}]\n" },
      ),
      ["HelmRelease /web"],
    ],
    [
      "beside a generator that adds to a ConfigMap",
      filesOf(
        { resources: ["web.yaml", "../base"], configMapGenerator: [{ ...SETTINGS, behavior: "merge" }] },
        { "base/kustomization.yaml": JSON.stringify({ configMapGenerator: [SETTINGS] }) },
      ),
      ["HelmRelease /web"],
    ],
    [
      "with the name that a patch may change",
      filesOf({ resources: ["../base"], patches: [RENAMING] }, BASE),
      ["HelmRelease /shop"],
    ],
    [
      "with their own names, if a patch may not change them",
      filesOf({ resources: ["../base"], patches: [{ ...RENAMING, options: { allowNameChange: false } }] }, BASE),
      ["HelmRelease /web"],
    ],
  ];
  for (const [name, files, expected, spec] of rows)
    it(name, () => {
      assert.deepEqual(names(predictionOf(files, spec)), expected);
    });
});

describe("beside a remote base, which is left out", () => {
  const leftOut = [{ is: "base", name: REMOTE }];

  it("are those of the repository", () => {
    const files = filesOf(
      { resources: ["web.yaml", "../base"] },
      { "base/kustomization.yaml": `resources: ["${REMOTE}"]` },
    );
    const found = predictionOf(files);
    assert.deepEqual(names(found), ["HelmRelease /web"]);
    assert.deepEqual(found?.leftOut, leftOut);
  });

  it("are not changed by patches for what it may have", () => {
    const other = { patch: patch({ chart: {} }).replace('"_"', '"other"') };
    const found = predictionOf(filesOf({ resources: ["web.yaml", REMOTE], patches: [other] }));
    assert.deepEqual(names(found), ["HelmRelease /web"]);
    assert.deepEqual(found?.leftOut, leftOut);
  });
});

describe("predicted patches", () => {
  const chart = (found: ReturnType<typeof predictBuild>): unknown => found?.objects[0]?.spec["chart"];
  const change = { chart: { spec: { version: "2", values: ["b"] } } };
  const merged = { spec: { chart: "./charts/web", version: "2", values: ["b"] } };
  const more = { chart: { spec: { chart: "./charts/web", version: "1", values: ["a", "c"] } } };
  const rows: readonly (readonly [string, object, object?])[] = [
    ["for a kind merge mappings and replace lists", { patches: [{ patch: patch(change), target: RELEASES }] }],
    ["for a named object", { patches: [{ patch: patch(change).replace('"_"', '"web"') }] }],
    ["in a file", { patches: [{ path: "../patch.yaml", target: { kind: "HelmRelease", name: "web" } }] }],
    ["of Flux", {}, { patches: [{ patch: patch(change), target: RELEASES }] }],
  ];
  for (const [name, kustomization, spec] of rows)
    it(name, () => {
      const files = filesOf(kustomization, { "patch.yaml": patch(change) }, more);
      assert.deepEqual(chart(predictionOf(files, spec)), merged);
    });

  it("end at kustomizations that double: layers that include the next one twice", () => {
    const files: Record<string, string> = { "app/kustomization.yaml": "resources: [web.yaml, ../k0]\n" };
    for (let i = 0; i < 60; i += 1) {
      files[`k${i}/kustomization.yaml`] = `resources: [../a${i}, ../b${i}]\n`;
      for (const side of "ab") files[`${side}${i}/kustomization.yaml`] = `resources: [../k${i + 1}]\n`;
    }
    const all = { ...files, "app/web.yaml": release("web"), "k60/kustomization.yaml": "resources: []\n" };
    assert.equal(predictionOf(all), undefined);
  });

  it("for annotated objects", () => {
    const target = (annotationSelector: string): object => ({ ...RELEASES, annotationSelector });
    const files = (selector: string): Files => ({
      ...filesOf({ patches: [{ patch: patch(change), target: target(selector) }] }),
      "app/web.yaml": release("web", more).replace('{"name":"web"}', '{"name":"web","annotations":{"a":"b"}}'),
    });
    assert.deepEqual(chart(predictionOf(files("a=b"))), merged);
    assert.equal(JSON.stringify(chart(predictionOf(files("a!=b")))), JSON.stringify(more.chart));
  });

  it("tell objects apart by fields that do not matter", () => {
    const values = { patches: [{ patch: patch({ values: { a: 2, b: null } }), target: RELEASES }] };
    const found = predictionOf(filesOf(values, {}, { values: { a: 1, c: 3 } }));
    assert.deepEqual(found?.objects[0]?.spec["values"], { a: 2, b: null, c: 3 });
  });
});

describe("predicted variables", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["./apps/${A}/${B:=b}", "./apps/a/b"],
    ["${A}", "a"],
    ["v${N}", "v08"],
    ["${V:=1.0.0}", "4.6.2"],
    ["${URL}", "https://example.com/"],
    ['"${N}"', '"08"'],
    ["a: ${A}\nb: '${N}'\n\n", "a: a\nb: '08'\n\n"],
  ];
  for (const [text, expected] of rows)
    it(JSON.stringify(text), () => {
      const substitute = { A: "a", N: "08", V: "4.6.2", URL: "https://example.com/" };
      const found = predictionOf(filesOf({}, {}, { chart: { spec: { chart: text } } }), { postBuild: { substitute } });
      assert.deepEqual(found?.objects[0]?.spec["chart"], { spec: { chart: expected } });
    });
});

describe("variables of which the cluster knows more", () => {
  const substituteFrom = { postBuild: { substituteFrom: [{ kind: "Secret", name: "cluster" }] } };
  const chartOf = (text: string): unknown =>
    predictionOf(filesOf({}, {}, { chart: { spec: { chart: text } } }), substituteFrom)?.objects[0]?.spec["chart"];

  it("have their defaults, as in a rendering", () => {
    assert.deepEqual(chartOf("${A:=web}"), { spec: { chart: "web" } });
  });

  it("are not predicted without one", () => {
    assert.equal(chartOf("${A}"), undefined);
  });
});

describe("only a rendering shows", () => {
  const substitute = { postBuild: { substitute: { A: "a", N: "08", Q: "'" } } };
  const rows: readonly (readonly [string, Files, object?])[] = [
    [
      "of a patch that changes the type of a field",
      filesOf({ patches: [{ patch: patch({ chart: [] }), target: RELEASES }] }),
    ],
    [
      "of a patch that deletes a field that matters",
      filesOf({ patches: [{ patch: patch({ chart: { spec: null } }), target: RELEASES }] }),
    ],
    [
      "of a patch for objects that a kustomization annotates",
      filesOf(
        {
          resources: ["../base"],
          patches: [{ patch: patch({ chart: {} }), target: { ...RELEASES, annotationSelector: "a=b" } }],
        },
        {
          "base/kustomization.yaml": "resources: [api.yaml]\ncommonAnnotations: {a: b}\n",
          "base/api.yaml": release("api"),
        },
      ),
    ],
    ...["{a: true}", "{a: null}"].map(
      (annotations) =>
        [
          `of a patch for annotations ${annotations}`,
          {
            ...filesOf({
              patches: [{ patch: patch({ chart: {} }), target: { ...RELEASES, annotationSelector: "a" } }],
            }),
            "app/web.yaml": release("web").replace('{"name":"web"}', `{name: web, annotations: ${annotations}}`),
          },
        ] as const,
    ),
    [
      "of a patch for objects that another one may annotate",
      filesOf({
        patches: [
          {
            patch: patch({}).replace('{"name":"_"}', '{"name":"_","annotations":{"a":"b"}}'),
            target: { ...RELEASES, version: "v2" },
          },
          { patch: patch({ chart: {} }), target: { ...RELEASES, annotationSelector: "a=b" } },
        ],
      }),
    ],
    [
      "of a patch for a version",
      filesOf({ patches: [{ patch: patch({ chart: {} }), target: { ...RELEASES, version: "v2" } }] }),
    ],
    [
      "of a patch for one of two objects of a name",
      filesOf(
        {
          resources: ["web.yaml", "other.yaml"],
          patches: [{ patch: patch({ chart: {} }).replace('"_"', '"web"') }],
        },
        { "app/other.yaml": release("web").replace('{"name":"web"}', '{"name":"web","namespace":"other"}') },
      ),
    ],
    [
      "of a patch that adds variables",
      filesOf({ patches: [{ patch: patch({ chart: { spec: { chart: "${N}" } } }), target: RELEASES }] }),
      substitute,
    ],
    [
      "of a patch for a pattern of kinds",
      filesOf({ patches: [{ patch: patch({ chart: {} }), target: { kind: "Helm.*" } }] }),
    ],
    ["of a patch that names nothing that is there", filesOf({ patches: [{ patch: patch({}) }] })],
    [
      "of a patch that deletes by a target",
      filesOf({ patches: [{ patch: `$patch: delete\n${yamlPatch("_")}`, target: RELEASES }] }),
    ],
    [
      "of a patch that deletes and changes",
      filesOf({ patches: [{ patch: `$patch: delete\n${yamlPatch("web")}spec: {suspend: true}\n` }] }),
    ],
    [
      "of a patch that deletes beside a remote base",
      filesOf({ resources: ["web.yaml", REMOTE], patches: [{ patch: `$patch: delete\n${yamlPatch("web")}` }] }),
    ],
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
    ["of a prefix", filesOf({ namePrefix: "x-" })],
    [
      "of a configuration for other fields",
      filesOf({ configurations: ["c.yaml"] }, { "app/c.yaml": "nameReference: []\nimages: [{path: spec/chart}]\n" }),
    ],
    ["of a configuration that is not there", filesOf({ configurations: ["c.yaml"] })],
    ["of a generator that adds to nothing", filesOf({ configMapGenerator: [{ ...SETTINGS, behavior: "merge" }] })],
    [
      "of a generator that adds to a ConfigMap of another namespace",
      filesOf(
        { resources: ["../base"], configMapGenerator: [{ ...SETTINGS, behavior: "replace" }] },
        { "base/kustomization.yaml": JSON.stringify({ namespace: "shop", configMapGenerator: [SETTINGS] }) },
      ),
    ],
    [
      "of a patch that may change a kind",
      filesOf({ patches: [{ ...RENAMING, options: { allowNameChange: true, allowKindChange: true } }] }),
    ],
    [
      "of a patch that may rename what other objects refer to",
      filesOf(
        { resources: ["web.yaml", "map.yaml"], patches: [{ ...RENAMING, target: { name: ".*" } }] },
        { "app/map.yaml": MAP },
      ),
    ],
    ...[
      { patch: patch({ chart: {} }), target: { ...RELEASES, name: "web" } },
      { patch: patch({ chart: {} }).replace('"_"', '"web"') },
    ].map(
      (second) =>
        [
          `of a patch for a former name${"target" in second ? ", as a target" : ""}`,
          filesOf({ resources: ["../base"], patches: [RENAMING, second] }, BASE),
        ] as const,
    ),
    ["of a prefix of Flux", filesOf({}), { namePrefix: "x-" }],
    ["of replacements", filesOf({ replacements: [] })],
    ["of transformers", filesOf({ transformers: ["t.yaml"] })],
    ["of charts", filesOf({ helmCharts: [{ name: "web" }] })],
    [
      "of a patch beside a remote base: it may be for another namespace",
      filesOf({ resources: ["web.yaml", REMOTE], patches: [{ patch: patch({ chart: {} }).replace('"_"', '"web"') }] }),
    ],
    ["of a remote component", filesOf({ resources: ["web.yaml", REMOTE], components: [REMOTE] })],
    ["of a remote patch", filesOf({ patches: [{ path: REMOTE, target: RELEASES }] })],
    [
      "of a folder that looks remote",
      filesOf({ resources: ["web.yaml", REMOTE] }, { "app/https:/readme.md": "", "app/github.com/x": "" }),
    ],
    ["of a file that is not there", filesOf({ resources: ["web.yaml", "absent.yaml"] })],
    [
      "of a file that its source excludes",
      filesOf({ resources: ["web.yaml", "../x.yaml"] }, { "x.yaml": MAP, ".sourceignore": "/x.yaml\n" }),
    ],
    ["of two of one name", filesOf({ resources: ["web.yaml", "again.yaml"] }, { "app/again.yaml": release("web") })],
    [
      "of a circle",
      filesOf({ resources: ["web.yaml", "../base"] }, { "base/kustomization.yaml": "resources: [../app]\n" }),
    ],
    ["of two kustomization files", filesOf({}, { "app/kustomization.yml": "resources: []\n" })],
    ["of a base without one", filesOf({ resources: ["../base"] }, { "base/x.yaml": release("x") })],
    ...["${B}", "${A", "$${A}", "${A%x}", "a: ${A}", "${N}", "x${Q}", "${A}\ny", "y\n${B}"].map(
      (text) => [`of variables in '${text}'`, filesOf({}, {}, { chart: text }), substitute] as const,
    ),
    ["of variables in keys", filesOf({}, {}, { chart: { "${A}": 1 } }), substitute],
    [
      "of an object without substitution",
      {
        ...filesOf({}),
        "app/web.yaml": release("web").replace(
          '{"name":"web"}',
          '{"name":"web","labels":{"kustomize.toolkit.fluxcd.io/substitute":"disabled"}}',
        ),
      },
      substitute,
    ],
    ...["# x\rkind: A\r", "# x\u0085kind: A\n", "# x\u2028kind: A\n", "# \u000c\n", "\t# x\n"].map(
      (text): readonly [string, Files] => [
        `of comments that YAML ends or refuses: ${JSON.stringify(text)}`,
        filesOf({ resources: ["web.yaml", "none.yaml"] }, { "app/none.yaml": text }),
      ],
    ),
    ["of unknown variables in names", { ...filesOf({}), "app/web.yaml": release("${B}") }, substitute],
    [
      "of two names that variables make equal",
      filesOf({ resources: ["web.yaml", "a.yaml"] }, { "app/web.yaml": release("${A}"), "app/a.yaml": release("a") }),
      substitute,
    ],
    [
      "of variables in kinds",
      filesOf({ resources: ["x.yaml"] }, { "app/x.yaml": MAP.replace("ConfigMap", "${A}") }),
      substitute,
    ],
    [
      "of values that say where a cluster begins",
      filesOf({}, {}, { values: { instance: { sync: "${N}" } } }),
      substitute,
    ],
    ["of what kustomize leaves out", filesOf({}, {}, { values: { a: "config.kubernetes.io/local-config" } })],
    ["of images anywhere", filesOf({ images: [] }, {}, { chart: { containers: [{ image: "a" }] } })],
  ];
  for (const [name, files, spec] of rows)
    it(name, () => {
      assert.equal(predictionOf(files, spec), undefined);
    });

  it("of a remote base that kustomize may fetch", () => {
    const files = filesOf({ resources: ["web.yaml", REMOTE] });
    assert.equal(predictionOf(files, {}, undefined, true), undefined);
  });

  it("of a file that stands above, without Flux", () => {
    const source = { repoURL: "https://example.com/repo.git", path: "app" };
    const argo = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata: { name: "app" } };
    const files: Files = {
      "app.yaml": JSON.stringify({ ...argo, spec: { source, destination: { name: "prod" } } }),
      "app/kustomization.yaml": "resources: [../map.yaml]\n",
      "map.yaml": MAP,
    };
    const repository = surveyed(treeOf(files));
    const application = findApplications(repository).applications.find(({ path }) => path === "app");
    assert.ok(application);
    const isFile = (path: string): boolean => Object.hasOwn(files, path);
    const closure = { isRemote: false };
    const side = { application, renderable: renderableOf(application, dataIn(repository)), closure };
    assert.equal(predictBuild(side, { repository, isFile, mayFetch: false }), undefined);
  });

  it("of files behind links", () => {
    assert.equal(
      predictionOf(filesOf({}), {}, (path) => path !== "app/web.yaml"),
      undefined,
    );
  });
});

describe("applications of one folder", () => {
  it("read its files once, and keep their own objects", () => {
    const sync = (name: string): string =>
      JSON.stringify({
        apiVersion: "kustomize.toolkit.fluxcd.io/v1",
        kind: "Kustomization",
        metadata: { name, namespace: "flux-system" },
        spec: { path: "./app", targetNamespace: name, sourceRef: { kind: "GitRepository", name: "flux-system" } },
      });
    const all: Files = {
      "clusters/a/x.yaml": sync("x"),
      "clusters/a/y.yaml": sync("y"),
      "app/web.yaml": release("web"),
      "app/sub/map.yaml": MAP,
    };
    const tree = treeOf(all);
    const repository = surveyed(tree);
    const reads: string[] = [];
    const counted = { ...repository, tree: { ...tree, read: (path: string) => (reads.push(path), tree.read(path)) } };
    const { applications } = findApplications(repository);
    const found = ["x", "y"].map((name) => {
      const application = applications.find((one) => one.name === name);
      assert.ok(application);
      const closure = { isRemote: false };
      const side = { application, renderable: renderableOf(application, dataIn(repository)), closure };
      const isFile = (path: string): boolean => Object.hasOwn(all, path);
      return predictBuild(side, { repository: counted, isFile, mayFetch: false });
    });
    assert.deepEqual(found.map(names), [["HelmRelease x/web"], ["HelmRelease y/web"]]);
    assert.deepEqual(reads.toSorted(), ["app/sub/map.yaml", "app/web.yaml"]);
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
