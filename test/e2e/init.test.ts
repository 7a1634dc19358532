/** What `rollstamp init` writes for Argo CD and Flux ends in an Application and a Kustomization that apply stamps. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { after, before, describe, it } from "node:test";
import fg from "fast-glob";
import { parse, parseAllDocuments } from "yaml";
import { type Files, filesIn, writeFiles } from "../support/folders.ts";
import { inRoot } from "../support/paths.ts";
import { unstampedShop } from "../support/shop.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { run, succeeded } from "./commands.ts";
import { fieldAt, listAt, textAt, textsAt } from "./fields.ts";
import { fluxOf } from "./flux.ts";
import { eventually } from "./observe.ts";
import { linkPrograms } from "./story.ts";

let cluster: Cluster;
let bin = "";

before(async () => {
  cluster = await startCluster({ argocd: true, flux: true });
  bin = linkPrograms(cluster.folder);
});

after(() => cluster?.stop());

/** Runs a line of a shell in a folder. */
async function shell(folder: string, line: string): Promise<string> {
  const env = { ...process.env, PATH: [bin, process.env["PATH"] ?? ""].join(delimiter) };
  const ran = await run("sh", ["-c", `cd "$0" && ${line}`, folder], "", env);
  return succeeded(line, ran) + ran.stderr;
}

const COMMIT = "git add --all && git -c user.name=e2e -c user.email=e2e@example.com commit --quiet --message Change";

/** A repository with the shop in `deploy`, without stamps, and what applies it. */
async function repositoryOf(namespace: string, others: (folder: string) => Files): Promise<string> {
  const folder = mkdtempSync(join(cluster.folder, "init-"));
  const shop = Object.entries(unstampedShop()).map(([name, text]): [string, string] => [
    `deploy/${name}`,
    text.replaceAll(/^( +namespace: )shop$/gmu, `$1${namespace}`),
  ]);
  writeFiles(folder, { ...Object.fromEntries(shop), ...others(folder) });
  await shell(folder, `git init --quiet --initial-branch=main && ${COMMIT}`);
  return folder;
}

const stampsIn = (template: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(textsAt(template, "metadata", "annotations")).filter(([key]) =>
      /^(?:configmap|secret)\.rollstamp\.dev\//u.test(key),
    ),
  );

const KINDS = { deployments: "/apis/apps/v1", cronjobs: "/apis/batch/v1" };

const templateOf = (object: unknown): unknown =>
  fieldAt(object, "spec", "template") ?? fieldAt(object, "spec", "jobTemplate", "spec", "template");

const stampsOf = (objects: readonly unknown[]): Readonly<Record<string, object>> =>
  Object.fromEntries(
    objects
      .filter((object) => templateOf(object) !== undefined)
      .map((object) => [textAt(object, "metadata", "name"), stampsIn(templateOf(object))]),
  );

/** The stamps of the workloads in the cluster are those that examples/shop has. */
async function assertStamped(namespace: string): Promise<void> {
  const lists = await Promise.all(
    Object.entries(KINDS).map(([kind, group]) => cluster.api.get(`${group}/namespaces/${namespace}/${kind}`)),
  );
  const shop = Object.entries(filesIn(inRoot("examples", "shop")));
  const expected = stampsOf(shop.flatMap(([, text]) => parseAllDocuments(text).map((one): unknown => one.toJS())));
  assert.deepEqual(Object.keys(expected).sort(), ["cleanup", "orders", "storefront"]);
  assert.deepEqual(stampsOf(lists.flatMap((list) => listAt(list, "items"))), expected);
}

describe("rollstamp init", () => {
  it("argocd: the Application that it edits is synced by our plugin, with stamps", async () => {
    const namespace = "shop-argocd";
    const folder = await repositoryOf(namespace, (repository) => ({
      "apps/shop.yaml": `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shop
  namespace: argocd
spec:
  project: default
  source:
    repoURL: file://${repository}
    path: deploy
    targetRevision: main
  destination:
    server: ${cluster.server}
    namespace: ${namespace}
  syncPolicy:
    automated: {prune: true, selfHeal: true}
    syncOptions: [CreateNamespace=true]
`,
    }));
    await shell(folder, `rollstamp init argocd --write && ${COMMIT}`);
    const application = parse(readFileSync(join(folder, "apps/shop.yaml"), "utf8"));
    const applications = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications";
    await cluster.api.post(applications, application);
    await eventually("the Application", async () => {
      const status = fieldAt(await cluster.api.get(`${applications}/shop`), "status");
      const isSynced = textAt(status, "operationState", "phase") === "Succeeded";
      return isSynced && textAt(status, "sync", "status") === "Synced" ? "" : JSON.stringify(status ?? "no status");
    });
    await assertStamped(namespace);
    assert.equal(await shell(folder, "rollstamp init argocd --write >/dev/null 2>&1 && git status --porcelain"), "");
  });

  it("flux: the command that it prints makes stamps that a Kustomization applies", async () => {
    const namespace = "shop-flux";
    const folder = await repositoryOf(namespace, () => ({
      "clusters/prod/namespace.yaml": `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ${namespace}\n`,
      "clusters/prod/shop.yaml": `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: shop
  namespace: flux-system
spec:
  interval: 1h
  path: ./deploy
  prune: true
  sourceRef:
    kind: GitRepository
    name: bootstrap
`,
    }));
    const printed = await shell(folder, "rollstamp init flux --write");
    const command = /^ *Stamp them: (?<command>rollstamp stamp .*)$/mu.exec(printed)?.groups?.["command"];
    assert.ok(command, printed);
    await shell(folder, command);
    const { flux, close } = await fluxOf(cluster.api, cluster.folder);
    try {
      const paths = fg.sync("**/*.yaml", { cwd: folder });
      const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
      const bootstrap = await flux.push("bootstrap", files, { spec: { path: "./clusters/prod" } });
      assert.equal(bootstrap.isReady, true, bootstrap.message);
      const { isReady, message } = await flux.reconcile("shop");
      assert.equal(isReady, true, message);
    } finally {
      close();
    }
    await assertStamped(namespace);
  });
});
