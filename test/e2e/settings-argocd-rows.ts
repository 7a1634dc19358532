/** What settings and renderings do under Argo CD: rows of docs/why/observed.md. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ArgoCDEngine, type ArgoCDOptions, argoCDOf } from "./argocd.ts";
import { RESOURCES_FINALIZER } from "../../src/base/hosts/argocd.ts";
import { NAMESPACE } from "./argocd-parts.ts";
import type { Cluster } from "./cluster.ts";
import { changedBy, levelOf, repository, transformed, webOf, withLevelTwo } from "./engine.ts";
import type { Files } from "./engine-types.ts";
import { fieldAt, listAt, textAt } from "./fields.ts";
import { eventually, type Observer } from "./observe.ts";
import type { ObservedRow } from "./observed-row.ts";
import { repositoryOf } from "./repository.ts";

export interface SettingsTrial {
  readonly cluster: Cluster;
  readonly observer: Observer;
  readonly namespace: string;
}

const STAMP = "configmap.rollstamp.dev/settings";

const engineWith = (cluster: Cluster, options: Partial<ArgoCDOptions> = {}): ArgoCDEngine =>
  argoCDOf(cluster.api, { ...cluster, syncOptions: [], ...options });

/** The first condition of this type that an Application gets. */
async function conditionOf(argocd: ArgoCDEngine, name: string, type: string): Promise<string> {
  let message = "";
  await eventually(`a ${type} of ${name}`, async () => {
    const conditions = listAt(await argocd.application(name), "status", "conditions");
    message = textAt(
      conditions.find((one) => textAt(one, "type") === type),
      "message",
    );
    return message === "" ? JSON.stringify(conditions) : "";
  });
  return message;
}

const isOutOfSync = (argocd: ArgoCDEngine, name: string, revision: string): Promise<void> =>
  eventually(`${name} to be compared`, async () => {
    const sync = fieldAt(await argocd.application(name), "status", "sync");
    const [status, compared] = [textAt(sync, "status"), textAt(sync, "revision")];
    return status === "OutOfSync" && compared === revision ? "" : `${status} at ${compared}`;
  });

export const deploymentsIn = async ({ api }: Cluster, namespace: string): Promise<number> =>
  listAt(await api.get(`/apis/apps/v1/namespaces/${namespace}/deployments`), "items").length;

