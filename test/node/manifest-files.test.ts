import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, it } from "node:test";
import {
  readManifestFiles,
  type ManifestFiles,
  type ReadOptions,
} from "../../src/applications/inputs/manifest-files.ts";
import { FILES } from "../../src/node/files.ts";
import { errorText } from "../../src/findings/results/terminal.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";

const CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
const GIT = { ".git/HEAD": "" };

async function read(
  folder: string,
  paths: readonly string[],
  options: Partial<ReadOptions> = {},
): Promise<ManifestFiles> {
  return readManifestFiles(
    FILES,
    paths.map((path) => (path === "-" ? path : join(folder, path))),
    { kustomizeInput: false, limits: DEFAULT_LIMITS, ...options },
  );
}

/** The files that are read below a folder, as paths in it. */
async function readPaths(
  files: Files,
  paths: readonly string[] = ["."],
  options: Partial<ReadOptions> = {},
): Promise<string[]> {
  let found: string[] = [];
  await inFolder(files, async (folder) => {
    const result = await read(folder, paths, options);
    assert.deepEqual(result.errors.map(errorText), []);
    found = result.files.map((file) => relative(folder, file.path));
  });
  return found;
}

describe("the files with manifests", () => {
  const cases: readonly {
    name: string;
    files: Files;
    paths?: string[];
    options?: Partial<ReadOptions>;
    found: string[];
  }[] = [
    {
      name: "are YAML and JSON, in path order, hidden folders too",
      files: {
        "b/x.yaml": CONFIG,
        "a.json": JSON.stringify({ apiVersion: "v1", kind: "Secret" }),
        "b.yml": CONFIG,
        ".c/d.yaml": CONFIG,
        "e.txt": CONFIG,
      },
      found: [".c/d.yaml", "a.json", "b/x.yaml", "b.yml"],
    },
    {
      name: "leave out what is no manifest, even what is no YAML",
      files: {
        "ci.yaml": "a: !!python/name:x {{ y",
        "package.json": "{}",
        "values.yaml": "apiVersion: 1\nkind: x\n",
        "a.yaml": CONFIG,
      },
      found: ["a.yaml"],
    },
    {
      name: "leave out a ResourceList and JSON that only our reader refuses",
      files: {
        "list.yaml": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n",
        "schema.json": '{"apiVersion": {"kind": "\\ud800"}, "a": 1, "a": 2}',
        "a.yaml": CONFIG,
      },
      found: ["a.yaml"],
    },
    {
      name: "leave out a chart's templates, not its CRDs",
      files: {
        "web/Chart.yaml": "apiVersion: v2\nname: web\n",
        "web/templates/a.yaml": `{{ x }}\n${CONFIG}`,
        "web/crds/a.yaml": CONFIG,
        "templates/b.yaml": CONFIG,
      },
      found: ["templates/b.yaml", "web/crds/a.yaml"],
    },
    {
      name: "leave out a chart's templates that are given as a folder",
      files: { "web/Chart.yaml": "apiVersion: v2\n", "web/templates/a.yaml": `{{ x }}\n${CONFIG}`, "b.yaml": CONFIG },
      paths: ["web/templates", "b.yaml"],
      found: ["b.yaml"],
    },
    {
      name: "leave out dependencies: node_modules, and a vendor folder of Go",
      files: {
        "node_modules/a/a.yaml": CONFIG,
        "x/vendor/modules.txt": "# k8s.io/api v0.31.0\n",
        "x/vendor/k8s.io/a.yaml": CONFIG,
        "vendor/a.yaml": CONFIG,
      },
      found: ["vendor/a.yaml"],
    },
    {
      name: "heed nested ignore files, the nearest first",
      files: {
        ...GIT,
        ".gitignore": "*.json\nout/\n/top.yaml\n",
        "a/.gitignore": "!b.json\n",
        "a/b.json": '{"apiVersion":"v1","kind":"X"}',
        "a/top.yaml": CONFIG,
        "top.yaml": CONFIG,
        "out/c.yaml": CONFIG,
        "x/.krmignore": "d.yaml\n",
        "x/d.yaml": CONFIG,
        "x/e.yaml": CONFIG,
      },
      found: ["a/b.json", "a/top.yaml", "x/e.yaml"],
    },
    {
      name: "heed the ignore files of the repository above the folder",
      files: {
        ...GIT,
        ".gitignore": "secret*.yaml\n/a/b/only.yaml\n",
        "a/b/secret-1.yaml": CONFIG,
        "a/b/only.yaml": CONFIG,
        "a/b/c.yaml": CONFIG,
      },
      paths: ["a/b"],
      found: ["a/b/c.yaml"],
    },
    {
      name: "are read although ignored where they are given by themselves",
      files: { ...GIT, ".gitignore": "*.yaml\n", "a.yaml": CONFIG, "b.yaml": CONFIG },
      paths: [".", "a.yaml"],
      found: ["a.yaml"],
    },
    {
      name: "are read in an ignored folder that is given, by its own rules",
      files: {
        ...GIT,
        ".gitignore": "/out/\n",
        "out/.gitignore": "b.yaml\n",
        "out/a.yaml": CONFIG,
        "out/b.yaml": CONFIG,
      },
      paths: ["out"],
      found: ["out/a.yaml"],
    },
    {
      name: "follow a link only inside the folder, and once",
      files: {
        "in/real/a.yaml": CONFIG,
        "in/again": "-> real",
        "in/b.yaml": "-> real/a.yaml",
        "in/out": "-> ../outside",
        "in/c.yaml": "-> ../outside/x.yaml",
        "in/real/up": "-> ..",
        "in/gone.yaml": "-> nowhere",
        "in/data.yaml": "-> hidden.txt",
        "in/hidden.txt": CONFIG,
        "outside/x.yaml": CONFIG,
      },
      paths: ["in"],
      found: ["in/data.yaml", "in/real/a.yaml"],
    },
    {
      name: "count once where paths overlap",
      files: { "a/b.yaml": CONFIG, "a/c.yaml": CONFIG },
      paths: ["a/b.yaml", "a", "."],
      found: ["a/b.yaml", "a/c.yaml"],
    },
    {
      name: "are not those of kustomize",
      files: {
        "base/kustomization.yaml": "resources: [a.yaml]\n",
        "base/a.yaml": CONFIG,
        "base/deep/b.yaml": CONFIG,
        "plain/c.yaml": CONFIG,
        "over/Kustomization": "",
        "over/d.yaml": CONFIG,
      },
      found: ["plain/c.yaml"],
    },
    {
      name: "are those of kustomize as well where it is asked for",
      files: { "base/kustomization.yaml": "resources: [a.yaml]\n", "base/a.yaml": CONFIG, "base/deep/b.yaml": CONFIG },
      options: { kustomizeInput: true },
      found: ["base/a.yaml", "base/deep/b.yaml"],
    },
    {
      name: "can be standard input",
      files: {},
      paths: ["-"],
      options: { readStdin: async () => CONFIG },
      found: [relative("/", "/stdin")],
    },
  ];
  for (const { name, files, paths, options, found } of cases) {
    it(name, async () => {
      const actual = await readPaths(files, paths, options);
      assert.deepEqual(
        actual.map((path) => path.replace(/^.*\bstdin$/u, "stdin")),
        found,
      );
    });
  }
});

