/** What Argo CD does with versioned copies: rows of docs/why/observed.md. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { COMPARE_OPTIONS, SYNC_OPTIONS } from "../../src/base/hosts/argocd.ts";
import type { ArgoCDEngine } from "./argocd.ts";
import { kubectl, succeeded } from "./commands.ts";
import { textAt } from "./fields.ts";
import { eventually } from "./observe.ts";
import {
  committed,
  copiesOf,
  levelsOf,
  namedIn,
  plain,
  podLevels,
  PODS,
  podsOf,
  render,
  rendered,
  replacePod,
  SYNC_WAVE,
  withCopies,
  without,
} from "./versioned.ts";
import { deployed, replaceCopy, stuck, undone } from "./versioned-parts.ts";
import type { EngineTrial, ObservedRow } from "./observed-row.ts";

type Row = ObservedRow<EngineTrial<ArgoCDEngine>>;

const syncStatus = async (engine: ArgoCDEngine, namespace: string): Promise<string> =>
  textAt(await engine.application(namespace), "status", "sync", "status");

export const ARGOCD_VERSIONED: readonly Row[] = [
  {
    does: "a copy leaves Git while old pods name it, with `Prune=false` and `IgnoreExtraneous`",
    with: "Argo CD",
    says: "kept, and the Application is Synced; after a revert it is the same object",
    run: async ({ cluster, namespace, engine }) => {
      const { old, uid } = await replaceCopy({ cluster, namespace, engine }, []);
      await engine.reconcile(namespace);
      assert.equal(await syncStatus(engine, namespace), "Synced");
      assert.equal((await copiesOf(cluster, namespace)).get(old)?.uid, uid);
      assert.equal((await engine.push(namespace, await rendered(cluster, deployed(namespace, "one")))).isReady, true);
      assert.equal((await copiesOf(cluster, namespace)).get(old)?.uid, uid);
    },
  },
  {
    does: "the same with `Prune=false` alone",
    with: "Argo CD",
    says: "kept, but the Application stays OutOfSync and is synced again and again",
    run: async ({ cluster, namespace, engine }) => {
      const { old, uid } = await replaceCopy({ cluster, namespace, engine }, [COMPARE_OPTIONS]);
      const started = async (): Promise<string> =>
        textAt(await engine.application(namespace), "status", "operationState", "startedAt");
      const first = await started();
      await eventually("a second sync of the same commit", async () =>
        (await started()) === first ? "there was one" : "",
      );
      assert.equal(await syncStatus(engine, namespace), "OutOfSync");
      assert.equal((await copiesOf(cluster, namespace)).get(old)?.uid, uid);
    },
  },
  ...[
    { with: "`IgnoreExtraneous` alone", keys: [SYNC_OPTIONS] },
    { with: "neither", keys: [SYNC_OPTIONS, COMPARE_OPTIONS] },
  ].map((protection): Row => ({
    does: `the same with ${protection.with}`,
    with: "Argo CD",
    says: "pruned under the old pods; a revert creates another object",
    run: async ({ cluster, namespace, engine }) => {
      const { old, uid } = await replaceCopy({ cluster, namespace, engine }, protection.keys);
      await eventually("the copy to be pruned", async () =>
        (await copiesOf(cluster, namespace)).has(old) ? "it is there" : "",
      );
      assert.ok(((await podLevels(cluster, namespace))["missing"] ?? 0) > 0);
      const back = without(await rendered(cluster, deployed(namespace, "one")), ...protection.keys);
      assert.equal((await engine.push(namespace, back)).isReady, true);
      const { uid: next } = (await copiesOf(cluster, namespace)).get(old) ?? {};
      assert.ok(next !== undefined && next !== uid);
    },
  })),
  {
    does: "the Application is deleted with its objects",
    with: "Argo CD",
    says: "protected copies are deleted too",
    run: async ({ cluster, namespace, engine }) => {
      await replaceCopy({ cluster, namespace, engine }, []);
      assert.deepEqual(await levelsOf(cluster, namespace), ["one", "two"]);
      await engine.remove(namespace);
      await eventually("the copies to be deleted", async () => (await levelsOf(cluster, namespace)).join(", "));
    },
  },
  {
    does: "the same, with `Delete=false` on the copies too",
    with: "Argo CD",
    says: "they stay",
    run: async ({ cluster, namespace, engine }) => {
      const files = withCopies(await rendered(cluster, deployed(namespace, "one")), (copy) =>
        copy.setIn(["metadata", "annotations", SYNC_OPTIONS], "Prune=false,Delete=false"),
      );
      assert.equal((await engine.push(namespace, files)).isReady, true);
      await engine.remove(namespace);
      await eventually("the workload to be deleted", async () =>
        (await podsOf(cluster, namespace)).length === 0 ? "" : "its pods are there",
      );
      assert.deepEqual(await levelsOf(cluster, namespace), ["one"]);
    },
  },
  {
    does: "four commits, of which Git keeps the last 3 copies, without protection",
    with: "Argo CD",
    says: "Synced; the oldest is pruned",
    run: async ({ cluster, namespace, engine }) => {
      const levels: string[] = [];
      for (const level of ["one", "two", "three", "four"]) {
        levels.push(level);
        assert.equal(
          (await engine.push(namespace, await committed(cluster, deployed(namespace, ""), levels))).isReady,
          true,
        );
      }
      assert.deepEqual(await levelsOf(cluster, namespace), ["four", "three", "two"]);
      assert.equal(await syncStatus(engine, namespace), "Synced");
    },
  },
  {
    does: "a copy that is in Git is deleted by hand",
    with: "Argo CD",
    says: "it is back within seconds (self-heal)",
    run: async ({ cluster, namespace, engine }) => {
      const files = await rendered(cluster, deployed(namespace, "one"));
      assert.equal((await engine.push(namespace, files)).isReady, true);
      const name = namedIn(files);
      const { uid } = (await copiesOf(cluster, namespace)).get(name) ?? {};
      succeeded("delete", await kubectl(cluster, ["delete", "configmap", name, "-n", namespace]));
      await eventually("the copy", async () => {
        const copy = (await copiesOf(cluster, namespace)).get(name);
        return copy !== undefined && copy.uid !== uid ? "" : "it is not back";
      });
    },
  },
  {
    does: "a copy is edited in Git, and its name stays",
    with: "Argo CD",
    says: "SyncFailed: `field is immutable when immutable is set`",
    run: async ({ cluster, namespace, engine }) => {
      const files = await rendered(cluster, deployed(namespace, "one"));
      assert.equal((await engine.push(namespace, files)).isReady, true);
      const { isReady } = await engine.push(
        namespace,
        withCopies(files, (copy) => copy.setIn(["data", "LEVEL"], "two")),
      );
      assert.equal(isReady, false);
      const application = JSON.stringify(await engine.application(namespace));
      assert.match(application, /field is immutable when `immutable` is set/u);
      assert.deepEqual(await levelsOf(cluster, namespace), ["one"]);
    },
  },
  {
    does: "a StatefulSet with a partition of half its pods; a pod below it is deleted",
    with: "Argo CD",
    says: "the new pods name the new copy; the other ones, also the one that is created again, name the old one",
    run: async ({ cluster, namespace, engine }) => {
      const spec = {
        serviceName: "web",
        podManagementPolicy: "Parallel",
        updateStrategy: { rollingUpdate: { partition: PODS / 2 } },
      };
      const push = async (level: string, pods: object): Promise<void> => {
        const files = await rendered(cluster, { namespace, kind: "StatefulSet", level, spec });
        assert.equal((await engine.push(namespace, files)).isReady, true);
        await eventually(`pods of ${level}`, async () => {
          const levels = await podLevels(cluster, namespace);
          return isDeepStrictEqual(levels, pods) ? "" : JSON.stringify(levels);
        });
      };
      await push("one", { one: PODS });
      const [old = ""] = new Set((await podsOf(cluster, namespace)).map(({ source }) => source));
      await push("two", { one: PODS / 2, two: PODS / 2 });
      const pod = (await podsOf(cluster, namespace)).find(({ source }) => source === old);
      assert.ok(pod);
      assert.equal((await replacePod(cluster, namespace, pod)).source, old);
    },
  },
  {
    does: "a source that is a hook (`PreSync`)",
    with: "Argo CD",
    says: "it has no copy; a change of it rolls out by its stamp",
    run: async ({ cluster, namespace, engine }) => {
      const push = async (level: string): Promise<void> => {
        const files = plain(deployed(namespace, level));
        const hook = `namespace: ${namespace}\n  annotations: { argocd.argoproj.io/hook: PreSync }`;
        const settings = (files["settings.yaml"] ?? "").replace(`namespace: ${namespace}`, hook);
        const made = await render(cluster, { ...files, "settings.yaml": settings });
        assert.equal((await engine.push(namespace, made)).isReady, true);
        await eventually(`revision of ${level}`, async () => {
          const web = await cluster.api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/web`);
          const revision = textAt(web, "metadata", "annotations", "deployment.kubernetes.io/revision");
          const levels = await podLevels(cluster, namespace);
          const isDone = revision === (level === "one" ? "1" : "2") && isDeepStrictEqual(levels, { [level]: PODS });
          return isDone ? "" : `${revision}, ${JSON.stringify(levels)}`;
        });
      };
      await push("one");
      await push("two");
      assert.equal((await copiesOf(cluster, namespace)).size, 0);
    },
  },
  {
    does: "`kubectl rollout undo`",
    with: "Argo CD",
    says: "put back within seconds (self-heal): two rollouts",
    run: undone,
  },
  ...[
    { with: "the wave of its source", keys: [], says: "created before the workload", isThere: true },
    {
      with: "no wave, and its source and the workload in wave -1",
      keys: [SYNC_WAVE],
      says: "not created until the workload is healthy: new pods wait for it for ever",
      isThere: false,
    },
  ].map(({ with: wave, keys, says, isThere }): Row => ({
    does: `a copy with ${wave}`,
    with: "Argo CD",
    says,
    run: async ({ cluster, namespace, engine }) => {
      const files = without(await rendered(cluster, { ...stuck(namespace, "one"), wave: "-1" }), ...keys);
      // Without the copy, the kubelet does not start the pods: here, they are never ready.
      void engine.push(namespace, files).catch(() => undefined);
      await eventually("pods", async () => ((await podsOf(cluster, namespace)).length > 0 ? "" : "none"));
      assert.deepEqual(await levelsOf(cluster, namespace), isThere ? ["one"] : []);
      if (isThere) return;
      await eventually("the wait for the workload", async () => {
        const message = textAt(await engine.application(namespace), "status", "operationState", "message");
        return /waiting for healthy state of apps\/Deployment\/web/u.test(message) ? "" : message || "no message";
      });
      assert.deepEqual(await levelsOf(cluster, namespace), []);
    },
  })),
];
