import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { RollstampError } from "../../../src/base/errors.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import type { Contents as SnapshotContents, Snapshot, SnapshotEntry } from "../../../src/platform/ports/snapshot.ts";
import { closuresOf, type Closure, type Root } from "../../../src/applications/render/closure.ts";

type Texts = Readonly<Record<string, string>>;

/** A snapshot with files whose ids are their texts; `-> path` is a link, `@ id` a submodule. */
function snapshotOf(texts: Texts, contents: Contents): Snapshot {
  const entries = new Map<string, SnapshotEntry>();
  for (const [path, text] of Object.entries(texts)) {
    const parts = path.split("/");
    for (let end = 1; end < parts.length; end += 1) {
      const folder = parts.slice(0, end).join("/");
      const below = Object.entries(texts).filter(([other]) => other.startsWith(`${folder}/`));
      entries.set(folder, { is: "folder", id: JSON.stringify(below) });
    }
    if (text.startsWith("@ ")) entries.set(path, { is: "module", id: text });
    else entries.set(path, text.startsWith("-> ") ? { is: "link", id: text.slice(3) } : { is: "file", id: text });
  }
  const commit = JSON.stringify(texts);
  const limits = DEFAULT_LIMITS;
  return {
    name: "main",
    commit,
    entries,
    contents,
    files: [],
    left: [],
    read: never,
    says: never,
    export: never,
    limits,
  };
}

function never(): never {
  throw new Error("not used");
}

/** The digest of what a rendering reads. */
function digest(texts: Texts, ...roots: readonly Root[]): string {
  return closureIn(texts, contentsOf(texts), roots).digest;
}

interface Contents extends SnapshotContents {
  readonly got: Set<string>;
}

/** Contents of which those of links are there. */
function contentsOf(...revisions: readonly Texts[]): Contents {
  const links = revisions.flatMap((texts) => Object.values(texts).filter((text) => text.startsWith("-> ")));
  const got = new Set(links.map((text) => text.slice(3)));
  return {
    got,
    fetch: never,
    has: (id: string) => got.has(id),
    text: (id: string) => {
      if (got.has(id)) return { is: "text", text: id } as const;
      return { is: "refused", because: "missing", code: "ENOENT", error: new RollstampError("system", id) } as const;
    },
  };
}

/** What a rendering reads; contents that it wants are got as they are asked for. */
function closureIn(texts: Texts, contents: Contents, roots: readonly Root[]): Closure {
  const closures = closuresOf(snapshotOf(texts, contents));
  for (let rounds = 0; rounds < 20; rounds += 1) {
    const closure = closures.closureOf(roots);
    if (closure !== undefined) return closure;
    for (const id of closures.takeWanted()) contents.got.add(id);
  }
  throw new Error("it never has all that it wants");
}

const APP: Root = { is: "kustomization", folder: "app" };

