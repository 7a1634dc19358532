/** What `rollstamp init` writes for Argo CD and Flux ends in an Application and a Kustomization that apply stamps. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { type Files, filesIn } from "../support/folders.ts";
import { inRoot } from "../support/paths.ts";
import { unstampedShop } from "../support/shop.ts";
import { type Cluster, install, startCluster } from "./cluster.ts";
import { kubectl, succeeded } from "./commands.ts";
import { fieldAt, listAt, textAt, textsAt } from "./fields.ts";
import { fluxOf } from "./flux.ts";
import {
  APPLICATIONS,
  COMMIT,
  manifestsIn,
  repositoryWith,
  shell,
  stampsOf as stampsOfApplication,
  syncedOrWhy,
  tryRepository,
} from "./init-repositories.ts";
import { ARGO_SHAPE, argoShape, FLUX_SHAPE } from "./init-shapes.ts";
import { eventually } from "./observe.ts";
import { linkPrograms } from "./story.ts";

let cluster: Cluster;
let bin = "";

before(async () => {
  const renderers = ["kustomize.sh", "helm4.sh"].map((script) => dirname(install(script)));
  process.env["PATH"] = [...renderers, process.env["PATH"] ?? ""].join(delimiter);
  cluster = await startCluster({ argocd: true, applicationSets: true, flux: true });
  bin = linkPrograms(cluster.folder);
});

after(() => cluster?.stop());

const inShell = (folder: string, line: string): Promise<string> => shell(bin, folder, line);

/** A repository with the shop in `deploy`, without stamps, and what applies it. */
const withShop = (namespace: string, others: (folder: string) => Files): Promise<string> =>
  repositoryWith(cluster, (folder) => ({
    ...Object.fromEntries(
      Object.entries(unstampedShop()).map(([name, text]): [string, string] => [
        `deploy/${name}`,
        text.replaceAll(/^( +namespace: )shop$/gmu, `$1${namespace}`),
      ]),
    ),
    ...others(folder),
  }));

const stampsOfTemplate = (template: unknown): Readonly<Record<string, string>> =>
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
      .map((object) => [textAt(object, "metadata", "name"), stampsOfTemplate(templateOf(object))]),
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
    const folder = await withShop(namespace, (repository) => ({
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
    await inShell(folder, `rollstamp init argocd --write && ${COMMIT}`);
    await cluster.api.post(APPLICATIONS, parse(readFileSync(join(folder, "apps/shop.yaml"), "utf8")));
    assert.equal(await syncedOrWhy(cluster, "shop"), undefined);
    await assertStamped(namespace);
    assert.equal(await inShell(folder, "rollstamp init argocd --write >/dev/null 2>&1 && git status --porcelain"), "");
  });

  it("argocd: Applications of overlays, a chart and a plain folder, and those of an ApplicationSet", async () => {
    const folder = await repositoryWith(cluster, (at) => argoShape(at, cluster.server));
    await inShell(folder, `rollstamp init argocd --write && ${COMMIT}`);
    const texts = ["apps.yaml", "web.yaml"].map((file) => readFileSync(join(folder, "argocd", file), "utf8"));
    succeeded("apply", await kubectl(cluster, ["apply", "-f", "-"], texts.join("---\n")));
    for (const name of ARGO_SHAPE) {
      await eventually(`the Application ${name}`, () =>
        cluster.api.get(`${APPLICATIONS}/${name}`).then(
          () => "",
          () => "it is not there",
        ),
      );
      assert.equal(await syncedOrWhy(cluster, name), undefined);
      assert.deepEqual(await stampsOfApplication(cluster, name), ["configmap.rollstamp.dev/settings"]);
    }
  });

  it("flux: the command that it prints makes stamps that a Kustomization applies", async () => {
    const namespace = "shop-flux";
    const folder = await withShop(namespace, () => ({
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
    const printed = await inShell(folder, "rollstamp init flux --write");
    const command = /^ *Stamp them: (?<command>rollstamp stamp .*)$/mu.exec(printed)?.groups?.["command"];
    assert.ok(command, printed);
    await inShell(folder, command);
    const { flux, close } = await fluxOf(cluster.api, cluster.folder);
    try {
      const bootstrap = await flux.push("bootstrap", manifestsIn(folder), { spec: { path: "./clusters/prod" } });
      assert.equal(bootstrap.isReady, true, bootstrap.message);
      const { isReady, message } = await flux.reconcile("shop");
      assert.equal(isReady, true, message);
    } finally {
      close();
    }
    await assertStamped(namespace);
  });

  it("flux: the rendering that it prints for a kustomization is an artifact that a Kustomization applies", async () => {
    const folder = await repositoryWith(cluster, () => FLUX_SHAPE);
    const printed = await inShell(folder, "rollstamp init flux --write");
    const command = /^ *See the stamps: (?<command>kustomize build .*)$/mu.exec(printed)?.groups?.["command"];
    assert.ok(command, printed);
    const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shape-flux}\n";
    const manifests = await inShell(folder, `${command} 2>/dev/null`);
    const { flux, close } = await fluxOf(cluster.api, cluster.folder);
    try {
      const { isReady, message } = await flux.push("shape", { "all.yaml": `${namespace}---\n${manifests}` });
      assert.equal(isReady, true, message);
    } finally {
      close();
    }
    const web = await cluster.api.get("/apis/apps/v1/namespaces/shape-flux/deployments/web");
    assert.deepEqual(Object.keys(stampsOfTemplate(templateOf(web))), ["configmap.rollstamp.dev/settings"]);
  });
});

/** Clones of public repositories, named `owner+name`. */
const CLONES = (process.env["ROLLSTAMP_INIT_REPOSITORIES"] ?? "").split(":").filter((folder) => folder !== "");

describe("rollstamp init argocd in public repositories", { skip: CLONES.length === 0 }, () => {
  for (const clone of CLONES)
    it(clone, async (test) => {
      const tried = await tryRepository(cluster, bin, clone);
      for (const { path, why, stamps } of tried)
        test.diagnostic(`${path}: ${why?.slice(-300) ?? `synced, ${stamps} stamps`}`);
    });
});
