/** What a plan says can hang, waits, fails or does nothing, and what the real controllers and the scheduler make of it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { stringify } from "yaml";
import { type Cluster, startCluster } from "./cluster.ts";
import { apply, type ApplyMode, kubectl } from "./commands.ts";
import { fieldAt, listAt, numberAt, textAt } from "./fields.ts";
import { NODES } from "./observed-cases.ts";
import { heldSituations } from "./observed-table.ts";
import { type Observer, observe, type Recording } from "./observe.ts";
import { readPlan } from "./plan.ts";
import { NOTHING_SEEN, type PodsSeen } from "./replay.ts";
import { HOST_PORT, type Outcome, POOL, type Situation, VOLUMES } from "./situation-parts.ts";
import { REFUSALS, SITUATIONS } from "./situations.ts";

/** What doesn't get on for so long, where all that does is over in less, has got stuck. */
const STILL_SECONDS = 8;

let cluster: Cluster;
let observer: Observer;

before(async () => {
  cluster = await startCluster({ nodes: NODES, controllers: ["disruption-controller"], rollouts: true });
  observer = await observe(cluster, { rollouts: true });
  for (const index of Array(NODES).keys()) {
    const labels = { "topology.kubernetes.io/zone": "a", ...(index === 0 ? POOL : {}) };
    await cluster.api.patch(`/api/v1/nodes/node-${index + 1}`, { metadata: { labels } });
  }
});

after(async () => {
  observer?.stop();
  await cluster?.stop();
});

describe("a rollout happens as the plan predicts", { concurrency: 10 }, () => {
  for (const [index, situation] of SITUATIONS.entries()) {
    it(`${situation.name}: ${situation.outcome}`, () => comesTrue(situation, index + 1));
  }
});

describe("the API server refuses what the plan says fails", { concurrency: 4 }, () => {
  for (const [index, situation] of REFUSALS.entries()) {
    it(`${situation.name}: ${situation.action}`, () => isRefused(situation, `refused-${index + 1}`));
  }
});

it("docs/why/observed.md has the observations", () => heldSituations(SITUATIONS, REFUSALS));

const render = (objects: readonly object[]): string => objects.map((object) => `---\n${stringify(object)}`).join("");
const kindOf = ({ workload }: Situation): string => workload.split("/")[0] ?? "";
/** Argo Rollouts' controller writes fields of the spec, too: a server-side apply would find them to be its. */
const modeOf = (situation: Situation): ApplyMode => (kindOf(situation) === "Rollout" ? "client" : "server");

async function comesTrue(situation: Situation, number: number): Promise<void> {
  const { api } = cluster;
  const namespace = `case-${number}`;
  await api.post("/api/v1/namespaces", { metadata: { name: namespace } });
  await volumes(situation, namespace);
  // All are on the same nodes: each has ports of its withPort.
  const withPort = (text: string): string => text.replaceAll(String(HOST_PORT), String(HOST_PORT + number));
  const base = withPort(render(situation.base));
  const head = withPort(render(situation.head));
  const planned = await plannedOf(situation, base, head, namespace);
  await apply(cluster, modeOf(situation), base, namespace);
  await ready(situation, namespace);
  const recording = await observer.record([namespace]);
  const started = Date.now();
  await apply(cluster, modeOf(situation), head, namespace);
  await ENDS[situation.outcome]({ situation, namespace, planned, recording, started });
}

async function plannedOf(situation: Situation, base: string, head: string, namespace: string): Promise<unknown> {
  const [kind = "", name = ""] = situation.workload.split("/");
  const planned = (await readPlan(base, head, { namespace })).get(`${kind}/${namespace}/${name}`);
  assert.equal(textAt(planned, "action"), situation.action, textAt(planned, "because"));
  if (situation.safety !== undefined) assert.equal(textAt(planned, "safety"), situation.safety);
  const caveats = listAt(planned, "caveats").map((one) => textAt(one, "id"));
  if (situation.caveat !== undefined) assert.ok(caveats.includes(situation.caveat), caveats.join(", "));
  return planned;
}

/** The volumes for the claims of a situation, bound: what a controller and a driver would do. */
async function volumes({ base }: Situation, namespace: string): Promise<void> {
  for (const claim of base.filter((object) => textAt(object, "kind") === "PersistentVolumeClaim")) {
    const [mode = ""] = listAt(claim, "spec", "accessModes").map(String);
    const name = `${VOLUMES[mode] ?? ""}-${namespace}`;
    Object.assign(Reflect.get(claim, "spec"), { volumeName: name });
    await cluster.api.post("/api/v1/persistentvolumes", {
      metadata: { name },
      spec: {
        accessModes: [mode],
        capacity: { storage: "1Gi" },
        storageClassName: "",
        csi: { driver: "none.example", volumeHandle: name },
        claimRef: { namespace, name: "data" },
      },
    });
  }
}

interface Ending {
  readonly situation: Situation;
  readonly namespace: string;
  readonly planned: unknown;
  readonly recording: Recording;
  readonly started: number;
}

