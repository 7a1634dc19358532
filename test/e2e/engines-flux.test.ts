/** What Flux applies, keeps and reverts: rows of docs/why/observed.md. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Cluster, startCluster } from "./cluster.ts";
import { kubectl, rollstamp, succeeded } from "./commands.ts";
import { ENGINE_ROWS, type EngineRow, type Seen } from "./engine-rows.ts";
import { fieldAt, textsAt } from "./fields.ts";
import { type Flux, fluxOf } from "./flux.ts";
import { checkEngines } from "./observed-table.ts";
import { type Observer, observe } from "./observe.ts";

let cluster: Cluster;
let observer: Observer;
let flux: Flux;
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
    it(`${row.does}: ${row.flux}`, () => comesTrue(row, `engine-${index + 1}`));

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

it("docs/why/observed.md has the observations", () => checkEngines(ENGINE_ROWS));

/** A Deployment that Flux applies; someone does something; Flux reconciles. */
async function comesTrue({ act, stamped, flux: says, seen }: EngineRow, namespace: string): Promise<void> {
  let files = repository(namespace);
  if (stamped) files = await stampedFiles(files);
  assert.equal((await flux.push(namespace, files)).isReady, true);
  await observer.settled([namespace]);
  await act({
    namespace,
    files,
    cluster,
    settled: () => observer.settled([namespace]),
    push: async (pushed) => void assert.equal((await flux.push(namespace, pushed)).isReady, true),
    stampedFiles,
  });
  await observer.settled([namespace]);
  await flux.reconcile(namespace);
  const web = [...(await observer.settled([namespace])).values()].find(({ key }) => key.includes("web"));
  assert.ok(web);
  const template = fieldAt(web.object, "spec", "template");
  const isKept = seen.kept === undefined ? undefined : JSON.stringify(template).includes(seen.kept);
  const found: Seen = { ...seen, rollouts: web.revision - 1, ...(isKept === undefined ? {} : { isKept }) };
  assert.deepEqual(found, seen, says);
}

/** Files as `rollstamp stamp` leaves them. */
async function stampedFiles(
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(cluster.folder, "stamped-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const command = args.length === 0 ? ["stamp", folder] : [...args, folder];
  succeeded("rollstamp", await rollstamp(command));
  return Object.fromEntries(Object.keys(files).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

function repository(namespace: string): Record<string, string> {
  return {
    "namespace.yaml": `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${namespace}}\n`,
    "settings.yaml": configMap(namespace, "settings", "one"),
    "extra.yaml": configMap(namespace, "extra", "one"),
    "web.yaml": deployment(namespace, "web"),
    "api.yaml": deployment(namespace, "api"),
  };
}

function configMap(namespace: string, name: string, level: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata: {LEVEL: ${level}}\n`;
}

const deployment = (namespace: string, name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  replicas: 2
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
        - name: app
          image: registry.example/app:1
          envFrom: [{configMapRef: {name: settings}}]
`;
