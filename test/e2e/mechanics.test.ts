/** Least available and most pods of a rollout by what is stamped. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { stringify } from "yaml";
import { type Cluster, startCluster } from "./cluster.ts";
import { kubectl, rollstamp, stamp } from "./commands.ts";
import { listAt, textAt } from "./fields.ts";
import { type Observer, observe } from "./observe.ts";
import { byPlan } from "./plan.ts";
import { begin, NODES, noFigures, step, tell, type Trial } from "./rounds.ts";

interface Workload {
  readonly kind: "Deployment" | "StatefulSet" | "DaemonSet";
  readonly spec: Readonly<Record<string, unknown>>;
}

const REPLICAS = Array.from({ length: 10 }, (_, index) => index + 1);
const FEW = [1, 2, 3, 5, 8];

/** Each runs in a namespace of its own, so that they roll side by side; observed.test.ts has more strategies. */
const GROUPS: Readonly<Record<string, readonly Workload[]>> = {
  "Deployment, defaults": deployments(REPLICAS, {}),
  "Deployment, paused": deployments(FEW, { paused: true }),
  "Deployment, no replicas": deployments([0], {}),
};

const SETS: Readonly<Record<string, readonly Workload[]>> = {
  "StatefulSet, defaults": statefulSets(FEW, {}),
  "StatefulSet, in parallel": statefulSets(FEW, { podManagementPolicy: "Parallel" }),
  "StatefulSet, from number 2 on": statefulSets(FEW, { updateStrategy: { rollingUpdate: { partition: 2 } } }),
  "StatefulSet, OnDelete": statefulSets(FEW, { updateStrategy: { type: "OnDelete" } }),
  DaemonSet: [
    {},
    { rollingUpdate: { maxUnavailable: 2 } },
    { rollingUpdate: { maxUnavailable: "50%" } },
    { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    { rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } },
    { type: "OnDelete" },
  ].map((updateStrategy) => ({ kind: "DaemonSet", spec: { updateStrategy } })),
};

const figures = noFigures();
let cluster: Cluster;
let observer: Observer;

before(async () => {
  cluster = await startCluster({ nodes: NODES });
  observer = await observe(cluster);
});

after(async () => {
  observer?.stop();
  await cluster?.stop();
});

// Side by side, for time; more at once would keep the controllers from being seen at their usual pace.
describe("the pods of a rollout", { concurrency: 3 }, () => {
  for (const [name, workloads] of Object.entries({ ...GROUPS, ...SETS })) {
    it(name, async () => {
      const namespace = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
      const trial: Trial = {
        cluster,
        observer,
        mode: "server",
        namespace,
        namespaces: [namespace],
        expectation: byPlan,
        thorough: false,
      };
      // A Deployment that is born paused would have no pods at all.
      const awake = workloads.map(({ kind, spec }) => ({ kind, spec: { ...spec, paused: undefined } }));
      const base = await stamp(render(awake, "one"));
      await begin(trial, base);
      figures.applications += 1;
      const head = await stamp(render(workloads, "two"));
      const rolled = await step(trial, base, head, figures);
      const still = workloads.filter(({ spec }) => JSON.stringify(spec).match(/"paused":true|OnDelete/));
      assert.equal(rolled.length, workloads.length - still.length);
    });
  }
});

it("the server has exactly these apiVersions, and refuses those that lint reports as removed", async () => {
  for (const group of ["apps", "batch"]) {
    const served = listAt(await cluster.api.get(`/apis/${group}`), "versions").map((one) => textAt(one, "version"));
    assert.deepEqual(served, ["v1"], group);
  }
  for (const apiVersion of ["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"]) {
    const old = render([{ kind: "Deployment", spec: {} }], "one").replace("apps/v1", apiVersion);
    const refused = await kubectl(cluster, ["apply", "-f", "-"], old);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /no matches for kind "Deployment"/u);
    const lint = await rollstamp(["lint", "-"], old);
    assert.equal(lint.status, 1);
    assert.match(lint.stdout, /RS011/u);
  }
});

it("most rollouts use their full surge and unavailability", () => {
  // All of them do on an idle machine; on a busy one a pod may be ready before the last old one is gone.
  assert.ok(figures.exact >= 0.8 * figures.rollouts, `${figures.exact} of ${figures.rollouts}`);
});

tell(figures, () => observer);

function deployments(replicas: readonly number[], more: object): readonly Workload[] {
  return replicas.map((count) => ({ kind: "Deployment", spec: { replicas: count, ...more } }));
}

function statefulSets(replicas: readonly number[], more: object): readonly Workload[] {
  return replicas.map((count) => ({ kind: "StatefulSet", spec: { replicas: count, serviceName: "none", ...more } }));
}

/** One ConfigMap and the workloads that read it. */
function render(workloads: readonly Workload[], value: string): string {
  const source = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { value } };
  const objects = workloads.map(({ kind, spec }, index) => {
    const name = `${kind.toLowerCase()}-${index + 1}`;
    const labels = { app: name };
    const container = {
      name: "app",
      image: "registry.example/mechanics/app:1.0.0",
      envFrom: [{ configMapRef: { name: "settings" } }],
    };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    return {
      apiVersion: "apps/v1",
      kind,
      metadata: { name },
      spec: { ...spec, selector: { matchLabels: labels }, template },
    };
  });
  return [source, ...objects].map((object) => `---\n${stringify(object)}`).join("");
}