const ENDS: Readonly<Record<Outcome, (ending: Ending) => Promise<void>>> = {
  rolls: async ({ situation, namespace, planned, recording }) => {
    await renewed(situation, namespace);
    await observer.settled([namespace]);
    await within(planned, situation, namespace, recording);
  },
  sticks: async (ending) => {
    const { situation, namespace, planned, recording } = ending;
    const message = (): Promise<string> => unschedulable(namespace);
    await until("a pod that no node takes", async () => (await message()) !== "");
    await sleep(STILL_SECONDS * 1000);
    assert.match(await message(), situation.says ?? /./u);
    const seen = await within(planned, situation, namespace, recording);
    assert.equal(seen.ended, 0, "no old pod has gone");
  },
  fails: async ({ situation, namespace, planned, recording }) => {
    const failed = (one: unknown): boolean => reasonOf(one, "Progressing") === "ProgressDeadlineExceeded";
    await until("the deadline", async () => failed(await get(situation, namespace)));
    await within(planned, situation, namespace, recording);
  },
  waits: async ({ situation, namespace, planned, recording }) => {
    const paused = async (): Promise<boolean> =>
      textAt(await get(situation, namespace), "status", "phase") === "Paused";
    await until("the pause", paused);
    await sleep(STILL_SECONDS * 1000);
    assert.ok(await paused());
    await within(planned, situation, namespace, recording);
  },
  held: async ({ recording, situation, namespace }) => {
    await sleep(STILL_SECONDS * 1000);
    const seen = await seenOf(situation, namespace, recording);
    assert.deepEqual([seen.created, seen.ended], [0, 0]);
  },
  nothing: async ({ recording, situation, namespace }) => {
    await sleep(STILL_SECONDS * 500);
    const seen = await seenOf(situation, namespace, recording);
    assert.deepEqual([seen.created, seen.ended], [0, 0]);
  },
  invalid: async ({ recording, situation, namespace }) => {
    await until("InvalidSpec", async () => reasonOf(await get(situation, namespace), "InvalidSpec") !== "");
    await sleep(STILL_SECONDS * 500);
    const seen = await seenOf(situation, namespace, recording);
    assert.deepEqual([seen.created, seen.ended], [0, 0]);
  },
  refused: () => assert.fail("nothing that is refused is applied"),
};

async function isRefused(situation: Situation, namespace: string): Promise<void> {
  await cluster.api.post("/api/v1/namespaces", { metadata: { name: namespace } });
  const base = render(situation.base);
  const head = render(situation.head);
  await plannedOf(situation, base, head, namespace);
  await apply(cluster, "client", base, namespace);
  const args = ["apply", "--dry-run=server", "--validate=false", "--namespace", namespace, "-f", "-"];
  const tried = await kubectl(cluster, args, head);
  assert.equal(tried.status, situation.outcome === "refused" ? 1 : 0, tried.stderr);
  if (situation.outcome === "refused") assert.match(tried.stderr, /is invalid:/u);
}

/** What was seen of the pods, which is within what the plan says. */
async function within(
  planned: unknown,
  situation: Situation,
  namespace: string,
  recording: Recording,
): Promise<PodsSeen> {
  const seen = await seenOf(situation, namespace, recording);
  const least = fieldAt(planned, "strategy", "minAvailable");
  const most = fieldAt(planned, "strategy", "maxTotal");
  if (typeof least === "number") assert.ok(seen.leastAvailable >= least, `${JSON.stringify(seen)}, at least ${least}`);
  if (typeof most === "number") assert.ok(seen.mostTotal <= most, `${JSON.stringify(seen)}, at most ${most}`);
  return seen;
}

async function seenOf({ workload }: Situation, namespace: string, recording: Recording): Promise<PodsSeen> {
  return (await recording.close()).get(workload.replace("/", `/${namespace}/`)) ?? NOTHING_SEEN;
}

const PATHS: Readonly<Record<string, string>> = {
  Deployment: "/apis/apps/v1/deployments",
  DaemonSet: "/apis/apps/v1/daemonsets",
  StatefulSet: "/apis/apps/v1/statefulsets",
  ReplicaSet: "/apis/apps/v1/replicasets",
  Rollout: "/apis/argoproj.io/v1alpha1/rollouts",
};

async function get(situation: Situation, namespace: string): Promise<unknown> {
  const path = (PATHS[kindOf(situation)] ?? "").replace(
    /\/(?<resource>\w+)$/u,
    `/namespaces/${namespace}/$<resource>/web`,
  );
  return await cluster.api.get(path);
}

/** Waits until the first pods are there. */
async function ready(situation: Situation, namespace: string): Promise<void> {
  await until("the first pods", async () => {
    const object = await get(situation, namespace);
    const isDaemon = kindOf(situation) === "DaemonSet";
    const wanted = isDaemon ? NODES : numberAt(object, "spec", "replicas");
    return numberAt(object, "status", isDaemon ? "numberAvailable" : "availableReplicas") === wanted;
  });
  await observer.settled([namespace]);
}

/** Waits until a rollout has begun: a restart by a field changes no generation of pods. */
async function renewed(situation: Situation, namespace: string): Promise<void> {
  const restart = situation.head.map((object) => textAt(object, "spec", "restartAt")).find((one) => one !== "");
  if (restart === undefined) return;
  const seconds = (text: string): number => Math.floor(Date.parse(text) / 1000);
  await until("the restart", async () => {
    const restarted = textAt(await get(situation, namespace), "status", "restartedAt");
    return restarted !== "" && seconds(restarted) === seconds(restart);
  });
}

function reasonOf(object: unknown, type: string): string {
  const condition = listAt(object, "status", "conditions").find((one) => textAt(one, "type") === type);
  return textAt(condition, "reason");
}

/** What the scheduler says of a pod that no node takes. */
async function unschedulable(namespace: string): Promise<string> {
  const pods = listAt(await cluster.api.get(`/api/v1/namespaces/${namespace}/pods`), "items");
  const conditions = pods.flatMap((pod) => listAt(pod, "status", "conditions"));
  return textAt(
    conditions.find((one) => textAt(one, "reason") === "Unschedulable"),
    "message",
  );
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; !(await holds()); await sleep(200)) {
    assert.ok(Date.now() < deadline, `${what}: not within a minute`);
  }
}
