/** What settings and renderings do under Flux: rows of docs/why/observed.md. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { changedBy, levelOf, repository, transformed, webOf, withLevelTwo } from "./engine.ts";
import type { Engine, Files } from "./engine-types.ts";
import { listAt, textAt } from "./fields.ts";
import { eventually } from "./observe.ts";
import type { ObservedRow } from "./observed-row.ts";
import { deploymentsIn, type SettingsTrial, uidOfWeb, untilEmpty } from "./settings-argocd-rows.ts";

export interface FluxTrial extends SettingsTrial {
  readonly flux: Engine;
}

const kustomization = (name: string): string =>
  `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/flux-system/kustomizations/${name}`;

/** Files whose ConfigMap has a variable, with stamps. */
const withVariable = async ({ cluster, namespace }: FluxTrial): Promise<Files> => {
  const files = repository(namespace);
  const settings = (files["settings.yaml"] ?? "").replace("LEVEL: one", 'LEVEL: "${LEVEL}"');
  return changedBy(cluster, { ...files, "settings.yaml": settings }, ["stamp"]);
};

/** Changes a variable in the cluster, as another Kustomization would, and waits until Flux has applied it. */
async function changeVariable({ cluster, namespace, observer, flux }: FluxTrial, files: Files): Promise<void> {
  const name = `${namespace}-vars`;
  const labels = { "reconcile.fluxcd.io/watch": "Enabled" };
  await cluster.api.post("/api/v1/namespaces/flux-system/configmaps", {
    metadata: { name, labels },
    data: { LEVEL: "one" },
  });
  const spec = { postBuild: { substituteFrom: [{ kind: "ConfigMap", name }] } };
  const { isReady, message } = await flux.push(namespace, files, { spec });
  assert.equal(isReady, true, message);
  await observer.settled([namespace]);
  assert.equal(await levelOf(cluster, namespace), "one");
  await cluster.api.patch(`/api/v1/namespaces/flux-system/configmaps/${name}`, { data: { LEVEL: "two" } });
  await eventually("the new value", async () => {
    const level = await levelOf(cluster, namespace);
    return level === "two" ? "" : level;
  });
  await flux.reconcile(namespace);
  await observer.settled([namespace]);
}

