// A kustomization that is staged with others of its tree gives the same result as alone, in any order.
import assert from "node:assert/strict";
import { delimiter, dirname, join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { renderKustomization } from "../../src/node/render-kustomization.ts";
import { RollstampError } from "../../src/base/errors.ts";
import { DEFAULT_LIMITS, type Limits } from "../../src/base/limits.ts";
import type { ApplicationToRender, SharedStage } from "../../src/platform/ports/applications.ts";
import { writeFiles, type Files } from "../support/folders.ts";
import { configMap } from "../support/manifests.ts";
import { installed, unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const KUSTOMIZE = installed("kustomize.sh");

const LABELS =
  "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: x}\nlabels: {x: y}\nfieldSpecs: [{path: metadata/labels, create: true}]\n";

/** Each folder with a kustomization is built. */
const FILES: Files = {
  "base/kustomization.yaml": "resources: [a.yaml]\nconfigMapGenerator: [{name: g, literals: [a=b]}]\n",
  "base/a.yaml": configMap("a", "base"),
  "one/kustomization.yaml": "resources: [../base]\nnamePrefix: one-\n",
  "two/kustomization.yml": "resources: [../base, ../one]\nnamespace: two\n",
  "component/kustomization.yaml": "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\nnameSuffix: -c\n",
  "with-component/kustomization.yaml": "resources: [../base]\ncomponents: [../component]\n",
  // Another text stands at the path of a kustomization that is staged.
  "reads-one/kustomization.yaml":
    "configMapGenerator: [{name: r, files: [sub/kustomization.yaml, k=sub/deep/s.txt]}]\n",
  "reads-one/sub/kustomization.yaml": "# of a person\nresources:   [ deep/s.yaml ]\n",
  "reads-one/sub/deep/s.yaml": configMap("s", "s"),
  "reads-one/sub/deep/s.txt": "s\n",
  "as-resource/kustomization.yaml": "resources: [sub/kustomization.yaml]\n",
  "as-resource/sub/kustomization.yaml": "metadata: {name: x}\napiVersion: a/v1\nkind: Kustomization\n",
  "plugin/kustomization.yaml": "resources: [../base]\ntransformers: [labels.yaml]\n",
  "plugin/labels.yaml": LABELS,
  "plugin-of-base/kustomization.yaml": "resources: [../plugin]\n",
  "lacks-file/kustomization.yaml": "resources: [../base, ../base/none.yaml]\n",
  "lacks-lacking/kustomization.yaml": "resources: [../lacks-file]\n",
  "remote/kustomization.yaml": "resources: [../base, 'https://example.com/a.yaml']\n",
  "on-remote/kustomization.yaml": "resources: [../remote]\n",
  "circle/a/kustomization.yaml": "resources: [../b]\n",
  "circle/b/kustomization.yaml": "resources: [../a]\n",
  "no-kustomization-in/kustomization.yaml": "resources: [../reads-one/sub/deep]\n",
  "twice/kustomization.yaml": "resources: [../base, ../base/a.yaml]\n",
  "unknown/kustomization.yaml": "resources: [../base]\nnobodyKnows: this\n",
  "on-unknown/kustomization.yaml": "resources: [../unknown]\n",
  "patched/kustomization.yaml": "resources: [../one]\npatches: [{path: p.yaml}]\n",
  "patched/p.yaml": `${configMap("one-a", "patched")}`,
  'reads-one/sub/deep/odd"}}': configMap("one-a", "odd"),
  // kustomize takes what it cannot read as an object for a path. Here that is a file that only others stage.
  ...Object.fromEntries(
    [
      { patchesStrategicMerge: ["{/../../patched/p.yaml"] },
      { patchesStrategicMerge: ['{"kind": "X", "metadata": {"name": "../../../reads-one/sub/deep/odd"}}'] },
      { patchesStrategicMerge: ["{\n/../../patched/p.yaml"] },
      { patchesStrategicMerge: ["{a: b\n/../../patched/p.yaml"] },
      { patches: [{ patch: "{\n/../../patched/p.yaml" }] },
      { patches: [{ path: "{\n/../../patched/p.yaml" }] },
      { transformers: ["{\n/../../plugin/labels.yaml"] },
      { transformers: ["{/../../plugin/labels.yaml"] },
      { generators: ["{\n/../../patched/p.yaml"] },
      { resources: ["../one", "{\n/../../reads-one/sub/deep/s.yaml"] },
      { components: ["{\n/../../component"] },
      { configurations: ["{\n/../../plugin/labels.yaml"] },
      { crds: ["{\n/../../plugin/labels.yaml"] },
      { configMapGenerator: [{ name: "f", files: ["{\n/../../reads-one/sub/deep/s.txt"] }] },
      { configMapGenerator: [{ name: "f", envs: ["{\n/../../reads-one/sub/deep/s.txt"] }] },
      { replacements: [{ path: "{\n/../../patched/p.yaml" }] },
      { openapi: { path: "{\n/../../patched/p.yaml" } },
    ].map((fields, i) => [`odd-${i}/kustomization.yaml`, JSON.stringify({ resources: ["../one"], ...fields })]),
  ),
};

const FOLDERS: readonly string[] = [
  ...new Set(Object.keys(FILES).flatMap((path) => (/kustomization\.ya?ml$/u.test(path) ? [dirname(path)] : []))),
];

async function outcome(toRender: ApplicationToRender): Promise<string> {
  try {
    return (await renderKustomization(toRender)).text;
  } catch (cause) {
    if (cause instanceof RollstampError) return `${cause.message} ${JSON.stringify(cause.place)} ${cause.remedy ?? ""}`;
    throw cause;
  }
}

describe("kustomizations that are staged together", { skip: unlessFound(KUSTOMIZE) }, () => {
  const root = temporaryFolder();
  writeFiles(root, FILES);
  const rendering = (folder: string, together?: SharedStage): ApplicationToRender => ({
    application: { folder: join(root, folder), root, limits: DEFAULT_LIMITS },
    given: new Map(),
    environment: { PATH: [KUSTOMIZE.found ? dirname(KUSTOMIZE.path) : "", process.env["PATH"] ?? ""].join(delimiter) },
    together,
  });
  const shared = (limits: Limits = DEFAULT_LIMITS): SharedStage => ({ folder: temporaryFolder(), root, limits });

  it("give the same result as staged alone, in any order", async () => {
    const alone = new Map<string, string>();
    for (const folder of FOLDERS) alone.set(folder, await outcome(rendering(folder)));
    const built = FOLDERS.filter((folder) => /\nkind: ConfigMap\n/u.test(alone.get(folder) ?? ""));
    assert.ok(
      ["two", "patched", "reads-one", "plugin-of-base"].every((folder) => built.includes(folder)),
      built.join(),
    );
    assert.match(alone.get("reads-one") ?? "", /# of a person\n/u);
    const orders = fc.shuffledSubarray([...FOLDERS], { minLength: FOLDERS.length });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const together = shared();
        const outcomes = await Promise.all(order.map((folder) => outcome(rendering(folder, together))));
        order.forEach((folder, i) => assert.equal(outcomes[i], alone.get(folder), folder));
      }),
      { numRuns: 6 },
    );
  });

  it("are staged alone if the stage is full", async () => {
    const together = shared({ ...DEFAULT_LIMITS, inputSize: 300 });
    for (const folder of FOLDERS)
      assert.equal(await outcome(rendering(folder, together)), await outcome(rendering(folder)), folder);
  });
});