describe("what a rendering reads", () => {
  const FUNCTION = "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: a}\n";
  const rows: readonly (readonly [string, Root, Texts, string])[] = [
    [
      "is what kustomizations below a folder read, where any of them may be taken",
      { is: "below", folder: "parts" },
      {
        "parts/a/b/kustomization.yaml": "resources: [../../../shared/x.yaml]\n",
        "shared/x.yaml": "a",
      },
      "shared/x.yaml",
    ],
    [
      "is what a plugin of others may read: files that it names, and all of the folder",
      APP,
      {
        "app/kustomization.yaml": "generators: [ksops.yaml]\n",
        "app/ksops.yaml": `${FUNCTION}files: [../secrets/a.yaml]\n`,
        "secrets/a.yaml": "a",
      },
      "secrets/a.yaml",
    ],
    ...["{/../sub/patch.yaml", "{a: b}/../sub/patch.yaml", "[a]/../sub/patch.yaml", "a: b/../sub/patch.yaml"].flatMap(
      (path) =>
        ["patchesStrategicMerge", "transformers", "validators", "generators"].map((field): (typeof rows)[number] => [
          `is the file of ${field} that looks like YAML and is no object: ${path}`,
          APP,
          { "app/kustomization.yaml": `${field}: [${JSON.stringify(path)}]\n`, "app/sub/patch.yaml": "a" },
          "app/sub/patch.yaml",
        ]),
    ),
    ...["resources", "crds"].map((field): (typeof rows)[number] => [
      `is the file of ${field} whose path has a line break`,
      APP,
      { "app/kustomization.yaml": `${field}: ["x\\n/../sub/file.yaml"]\n`, "app/sub/file.yaml": "a" },
      "app/sub/file.yaml",
    ]),
    [
      "is what a plugin may read that stands in the kustomization",
      APP,
      {
        "app/kustomization.yaml": `transformers:\n- |\n${`${FUNCTION}way: deep/a.txt\n`.replaceAll(/^/gmu, "  ").trimEnd()}\n`,
        "app/deep/a.txt": "a",
      },
      "app/deep/a.txt",
    ],
    [
      "is what kustomize's own plugin for charts may read",
      APP,
      {
        "app/kustomization.yaml": "generators: [chart.yaml]\n",
        "app/chart.yaml":
          "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: a}\nname: web\nchartHome: ../charts\n",
        "charts/web/Chart.yaml": "name: web",
      },
      "charts/web/Chart.yaml",
    ],
    [
      "is the chart of a generator",
      APP,
      {
        "app/kustomization.yaml": "generators: [chart.yaml]\n",
        "app/chart.yaml": "{apiVersion: builtin, kind: HelmChartInflationGenerator, metadata: {name: a}, name: web}\n",
        "app/charts/web/templates/a.yaml": "a: b",
      },
      "app/charts/web/templates/a.yaml",
    ],
    [
      "is all that stands behind what is not rendered here",
      APP,
      {
        "app/kustomization.yaml": "helmChartInflationGenerator: [{chartName: web}]\nresources: [../base]\n",
        "base/kustomization.yaml": "resources: [../more/a.yaml]\n",
        "more/a.yaml": "a",
      },
      "more/a.yaml",
    ],
    [
      "is the values of a chart that is not rendered here",
      APP,
      {
        "app/kustomization.yaml": "helmCharts: [{name: web, nameTemplate: x, valuesFile: ../values.yaml}]\n",
        "values.yaml": "a: 1",
      },
      "values.yaml",
    ],
    [
      "is what plugins of a folder name from the folder that names it",
      APP,
      {
        "app/kustomization.yaml": "transformers: [../patches]\n",
        "app/patch.yaml": "a",
        "patches/kustomization.yaml": "resources: [plugin.yaml]\n",
        "patches/plugin.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\npath: patch.yaml\n",
      },
      "app/patch.yaml",
    ],
    [
      "is all manifests of a folder that Flux makes a kustomization of, and what those below name",
      { is: "generated", folder: "app" },
      { "app/deep/kustomization.yaml": "resources: [../../base/a.yaml]\n", "app/b.yaml": "b", "base/a.yaml": "a" },
      "base/a.yaml",
    ],
    ["is the commit of a submodule", APP, { "app/kustomization.yaml": "resources: [../sub]\n", sub: "@ 1" }, "sub"],
    [
      "is the commit of a submodule above",
      APP,
      { "app/kustomization.yaml": "resources: [../sub/base]\n", sub: "@ 1" },
      "sub",
    ],
    [
      "is what a chart behind a link has",
      { is: "chart", folder: "now/web" },
      { now: "-> v1", "v1/web/Chart.yaml": "name: web", "v1/web/values.yaml": "a: 1" },
      "v1/web/values.yaml",
    ],
  ];
  for (const [says, root, texts, path] of rows) {
    it(says, () => {
      const before = digest(texts, root);
      assert.notEqual(digest({ ...texts, [path]: `${texts[path] ?? ""} ` }, root), before, path);
      const { [path]: gone, ...others } = texts;
      assert.notEqual(digest(others, root), before, `${path} is gone`);
      assert.equal(digest({ ...texts, "elsewhere/a.yaml": "b" }, root), before, gone);
    });
  }

  it("is a folder without a kustomization for Flux, and no more than it names for one that has it", () => {
    const root: Root = { is: "generated", folder: "app" };
    const plain = { "app/a.yaml": "a", "app/b.yaml": "b" };
    assert.notEqual(digest({ ...plain, "app/b.yaml": "c" }, root), digest(plain, root));
    const named = { ...plain, "app/kustomization.yaml": "resources: [a.yaml]\n" };
    assert.equal(digest({ ...named, "app/b.yaml": "c" }, root), digest(named, root));
  });

  it("is for the build of Flux less than a folder without a kustomization: what kustomizations in it name, and no more", () => {
    const root: Root = { is: "generated", folder: "app" };
    const texts = {
      "app/a.yaml": "a",
      "app/one/kustomization.yaml": "resources: [one.yaml]\n",
      "app/one/one.yaml": "a",
      "app/one/two.yaml": "a",
      "app/one/deep/kustomization.yaml": "resources: [three.yaml]\n",
      "app/one/deep/three.yaml": "a",
      "app/link/kustomization.yaml": "-> ../a.yaml",
      "app/link/four.yaml": "a",
    };
    const all = (files: Texts): Closure => closureIn(files, contentsOf(files), [root]);
    const read = (files: Texts): string => all(files).read;
    for (const [path, isRead] of [
      ["app/a.yaml", true],
      ["app/one/one.yaml", true],
      ["app/one/two.yaml", false],
      ["app/one/deep/three.yaml", false],
      ["app/one/deep/kustomization.yaml", false],
      ["app/link/four.yaml", true],
      ["app/new/kustomization.yaml", true],
      ["app/one/new.yaml", false],
    ] as const) {
      const changed = { ...texts, [path]: "resources: []\n" };
      assert.equal(read(changed) !== read(texts), isRead, path);
      assert.notEqual(digest(changed, root), digest(texts, root), path);
      assert.equal(all(changed).neededByDefault().has(path), isRead, path);
      assert.ok(all(changed).needed().has("app"));
    }
  });

  it("is looked into in each folder, where two kustomizations have the same content", () => {
    const same = "resources: [a.yaml]\n";
    const texts = { "a/kustomization.yaml": same, "a/a.yaml": "1", "b/kustomization.yaml": same, "b/a.yaml": "1" };
    const roots: readonly Root[] = ["a", "b"].map((folder) => ({ is: "kustomization", folder }));
    for (const path of ["a/a.yaml", "b/a.yaml"])
      assert.notEqual(digest({ ...texts, [path]: "2" }, ...roots), digest(texts, ...roots), path);
  });
});

