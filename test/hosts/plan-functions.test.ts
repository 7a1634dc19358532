// plan --git over kustomizations with KRM functions: only rollstamp's own functions run.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { PlanJson } from "../../src/output/plan-json.ts";
import type { Files } from "../support/folders.ts";
import { deployment } from "../support/manifests.ts";
import { missing, plan, repository, statuses } from "./planned-repository.ts";

const NAMED = "metadata: {name: stamp}\n";
const ANNOTATED = (how: string): string =>
  `metadata:\n  name: stamp\n  annotations:\n    config.kubernetes.io/function: |\n      ${how}\n`;
const OURS = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\n";

const BASE = {
  "base/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator: [{name: env, literals: [a=1]}]\n",
  "base/web.yaml": deployment("web", "env"),
};
const CHANGED = { "base/kustomization.yaml": BASE["base/kustomization.yaml"].replace("a=1", "a=2") };

const overlay = (transformer: string, more = ""): Files => ({
  "app/kustomization.yaml": `resources: [../base]\ntransformers: [stamp.yaml]\n${more}`,
  "app/stamp.yaml": transformer,
});

function message({ applications = [] }: PlanJson, name: string): string {
  return applications.find((one) => one.name === name)?.message ?? "";
}

describe("plan --git over kustomizations with functions", { skip: missing }, () => {
  const ways: Readonly<Record<string, Files>> = {
    "as a legacy plugin": overlay(`${OURS}${NAMED}`),
    "as an image": overlay(`${OURS}${ANNOTATED("container: {image: 'ghcr.io/rollstamp/rollstamp:v0.1.0'}")}`),
    "as a program": overlay(`${OURS}${ANNOTATED("exec: {path: ./run.sh}")}`),
    "with a ConfigMap": overlay(
      `apiVersion: v1\nkind: ConfigMap\n${ANNOTATED("exec: {path: rollstamp}")}data: {layout: Combined}\n`,
    ),
    "as inline text": {
      "app/kustomization.yaml": `resources: [../base]\ntransformers:\n- |-\n  ${`${OURS}${NAMED}`.trim().replaceAll("\n", "\n  ")}\n`,
    },
    "in a base": {
      "inner/kustomization.yaml": "resources: [../base]\ntransformers: [stamp.yaml]\n",
      "inner/stamp.yaml": `${OURS}${NAMED}spec: {secrets: Keyed}\n`,
      "app/kustomization.yaml": "namePrefix: p-\nresources: [../inner]\n",
    },
    "in a component": {
      "part/kustomization.yaml":
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ntransformers: [stamp.yaml]\n",
      "part/stamp.yaml": `${OURS}${NAMED}`,
      "app/kustomization.yaml": "resources: [../base]\ncomponents: [../part]\n",
    },
    "beside kustomize's own": overlay(
      `apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: p}\nprefix: p-\nfieldSpecs: [{path: metadata/name}]\n---\n${OURS}${NAMED}`,
    ),
  };
  for (const [how, files] of Object.entries(ways))
    it(`runs rollstamp's own functions ${how}`, () => {
      const proof = "run.sh";
      const repo = repository({ ...BASE, ...files, [`app/${proof}`]: "#!/bin/sh\ntouch ../ran\n" });
      chmodSync(join(repo.folder, "app", proof), 0o755);
      repo.commit("env", CHANGED);
      const { report } = plan(repo, "--git", "start..env");
      assert.equal(statuses(report)["app"], "Changed", message(report, "app"));
      const rolls = report.workloads.map(({ name, action }) => [name.replace(/^p-/u, ""), action]);
      assert.deepEqual(rolls, [["web", "Roll"]]);
      assert.ok(!existsSync(join(repo.folder, "ran")));
    });

  it("renders without a generator that it does not run: it only adds objects", () => {
    const secrets = (text: string): Files => ({
      "app/kustomization.yaml": "resources: [../base]\ngenerators: [secrets.yaml]\n",
      "app/secrets.yaml": `apiVersion: viaduct.ai/v1\nkind: ksops\n${ANNOTATED("exec: {path: ksops}")}files: [./a.enc.yaml]\n`,
      "app/a.enc.yaml": `data: ENC[${text}]\n`,
    });
    const repo = repository({ ...BASE, ...secrets("a") });
    repo.commit("image", { "base/web.yaml": deployment("web", "env").replace("app:1", "app:2") });
    const rolls = plan(repo, "--git", "start..image");
    assert.deepEqual(statuses(rolls.report), { app: "Changed" });
    assert.deepEqual([rolls.status, rolls.report.summary.rolls, rolls.report.findings], [0, 1, []]);
    assert.deepEqual(rolls.report.applications?.[0]?.partial, [
      { path: "ksops of secrets.yaml", reason: "the function is not run, so what it generates is missing" },
    ]);
    repo.commit("secret", secrets("b"));
    const unknown = plan(repo, "--git", "image..secret");
    assert.deepEqual([unknown.status, unknown.report.verdict?.level], [0, "attention"]);
    assert.deepEqual(
      unknown.report.findings.map(({ id }) => id),
      ["RS024"],
    );
  });

  it("examines a patch beside such a generator: only one of an object that is not there may be of its objects", () => {
    const patched = (name: string, image: string): Files => ({
      "app/patch.yaml": `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec: {template: {spec: {containers: [{name: app, image: "${image}"}]}}}\n`,
    });
    const repo = repository({
      ...BASE,
      ...patched("web", "app:2"),
      "app/kustomization.yaml": "resources: [../base]\ngenerators: [secrets.yaml]\npatches: [{path: patch.yaml}]\n",
      "app/secrets.yaml": `apiVersion: viaduct.ai/v1\nkind: ksops\n${ANNOTATED("exec: {path: ksops}")}files: []\n`,
    });
    repo.commit("image", patched("web", "app:3"));
    repo.commit("other", patched("generated", "app:3"));
    repo.commit("unknown", patched("generated", "app:4"));
    const found = ["start..image", "image..other", "other..unknown"].map((range) => {
      const { report } = plan(repo, "--git", range);
      return [report.summary.rolls, report.findings.map(({ id }) => id)];
    });
    assert.deepEqual(found, [
      [1, []],
      [1, ["RS024"]],
      [0, ["RS024"]],
    ]);
  });

  it("examines images and patches with a target beside ksops, which only makes Secrets here", () => {
    const files = (image: string, patch: string, kind = "Secret", target = "Deployment"): Files => ({
      ...BASE,
      "app/patch.yaml": `- {op: add, path: /metadata/labels, value: {of: ${patch}}}\n`,
      "app/kustomization.yaml": `resources: [../base]\ngenerators: [secrets.yaml]\nimages: [{name: app, newTag: "${image}"}]\npatches: [{path: patch.yaml, target: {kind: ${target}}}]\n`,
      "app/secrets.yaml": `apiVersion: viaduct.ai/v1\nkind: ksops\n${ANNOTATED("exec: {path: ksops}")}files: [a.enc.yaml]\n`,
      "app/a.enc.yaml": `apiVersion: v1\nkind: ${kind}\nmetadata: {name: a}\ndata: {x: "ENC[a]"}\n`,
    });
    const idsOf = (from: Files, to: Files): readonly string[] => {
      const repo = repository(from);
      repo.commit("change", to);
      return plan(repo, "--git", "start..change").report.findings.map(({ id }) => id);
    };
    assert.deepEqual(idsOf(files("1", "a"), files("2", "a")), []);
    assert.deepEqual(idsOf(files("1", "a"), files("1", "b")), []);
    assert.deepEqual(idsOf(files("1", "a", "Deployment"), files("2", "a", "Deployment")), ["RS024"]);
    assert.deepEqual(idsOf(files("1", "a", "Secret", ".*"), files("1", "b", "Secret", ".*")), ["RS024"]);
  });

  it("fails for any other function, with its name and what to do", () => {
    const repo = repository({ ...BASE, ...overlay(`${OURS}${NAMED}`) });
    const others: readonly (readonly [string, RegExp])[] = [
      [`apiVersion: viaduct.ai/v1\nkind: ksops\n${ANNOTATED("exec: {path: ksops}")}`, /'ksops' \(ksops\).*--render/u],
      [`apiVersion: x/v1\nkind: Run\n${ANNOTATED("container: {image: x/run}")}`, /'Run' \(x\/run\)/u],
      [`${OURS}${NAMED}---\napiVersion: x/v1\nkind: Run\n${NAMED}`, /'Run'/u],
      [`${OURS}${NAMED}---\napiVersion: ../../../bin\nkind: sh\n${NAMED}`, /must be names/u],
      [`apiVersion: v1\nkind: ConfigMap\n${ANNOTATED("exec: {path: ./not-rollstamp}")}`, /'ConfigMap'/u],
      [`${OURS.replace("ConfigHash", "Unknown")}${NAMED}`, /'Unknown'/u],
    ];
    for (const [i, [transformer, says]] of others.entries()) {
      repo.commit(`other${i}`, overlay(transformer));
      const { report, status } = plan(repo, "--git", `start..other${i}`);
      assert.equal(status, 1);
      assert.equal(statuses(report)["app"], "Failed");
      assert.match(message(report, "app"), says);
    }
  });
});
