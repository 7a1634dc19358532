import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { inFolder, writeFiles, type Files } from "../support/folders.ts";
import { commitAll, initialize } from "../support/git-folder.ts";
import { inRoot } from "../support/paths.ts";
import { rollstampCalls } from "./shell.ts";

/** Where blocks of the documentation run: a repository with the example, in the folder that the block names. */
export interface Workspace {
  readonly folder: string;
  /** A PATH whose kustomize and helm print the manifests. */
  readonly path: string;
  /** The manifests as one stream. */
  readonly rendered: string;
}

/** Folders that blocks name; those that kustomize builds. */
const FOLDERS = ["clusters/prod", "manifests/prod", "kubernetes/apps", "deploy", "environments", "envs"];
const OVERLAYS = ["overlays/prod", "apps/prod"];

const deployment = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: shop, labels: {tier: front}}
spec:
  replicas: 2
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
        - name: app
          image: ghcr.io/example/${name}:1.0.0
          envFrom: [{configMapRef: {name: app}}, {configMapRef: {name: settings}}]
          env: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: database, key: password}}}]
`;
const configMap = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: shop}\ndata: {LOG_LEVEL: info}\n`;

/** The workloads and sources that the documentation names beside those of the example. */
const NAMED = [deployment("web"), deployment("api"), configMap("app"), configMap("settings")].join("---\n");

function manifests(): Files {
  const shop = inRoot("examples", "shop");
  const files = readdirSync(shop).map((name) => [name, readFileSync(join(shop, name), "utf8")] as const);
  return Object.fromEntries([...files, ["named.yaml", NAMED]]);
}

/** What else a block needs, by what it mentions. */
const ALSO: readonly (readonly [RegExp, Files])[] = [
  [
    /init argocd/u,
    {
      "argocd/web.yaml":
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web, namespace: argocd}\nspec: {source: {repoURL: https://git.example/shop.git, path: .}, destination: {server: https://kubernetes.default.svc}}\n",
    },
  ],
  [/charts?\b/u, { "charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n" }],
  [/--config rollstamp\.yaml/u, { "rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\n" }],
  [/clusters\.yaml/u, { "clusters.yaml": "clusters: []\n" }],
  [/prod-\*/u, { "prod-a/kustomization.yaml": "resources: []\n" }],
  [/web\*/u, { "web/kustomization.yaml": "resources: []\n" }],
];

/** Runs something in the workspace of a block. The branch `change` changes a key of ConfigMap shop. */
export function inWorkspace(script: string, run: (workspace: Workspace) => Promise<void>): Promise<void> {
  const words = new Set(rollstampCalls(script).flat());
  const place = [...OVERLAYS, ...FOLDERS].find((name) => words.has(name) || words.has(`${name}/`)) ?? ".";
  return inFolder({}, async (outer) => {
    const folder = join(outer, "work");
    mkdirSync(folder);
    const files = manifests();
    writeFiles(join(folder, place), files);
    if (OVERLAYS.includes(place))
      writeFiles(join(folder, place), {
        "kustomization.yaml": `resources: [${Object.keys(files).join(", ")}]\n`,
      });
    for (const [pattern, more] of ALSO) if (pattern.test(script)) writeFiles(folder, more);
    initialize(folder);
    commitAll(folder, "first");
    const refs = join(folder, ".git", "refs");
    const first = readFileSync(join(refs, "heads", "main"));
    mkdirSync(join(refs, "remotes", "origin"), { recursive: true });
    writeFileSync(join(refs, "remotes", "origin", "main"), first);
    writeFileSync(join(refs, "heads", "change"), first);
    writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/change\n");
    const config = join(folder, place, "config.yaml");
    writeFileSync(config, readFileSync(config, "utf8").replace("LOG_LEVEL: info", "LOG_LEVEL: debug"));
    commitAll(folder, "change");
    const rendered = Object.values(files).join("---\n");
    await run({ folder, path: standIns(outer, rendered), rendered });
  });
}

/** A PATH whose kustomize and helm print a rendering. */
function standIns(outer: string, rendered: string): string {
  const bin = join(outer, "bin");
  writeFiles(bin, { rendered });
  for (const name of ["helm", "kustomize", "kubectl"]) {
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\n[ "$1" = version ] && exec echo v3.22.0\nexec cat '${join(bin, "rendered")}'\n`,
    );
    chmodSync(join(bin, name), 0o755);
  }
  return [bin, "/usr/bin", "/bin"].join(delimiter);
}