export const FLUX_SETTINGS: readonly ObservedRow<FluxTrial>[] = [
  {
    does: "a commit changes the ConfigMap and the stamps while the Kustomization has `suspend: true`",
    with: "Flux",
    says: "nothing is applied until it is resumed; then one rollout",
    run: async ({ cluster, observer, namespace, flux }) => {
      const files = await changedBy(cluster, repository(namespace), ["stamp"]);
      assert.equal((await flux.push(namespace, files)).isReady, true);
      await observer.settled([namespace]);
      await cluster.api.patch(kustomization(namespace), { spec: { suspend: true } });
      await flux.commit(namespace, await changedBy(cluster, withLevelTwo(files), ["stamp"]));
      await sleep(3000);
      assert.deepEqual([(await webOf(cluster, namespace)).revision, await levelOf(cluster, namespace)], ["1", "one"]);
      await cluster.api.patch(kustomization(namespace), { spec: { suspend: false } });
      assert.equal((await flux.reconcile(namespace)).isReady, true);
      await observer.settled([namespace]);
      assert.deepEqual([(await webOf(cluster, namespace)).revision, await levelOf(cluster, namespace)], ["2", "two"]);
    },
  },
  {
    does: "a commit after which there are no objects",
    with: "Flux",
    says: "all objects are deleted",
    run: async ({ cluster, namespace, flux }) => {
      assert.equal((await flux.push(namespace, repository(namespace))).isReady, true);
      assert.equal(await deploymentsIn(cluster, namespace), 2);
      assert.equal((await flux.push(namespace, { "shop.yaml": "" })).isReady, true);
      await untilEmpty(cluster, namespace);
    },
  },
  {
    does: "a kustomization lists our transformer, as a plugin or as a function",
    with: "Flux",
    says: "`external plugins disabled`, and nothing is applied",
    run: async ({ cluster, namespace, flux }) => {
      const files = transformed(repository(namespace));
      const run = "metadata: {name: stamp, annotations: {config.kubernetes.io/function: 'exec: {path: rollstamp}'}}";
      const asFunction = {
        ...files,
        "stamp.yaml": (files["stamp.yaml"] ?? "").replace("metadata: {name: stamp}", run),
      };
      for (const each of [files, asFunction]) {
        const { isReady, message } = await flux.push(namespace, each);
        assert.equal(isReady, false);
        assert.match(message, /external plugins disabled/u);
      }
      assert.equal(await deploymentsIn(cluster, namespace), 0);
    },
  },
  {
    does: "a kustomization names files above its folder",
    with: "Flux",
    says: "built and applied",
    run: async ({ cluster, namespace, flux }) => {
      const files = repository(namespace);
      const resources = Object.keys(files).map((name) => `../${name}`);
      const { isReady, message } = await flux.push(
        namespace,
        { ...files, "app/kustomization.yaml": `resources: [${resources.join(", ")}]\n` },
        { spec: { path: "./app" } },
      );
      assert.equal(isReady, true, message);
      assert.equal(await levelOf(cluster, namespace), "one");
    },
  },
  {
    does: "a variable of `postBuild` changes that only the ConfigMap uses; the object that has it has the label `reconcile.fluxcd.io/watch: Enabled`",
    with: "Flux",
    says: "applied at once; no rollout",
    run: async (trial) => {
      await changeVariable(trial, await withVariable(trial));
      assert.equal((await webOf(trial.cluster, trial.namespace)).revision, "1");
    },
  },
  {
    does: "the same, and the pod template uses it too",
    with: "Flux",
    says: "applied at once; one rollout",
    run: async (trial) => {
      const files = await withVariable(trial);
      const web = (files["web.yaml"] ?? "").replace("app:1", "app:${LEVEL}");
      await changeVariable(trial, { ...files, "web.yaml": web });
      assert.equal((await webOf(trial.cluster, trial.namespace)).revision, "2");
    },
  },
  {
    does: "`patches` of the Kustomization change the ConfigMap",
    with: "Flux",
    says: "applied; no rollout",
    run: async ({ cluster, observer, namespace, flux }) => {
      const files = await changedBy(cluster, repository(namespace), ["stamp"]);
      assert.equal((await flux.push(namespace, files)).isReady, true);
      const patch = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {LEVEL: two}\n";
      const patches = [{ patch, target: { kind: "ConfigMap", name: "settings" } }];
      await cluster.api.patch(kustomization(namespace), { spec: { patches } });
      assert.equal((await flux.reconcile(namespace)).isReady, true);
      await observer.settled([namespace]);
      assert.deepEqual([(await webOf(cluster, namespace)).revision, await levelOf(cluster, namespace)], ["1", "two"]);
    },
  },
  ...[true, false].map((prune): ObservedRow<FluxTrial> => ({
    does: prune
      ? "a Kustomization that another one applies has another name in Git, with `prune: true`"
      : "the same with `prune: false`",
    with: "Flux",
    says: prune
      ? "the old one is deleted with all its objects; the new one creates them again"
      : "the objects stay as they are; the new Kustomization takes them over",
    run: async ({ cluster, observer, namespace, flux }) => {
      const { "namespace.yaml": own = "", ...files } = repository(namespace);
      const parts = Object.fromEntries(Object.entries(files).map(([name, text]) => [`shop/${name}`, text]));
      const child = (name: string): string =>
        JSON.stringify({
          apiVersion: "kustomize.toolkit.fluxcd.io/v1",
          kind: "Kustomization",
          metadata: { name, namespace: "flux-system" },
          spec: {
            interval: "1h",
            path: "./shop",
            prune,
            sourceRef: { kind: "GitRepository", name: namespace },
          },
        });
      const pushed = async (name: string): Promise<string> => {
        const all = { ...parts, "fleet/namespace.yaml": own, "fleet/child.yaml": child(name) };
        await flux.push(namespace, all, { spec: { path: "./fleet" } });
        const list = dirname(kustomization(name));
        await eventually(`only ${name}, and ready`, async () => {
          const [object, ...others] = listAt(await cluster.api.get(list), "items").filter((each) =>
            textAt(each, "metadata", "name").startsWith(`${namespace}-`),
          );
          const ready = listAt(object, "status", "conditions").find((one) => textAt(one, "type") === "Ready");
          const isOnly = others.length === 0 && textAt(object, "metadata", "name") === name;
          return isOnly && textAt(ready, "status") === "True" ? "" : JSON.stringify(object);
        });
        await flux.reconcile(name);
        await observer.settled([namespace]);
        return uidOfWeb(cluster, namespace);
      };
      const first = await pushed(`${namespace}-one`);
      const second = await pushed(`${namespace}-two`);
      assert.equal(second !== first, prune);
    },
  })),
];