describe("errors about files", () => {
  it("tells kustomize's input, however deep the given path is below it, and what builds from it", () =>
    inFolder({ ...GIT, "app/kustomization.yaml": "", "app/a/b.yaml": CONFIG, "c.yaml": CONFIG }, async (folder) => {
      for (const path of ["app", "app/a"]) {
        const { files, notExamined } = await read(folder, [path, "c.yaml"]);
        assert.equal(files.length, 1);
        assert.deepEqual(
          notExamined.map(({ kind, path: at, builtFrom }) => [kind, at, builtFrom && join(process.cwd(), builtFrom)]),
          [["Kustomization", join(folder, path), path === "app" ? undefined : join(folder, "app")]],
        );
      }
    }));
  it("processes a file below a kustomization that is named", () =>
    inFolder({ ...GIT, "app/kustomization.yaml": "", "app/a/b.yaml": CONFIG }, async (folder) => {
      const { files, notExamined } = await read(folder, ["app/a/b.yaml"]);
      assert.deepEqual([files.map(({ path }) => relative(folder, path)), notExamined], [["app/a/b.yaml"], []]);
    }));
  it("tells every file that can't be taken, each with its place", () =>
    inFolder(
      { "a.yaml": `${CONFIG}data: {x: [}\n`, "b.yaml": CONFIG, "c.yaml": `${CONFIG}---\nmetadata: {}\n`, "d.yaml": "" },
      async (folder) => {
        const { files, errors, findings } = await read(folder, [".", "d.yaml", "gone.yaml"]);
        assert.deepEqual(
          files.map((file) => relative(folder, file.path)),
          ["b.yaml"],
        );
        const messages = errors.map((error) => errorText(error).split("\n")[0]?.replace(`${folder}/`, ""));
        assert.deepEqual(messages, [
          "gone.yaml: no such file or folder",
          "d.yaml:1:1: the input contains no Kubernetes object",
        ]);
        assert.deepEqual(
          findings.map(
            ({ place, params }) => `${place?.file.replace(`${folder}/`, "")}:${place?.line}: ${params.problem}`,
          ),
          [
            "a.yaml:4: this is not valid YAML: missed comma between flow collection entries",
            "c.yaml:5: this object has no kind",
          ],
        );
      },
    ));
  it(
    "tells a file and a folder that can't be read",
    { skip: process.getuid?.() === 0 && "root reads everything" },
    () =>
      inFolder({ "a.yaml": CONFIG, "b/c.yaml": CONFIG }, async (folder) => {
        chmodSync(join(folder, "a.yaml"), 0);
        chmodSync(join(folder, "b"), 0);
        const { errors } = await read(folder, ["."]);
        chmodSync(join(folder, "b"), 0o700);
        assert.equal(errors.filter((error) => /can't be read \(EACCES\)/u.test(error.message)).length, 2);
      }),
  );
  it("refuses standard input where a command writes files", async () => {
    await assert.rejects(read("", ["-"]), /takes files and folders, not standard input/u);
  });
});
