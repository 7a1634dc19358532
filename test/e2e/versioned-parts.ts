/** What the rows of versioned copies share: a copy that is replaced under old pods, and a canary that has paused. */
import assert from "node:assert/strict";
import { NEVER_READY, type Cluster } from "./cluster.ts";
import { kubectl, succeeded } from "./commands.ts";
import type { Engine, Files } from "./engine-types.ts";
import { fieldAt, textAt } from "./fields.ts";
import { eventually } from "./observe.ts";
import {
  copiesOf,
  namedIn,
  podLevels,
  type PodSeen,
  PODS,
  podsOf,
  type Recorded,
  recordPods,
  rendered,
  rolloutIn,
  type Shop,
  untilRollout,
  without,
} from "./versioned.ts";
import type { EngineTrial } from "./observed-row.ts";

/** A shop with a Deployment. */
export const deployed = (namespace: string, level: string): Shop => ({ namespace, kind: "Deployment", level });

/** A shop whose new pods are never ready, so the old ones stay. */
export const stuck = (namespace: string, level: string): Shop => ({
  ...deployed(namespace, level),
  labels: { [NEVER_READY]: "true" },
});

/** A shop with a canary. */
export const canary = (namespace: string, level: string, spec: object = {}): Shop => ({
  namespace,
  kind: "Rollout",
  level,
  spec,
});

/** Applies a shop, then one whose copy replaces that of the first, which old pods still name. */
export async function replaceCopy(
  { cluster, namespace, engine }: EngineTrial,
  unprotected: readonly string[],
): Promise<{ readonly old: string; readonly uid: string }> {
  const first = without(await rendered(cluster, deployed(namespace, "one")), ...unprotected);
  const old = namedIn(first);
  assert.equal((await engine.push(namespace, first)).isReady, true);
  const { uid = "" } = (await copiesOf(cluster, namespace)).get(old) ?? {};
  assert.notEqual(uid, "");
  const next = without(await rendered(cluster, stuck(namespace, "two")), ...unprotected);
  assert.equal((await engine.push(namespace, next, { untilSynced: false })).isReady, true);
  await eventually("new pods beside old ones", async () => {
    const sources = new Set((await podsOf(cluster, namespace)).map(({ source }) => source));
    return sources.has(old) && sources.has(namedIn(next)) ? "" : [...sources].join(", ");
  });
  return { old, uid };
}

/** A canary from level `one` to `two` that has paused. */
export interface Paused {
  readonly push: (files: Files) => Promise<void>;
  /** Every pod that has been there. */
  readonly recorded: Recorded;
  /** The pods of before. */
  readonly stable: readonly PodSeen[];
  /** The ConfigMaps that the workload named at each level. */
  readonly names: { readonly first: string; readonly second: string };
}

export async function paused(
  { cluster, namespace, engine }: EngineTrial,
  make: (level: string) => Promise<Files> = (level) => rendered(cluster, canary(namespace, level)),
): Promise<Paused> {
  const push = async (files: Files): Promise<void> => {
    const { isReady, message } = await engine.push(namespace, files);
    assert.equal(isReady, true, message);
  };
  const recorded = await recordPods(cluster, namespace);
  await push(await make("one"));
  await untilRollout(cluster, namespace, "Healthy");
  const stable = await podsOf(cluster, namespace);
  await push(await make("two"));
  await untilRollout(cluster, namespace, "Paused");
  const [first = ""] = new Set(stable.map(({ source }) => source));
  const second = (await podsOf(cluster, namespace)).find(({ source }) => source !== first)?.source ?? "";
  return { push, recorded, stable, names: { first, second } };
}

/** How many pods were created in the meantime. */
export async function created(cluster: Cluster, namespace: string, act: () => Promise<unknown>): Promise<number> {
  const before = new Set((await podsOf(cluster, namespace)).map(({ uid }) => uid));
  await act();
  return (await podsOf(cluster, namespace)).filter(({ uid }) => !before.has(uid)).length;
}

export const isAborted = async (cluster: Cluster, namespace: string): Promise<boolean> =>
  fieldAt(await rolloutIn(cluster, namespace), "status", "abort") === true;

/** A commit that replaces a copy, then `kubectl rollout undo`, which the engine puts back: three rollouts. */
export async function undone({ cluster, namespace, engine }: EngineTrial<Engine>): Promise<void> {
  const settled = async (revision: string, level: string): Promise<void> =>
    eventually(`revision ${revision}`, async () => {
      const web = await cluster.api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/web`);
      const now = textAt(web, "metadata", "annotations", "deployment.kubernetes.io/revision");
      const pods = await podLevels(cluster, namespace);
      return now === revision && pods[level] === PODS ? "" : `revision ${now}, ${JSON.stringify(pods)}`;
    });
  for (const [index, level] of ["one", "two"].entries()) {
    assert.equal((await engine.push(namespace, await rendered(cluster, deployed(namespace, level)))).isReady, true);
    await settled(String(index + 1), level);
  }
  succeeded("undo", await kubectl(cluster, ["rollout", "undo", "deployment/web", "-n", namespace]));
  assert.equal((await engine.reconcile(namespace)).isReady, true);
  await settled("4", "two");
}
