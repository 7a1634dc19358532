// RolloutLint as a validator of kustomize and kpt: it reports findings and changes nothing.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { build, KUSTOMIZE_HOSTS, tryBuild, type KustomizeHost } from "./kustomize.ts";
import { filesOf, kpt, tryKptFn } from "./kpt.ts";
import { unlessFound } from "./programs.ts";
import { treeOf, type Tree } from "./trees.ts";
import { rollstamp } from "./wiring.ts";

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
        - name: app
          image: registry.example/web:latest # pinned by the registry
          imagePullPolicy: IfNotPresent
          envFrom:
            - configMapRef: {name: env}
`;

const EXEC = `
  annotations:
    config.kubernetes.io/function: |
      exec:
        path: rollstamp`;

const lint = (spec: string, how: string = EXEC): string => `apiVersion: rollstamp.dev/v1alpha1
kind: RolloutLint
metadata:
  name: lint${how}
spec: ${spec}
`;

const kustomization = (validators: string): string => `resources:
  - deployment.yaml
configMapGenerator:
  - name: env
    literals: [A=a]
${validators}`;

function treeWith(host: KustomizeHost, spec: string | undefined): Tree {
  const validators = spec === undefined ? "" : "validators:\n  - lint.yaml\n";
  return treeOf({
    "kustomization.yaml": kustomization(validators),
    "deployment.yaml": DEPLOYMENT,
    "lint.yaml": lint(spec ?? "{}", host.declaresExec ? EXEC : ""),
  });
}

for (const host of KUSTOMIZE_HOSTS) {
  describe(`RolloutLint under validators: of ${host.name}`, { skip: unlessFound(host.program) }, () => {
    test("with output: Empty gives the same build as without it", () => {
      assert.equal(
        build(host, treeWith(host, "{output: Empty}"), rollstamp),
        build(host, treeWith(host, undefined), rollstamp),
      );
    });
    test("with output: Items is refused by kustomize in any case", () => {
      const { status, stderr } = tryBuild(host, treeWith(host, "{output: Items, rules: {RS003: off}}"), rollstamp);
      assert.notEqual(status, 0);
      assert.match(stderr, /validat/iu);
    });
    test("fails the build for a finding of severity error, and shows it", () => {
      const { status, stdout, stderr } = tryBuild(
        host,
        treeWith(host, "{output: Empty, rules: {RS003: error}}"),
        rollstamp,
      );
      assert.notEqual(status, 0);
      assert.equal(stdout, "");
      assert.match(stderr, /error: .*Deployment web: .*\(RS003\)/u);
    });
    test("resolves references to generated ConfigMaps as kustomize will", () => {
      const { status, stderr } = tryBuild(
        host,
        treeWith(host, "{output: Empty, rules: {RS001: error, RS002: error, RS012: error}}"),
        rollstamp,
      );
      assert.equal(status, 0, stderr);
    });
    test("finds a stamp of a base whose content an overlay changed", () => {
      const exec = host.declaresExec ? EXEC : "";
      const stamp = `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: stamp${exec}\n`;
      const { folder, build: top } = treeOf({
        "base/kustomization.yaml": `${kustomization("")}transformers:\n  - stamp.yaml\n`,
        "base/deployment.yaml": DEPLOYMENT,
        "base/stamp.yaml": stamp,
        "kustomization.yaml": `resources:
  - base
configMapGenerator:
  - name: env
    behavior: merge
    literals: [A=b]
validators:
  - lint.yaml
`,
        "lint.yaml": lint("{output: Empty, rules: {RS009: error}}", exec),
      });
      const { status, stderr } = tryBuild(host, { folder, build: top }, rollstamp);
      assert.notEqual(status, 0);
      assert.match(stderr, /the stamp 'configmap\.rollstamp\.dev\/env' of Deployment web is stale.*\(RS009\)/u);
    });
    test("returns kustomize's build annotations, and leaves none of its own", () => {
      const { status, stderr } = tryBuild(
        host,
        treeWith(host, "{output: Empty, rules: {RS009: error, RS007: error}}"),
        rollstamp,
      );
      assert.equal(status, 0, stderr);
    });
  });
}

describe("RolloutLint in a Kptfile's validators", { skip: unlessFound(kpt) }, () => {
  const treeOfSpec = (spec: string): Tree =>
    treeOf({
      Kptfile: `apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: web}
pipeline:
  validators:
    - exec: rollstamp
      configPath: lint.yaml
`,
      "deployment.yaml": DEPLOYMENT,
      "env.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: env\ndata:\n  A: a\n",
      "lint.yaml": lint(spec),
    });
  for (const output of ["Items", "Empty"]) {
    test(`with output: ${output} shows findings and does not change files`, () => {
      const tree = treeOfSpec(`{output: ${output}}`);
      // kpt rewrites files by itself when it renders: what counts is what a second rendering changes.
      tryKptFn(tree, ["render", "--allow-exec"], rollstamp);
      const before = filesOf(tree);
      const { status, stdout, stderr } = tryKptFn(tree, ["render", "--allow-exec"], rollstamp);
      assert.equal(status, 0, stderr);
      assert.deepEqual(filesOf(tree), before);
      assert.match(stdout + stderr, /\[warning\].*Deployment.*web/iu);
      assert.match(stdout + stderr, /registry\.example\/web:latest/u);
    });
  }
  test("fails the rendering for a finding of severity error", () => {
    const { status, stdout, stderr } = tryKptFn(
      treeOfSpec("{rules: {RS003: error}}"),
      ["render", "--allow-exec"],
      rollstamp,
    );
    assert.notEqual(status, 0);
    assert.match(stdout + stderr, /registry\.example\/web:latest/u);
  });
});
