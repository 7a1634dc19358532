// Layout Versioned in kustomize: references that we wrote lead to the copies that the build prints, in every way to call us.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { parseDocument } from "yaml";
import {
  build,
  declareFunction,
  KUBECTL,
  KUSTOMIZE_HOSTS,
  removeTransformers,
  STANDALONE,
  tryBuild,
  type KustomizeHost,
} from "./kustomize.ts";
import { objectsOf } from "./manifests.ts";
import { command, succeed, unlessFound } from "./programs.ts";
import { copyTree, scenariosOf, type Scenario } from "./scenario.ts";
import { treeOf, type Tree } from "./trees.ts";
import { assertOnlyVersioned } from "./versioned.ts";
import { identity, rollstamp } from "./wiring.ts";

/** The tree of a scenario whose transformers have layout Versioned. */
function versionedTree(scenario: Scenario, host: KustomizeHost): Tree {
  const tree = copyTree(scenario);
  for (const file of readdirSync(tree.folder, { recursive: true, encoding: "utf8" })) {
    if (!/(?:^|\/)stamp[^/]*\.yaml$/u.test(file)) continue;
    const path = join(tree.folder, file);
    const document = parseDocument(readFileSync(path, "utf8"));
    const options = document.get("kind") === "ConfigMap" ? "data" : "spec";
    document.setIn([options, "layout"], "Versioned");
    document.setIn([options, "versionedSecrets"], options === "data" ? "true" : true);
    writeFileSync(path, document.toString());
  }
  declareFunction(tree, host);
  return tree;
}

/** The tree of a scenario without a function. */
function plainTree(scenario: Scenario): Tree {
  const tree = copyTree(scenario);
  removeTransformers(tree);
  return tree;
}

/** A layer around the folder that is built. */
function within(tree: Tree, settings: string): Tree {
  const { folder } = treeOf({});
  cpSync(tree.folder, join(folder, "inner"), { recursive: true });
  const inner = tree.build.slice(tree.folder.length);
  writeFileSync(join(folder, "kustomization.yaml"), `${settings}resources: [./inner${inner}]\n`);
  return { folder, build: folder };
}

const LAYERS: Readonly<Record<string, string>> = {
  "below a layer with a prefix and a suffix": "namePrefix: out-\nnameSuffix: -end\n",
  "below a layer with a namespace and a prefix": "namespace: elsewhere\nnamePrefix: out-\n",
};

const VERSIONED = `apiVersion: rollstamp.dev/v1alpha1
kind: ConfigHash
metadata: {name: again}
spec: {layout: Versioned, versionedSecrets: true}
`;

for (const host of KUSTOMIZE_HOSTS) {
  describe(`${host.name}: layout Versioned`, { skip: unlessFound(host.program) }, () => {
    for (const scenario of scenariosOf("kustomize")) {
      test(scenario.name, () => {
        const plain = objectsOf(build(host, plainTree(scenario), identity));
        assertOnlyVersioned(plain, objectsOf(build(host, versionedTree(scenario, host), rollstamp)));
      });

      // Both kustomizes hand a legacy plugin the same stream: layers are tried with one of them.
      if (host !== KUBECTL && !host.declaresExec) continue;
      for (const [layer, settings] of Object.entries(LAYERS))
        test(`${scenario.name}, ${layer}`, (context) => {
          const plain = tryBuild(host, within(plainTree(scenario), settings), identity);
          if (plain.status !== 0) return context.skip("kustomize refuses it without a function, too");
          const versioned = build(host, within(versionedTree(scenario, host), settings), rollstamp);
          assertOnlyVersioned(objectsOf(plain.stdout), objectsOf(versioned));
        });
    }
  });
}

describe("kustomize build | rollstamp: layout Versioned", { skip: unlessFound(STANDALONE) }, () => {
  for (const scenario of scenariosOf("kustomize"))
    test(scenario.name, () => {
      const plain = succeed(STANDALONE, ["build", plainTree(scenario).build], { cwd: "/", env: process.env });
      const config = join(treeOf({ "config.yaml": VERSIONED }).folder, "config.yaml");
      const pipe = (input: string): string =>
        execFileSync(process.execPath, [command, "fn", "--config", config], { input, encoding: "utf8" });
      const once = pipe(plain);
      assertOnlyVersioned(objectsOf(plain), objectsOf(once));
      assert.equal(pipe(once), once);
    });
});
