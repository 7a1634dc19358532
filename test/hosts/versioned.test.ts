// Layout Versioned in kpt, in both Helms and in Argo CD's plugin.
import assert from "node:assert/strict";
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { cmp, repository, sidecar } from "./cmp.ts";
import { chart, HELMS, POST_RENDERER, prepare, template, tryTemplate, type Helm } from "./helm.ts";
import { filesOf, kpt, kptFn } from "./kpt.ts";
import { STANDALONE } from "./kustomize.ts";
import { identityOf, mapping, objectsOf as allDocuments, optionalMapping, type Mapping } from "./manifests.ts";
import { root, run, unlessFound, type Run } from "./programs.ts";
import { copyTree, scenariosOf } from "./scenario.ts";
import { treeOf } from "./trees.ts";
import { allNamed, assertOnlyVersioned, isCopy } from "./versioned.ts";
import { rollstamp } from "./wiring.ts";

const CONFIG = `apiVersion: rollstamp.dev/v1alpha1
kind: ConfigHash
metadata:
  name: stamp
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  layout: Versioned
  versionedSecrets: true
`;

const OBJECT = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}';

const config = join(treeOf({ "rollstamp.yaml": CONFIG }).folder, "rollstamp.yaml");

/** The objects of a rendering; a template may leave nothing but a comment. */
function objectsOf(text: string): readonly Mapping[] {
  return allDocuments(
    text
      .split(/^---$/mu)
      .filter((document) => /^[^#\s]/mu.test(document))
      .join("---"),
  );
}

function copyNames(objects: readonly Mapping[]): readonly string[] {
  return objects.filter(isCopy).map((object) => identityOf(object).replace(/-[0-9a-f]{10}$/u, ""));
}

describe("kpt: layout Versioned", { skip: unlessFound(kpt) }, () => {
  test("copies go to the files of their sources, also in sub-packages, and a second run changes nothing", () => {
    const scenario = scenariosOf("kpt").find(({ name }) => name === "sub-packages-with-the-same-paths");
    assert.ok(scenario !== undefined);
    const plain = filesOf(copyTree(scenario));
    const withConfig = Object.entries(plain).flatMap(([path, text]) =>
      path.endsWith("Kptfile")
        ? [
            [path, text.replace("exec: rollstamp", "exec: rollstamp\n      configPath: stamp.yaml")] as const,
            [path.replace(/Kptfile$/u, "stamp.yaml"), CONFIG] as const,
          ]
        : [[path, text] as const],
    );
    const tree = treeOf(Object.fromEntries(withConfig));
    kptFn(tree, ["render", "--allow-exec"], rollstamp);
    const once = filesOf(tree);
    assert.deepEqual(Object.keys(once), Object.keys(Object.fromEntries(withConfig)).sort());
    for (const [path, text] of Object.entries(plain).filter(([name]) => name.endsWith("app.yaml"))) {
      const objects = allDocuments(once[path] ?? "");
      assertOnlyVersioned(allDocuments(text), objects);
      assert.equal(objects.filter(isCopy).length, 2, path);
      for (const copy of objects.filter(isCopy)) {
        const annotations = optionalMapping(mapping(copy["metadata"])["annotations"]);
        assert.equal(annotations["client.lifecycle.config.k8s.io/deletion"], "detach");
        assert.deepEqual(
          Object.keys(annotations).filter((key) => key.includes("config.kubernetes.io/")),
          [],
        );
      }
    }
    kptFn(tree, ["render", "--allow-exec"], rollstamp);
    assert.deepEqual(filesOf(tree), once);
  });
});

for (const helm of HELMS) {
  describe(`${helm.name}: layout Versioned`, { skip: unlessFound(helm.program) }, () => {
    const env = { ROLLSTAMP_CONFIG: config };
    before(() => prepare(helm));

    test("copies are kept, hooks have none, and the same values give the same manifest", () => {
      const plain = objectsOf(template(helm, "shop"));
      const first = tryTemplate(helm, "shop", POST_RENDERER, env);
      assert.equal(first.status, 0, first.stderr);
      const objects = objectsOf(first.stdout);
      assertOnlyVersioned(plain, objects);
      assert.deepEqual([...copyNames(objects)].sort(), [
        "ConfigMap/shop-cache",
        "ConfigMap/shop-settings",
        "ConfigMap/shop-settings",
        "Secret/shop-credentials",
      ]);
      for (const copy of objects.filter(isCopy)) {
        const annotations = mapping(mapping(copy["metadata"])["annotations"]);
        assert.equal(annotations["helm.sh/resource-policy"], "keep");
        assert.ok(!("postrenderer.helm.sh/postrender-filename" in annotations));
      }
      assert.equal(tryTemplate(helm, "shop", POST_RENDERER, env).stdout, first.stdout);
    });

    test("the ConfigMap of the release has a copy, and the hook of the same name none", () => {
      const plain = objectsOf(template(helm, "twice"));
      const { stdout, stderr, status } = tryTemplate(helm, "twice", POST_RENDERER, env);
      assert.equal(status, 0, stderr);
      const objects = objectsOf(stdout);
      assert.equal(objects.length, plain.length + 1);
      const copy = objects.find(isCopy);
      assert.ok(copy !== undefined && allNamed(objects).has(identityOf(copy)));
    });

    test("a pipe from `helm template` is no post-renderer", () => {
      const { stdout, stderr, status } = shell(helm, `${commandOf(helm, [])} | rollstamp`, env);
      assert.equal(status, 0, stderr);
      const objects = objectsOf(stdout);
      assert.ok(objects.some(isCopy));
      assert.doesNotMatch(stdout, /helm\.sh\/resource-policy/u);
    });
  });
}

const helm3 = HELMS.find(({ version }) => version === 3);
if (helm3 !== undefined) {
  describe("Helm 3: which versions keep copies", { skip: unlessFound(helm3.program) }, () => {
    const script = (text: string): string => {
      const path = join(treeOf({ "render.sh": `#!/bin/sh\n${text}\n` }).folder, "render.sh");
      chmodSync(path, 0o755);
      return path;
    };

    for (const text of ["cat | rollstamp", "exec rollstamp", "sh -c 'rollstamp'"])
      test(`3.22 is found above the script: ${text}`, () => {
        const run3 = tryTemplate(helm3, "shop", ["--post-renderer", script(text)], { ROLLSTAMP_CONFIG: config });
        assert.equal(run3.status, 0, run3.stderr);
        assert.match(run3.stdout, /helm\.sh\/resource-policy/u);
      });

    test("an older version is refused: by the variable, and by the program that runs the script", () => {
      const refused = /'spec\.layout: Versioned' does not work with Helm v?3\.18\.6/u;
      const given = { ROLLSTAMP_CONFIG: config, ROLLSTAMP_HELM_VERSION: "3.18.6" };
      const { status, stderr } = tryTemplate(helm3, "shop", POST_RENDERER, given);
      assert.notEqual(status, 0);
      assert.match(stderr, refused);
      // A shell of this name finds its commands as scripts in the folder, also the one that prints the version.
      const { folder } = treeOf({
        version: "printf v3.18.6",
        post: `echo '${OBJECT}' | sh -c rollstamp`,
      });
      const old = join(folder, "helm");
      copyFileSync("/bin/sh", old);
      chmodSync(old, 0o755);
      const env = { ...rollstamp.env, ROLLSTAMP_CONFIG: config };
      const piped = run({ found: true, path: old }, ["post"], { cwd: folder, env });
      assert.match(piped.stderr, refused);
    });

    test("other layouts work with any version", () => {
      const env = { ROLLSTAMP_HELM_VERSION: "3.18.6" };
      assert.equal(tryTemplate(helm3, "shop", POST_RENDERER, env).status, 0);
    });
  });
}

describe("cmp generate: layout Versioned", { skip: unlessFound(STANDALONE) }, () => {
  for (const path of ["overlays/prod", "chart"])
    test(path, () => {
      const tree = repository({ "rollstamp.yaml": CONFIG });
      const bin = sidecar();
      const plain = cmp("generate", path, { tree: repository(), bin });
      const { status, stdout, stderr } = cmp("generate", path, { tree, bin });
      assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
      const objects = allDocuments(stdout);
      assertOnlyVersioned(allDocuments(plain.stdout), objects);
      assert.doesNotMatch(
        stdout,
        /helm\.sh\/resource-policy/u,
        "Argo CD would keep copies when the Application is deleted",
      );
      assert.equal(cmp("generate", path, { tree, bin }).stdout, stdout);
    });
});

/** Runs a line of the shell. */
function shell(helm: Helm, line: string, more: NodeJS.ProcessEnv): Run {
  return run({ found: true, path: "/bin/sh" }, ["-c", line], { cwd: root, env: { ...helm.env, ...more } });
}

/** `helm template` for a shell. */
function commandOf(helm: Helm, options: readonly string[]): string {
  assert.ok(helm.program.found);
  return [helm.program.path, "template", "shop", chart("shop"), ...options].map((word) => `'${word}'`).join(" ");
}
