/** What a plan says of a rollout, and what a real control plane with Argo Rollouts' controller does: docs/why/observed.md. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { type Cluster, startCluster } from "./cluster.ts";
import { apply, type ApplyMode } from "./commands.ts";
import { fieldAt, listAt, numberAt, textAt } from "./fields.ts";
import { type Group, GROUPS, NODES } from "./observed-cases.ts";
import { type Observer, observe } from "./observe.ts";
import { type Bounds, heldBounds } from "./observed-table.ts";
import { readPlan } from "./plan.ts";
import { NOTHING_SEEN, type PodsSeen, type WorkloadKey } from "./replay.ts";

/** How often a rollout is made again that was not seen at its bounds: on a busy machine a pod may be ready before the last old one is gone. */
const ROUNDS = 12;

let cluster: Cluster;
let observer: Observer;
const rows: Bounds[] = [];

before(async () => {
  cluster = await startCluster({
    nodes: NODES,
    gates: ["MaxUnavailableStatefulSet"],
    controllers: ["horizontal-pod-autoscaler-controller"],
    rollouts: true,
  });
  observer = await observe(cluster, { rollouts: true });
});

after(async () => {
  observer?.stop();
  await cluster?.stop();
});

/** Only these kinds, for whoever works on one. */
const ONLY = new RegExp(process.env["OBSERVE"] ?? "", "u");

describe("predictions of a plan, and the observed rollouts", { concurrency: 6 }, () => {
  for (const [index, group] of GROUPS.entries()) {
    if (!ONLY.test(group.kind)) continue;
    it(`${group.kind}: ${group.strategy}`, async () => {
      rows[index] = await observed(group, `group-${index + 1}`);
    });
  }
});

it("docs/why/observed.md has the observations", (context) => {
  const rollouts = rows.reduce((sum, { cases }) => sum + cases.length, 0);
  context.diagnostic(`${rollouts} rollouts`);
  if (process.env["OBSERVE"] !== undefined) return context.skip("OBSERVE leaves some out");
  assert.ok(rows.length === GROUPS.length && rollouts >= 150);
  heldBounds(rows);
});

/** What a plan says of a rollout. */
interface Predicted {
  readonly action: string;
  readonly safety: string;
  readonly pods: number;
  readonly least: number | undefined;
  readonly most: number | undefined;
}

async function observed(group: Group, namespace: string): Promise<Bounds> {
  await cluster.api.post("/api/v1/namespaces", { metadata: { name: namespace } });
  const names = group.replicas.map((count) => `w-${count}`);
  const keyOf = (name: string): WorkloadKey => `${group.watched}/${namespace}/${name}`;
  const images = new Map(names.map((name) => [name, 1]));
  const render = (): string =>
    group.replicas
      .flatMap((count) => group.objects(`w-${count}`, count, `registry.example/app:${images.get(`w-${count}`) ?? 0}`))
      .map((object) => `---\n${stringify(object)}`)
      .join("");
  let base = render();
  await apply(cluster, modeOf(group), base, namespace);
  await full(group, namespace);

  const done = new Map<string, { predicted: Predicted; seen: PodsSeen }>();
  let left = names;
  for (let round = 0; left.length > 0 && round < ROUNDS; round += 1) {
    for (const name of left) images.set(name, (images.get(name) ?? 0) + 1);
    const head = render();
    const plan = await readPlan(base, head, { namespace });
    const recording = await observer.record([namespace]);
    await apply(cluster, modeOf(group), head, namespace);
    await follow(group, namespace, left);
    const seen = await recording.close();
    base = head;
    for (const name of left) {
      const planned = plan.get(keyOf(name));
      assert.ok(planned !== undefined, `${keyOf(name)} is in the plan`);
      done.set(name, { predicted: predictedOf(planned), seen: seen.get(keyOf(name)) ?? NOTHING_SEEN });
    }
    left = left.filter((name) => !agrees(group, keyOf(name), done.get(name)));
  }
  assert.deepEqual(
    left.map((name) => [name, done.get(name)]),
    [],
    `not as planned in ${ROUNDS} rounds`,
  );
  return {
    kind: group.kind,
    strategy: group.strategy,
    exact: group.loose !== true,
    cases: group.replicas.map((replicas) => {
      const { predicted } = done.get(`w-${replicas}`) ?? assert.fail();
      return { replicas, safety: predicted.safety, least: predicted.least, most: predicted.most };
    }),
  };
}

