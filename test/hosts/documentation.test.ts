// Runs the examples of README and docs/ as they are written.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { before, describe, test } from "node:test";
import { parse, parseDocument } from "yaml";
import { commandsOf, fencesUnder, shownFile } from "../support/fences.ts";
import { combinedStampOf, stampOf } from "./expected-digest.ts";
import { builtImage, engine, pathOf, PUBLISHED, withEngine } from "./images.ts";
import { filesOf, kpt, objectsIn } from "./kpt.ts";
import { KUBECTL, STANDALONE } from "./kustomize.ts";
import { allStamps, mapping, objectsOf } from "./manifests.ts";
import { root, unlessFound, type Run } from "./programs.ts";
import { treeOf, type Tree } from "./trees.ts";
import { rollstamp } from "./wiring.ts";
import { ENV, WEB } from "./web.ts";

const missing = [engine, kpt, KUBECTL.program, STANDALONE].map(unlessFound).find((reason) => reason !== false) ?? false;

const STAMPS = { "Deployment/web": { "configmap.rollstamp.dev/env": stampOf({ LEVEL: "info" }) } };
const COMBINED = {
  "Deployment/web": { "rollstamp.dev/config-hash": combinedStampOf({ "configmap/env": { LEVEL: "info" } }) },
};

describe("documented examples", { skip: missing }, () => {
  let image = "";
  before(() => {
    image = builtImage("function");
  });
  /** Text of the documentation with the image of this test. */
  const ours = (text: string): string => text.replaceAll(PUBLISHED, image);

  test("docs/start/kustomize.md, what init adds", () => {
    const shown = fencesUnder("docs/start/kustomize.md", "Stamp");
    const tree = kustomization(
      shownFile(shown, "kustomization.yaml"),
      { "overlays/prod/stamp.yaml": shownFile(shown, "stamp.yaml") },
      "overlays/prod",
    );
    const [init = "", check = ""] = commandsOf(shown);
    const { stdout, stderr } = sh(init, tree);
    assert.match(stderr, /set up already/u);
    assert.deepEqual(allStamps(objectsOf(stdout)), STAMPS);
    sh(check, tree);
  });

  test("docs/start/kustomize.md, as an image", () => {
    const shown = fencesUnder("docs/start/kustomize.md", "As an image");
    const tree = kustomization("transformers: [stamp.yaml]\n", { "stamp.yaml": ours(shownFile(shown, "stamp.yaml")) });
    assert.deepEqual(allStamps(objectsOf(sh(only(commandsOf(shown)), tree, { PATH: withoutOurs() }).stdout)), STAMPS);
  });

  test("docs/start/manifests.md, a pipe", () => {
    const tree = treeOf({
      "kustomization.yaml": "resources: [app.yaml, env.yaml]\n",
      "app.yaml": WEB,
      "env.yaml": ENV,
      "rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: Combined}\n",
    });
    // Whatever prints manifests may stand in the place of helm.
    writeFileSync(join(tree.folder, "rendered"), `${WEB}---\n${ENV}`);
    const bin = programs(tree, { helm: `cat '${tree.folder}/rendered'` });
    sh(only(commandsOf(fencesUnder("docs/start/manifests.md", "A pipe"))), tree, {
      PATH: [bin, ownPath()].join(delimiter),
    });
    const file = (name: string): string => readFileSync(join(tree.folder, name), "utf8");
    assert.deepEqual(allStamps(objectsOf(file("web.yaml"))), STAMPS);
    assert.deepEqual(allStamps(objectsOf(file("shop.yaml"))), COMBINED);
  });

  test("docs/guides/kpt.md, as an image", () => {
    const shown = fencesUnder("docs/guides/kpt.md", "As an image");
    const [render = "", evaluate = ""] = commandsOf(shown);
    const tree = treeOf({ Kptfile: ours(shownFile(shown, "Kptfile")), "web.yaml": WEB, "env.yaml": ENV });
    sh(render, tree, { PATH: withoutOurs() });
    assert.deepEqual(allStamps(objectsIn(filesOf(tree))), COMBINED);
    const plain = treeOf({ "web.yaml": WEB, "env.yaml": ENV });
    sh(ours(evaluate), plain, { PATH: withoutOurs() });
    assert.deepEqual(allStamps(objectsIn(filesOf(plain))), COMBINED);
  });

  test("docs/guides/kpt.md, as a program", () => {
    const shown = fencesUnder("docs/guides/kpt.md", "As a program");
    const files = Object.fromEntries(["Kptfile", "stamp.yaml"].map((name) => [name, shownFile(shown, name)]));
    const tree = treeOf({ ...files, "web.yaml": WEB, "env.yaml": ENV });
    sh(only(commandsOf(shown)), tree);
    assert.deepEqual(allStamps(objectsIn(filesOf(tree))), COMBINED);
  });

  test("docs/guides/kpt.md, docker run", () => {
    const command =
      commandsOf(fencesUnder("docs/guides/kpt.md", "Images")).find((text) => text.includes("docker run")) ?? "";
    assert.deepEqual(
      allStamps(objectsOf(sh(ours(command), kustomization(""), { PATH: withoutOurs() }).stdout)),
      STAMPS,
    );
  });

  test("docs/guides/argocd.md, kustomize's own plugins: the options of argocd-cm are enough", () => {
    const shown = fencesUnder("docs/guides/argocd.md", "kustomize's own plugins");
    const options = String(
      mapping(mapping(parse(shownFile(shown, "argocd-cm.yaml")))["data"])["kustomize.buildOptions"],
    );
    assert.doesNotMatch(options, /enable-exec/);
    const tree = kustomization(shownFile(shown, "kustomization.yaml"), {
      "stamp.yaml": shownFile(shown, "stamp.yaml"),
    });
    const env = { KUSTOMIZE_PLUGIN_HOME: join(root, "functions", "kustomize-plugin") };
    assert.deepEqual(allStamps(objectsOf(sh(`kustomize build . ${options}`, tree, env).stdout)), STAMPS);
  });

  describe("docs/guides/flux.md, as an OCI artifact", () => {
    const script = only(commandsOf(fencesUnder("docs/guides/flux.md", "In CI, as an OCI artifact")));

    test("flux gets the stamped manifests", () => {
      const tree = kustomization("", {}, "overlays/prod");
      const { status, stderr } = sh(script, tree, { PATH: fluxPath(tree) });
      assert.equal(status, 0, stderr);
      const pushed = readFileSync(join(tree.folder, "pushed.yaml"), "utf8");
      assert.deepEqual(allStamps(objectsOf(pushed)), STAMPS);
      assert.match(
        readFileSync(join(tree.folder, "arguments"), "utf8"),
        /^push artifact oci:\S+ -f shop\.yaml --source=\S+ --revision=main@sha1:[0-9a-f]{40}$/m,
      );
    });

    test("flux does not run if rollstamp fails", () => {
      const tree = kustomization(
        "",
        { "overlays/prod/broken.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\nbinaryData: {a: '*'}\n" },
        "overlays/prod",
        ["broken.yaml"],
      );
      const run = tryShell(script, tree, { PATH: fluxPath(tree) });
      assert.notEqual(run.status, 0);
      assert.match(run.stderr, /rollstamp: error:/);
      assert.equal(existsSync(join(tree.folder, "arguments")), false);
    });
  });
});

