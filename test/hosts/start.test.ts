// The ways to start that README shows, run line by line in a repository that has no stamps. Each ends in a rendering
// whose pod template has the stamp.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, it } from "node:test";
import { commandsOf, fencesUnder } from "../support/fences.ts";
import { stampOf } from "./expected-digest.ts";
import { STANDALONE } from "./kustomize.ts";
import { allStamps, objectsOf } from "./manifests.ts";
import { installed, unlessFound } from "./programs.ts";
import { temporaryFolder, treeOf, type Tree } from "./trees.ts";
import { ENV, WEB } from "./web.ts";
import { rollstamp } from "./wiring.ts";

const HELM = installed("helm3.sh");
const missing = unlessFound(STANDALONE) || unlessFound(HELM);

const OVERLAY = {
  "base/kustomization.yaml": "resources: [web.yaml, env.yaml]\n",
  "base/web.yaml": WEB,
  "base/env.yaml": ENV,
};
const overlay = (folder: string): Record<string, string> => ({
  ...OVERLAY,
  [`${folder}/kustomization.yaml`]: "resources: [../../base]\n",
});

interface Start {
  readonly heading: string;
  readonly files: Readonly<Record<string, string>>;
  /** The file that has the rendering afterwards; else standard output has it. */
  readonly rendering?: string;
}

const STARTS: readonly Start[] = [
  {
    heading: "Plain manifests",
    files: { "clusters/prod/all.yaml": `${WEB}---\n${ENV}` },
    rendering: "clusters/prod/all.yaml",
  },
  { heading: "kustomize", files: overlay("overlays/prod") },
  {
    heading: "Argo CD",
    files: {
      ...overlay("apps/prod"),
      "argocd/web.yaml": `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: shop}
  source:
    repoURL: https://git.example/acme/shop.git
    path: apps/prod
`,
    },
  },
  {
    heading: "Flux",
    files: {
      ...overlay("apps/prod"),
      "clusters/prod/shop.yaml": `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: shop, namespace: flux-system}
spec: {interval: 1h, path: ./apps/prod, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}
`,
    },
    rendering: "rendered.yaml",
  },
  {
    heading: "Helm",
    files: {
      "charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
      "charts/web/templates/all.yaml": `${WEB}---\n${ENV}`,
    },
  },
];

describe("README's ways to start", { skip: missing }, () => {
  for (const { heading, files, rendering } of STARTS) {
    it(`${heading}: at most five commands lead to a stamped rendering`, () => {
      const tree = treeOf(files);
      const commands = commandsOf(fencesUnder("README.md", heading));
      assert.equal(commands.length, 1);
      const [script = ""] = commands;
      assert.ok(script.trim().split("\n").length <= 5, script);
      const stdout = shell(`git init --quiet .\n${script}`, tree);
      const text = rendering === undefined ? stdout : readFileSync(join(tree.folder, rendering), "utf8");
      assert.deepEqual(
        allStamps(objectsOf(rendering === undefined ? onlyManifests(text) : text)),
        { "Deployment/web": { "configmap.rollstamp.dev/env": stampOf({ LEVEL: "info" }) } },
        stdout,
      );
    });
  }
});

/** What is behind the diff that init shows. */
function onlyManifests(text: string): string {
  const lines = text.split("\n");
  const isDiff = (line: string): boolean => /^(?:diff |[-+ @]|new file )/u.test(line);
  const first = lines.findIndex((line, i) => !isDiff(line) && lines.slice(0, i).every(isDiff));
  return lines.slice(Math.max(0, first)).join("\n");
}

function shell(script: string, tree: Tree): string {
  const folders = [STANDALONE, HELM].map((program) => (program.found ? dirname(program.path) : ""));
  const { status, stdout, stderr } = spawnSync("bash", ["-eu", "-c", script], {
    cwd: tree.folder,
    env: {
      ...rollstamp.env,
      HOME: temporaryFolder(),
      PATH: [...folders, rollstamp.env["PATH"]].join(delimiter),
    },
    encoding: "utf8",
    timeout: 120_000,
  });
  assert.equal(status, 0, stderr);
  return stdout;
}
