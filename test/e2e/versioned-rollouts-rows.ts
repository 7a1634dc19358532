/** Canaries of a ConfigMap with versioned copies, under Argo CD with self-heal: rows of docs/why/observed.md. */
import assert from "node:assert/strict";
import { type ArgoCDEngine, argoCDOf } from "./argocd.ts";
import { rollstamp, succeeded } from "./commands.ts";
import type { Files } from "./engine-types.ts";
import { eventually } from "./observe.ts";
import {
  abort,
  committed,
  CONFIG,
  copiesOf,
  plain,
  podLevels,
  PODS,
  podsOf,
  promote,
  rendered,
  replacePod,
  undo,
  untilRollout,
} from "./versioned.ts";
import { canary, created, isAborted, paused } from "./versioned-parts.ts";
import type { EngineTrial, ObservedRow } from "./observed-row.ts";

const ENGINES = "Argo CD, Argo Rollouts";

type Row = ObservedRow<EngineTrial<ArgoCDEngine>>;

export const ROLLOUTS_VERSIONED: readonly Row[] = [
  {
    does: "a canary of the ConfigMap pauses",
    with: ENGINES,
    says: "its pod names the new copy; the stable pods stay and never name it, also those that are created again",
    run: async (trial) => {
      const { cluster, namespace } = trial;
      const { recorded, stable, names } = await paused(trial);
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS - 1, two: 1 });
      const owner = stable[0]?.owner;
      const pod = (await podsOf(cluster, namespace)).find((each) => each.owner === owner);
      assert.ok(pod);
      assert.equal((await replacePod(cluster, namespace, pod)).source, names.first);
      await promote(cluster, namespace);
      assert.deepEqual(await podLevels(cluster, namespace), { two: PODS });
      for (const each of recorded.pods.values())
        assert.equal(each.source, each.owner === owner ? names.first : names.second, each.name);
      recorded.stop();
    },
  },
  {
    does: "the canary is aborted at its pause, and a stable pod is deleted",
    with: ENGINES,
    says: "all pods name the old copy, with the old content; only the pod of the canary was replaced",
    run: async (trial) => {
      const { cluster, namespace } = trial;
      const { recorded, names } = await paused(trial);
      assert.equal(await created(cluster, namespace, () => abort(cluster, namespace)), 1);
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS });
      const [pod] = await podsOf(cluster, namespace);
      assert.ok(pod);
      assert.equal((await replacePod(cluster, namespace, pod)).source, names.first);
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS });
      recorded.stop();
    },
  },
  {
    does: "the same, rendered by our plugin; then a revert in Git",
    with: ENGINES,
    says: "the same; the revert creates no pod",
    run: async ({ cluster, namespace }) => {
      const engine = argoCDOf(cluster.api, { ...cluster, syncOptions: [], plugin: "rollstamp" });
      const make = (level: string): Promise<Files> =>
        Promise.resolve({ ...plain(canary(namespace, level)), "rollstamp.yaml": CONFIG });
      const { push, recorded, names } = await paused({ cluster, namespace, engine }, make);
      assert.equal(await created(cluster, namespace, () => abort(cluster, namespace)), 1);
      const [pod] = await podsOf(cluster, namespace);
      assert.ok(pod);
      assert.equal((await replacePod(cluster, namespace, pod)).source, names.first);
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS });
      const count = await created(cluster, namespace, async () => {
        await push(await make("one"));
        await untilRollout(cluster, namespace, "Healthy");
      });
      assert.equal(count, 0);
      recorded.stop();
    },
  },
  {
    does: "after the abort: a refresh, a hard refresh, a sync, a forced one, one with `Replace=true`",
    with: ENGINES,
    says: "the abort holds; no pod is created",
    run: async (trial) => {
      const { cluster, namespace } = trial;
      const { recorded } = await paused(trial);
      await abort(cluster, namespace);
      const count = await created(cluster, namespace, async () => {
        assert.equal((await trial.engine.reconcile(namespace)).isReady, true);
        assert.equal((await trial.engine.refreshHard(namespace)).isReady, true);
        for (const sync of [{}, { syncStrategy: { apply: { force: true } } }, { syncOptions: ["Replace=true"] }])
          assert.equal((await trial.engine.sync(namespace, sync)).isReady, true, JSON.stringify(sync));
        await untilRollout(cluster, namespace, "Degraded");
      });
      assert.equal(count, 0);
      assert.equal(await isAborted(cluster, namespace), true);
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS });
      recorded.stop();
    },
  },
  {
    does: "at the pause: `kubectl argo rollouts undo`",
    with: ENGINES,
    says: "put back within seconds (self-heal): the canary starts again",
    run: async (trial) => {
      const { cluster, namespace } = trial;
      const { recorded, stable } = await paused(trial);
      const canaries = async (): Promise<readonly string[]> =>
        (await podsOf(cluster, namespace)).filter(({ owner }) => owner !== stable[0]?.owner).map(({ uid }) => uid);
      const [first] = await canaries();
      await undo(cluster, namespace);
      await eventually("another canary", async () => {
        const now = await canaries();
        return now.length === 1 && now[0] !== first ? "" : now.join(", ");
      });
      await untilRollout(cluster, namespace, "Paused");
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS - 1, two: 1 });
      recorded.stop();
    },
  },
  {
    does: "after the abort: a revert in Git",
    with: ENGINES,
    says: "no pod is created; the same copy",
    run: async (trial) => {
      const { cluster, namespace } = trial;
      const { push, recorded, names } = await paused(trial);
      const copy = (await copiesOf(cluster, namespace)).get(names.first);
      await abort(cluster, namespace);
      const count = await created(cluster, namespace, async () => {
        await push(await rendered(cluster, canary(namespace, "one")));
        await untilRollout(cluster, namespace, "Healthy");
      });
      assert.equal(count, 0);
      assert.deepEqual((await copiesOf(cluster, namespace)).get(names.first), copy);
      recorded.stop();
    },
  },
  {
    does: "at the pause: a revert in Git",
    with: ENGINES,
    says: "only the pod of the canary is replaced; the same copy",
    run: async (trial) => {
      const { cluster, namespace } = trial;
      const { push, recorded, stable, names } = await paused(trial);
      const copy = (await copiesOf(cluster, namespace)).get(names.first);
      const count = await created(cluster, namespace, async () => {
        await push(await rendered(cluster, canary(namespace, "one")));
        await untilRollout(cluster, namespace, "Healthy");
      });
      assert.equal(count, 1);
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS });
      assert.deepEqual((await copiesOf(cluster, namespace)).get(names.first), copy);
      const first = new Set(stable.map(({ uid }) => uid));
      const kept = (await podsOf(cluster, namespace)).filter(({ uid }) => first.has(uid));
      assert.equal(kept.length, PODS - 1);
      recorded.stop();
    },
  },
  ...[
    { spec: {}, does: "after the promotion: a revert in Git", says: "a canary again, which pauses", phase: "Paused" },
    {
      spec: { rollbackWindow: { revisions: 1 } },
      does: "the same with `rollbackWindow`",
      says: "rolls back without a pause",
      phase: "Healthy",
    },
  ].map(({ spec, does, says, phase }): Row => ({
    does,
    with: ENGINES,
    says,
    run: async (trial) => {
      const { cluster, namespace } = trial;
      const make = (level: string): Promise<Files> => rendered(cluster, canary(namespace, level, spec));
      const { push, recorded } = await paused(trial, make);
      await promote(cluster, namespace);
      await push(await make("one"));
      await untilRollout(cluster, namespace, phase === "Paused" ? "Paused" : "Healthy");
      const levels = phase === "Paused" ? { one: 1, two: PODS - 1 } : { one: PODS };
      assert.deepEqual(await podLevels(cluster, namespace), levels);
      recorded.stop();
    },
  })),
  {
    does: "a blue-green Rollout waits for its promotion, a pod of the active version is deleted, and it is aborted",
    with: ENGINES,
    says: "pods of the preview name the new copy, all active ones, also the new one, the old copy",
    run: async ({ cluster, namespace, engine }) => {
      const blueGreen = {
        activeService: "active",
        previewService: "preview",
        autoPromotionEnabled: false,
        abortScaleDownDelaySeconds: 1,
      };
      const push = async (level: string): Promise<void> => {
        const files = await rendered(cluster, canary(namespace, level, { strategy: { blueGreen } }));
        const services = ["active", "preview"].map((name) => ({
          apiVersion: "v1",
          kind: "Service",
          metadata: { name, namespace },
          spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
        }));
        const texts = services.map((service) => JSON.stringify(service)).join("\n---\n");
        assert.equal((await engine.push(namespace, { ...files, "services.yaml": texts })).isReady, true);
      };
      await push("one");
      await untilRollout(cluster, namespace, "Healthy");
      const [active] = await podsOf(cluster, namespace);
      assert.ok(active);
      await push("two");
      await untilRollout(cluster, namespace, "Paused", 2 * PODS);
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS, two: PODS });
      assert.equal((await replacePod(cluster, namespace, active)).source, active.source);
      await abort(cluster, namespace);
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS });
    },
  },
  {
    does: "without copies (layout PerSource), the canary is aborted at its pause, and a stable pod is deleted",
    with: ENGINES,
    says: "the new pods carry the old stamp and name the ConfigMap with the new content; a revert in Git creates no pod, so they keep it",
    run: async (trial) => {
      const { cluster, namespace } = trial;
      const make = async (level: string): Promise<Files> => {
        const text = Object.values(plain(canary(namespace, level))).join("---\n");
        return { "all.yaml": succeeded("rollstamp", await rollstamp([], text)) };
      };
      const { push, recorded, stable } = await paused(trial, make);
      await abort(cluster, namespace);
      const [deleted] = await podsOf(cluster, namespace);
      assert.ok(deleted);
      const next = await replacePod(cluster, namespace, deleted);
      assert.equal(next.owner, stable[0]?.owner, "it has the old stamp");
      assert.deepEqual(await podLevels(cluster, namespace), { two: PODS });
      const count = await created(cluster, namespace, async () => {
        await push(await make("one"));
        await untilRollout(cluster, namespace, "Healthy");
      });
      assert.equal(count, 0);
      recorded.stop();
    },
  },
  {
    does: "Git keeps the last 3 copies, without protection: the canary pauses, and two more commits change the ConfigMap",
    with: ENGINES,
    says: "the first keeps the copy of the stable pods, the second prunes it; an abort creates a pod that names no ConfigMap",
    run: async (trial) => {
      const { cluster, namespace } = trial;
      const levels: string[] = [];
      const make = (level: string): Promise<Files> => {
        levels.push(level);
        return committed(cluster, canary(namespace, ""), levels);
      };
      const { push, recorded, names } = await paused(trial, make);
      await push(await make("three"));
      await untilRollout(cluster, namespace, "Paused");
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS - 1, three: 1 });
      await push(await make("four"));
      await untilRollout(cluster, namespace, "Paused");
      await eventually("the copy to be pruned", async () =>
        (await copiesOf(cluster, namespace)).has(names.first) ? "it is there" : "",
      );
      assert.deepEqual(await podLevels(cluster, namespace), { missing: PODS - 1, four: 1 });
      await abort(cluster, namespace);
      assert.deepEqual(await podLevels(cluster, namespace), { missing: PODS });
      recorded.stop();
    },
  },
  ...[
    {
      does: "Git keeps the last 3 copies: the content is changed back at the pause, and stamped",
      says: "only the pod of the canary is replaced; both copies stay the same objects",
      levels: ["one", "two", "one"],
    },
    {
      does: "the same with `git revert`",
      says: "only the pod of the canary is replaced; the copy that it named is pruned with the commit",
      levels: ["one"],
    },
  ].map(({ does, says, levels }): Row => ({
    does,
    with: ENGINES,
    says,
    run: async (trial) => {
      const { cluster, namespace } = trial;
      const make = (...all: readonly string[]): Promise<Files> => committed(cluster, canary(namespace, ""), all);
      const { push, recorded, names } = await paused(trial, (level) =>
        level === "one" ? make("one") : make("one", "two"),
      );
      const before = await copiesOf(cluster, namespace);
      const count = await created(cluster, namespace, async () => {
        await push(await make(...levels));
        await untilRollout(cluster, namespace, "Healthy");
      });
      assert.equal(count, 1);
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS });
      if (levels.length === 1) before.delete(names.second);
      assert.deepEqual(await copiesOf(cluster, namespace), before);
      recorded.stop();
    },
  })),
];