describe("what renderings of two revisions read", () => {
  const FOLDERS = ["a", "b", "a/c", "b/c"];
  const NAMES = ["kustomization.yaml", "kustomization.yml", "x.yaml", "Chart.yaml"];
  const way = fc.constantFrom(
    "../a",
    "../b",
    "c",
    "../../b",
    "x.yaml",
    "../a/x.yaml",
    "../b/c/x.yaml",
    "none/x.yaml",
    "../a/c",
  );
  const text = fc.oneof(
    { weight: 5, arbitrary: fc.array(way, { maxLength: 3 }).map((ways) => `resources: [${ways.join(", ")}]\n`) },
    { weight: 1, arbitrary: way.map((to) => `-> ${to}`) },
    { weight: 1, arbitrary: way.map((to) => `transformers: [${to}]\n`) },
    {
      weight: 2,
      arbitrary: fc.constantFrom("a", "b", "dependencies: [{name: c, repository: 'file://../b'}]\n", "@ id"),
    },
  );
  const paths = [...FOLDERS.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`)), ...FOLDERS];
  /** A folder is not a file either. */
  const whole = (texts: Texts): Texts =>
    Object.fromEntries(
      Object.entries(texts).filter(([path]) => !Object.keys(texts).some((other) => path.startsWith(`${other}/`))),
    );
  const files = fc.dictionary(fc.constantFrom(...paths), text, { maxKeys: 10 });
  const change = fc.dictionary(fc.constantFrom(...paths), fc.option(text), { maxKeys: 2 });
  const roots = fc.array(
    fc.record({
      is: fc.constantFrom("kustomization", "generated", "below", "chart", "folder"),
      folder: fc.constantFrom(...FOLDERS, "."),
    }),
    { minLength: 1, maxLength: 3 },
  );

  it("is what each of them reads by itself, whatever was known of the other", () => {
    let same = 0;
    fc.assert(
      fc.property(files, change, roots, (given, changed, of) => {
        const base = whole(given);
        const after = Object.entries({ ...given, ...changed }).flatMap(([path, one]): [string, string][] =>
          one === null ? [] : [[path, one]],
        );
        const head = whole(Object.fromEntries(after));
        const both = contentsOf(base, head);
        for (const texts of [base, head, base]) {
          const shared = closureIn(texts, both, of);
          const alone = closureIn(texts, contentsOf(base, head), of);
          assert.equal(shared.digest, alone.digest);
          assert.deepEqual([...shared.needed()].sort(), [...alone.needed()].sort());
          assert.equal(shared.isRemote, alone.isRemote);
        }
        if (closureIn(base, both, of).digest === closureIn(head, both, of).digest) same += 1;
      }),
      { numRuns: 300 },
    );
    assert.ok(same > 20 && same < 290, `${same} of 300 are the same`);
  });
});
