// More than a pipe holds, through real hosts: a function that ends before its output is read loses the rest, and the host deletes
// what is missing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { stampOf } from "./expected-digest.ts";
import { assertOnlyStampsInserted } from "./inserted-lines.ts";
import { filesOf, kpt, kptFn } from "./kpt.ts";
import { build, declareFunction, KUSTOMIZE_HOSTS, removeTransformers } from "./kustomize.ts";
import { unlessFound } from "./programs.ts";
import { treeOf } from "./trees.ts";
import { identity, rollstamp } from "./wiring.ts";

const APPLICATIONS = 6;
const LINE = "a line of a file that somebody mounts, long enough to be one of many\n";
const LINES = Math.floor(900_000 / LINE.length); // a ConfigMap holds at most 1 MiB

const manifests = Object.fromEntries(
  Array.from({ length: APPLICATIONS }, (_, index) => [`app-${index}.yaml`, application(index)]),
);
const stamps = Object.fromEntries(
  Array.from({ length: APPLICATIONS }, (_, index) => [`file-${index}`, stampOf({ text: LINE.repeat(LINES + index) })]),
);

for (const host of KUSTOMIZE_HOSTS) {
  test(`${host.name}: passes more than 5 MB`, { skip: unlessFound(host.program) }, () => {
    const tree = treeOf({
      ...manifests,
      "kustomization.yaml": `resources: [${Object.keys(manifests).join(", ")}]\ntransformers: [stamp.yaml]\n`,
      "stamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: stamp\n",
    });
    declareFunction(tree, host);
    const stamped = build(host, tree, rollstamp);
    removeTransformers(tree);
    assertStamped(build(host, tree, identity), stamped);
  });
}

test("kpt fn eval: passes more than 5 MB", { skip: unlessFound(kpt) }, () => {
  const [plain = {}, stamped = {}] = [identity, rollstamp].map((wiring) => {
    const tree = treeOf(manifests);
    kptFn(tree, ["eval", "--exec", "rollstamp"], wiring);
    return filesOf(tree);
  });
  assert.deepEqual(Object.keys(stamped), Object.keys(manifests));
  assertStamped(Object.values(plain).join("---\n"), Object.values(stamped).join("---\n"));
});

/** Asserted on the text: reading it back as YAML would take longer than all the rest. */
function assertStamped(plain: string, stamped: string): void {
  assert.ok(plain.length > 5_000_000, "more than any pipe holds");
  assertOnlyStampsInserted(plain, stamped, "the output");
  const found = stamped.matchAll(/configmap\.rollstamp\.dev\/(file-\d): "?(h1-\w+)"?/g);
  assert.deepEqual(Object.fromEntries([...found].map(([, name, value]) => [name, value])), stamps);
}

function application(index: number): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-${index}
spec:
  selector:
    matchLabels: {app: app-${index}}
  template:
    metadata:
      labels: {app: app-${index}}
    spec:
      containers:
      - name: app
        image: registry.example/app:1
      volumes:
      - name: file
        configMap: {name: file-${index}}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: file-${index}
data:
  text: |
${`    ${LINE}`.repeat(LINES + index)}`;
}
