// `stamp --check` recognizes in a rendering the stamps of a function that ran within kustomize, and vice versa: names with kustomize's hash,
// prefixes, suffixes, namespaces.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { build, KUSTOMIZE_HOSTS, declareFunction } from "./kustomize.ts";
import { command, run, unlessFound, type Run } from "./programs.ts";
import { treeOf, type Tree } from "./trees.ts";
import { rollstamp } from "./wiring.ts";

const NODE = { found: true, path: process.execPath } as const;
const CONFIG = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamp}\n";

const WEB = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: app
          image: registry.example/web:1
          envFrom:
            - configMapRef: {name: env}
            - configMapRef: {name: plain}
            - secretRef: {name: login}
      volumes:
        - {name: files, configMap: {name: files}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: plain}
data: {A: b}
`;

const BASE = `resources: [web.yaml]
configMapGenerator:
  - name: env
    literals: ["A=1", "B=<&>", "C=on"]
  - name: files
    files: [logo.bin, note.txt]
secretGenerator:
  - name: login
    literals: [password=a very long password that does not fit into one line of base64 as kustomize writes it]
`;

interface Case {
  readonly what: string;
  readonly overlay: string;
  readonly spec?: string;
  /** Whether what comes behind the function gives its stamps other names than a pipe does. */
  readonly isRenamed?: boolean;
}

const CASES: readonly Case[] = [
  { what: "hashes", overlay: "" },
  { what: "hashes, one stamp", overlay: "", spec: "spec: {layout: Combined}\n" },
  { what: "hashes in a namespace", overlay: "namespace: shop\n" },
  { what: "no hashes", overlay: "generatorOptions: {disableNameSuffixHash: true}\n" },
  { what: "generated sources skipped", overlay: "", spec: "spec: {nameSuffix: Skip}\n" },
  {
    what: "a merge in the overlay",
    overlay: "configMapGenerator:\n  - {name: env, behavior: merge, literals: [A=2]}\n",
  },
  { what: "a prefix and a suffix", overlay: "namePrefix: prod-\nnameSuffix: -eu\n", isRenamed: true },
  {
    what: "a prefix and a suffix, one stamp",
    overlay: "namePrefix: prod-\nnameSuffix: -eu\n",
    spec: "spec: {layout: Combined}\n",
    isRenamed: true,
  },
];

for (const host of KUSTOMIZE_HOSTS) {
  describe(`${host.name}: own output`, { skip: unlessFound(host.program) }, () => {
    for (const { what, overlay, spec = "spec: {}\n", isRenamed = false } of CASES) {
      test(what, () => {
        const tree = treeWith(overlay, `${CONFIG}${spec}`, "transformers: [stamp.yaml]\n");
        declareFunction(tree, host);
        const stamped = build(host, tree, rollstamp);
        assert.match(stamped, /rollstamp\.dev\//u);
        assert.deepEqual(check(tree, stamped), { status: 0, stdout: "", stderr: "" });
        // The reverse: what a pipe stamps of the rendering without the function.
        const plain = treeWith(overlay, `${CONFIG}${spec}`, "");
        const piped = ours(plain, ["--config", "config.yaml"], build(host, plain, rollstamp)).stdout;
        assert.deepEqual(check(plain, piped), { status: 0, stdout: "", stderr: "" });
        if (!isRenamed && !spec.includes("Combined")) assert.deepEqual(stampsOf(piped), stampsOf(stamped));
        // Another content under the same names is stale.
        const stale = check(tree, stamped.replace("A: b", "A: c"));
        assert.equal(stale.status, 1, stale.stderr);
      });
    }
  });
}

function treeWith(overlay: string, config: string, transformers: string): Tree {
  return {
    ...treeOf({
      "base/kustomization.yaml": overlay.startsWith("generatorOptions") ? overlay + BASE : BASE,
      "base/web.yaml": WEB,
      "base/logo.bin": "\u0000\u0001",
      "base/note.txt": "one\ntwo \n",
      "kustomization.yaml": `resources: [base]\n${overlay.startsWith("generatorOptions") ? "" : overlay}${transformers}`,
      "stamp.yaml": config,
      "config.yaml": config,
    }),
  };
}

function check(tree: Tree, rendering: string): Run {
  return ours(tree, ["stamp", "--check", "--require-stamps", "--config", "config.yaml", "-"], rendering);
}

function ours(tree: Tree, args: readonly string[], input: string): Run {
  return run(NODE, [command, ...args], { cwd: tree.build, env: rollstamp.env, input });
}

/** The stamps of a stream, however they are quoted and in whatever order. */
function stampsOf(text: string): string[] {
  return (text.match(/[\w./-]*rollstamp\.dev\/[\w.-]+: "?[hk]1-\w+/gu) ?? [])
    .map((line) => line.replace('"', ""))
    .sort();
}
