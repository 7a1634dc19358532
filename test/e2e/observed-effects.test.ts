/** Lost sources, quotas, autoscalers, Services and moves: what a plan says of them, and what a real control plane does. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { type Cluster, startCluster } from "./cluster.ts";
import { apply, kubectl, QUICK } from "./commands.ts";
import { listAt, textAt } from "./fields.ts";
import { type Applied, type Effect, EFFECTS, MOVED, type Planned } from "./observed-effects.ts";
import { checkEffects } from "./observed-table.ts";
import { type Observer, observe } from "./observe.ts";
import { findingsOf, planOf, workloadsOf } from "./plan.ts";
import { NOTHING_SEEN } from "./replay.ts";

let cluster: Cluster;
let observer: Observer;

before(async () => {
  cluster = await startCluster({
    controllers: [
      "resourcequota-controller",
      "horizontal-pod-autoscaler-controller",
      "endpointslice-controller",
      "persistentvolume-binder-controller",
    ],
  });
  observer = await observe(cluster);
});

after(async () => {
  observer?.stop();
  await cluster?.stop();
});

describe("a change has the effect that the plan reports", { concurrency: 6 }, () => {
  for (const [index, effect] of EFFECTS.entries())
    it(`${effect.name}: ${effect.does}`, () => comesTrue(effect, `effect-${index + 1}`));
});

it("docs/why/observed.md has the observations", () => checkEffects(EFFECTS));

const render = (objects: readonly object[], namespace: string): string =>
  objects.map((object) => `---\n${stringify(placed(object, namespace))}`).join("");

/** An object in the namespace of its case, or in the one beside it. */
function placed(object: object, namespace: string): object {
  const metadata: object = Reflect.get(object, "metadata");
  const suffix = textAt(object, "metadata", "namespace");
  return { ...object, metadata: { ...metadata, namespace: namespace + suffix } };
}

async function comesTrue(effect: Effect, namespace: string): Promise<void> {
  for (const name of [namespace, namespace + MOVED])
    await cluster.api.post("/api/v1/namespaces", { metadata: { name } });
  const [base, head] = [render(effect.base, namespace), render(effect.head, namespace)];
  await isPlanned(effect.planned, base, head, namespace);
  // A quota counts only once its controller has set its status.
  const quotas = effect.base.filter((object) => textAt(object, "kind") === "ResourceQuota");
  if (quotas.length > 0) {
    await apply(cluster, "client", render(quotas, namespace));
    await until("the quota", async () => JSON.stringify(await get("v1 resourcequotas", namespace)).includes('"used"'));
  }
  await apply(cluster, "client", base);
  await rests(effect, namespace);
  await effect.see(await applied(effect, head, namespace));
}

/** Waits until the pods of `base` are there; those of a claim without a volume never start. */
async function rests({ base }: Effect, namespace: string): Promise<void> {
  if (base.some((object) => JSON.stringify(object).includes("volumeClaimTemplates"))) return;
  await observer.settled([namespace]);
}

async function applied({ base, head: after_ }: Effect, head: string, namespace: string): Promise<Applied> {
  const recording = await observer.record([namespace]);
  const names = new Set(after_.map((object) => nameOf(object)));
  const removed = base.filter((object) => !names.has(nameOf(object)));
  return {
    namespace,
    apply: async (flags = []) => {
      const args = ["apply", ...flags, ...(flags.length > 0 ? [] : QUICK), "-f", "-"];
      const ran = await kubectl(cluster, args, head);
      // As an engine that prunes does, after it has applied the rest.
      if (removed.length > 0) await kubectl(cluster, ["delete", "-f", "-"], render(removed, namespace));
      return ran;
    },
    get: (what, within = namespace) => get(what, within),
    remove: async (what) => {
      const [, resource = "", name = ""] = what.split(" ");
      assert.equal((await kubectl(cluster, ["delete", resource, name, "--namespace", namespace])).status, 0);
    },
    pods: async (workload) => (await recording.seen()).get(workload.replace("/", `/${namespace}/`)) ?? NOTHING_SEEN,
    until,
  };
}

const nameOf = (object: object): string =>
  ["kind", "metadata"].map((key) => JSON.stringify(Reflect.get(object, key))).join(" ");

async function isPlanned(planned: Planned, base: string, head: string, namespace: string): Promise<void> {
  const plan = await planOf(base, head, ["--as", "applied"]);
  const [kind = "", name = ""] = (planned.workload ?? "").split("/");
  const workload = workloadsOf(plan, namespace).get(`${kind}/${namespace}/${name}`);
  if (planned.action !== undefined) assert.equal(textAt(workload, "action"), planned.action);
  if (planned.safety !== undefined) assert.equal(textAt(workload, "safety"), planned.safety);
  assert.equal(listAt(workload, "lost").length > 0, planned.isLost === true);
  if (planned.findings !== undefined) {
    const found = findingsOf(plan).filter((id) =>
      ["RS010", "RS025", "RS026", "RS027", "cannot-start", "dropped-replicas"].includes(id),
    );
    assert.deepEqual([...new Set(found)], planned.findings);
  }
}

/** An object or a list; undefined for what there is not. */
async function get(what: string, namespace: string): Promise<unknown> {
  const [version = "", resource = "", name] = what.split(" ");
  const root = version.includes("/") ? `/apis/${version}` : `/api/${version}`;
  const path = `${root}/namespaces/${namespace}/${resource}${name === undefined ? "" : `/${name}`}`;
  try {
    return await cluster.api.get(path);
  } catch (error) {
    if (error instanceof Error && error.message.includes(": 404 ")) return undefined;
    throw error;
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; !(await holds()); await sleep(200)) {
    assert.ok(Date.now() < deadline, `${what}: not within a minute`);
  }
}
