/** What Flux applies, keeps and reverts: rows of docs/why/observed.md. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Cluster, startCluster } from "./cluster.ts";
import { kubectl, succeeded } from "./commands.ts";
import type { Engine, Reconciled } from "./engine-types.ts";
import { comesTrue, configMap, deployment, repository } from "./engine.ts";
import { ENGINE_ROWS } from "./engine-rows.ts";
import { textsAt } from "./fields.ts";
import { fluxOf } from "./flux.ts";
import { type Observer, observe } from "./observe.ts";
import { FLUX_SETTINGS } from "./settings-flux-rows.ts";

let cluster: Cluster;
let observer: Observer;
let flux: Engine;
let close: (() => void) | undefined;

before(async () => {
  cluster = await startCluster({ flux: true });
  observer = await observe(cluster);
  ({ flux, close } = await fluxOf(cluster.api, cluster.folder));
});

after(async () => {
  close?.();
  observer?.stop();
  await cluster?.stop();
});

describe("Flux", { concurrency: 4 }, () => {
  for (const [index, row] of ENGINE_ROWS.entries())
    it(`${row.does}: ${row.flux.says}`, () =>
      comesTrue(row, row.flux.seen, `engine-${index + 1}`, { engine: flux, cluster, observer }));

  it("applies and prunes nothing beside a refused object, except Namespaces", async () => {
    const namespace = "refused";
    const files = repository(namespace);
    assert.equal((await flux.push(namespace, files)).isReady, true);
    await observer.settled([namespace]);
    const { "extra.yaml": _pruned, ...others } = files;
    const { isReady, message } = await flux.push(namespace, {
      ...others,
      "web.yaml": deployment(namespace, "web").replaceAll("app: web", "app: other"),
      "api.yaml": deployment(namespace, "api").replace("app:1", "app:2"),
      "settings.yaml": configMap(namespace, "settings", "two"),
      "new.yaml": `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${namespace}-new}\n`,
    });
    assert.equal(isReady, false);
    assert.match(message, /Deployment\/refused\/web dry-run failed .*field is immutable/u);
    const settled = await observer.settled([namespace]);
    assert.deepEqual(
      [...settled.values()].map(({ revision }) => revision),
      [1, 1],
    );
    const get = (path: string): Promise<unknown> => cluster.api.get(`/api/v1/namespaces/${path}`);
    assert.deepEqual(textsAt(await get(`${namespace}/configmaps/settings`), "data"), { LEVEL: "one" });
    assert.ok(await get(`${namespace}/configmaps/extra`), "the object that left Git is still there");
    assert.ok(await get(`${namespace}-new`), "the Namespace is there");
  });

  it("does not apply, or applies as written, what it does not decrypt", async () => {
    const pushed = (field: string): Promise<Reconciled> => {
      const namespace = `encrypted-${field.toLowerCase()}`;
      const secret = `apiVersion: v1\nkind: Secret\nmetadata: {name: one, namespace: ${namespace}}\n${field}: {A: "ENC[x]"}\nsops: {mac: x}\n`;
      return flux.push(namespace, { ...repository(namespace), "secret.yaml": secret });
    };
    const { isReady, message } = await pushed("data");
    assert.equal(isReady, false);
    assert.match(message, /SOPS encrypted, configuring decryption is required/u);
    assert.equal((await pushed("stringData")).isReady, true);
    const secret = await cluster.api.get("/api/v1/namespaces/encrypted-stringdata/secrets/one");
    assert.deepEqual(textsAt(secret, "data"), { A: Buffer.from("ENC[x]").toString("base64") });
  });

  it("keeps what leaves Git if prune is off", async () => {
    for (const prune of [true, false]) {
      const namespace = `prune-${prune}`;
      const files = repository(namespace);
      await flux.push(namespace, files, { prune });
      const { "extra.yaml": _pruned, ...others } = files;
      assert.equal((await flux.push(namespace, others)).isReady, true);
      const list = succeeded("get", await kubectl(cluster, ["get", "configmaps", "-n", namespace, "-o", "name"]));
      assert.equal(list.includes("configmap/extra"), !prune);
    }
  });
});

describe("Flux, settings and renderings", { concurrency: 4 }, () => {
  for (const [index, { does, says, run }] of FLUX_SETTINGS.entries())
    it(`${does}: ${says}`, () => run({ cluster, observer, namespace: `settings-${index + 1}`, flux }));
});
