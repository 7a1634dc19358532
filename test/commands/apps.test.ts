import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
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
  it("lists them as text, with what is wrong", async () => {
    await inFolder(FILES, async (folder) => {
      const { status, stdout, stderr } = await cli(["apps", folder]);
      assert.equal(stderr, "");
      assert.equal(
        stdout,
        [
          ".          Files      by plain manifests",
          "apps/web   Kustomize  by kustomization",
          "charts/db  Helm       by chart",
          "",
          "3 applications: 1 by plain manifests, 1 by kustomization, 1 by chart",
          "",
          "error: Kustomization apps/bad/kustomization.yaml: this is not valid YAML: deficient indentation",
          "",
        ].join("\n"),
      );
      assert.equal(status, 1);
    });
  });

  it("lists those of a folder as JSON, by the schema", async () => {
    await inFolder(FILES, async (folder) => {
      const { status, stdout } = await cli(["apps", "-o", "json", join(folder, "apps")]);
      const shape: unknown = JSON.parse(stdout);
      assert.ok(validate(shape), JSON.stringify(validate.errors));
      assert.deepEqual(shape, {
        applications: [{ name: "apps/web", path: "apps/web", kind: "Kustomize", foundBy: "Kustomization" }],
        notExamined: [
          {
            path: "apps/bad/kustomization.yaml",
            kind: "Kustomization",
            reason: "this is not valid YAML: deficient indentation",
            severity: "error",
          },
        ],
      });
      assert.equal(status, 1);
      assert.equal((await cli(["apps", join(folder, "charts")])).status, 0);
    });
  });

  it("takes a folder, and nothing else", async () => {
    await inFolder(FILES, async (folder) => {
      assert.match((await cli(["apps", join(folder, "absent")])).stderr, /there is no such folder/u);
      const { status, stderr } = await cli(["apps", join(folder, "plain.yaml")]);
      assert.match(stderr, /this is no folder/u);
      assert.equal(status, 2);
    });
  });
});