/** The identity of the Deployment `web`; empty if it is not there. */
export const uidOfWeb = ({ api }: Cluster, namespace: string): Promise<string> =>
  api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/web`).then(
    (object) => textAt(object, "metadata", "uid"),
    () => "",
  );

export const untilEmpty = (cluster: Cluster, namespace: string): Promise<void> =>
  eventually(`no Deployment in ${namespace}`, async () =>
    (await deploymentsIn(cluster, namespace)) === 0 ? "" : "some are there",
  );

/** A repository whose namespace is not its own: it stays when all of the repository goes. */
async function inNamespace({ api }: Cluster, namespace: string): Promise<Files> {
  await api.post("/api/v1/namespaces", { metadata: { name: namespace } });
  const { "namespace.yaml": _own, ...files } = repository(namespace);
  return files;
}

export const ARGOCD_SETTINGS: readonly ObservedRow<SettingsTrial>[] = [
  {
    does: "an Application without `automated`: a commit changes the ConfigMap and the stamps",
    with: "Argo CD",
    says: "nothing is applied until somebody syncs it; then one rollout",
    run: async ({ cluster, observer, namespace }) => {
      const argocd = engineWith(cluster, { automated: null });
      const files = await changedBy(cluster, repository(namespace), ["stamp"]);
      await isOutOfSync(argocd, namespace, await argocd.commit(namespace, files));
      assert.equal(await deploymentsIn(cluster, namespace), 0);
      await argocd.sync(namespace, {});
      await observer.settled([namespace]);
      const next = await changedBy(cluster, withLevelTwo(files), ["stamp"]);
      await isOutOfSync(argocd, namespace, await argocd.commit(namespace, next));
      await observer.settled([namespace]);
      assert.deepEqual([(await webOf(cluster, namespace)).revision, await levelOf(cluster, namespace)], ["1", "one"]);
      await argocd.sync(namespace, {});
      await observer.settled([namespace]);
      assert.deepEqual([(await webOf(cluster, namespace)).revision, await levelOf(cluster, namespace)], ["2", "two"]);
    },
  },
  {
    does: "a commit after which there are no objects",
    with: "Argo CD",
    says: "not synced: `auto-sync will wipe out all resources`; a sync by hand with pruning deletes all objects",
    run: async ({ cluster, namespace }) => {
      const argocd = engineWith(cluster);
      const files = await inNamespace(cluster, namespace);
      await argocd.push(namespace, files);
      await argocd.commit(namespace, { "shop.yaml": "" });
      assert.match(await conditionOf(argocd, namespace, "SyncError"), /auto-sync will wipe out all resources/u);
      assert.equal(await deploymentsIn(cluster, namespace), 2);
      await argocd.sync(namespace, {});
      await untilEmpty(cluster, namespace);
    },
  },
  {
    does: "the same with `allowEmpty`",
    with: "Argo CD",
    says: "all objects are deleted",
    run: async ({ cluster, namespace }) => {
      const argocd = engineWith(cluster, { automated: { allowEmpty: true } });
      const files = await inNamespace(cluster, namespace);
      await argocd.push(namespace, files);
      await argocd.push(namespace, { "shop.yaml": "" });
      await untilEmpty(cluster, namespace);
    },
  },
  {
    does: "a commit changes a ConfigMap; the kustomization lists our transformer, and the repo-server has it (`--enable-alpha-plugins`)",
    with: "Argo CD",
    says: "applied; one rollout, and the stamp stays",
    run: async ({ cluster, observer, namespace }) => {
      const argocd = engineWith(cluster);
      const files = transformed(repository(namespace));
      assert.equal((await argocd.push(namespace, files)).isReady, true);
      await observer.settled([namespace]);
      const first = await webOf(cluster, namespace);
      assert.equal((await argocd.push(namespace, withLevelTwo(files))).isReady, true);
      await observer.settled([namespace]);
      const second = await webOf(cluster, namespace);
      assert.deepEqual([first.revision, second.revision], ["1", "2"]);
      assert.ok(first.annotations[STAMP] && second.annotations[STAMP]);
    },
  },
  {
    does: "with `--enable-alpha-plugins`, a kustomization lists a transformer of the kind `../../../bin/sh`",
    with: "Argo CD",
    says: "its text runs as a shell script in the repo-server",
    run: async ({ cluster, namespace }) => {
      const ran = join(cluster.folder, `${namespace}-ran`);
      // More steps up than any folder of plugins is deep.
      const kind = `${"../".repeat(20)}bin/sh`;
      await engineWith(cluster).commit(namespace, {
        "kustomization.yaml": "transformers: [stamp.yaml]\n",
        "stamp.yaml": `apiVersion: x/v1\nkind: ${kind}\nmetadata: {name: x}\ntext: |\n  touch ${ran}\n`,
      });
      await eventually("the script", async () => (existsSync(ran) ? "" : "it did not run"));
    },
  },
  {
    does: "an Application that names no tool; a commit adds a `rollstamp.yaml` to its folder",
    with: "Argo CD",
    says: "our plugin renders it from then on: its workloads roll out once",
    run: async ({ cluster, observer, namespace }) => {
      const argocd = engineWith(cluster);
      const files = repository(namespace);
      assert.equal((await argocd.push(namespace, files)).isReady, true);
      await observer.settled([namespace]);
      assert.deepEqual((await webOf(cluster, namespace)).annotations, {});
      const configuration = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamp}\n";
      assert.equal((await argocd.push(namespace, { ...files, "rollstamp.yaml": configuration })).isReady, true);
      await observer.settled([namespace]);
      const { revision, annotations } = await webOf(cluster, namespace);
      assert.deepEqual([revision, Object.keys(annotations)], ["2", [STAMP]]);
    },
  },
  {
    does: "a `.argocd-source.yaml` in the folder sets parameters of our plugin",
    with: "Argo CD",
    says: "our plugin takes them",
    run: async ({ cluster, observer, namespace }) => {
      const argocd = engineWith(cluster, { plugin: "rollstamp" });
      const parameters = "[{name: rollstamp-options, map: {layout: Combined}}]";
      const files = { ...repository(namespace), ".argocd-source.yaml": `plugin: {parameters: ${parameters}}\n` };
      assert.equal((await argocd.push(namespace, files)).isReady, true);
      await observer.settled([namespace]);
      assert.deepEqual(Object.keys((await webOf(cluster, namespace)).annotations), ["rollstamp.dev/config-hash"]);
    },
  },
  {
    does: "an Application has `kustomize` beside `plugin`",
    with: "Argo CD",
    says: "`multiple application sources defined`, and nothing is applied",
    run: async ({ cluster, namespace }) => {
      const argocd = engineWith(cluster, { plugin: "rollstamp", source: { kustomize: { namePrefix: "own-" } } });
      await argocd.commit(namespace, repository(namespace));
      assert.match(await conditionOf(argocd, namespace, "ComparisonError"), /multiple application sources defined/u);
      assert.equal(await deploymentsIn(cluster, namespace), 0);
    },
  },
  {
    does: "our plugin refuses a commit: `helmCharts` need `--enable-helm`, which only `kustomize.buildOptions` has",
    with: "Argo CD",
    says: "nothing is applied; a condition of the Application ends with our line",
    run: async ({ cluster, observer, namespace }) => {
      const argocd = engineWith(cluster, { plugin: "rollstamp" });
      const files = repository(namespace);
      assert.equal((await argocd.push(namespace, files)).isReady, true);
      await observer.settled([namespace]);
      await argocd.commit(namespace, {
        ...withLevelTwo(files),
        "kustomization.yaml": "resources: [web.yaml]\nhelmCharts: [{name: shop, releaseName: shop}]\n",
      });
      assert.match(
        await conditionOf(argocd, namespace, "ComparisonError"),
        / failed exit status 2: rollstamp: error: kustomization\.yaml: .*set --enable-helm in [^\n]*$/u,
      );
      assert.equal(await levelOf(cluster, namespace), "one");
      assert.equal(await deploymentsIn(cluster, namespace), 2);
    },
  },
  ...[true, false].map((isFinalized): ObservedRow<SettingsTrial> => ({
    does: isFinalized
      ? "an Application that another one applies has another name in Git, with the finalizer `resources-finalizer.argocd.argoproj.io`"
      : "the same without the finalizer",
    with: "Argo CD",
    says: isFinalized
      ? "the old one is deleted with all its objects; the new one creates them again"
      : "the objects stay as they are; the new Application takes them over",
    run: async ({ cluster, observer, namespace }) => {
      const argocd = engineWith(cluster, { path: "apps" });
      const files = await inNamespace(cluster, namespace);
      const parts = Object.fromEntries(Object.entries(files).map(([name, text]) => [`shop/${name}`, text]));
      const child = (name: string): string =>
        JSON.stringify({
          apiVersion: "argoproj.io/v1alpha1",
          kind: "Application",
          metadata: { name, namespace: NAMESPACE, ...(isFinalized ? { finalizers: [RESOURCES_FINALIZER] } : {}) },
          spec: {
            project: "default",
            source: {
              repoURL: `file://${repositoryOf(cluster.folder, namespace)}`,
              path: "shop",
              targetRevision: "main",
            },
            destination: { server: cluster.server, namespace },
            syncPolicy: { automated: { prune: true, selfHeal: true } },
          },
        });
      const push = (name: string): Promise<unknown> =>
        argocd.commit(namespace, { ...parts, "apps/child.yaml": child(name) });
      const isSynced = (name: string): Promise<void> =>
        eventually(`${name} to be synced`, async () => {
          const status = textAt(await argocd.application(name).catch(() => ({})), "status", "sync", "status");
          return status === "Synced" ? "" : `status: ${status}`;
        });
      const [one, two] = [`${namespace}-one`, `${namespace}-two`] as const;
      await push(one);
      await isSynced(one);
      await observer.settled([namespace]);
      const before = await uidOfWeb(cluster, namespace);
      await push(two);
      await eventually(`${one} to be gone`, () =>
        argocd.application(one).then(
          () => "it is there",
          () => "",
        ),
      );
      await eventually("the Deployment", async () => ((await uidOfWeb(cluster, namespace)) === "" ? "it is gone" : ""));
      await isSynced(two);
      await observer.settled([namespace]);
      assert.equal((await uidOfWeb(cluster, namespace)) !== before, isFinalized);
    },
  })),
];