/** Argo Rollouts' controller writes fields of the spec, and of Services: a server-side apply would find them to be its. */
function modeOf({ watched }: Group): ApplyMode {
  return watched === "Rollout" ? "client" : "server";
}

function predictedOf(planned: unknown): Predicted {
  const strategy = fieldAt(planned, "strategy");
  const written = {
    action: textAt(planned, "action"),
    safety: textAt(planned, "safety"),
    pods: numberAt(planned, "pods"),
  };
  if (textAt(planned, "kind") !== "DaemonSet") {
    const number = (field: string): number | undefined =>
      fieldAt(strategy, field) === null ? undefined : numberAt(strategy, field);
    return { ...written, least: number("minAvailable"), most: number("maxTotal") };
  }
  // How many nodes there are, the plan doesn't know: both counts round up.
  const share = (value: unknown): number =>
    Math.min(
      typeof value === "number" ? value : Math.ceil((Number.parseInt(String(value ?? 0), 10) * NODES) / 100),
      NODES,
    );
  return {
    ...written,
    pods: written.action === "Roll" ? NODES : 0,
    least: NODES - share(fieldAt(strategy, "maxUnavailable") ?? 0),
    most: NODES + share(fieldAt(strategy, "maxSurge") ?? 0),
  };
}

function agrees(group: Group, key: WorkloadKey, done: { predicted: Predicted; seen: PodsSeen } | undefined): boolean {
  assert.ok(done);
  const { predicted, seen } = done;
  const said = JSON.stringify({ predicted, seen });
  const created = group.more === true ? Math.min(seen.created, predicted.pods) : seen.created;
  assert.equal(created, predicted.pods, `pods created of ${key}: ${said}`);
  const { least, most } = predicted;
  if (least === undefined || most === undefined) return true;
  assert.ok(seen.leastAvailable >= least, `least available of ${key}: ${said}`);
  const spare = group.watched === "DaemonSet" ? 1 : 0;
  assert.ok(seen.mostTotal <= most + spare, `most of ${key}: ${said}`);
  return group.loose === true || (seen.leastAvailable === least && seen.mostTotal === most);
}

/** Waits until all pods are there that are to be. */
async function full(group: Group, namespace: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; await sleep(100)) {
    const workloads = [...(await observer.settled([namespace])).values()].filter(({ key }) =>
      key.startsWith(group.watched),
    );
    const field = group.watched === "DaemonSet" ? "numberAvailable" : "availableReplicas";
    const pods = workloads.reduce((sum, { object }) => sum + numberAt(object, "status", field), 0);
    const wanted = group.replicas.reduce((sum, count) => sum + count, 0);
    if (pods === wanted) return;
    assert.ok(Date.now() < deadline, `${pods} of ${wanted} pods`);
  }
}

const ROLLOUTS = "/apis/argoproj.io/v1alpha1";

/** Waits until the rollouts are over; somebody promotes those that wait for it. */
async function follow(group: Group, namespace: string, names: readonly string[]): Promise<void> {
  if (group.kind === "Rollout by workloadRef") await taken(namespace, names);
  if (group.waits === true) {
    for (const name of names) await promote(`${ROLLOUTS}/namespaces/${namespace}/rollouts/${name}`);
  }
  await observer.settled([namespace]);
}

/** Waits until each Rollout has seen the change of the Deployment whose template it runs. */
async function taken(namespace: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const deployment = await cluster.api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`);
    await until(
      `${name} to see its Deployment`,
      `${ROLLOUTS}/namespaces/${namespace}/rollouts/${name}`,
      (rollout) =>
        Number(textAt(rollout, "status", "workloadObservedGeneration")) >=
        numberAt(deployment, "metadata", "generation"),
    );
  }
}

/** What `kubectl argo rollouts promote` does, once it waits; it would wait for ever. */
async function promote(path: string): Promise<void> {
  await until("the pause", path, (rollout) => listAt(rollout, "status", "pauseConditions").length > 0);
  await sleep(2000);
  const rollout = await cluster.api.get(path);
  assert.equal(textAt(rollout, "status", "phase"), "Paused");
  await cluster.api.patch(`${path}/status`, { status: { pauseConditions: null } });
}

async function until(what: string, path: string, holds: (object: unknown) => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !holds(await cluster.api.get(path)); await sleep(100)) {
    assert.ok(Date.now() < deadline, `${what}: not within a minute`);
  }
}