/** A kustomization with a workload and its configuration; what is shown of one goes on top. */
function kustomization(
  shown: string,
  files: Readonly<Record<string, string>> = {},
  folder = ".",
  resources: readonly string[] = [],
): Tree {
  const document = parseDocument(shown);
  const whole = {
    resources: ["web.yaml", ...resources],
    generatorOptions: { disableNameSuffixHash: true },
    configMapGenerator: [{ name: "env", literals: ["LEVEL=info"] }],
    ...mapping(document.toJS() ?? {}),
  };
  return treeOf({
    [join(folder, "kustomization.yaml")]: JSON.stringify(whole),
    [join(folder, "web.yaml")]: WEB,
    ...files,
  });
}

function only(texts: readonly string[]): string {
  const [text, ...more] = texts;
  assert.ok(text !== undefined && more.length === 0, `${texts.length} blocks of commands`);
  return text;
}

function sh(script: string, tree: Tree, env: NodeJS.ProcessEnv = {}): Run {
  const run = tryShell(script, tree, env);
  assert.equal(run.status, 0, `${script} ends with ${run.status}: ${run.stderr}`);
  return run;
}

function tryShell(script: string, tree: Tree, env: NodeJS.ProcessEnv): Run {
  const { KUSTOMIZE_PLUGIN_HOME: _, ...own } = withEngine(rollstamp.env);
  const { status, stdout, stderr, error } = spawnSync("bash", ["-eu", "-c", script], {
    cwd: tree.folder,
    env: { ...own, PATH: ownPath(), ...env },
    encoding: "utf8",
    timeout: 120_000,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

function ownPath(): string {
  const env = withEngine(rollstamp.env);
  return pathOf([kpt, KUBECTL.program, STANDALONE], env);
}

/** Without rollstamp on PATH: only the image can have done it. */
function withoutOurs(): string {
  return pathOf([kpt, KUBECTL.program, STANDALONE], withEngine({ ...process.env }));
}

/** A folder of programs of a line of shell. */
function programs(tree: Tree, scripts: Readonly<Record<string, string>>): string {
  const bin = join(tree.folder, "bin");
  mkdirSync(bin);
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

/** A flux that keeps what it is given, and a git that knows a commit. */
function fluxPath(tree: Tree): string {
  const bin = programs(tree, {
    flux: `echo "$@" > '${tree.folder}/arguments'\ncp shop.yaml '${tree.folder}/pushed.yaml'`,
    git: `case "$1" in rev-parse) echo 4f3e2d1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f5e;; *) echo https://git.example/shop;; esac`,
  });
  return [bin, ownPath()].join(delimiter);
}
