import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { cli } from "../support/cli.ts";
import { inFolder, writeFiles } from "../support/folders.ts";
import { inRoot } from "../support/paths.ts";

const validate = new Ajv2020().compile(JSON.parse(readFileSync(inRoot("schemas/apps.json"), "utf8")) as object);

const FILES = {
  ".git/HEAD": "ref: refs/heads/main\n",
  "apps/web/kustomization.yaml": "resources: []\n",
  "apps/bad/kustomization.yaml": "resources: [\n",
  "charts/db/Chart.yaml": "apiVersion: v2\nname: db\n",
  "charts/db/templates/x.yaml": "a: {{ b }}\n",
  "plain.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
};

describe("rollstamp apps", () => {
  it("lists applications as text, with errors", async () => {
    await inFolder(FILES, async (folder) => {
      const { status, stdout, stderr } = await cli(["apps", folder]);
      assert.equal(stderr, "");
      assert.equal(
        stdout,
        [
          "KIND       FOUND BY         NAME",
          "Files      plain manifests  .",
          "Kustomize  kustomization    apps/web",
          "Helm       chart            charts/db",
          "",
          "3 applications: 1 by plain manifests, 1 by kustomization, 1 by chart",
          "",
          "error: Kustomization apps/bad/kustomization.yaml: line 2, column 1: this is not valid YAML: deficient indentation",
          "",
        ].join("\n"),
      );
      assert.equal(status, 1);
    });
  });

  it("aligns columns independently of long names without other columns", async () => {
    const long = `apps/${"deep/".repeat(20)}web`;
    const files = {
      [`${long}/kustomization.yaml`]: "resources: []\n",
      "applications.yaml": ["b", "a"]
        .map(
          (name) =>
            `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\nspec: {source: {repoURL: x, path: ${long}}, destination: {name: prod, namespace: shop}}\n`,
        )
        .join("---\n"),
      "web/kustomization.yaml": "resources: []\n",
      "a-rather-long-folder-of-its-own/kustomization.yaml": "resources: []\n",
    };
    await inFolder(files, async (folder) => {
      const { stdout } = await cli(["apps", folder]);
      assert.deepEqual(stdout.split("\n").slice(0, 7), [
        "KIND       FOUND BY             HELD    CLUSTER  NAMESPACE  NAME  PATH",
        "Files      plain manifests      -       -        -          .",
        "Kustomize  kustomization        Orphan  -        -          a-rather-long-folder-of-its-own",
        `Kustomize  Argo CD Application  Manual  prod     shop       b     ${long}`,
        `Kustomize  Argo CD Application  Manual  prod     shop       a     ${long}`,
        "Kustomize  kustomization        Orphan  -        -          web",
        "",
      ]);
    });
  });

  it("lists applications of a folder as JSON that matches the schema", async () => {
    await inFolder(FILES, async (folder) => {
      const { status, stdout } = await cli(["apps", "-o", "json", join(folder, "apps")]);
      const shape: unknown = JSON.parse(stdout);
      assert.ok(validate(shape), JSON.stringify(validate.errors));
      assert.deepEqual(shape, {
        applications: [
          {
            name: "apps/web",
            path: "apps/web",
            kind: "Kustomize",
            foundBy: "Kustomization",
            stampedBy: "Nothing",
          },
        ],
        notExamined: [
          {
            path: "apps/bad/kustomization.yaml",
            kind: "Kustomization",
            reason: "line 2, column 1: this is not valid YAML: deficient indentation",
            severity: "error",
          },
        ],
      });
      assert.equal(status, 1);
      assert.equal((await cli(["apps", join(folder, "charts")])).status, 0);
    });
  });

  it("says which charts may contain more, unless they are rendered", async () => {
    const files = {
      "c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
      "c/templates/app.yaml":
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: {{ .Values.x }}}\n",
      "db/Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.0.0\n",
      "db/templates/x.yaml": "a: {{ b }}\n",
    };
    await inFolder(files, async (folder) => {
      const { status, stdout } = await cli(["apps", folder]);
      assert.equal(status, 0);
      assert.match(
        stdout,
        /^not examined: Chart c: its templates may contain more applications\n\nA rendering may show 1 of these objects: rollstamp apps --expand$/mu,
      );
      const json: unknown = JSON.parse((await cli(["apps", "-o", "json", folder])).stdout);
      assert.ok(validate(json), JSON.stringify(validate.errors));
    });
  });

  it("says how each application is stamped", async () => {
    const files = {
      ...FILES,
      "plain.yaml":
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {configmap.rollstamp.dev/env: h1-0}}\n",
      "rollstamp.yaml":
        "apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {applications: [{path: charts/db, stampedBy: PostRenderer}]}\n",
    };
    await inFolder(files, async (folder) => {
      const { stdout } = await cli(["apps", folder]);
      assert.deepEqual(stdout.split("\n").slice(0, 4), [
        "KIND       FOUND BY         STAMPED BY    NAME",
        "Files      plain manifests  Files         .",
        "Kustomize  kustomization    -             apps/web",
        "Helm       rollstamp.yaml   PostRenderer  charts/db",
      ]);
      const shape: { applications: { stampedBy: string }[] } = JSON.parse(
        (await cli(["apps", "-o", "json", folder])).stdout,
      );
      assert.deepEqual(
        shape.applications.map(({ stampedBy }) => stampedBy),
        ["Files", "Nothing", "PostRenderer"],
      );
    });
  });

  it("reads values for generators from a file, and reports errors in it", async () => {
    const set = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: set}
spec:
  generators: [{clusters: {}}]
  template:
    metadata: {name: '{{name}}'}
    spec: {source: {repoURL: x, path: apps/web}, destination: {name: '{{name}}'}}
`;
    const files = {
      ...FILES,
      "set.yaml": set,
      "values/c.yaml": "clusters: [{name: prod, server: s}]\n",
      "values/x.yaml": "cluster: []\n",
    };
    await inFolder(files, async (folder) => {
      const given = await cli(["apps", "--clusters", join(folder, "values/c.yaml"), folder]);
      assert.match(given.stdout, /^Kustomize {2}Argo CD ApplicationSet {2}Manual {2}prod {5}prod {2}apps\/web$/mu);
      assert.match(
        (await cli(["apps", folder])).stdout,
        /^not examined: ApplicationSet set in set\.yaml: .*--clusters/mu,
      );
      const wrong = await cli(["apps", "--clusters", join(folder, "values/x.yaml"), folder]);
      assert.equal(wrong.status, 2);
      assert.match(wrong.stderr, /unknown field 'cluster', did you mean 'clusters'/u);
    });
  });

  it("identifies a clone by its remotes", async () => {
    const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web}
spec: {source: {repoURL: 'https://github.com/example/web', path: apps/web}}
`;
    const config =
      '[core]\n\trepositoryformatversion = 0\n[remote "origin"]\n\turl = git@github.com:example/NAME.git\n';
    const local = (url: string): string => `[core]\n\trepositoryformatversion = 0\n[remote "origin"]\n\turl = ${url}\n`;
    const files = { ...FILES, ".git/objects/x": "", ".git/refs/x": "", "web.yaml": application };
    for (const [name, found] of [
      ["web", /^Kustomize {2}Argo CD Application {2}Manual {2}web {3}apps\/web$/mu],
      ["other", /^not examined: Application web in web\.yaml: its source is another repository/mu],
    ] as const)
      await inFolder({ ...files, ".git/config": config.replace("NAME", name) }, async (folder) => {
        assert.match((await cli(["apps", folder])).stdout, found);
        // Its clone on this machine, and a clone of that.
        for (const [from, to] of [
          [folder, join(folder, "clone")],
          [`file://${join(folder, "clone")}`, join(folder, "next")],
        ] as const) {
          writeFiles(to, { ...files, ".git/config": local(from) });
          assert.match((await cli(["apps", to])).stdout, found);
        }
      });
  });

  it("ignores configurations of functions, which ignore its configuration", async () => {
    const files = {
      "rollstamp.yaml":
        "apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {applications: [{path: a, name: x}]}\n---\napiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: Combined}\n",
      "a/kustomization.yaml": "",
      "b.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
    };
    await inFolder(files, async (folder) => {
      assert.match((await cli(["apps", folder])).stdout, /^Kustomize {2}rollstamp\.yaml {3}x {5}a$/mu);
      const digest = await cli(["digest", "--files", folder]);
      assert.equal(digest.status, 0, digest.stderr);
      const fn = await cli(["fn", "--config", join(folder, "rollstamp.yaml")], { stdin: files["b.yaml"] });
      assert.equal(fn.status, 0, fn.stderr);
    });
  });

  it("accepts only a folder", async () => {
    await inFolder(FILES, async (folder) => {
      assert.match((await cli(["apps", join(folder, "absent")])).stderr, /folder not found/u);
      const { status, stderr } = await cli(["apps", join(folder, "plain.yaml")]);
      assert.match(stderr, /not a folder/u);
      assert.equal(status, 2);
    });
  });
});
