/** What Argo CD applies, keeps and reverts: rows of docs/why/observed.md. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { argoCDOf } from "./argocd.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { kubectl, succeeded } from "./commands.ts";
import type { Engine } from "./engine-types.ts";
import { comesTrue, configMap, deployment, repository } from "./engine.ts";
import { ENGINE_ROWS, PLUGIN_ROW } from "./engine-rows.ts";
import { textsAt } from "./fields.ts";
import { type Observer, observe } from "./observe.ts";
import { ARGOCD_SETTINGS } from "./settings-argocd-rows.ts";

const MODES = [
  { name: "client-side apply", syncOptions: [] },
  { name: "server-side apply", syncOptions: ["ServerSideApply=true"] },
];

let cluster: Cluster;
let observer: Observer;

before(async () => {
  cluster = await startCluster({ argocd: true });
  observer = await observe(cluster);
});

after(async () => {
  observer?.stop();
  await cluster?.stop();
});

describe("Argo CD with our plugin", { concurrency: 2 }, () => {
  const engine = (): Engine => argoCDOf(cluster.api, { ...cluster, syncOptions: [], plugin: "rollstamp" });
  const rows = [PLUGIN_ROW, ...ENGINE_ROWS.filter(({ does }) => does.startsWith("`kubectl"))];

  for (const [index, row] of rows.entries()) {
    const { seen, says } = row.plugin ?? row.argocd;
    it(`${row.does}: ${says}`, () =>
      comesTrue(row, seen, `plugin-${index + 1}`, { engine: engine(), cluster, observer }));
  }
});

describe("Argo CD, Replace=true", { concurrency: 2 }, () => {
  // A replacement is refused if a controller writes to the object meanwhile.
  const options = { syncOptions: ["Replace=true"], retries: 2 };

  for (const [index, row] of ENGINE_ROWS.entries()) {
    const { replace } = row;
    if (replace === undefined) continue;
    it(`${row.does}: ${replace.says}`, () => {
      const engine = argoCDOf(cluster.api, { ...cluster, ...options });
      return comesTrue(row, replace.seen, `replace-${index + 1}`, { engine, cluster, observer });
    });
  }
});

for (const [nth, { name, syncOptions }] of MODES.entries())
  describe(`Argo CD, ${name}`, { concurrency: 6 }, () => {
    const engine = (): Engine => argoCDOf(cluster.api, { ...cluster, syncOptions });

    for (const [index, row] of ENGINE_ROWS.entries())
      it(`${row.does}: ${row.argocd.says}`, () =>
        comesTrue(row, row.argocd.seen, `engine-${nth}-${index + 1}`, { engine: engine(), cluster, observer }));

    it("applies the other objects beside a refused one", async () => {
      const namespace = `refused-${nth}`;
      const argocd = engine();
      const files = repository(namespace);
      assert.equal((await argocd.push(namespace, files)).isReady, true);
      await observer.settled([namespace]);
      const { isReady, message } = await argocd.push(namespace, {
        ...files,
        "web.yaml": deployment(namespace, "web").replaceAll("app: web", "app: other"),
        "api.yaml": deployment(namespace, "api").replace("app:1", "app:2"),
        "settings.yaml": configMap(namespace, "settings", "two"),
      });
      assert.equal(isReady, false, message);
      const settled = await observer.settled([namespace]);
      assert.deepEqual(
        Object.fromEntries([...settled].map(([key, { revision }]) => [key.split("/").at(-1), revision])),
        {
          api: 2,
          web: 1,
        },
      );
      const settings = await cluster.api.get(`/api/v1/namespaces/${namespace}/configmaps/settings`);
      assert.deepEqual(textsAt(settings, "data"), { LEVEL: "two" });
    });

    it("keeps what leaves Git if prune is off", async () => {
      for (const prune of [true, false]) {
        const namespace = `prune-${nth}-${prune}`;
        const argocd = engine();
        const files = repository(namespace);
        await argocd.push(namespace, files, { prune });
        const { "extra.yaml": _pruned, ...others } = files;
        assert.equal((await argocd.push(namespace, others)).isReady, true);
        const list = succeeded("get", await kubectl(cluster, ["get", "configmaps", "-n", namespace, "-o", "name"]));
        assert.equal(list.includes("configmap/extra"), !prune);
      }
    });
  });

describe("Argo CD, settings and renderings", { concurrency: 6 }, () => {
  for (const [index, { does, says, run }] of ARGOCD_SETTINGS.entries())
    it(`${does}: ${says}`, () => run({ cluster, observer, namespace: `settings-${index + 1}` }));
});
