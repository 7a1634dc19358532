/** What keeps a stamp from rolling out what it should, under Argo CD: docs/guides/argocd.md, docs/why/observed.md. */
import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { CACHE_ROWS, cachedRepository } from "./argocd-cache-rows.ts";
import { COMMIT_SERVER_FILES, expireRenderings, pluginKey } from "./argocd-parts.ts";
import { type ArgoCDEngine, argoCDOf, type ArgoCDOptions } from "./argocd.ts";
import { type Cluster, NEVER_READY, startCluster } from "./cluster.ts";
import type { Files } from "./engine-types.ts";
import { changedBy, levelOf, repository, webOf, withLevelTwo } from "./engine.ts";
import { listAt, textAt } from "./fields.ts";
import { eventually, type Observer, observe } from "./observe.ts";

let cluster: Cluster;
let observer: Observer;

before(async () => {
  cluster = await startCluster({ argocd: true, hydrator: true });
  rotate();
  observer = await observe(cluster);
});

after(async () => {
  observer?.stop();
  await cluster?.stop();
  for (const made of COMMIT_SERVER_FILES) rmSync(made, { recursive: true, force: true });
});

const engineWith = (options: Partial<ArgoCDOptions>): ArgoCDEngine =>
  argoCDOf(cluster.api, { ...cluster, syncOptions: [], ...options });

let keys = 0;

/** The plugin reads its key whenever it renders, also for another test: there is always a whole one. */
function rotate(): void {
  const key = pluginKey(cluster.folder);
  writeFileSync(`${key}.new`, `key ${(keys += 1)}`);
  renameSync(`${key}.new`, key);
}

const stamped = (files: Files): Promise<Files> => changedBy(cluster, files, ["stamp"]);

describe("ignoreDifferences of the annotations of pod templates", { concurrency: 2 }, () => {
  const ignoreDifferences = [
    { group: "apps", kind: "Deployment", jsonPointers: ["/spec/template/metadata/annotations"] },
  ];
  const ROWS = [
    { name: "alone: the stamp is applied with the next sync", syncOptions: [], revision: "2" },
    {
      name: "with RespectIgnoreDifferences: the stamp is never applied, and nothing rolls",
      syncOptions: ["RespectIgnoreDifferences=true"],
      revision: "1",
    },
  ];
  for (const [index, { name, syncOptions, revision }] of ROWS.entries())
    it(name, async () => {
      const namespace = `ignored-${index}`;
      const argocd = engineWith({ syncOptions, ignoreDifferences });
      const files = await stamped(repository(namespace));
      assert.equal((await argocd.push(namespace, files)).isReady, true);
      await observer.settled([namespace]);
      assert.equal((await argocd.push(namespace, await stamped(withLevelTwo(files)))).isReady, true);
      await observer.settled([namespace]);
      assert.equal((await webOf(cluster, namespace)).revision, revision);
    });
});

it("a ConfigMap in a later sync wave than its Deployment: new pods start before its content is there", async () => {
  const namespace = "waves";
  const argocd = engineWith({});
  const plain = repository(namespace);
  const later = (plain["settings.yaml"] ?? "").replace(
    "name: settings",
    'name: settings, annotations: {argocd.argoproj.io/sync-wave: "1"}',
  );
  const files = await stamped({ ...plain, "settings.yaml": later });
  assert.equal((await argocd.push(namespace, files)).isReady, true);
  await observer.settled([namespace]);
  // New pods that are never ready keep the first wave from its end.
  const next = await stamped({
    ...withLevelTwo(files),
    "web.yaml": (files["web.yaml"] ?? "").replace("labels: {app: web}}", `labels: {app: web, ${NEVER_READY}: "true"}}`),
  });
  assert.notEqual(next["web.yaml"], files["web.yaml"]);
  void argocd.push(namespace, next).catch(() => undefined);
  await eventually("the new pods", async () => {
    const pods = await cluster.api.get(`/api/v1/namespaces/${namespace}/pods?labelSelector=${NEVER_READY}`);
    return listAt(pods, "items").length === 0 ? "no pod is new" : "";
  });
  assert.equal(await levelOf(cluster, namespace), "one");
});

describe("what Argo CD takes from its cache", { concurrency: 6 }, () => {
  for (const [index, { does, says, options, act, rollouts, status }] of CACHE_ROWS.entries())
    it(`${does}: ${says}`, async () => {
      const namespace = `cached-${index + 1}`;
      const argocd = engineWith({ plugin: "rollstamp", path: "shop", ...options });
      const files = cachedRepository(namespace);
      const { isReady, message } = await argocd.push(namespace, files);
      assert.equal(isReady, true, message);
      await observer.settled([namespace]);
      await act({ namespace, files, argocd, rotate, expire: () => expireRenderings(cluster.folder, namespace) });
      await observer.settled([namespace]);
      const application = await argocd.application(namespace);
      assert.deepEqual(
        {
          rollouts: Number((await webOf(cluster, namespace)).revision) - 1,
          status: textAt(application, "status", "sync", "status"),
        },
        { rollouts, status },
      );
    });
});
