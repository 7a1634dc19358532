/** Manifests that are edited as their owner would, in both ways of applying. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { type Cluster, startCluster } from "./cluster.ts";
import { APPLY_MODES, type ApplyMode, kubectl, rollstamp, stamp, succeeded } from "./commands.ts";
import { textsAt } from "./fields.ts";
import { type Observer, observe } from "./observe.ts";
import { byPlan } from "./plan.ts";
import { begin, chain, NODES, noFigures, step, stepsOnTheSpot, tell, type Trial } from "./rounds.ts";
import { readScenarios, type Scenario } from "./scenarios.ts";

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

describe("scenarios", { concurrency: true }, () => {
  for (const scenario of readScenarios()) {
    for (const mode of APPLY_MODES) {
      describe(`${scenario.name}, ${mode}-side apply`, { concurrency: false }, () => trial(scenario, mode));
    }
  }
});

tell(figures, () => observer);

function trial(scenario: Scenario, mode: ApplyMode): void {
  const namespace = `${scenario.name}-${mode}`;
  const then = chain();
  const key = (name: string): string => name.replace("/", `/${namespace}/`);
  const here = (): Trial => ({
    cluster,
    observer,
    mode,
    namespace,
    namespaces: [namespace],
    expectation: byPlan,
    thorough: true,
  });
  /** What is in the cluster, and in the owner's repository. */
  let current = "";

  then("is applied with its stamps", async () => {
    const manifests = scenario.manifests(namespace);
    current = await stamp(manifests);
    assert.match(current, /rollstamp\.dev\/\S+: "?h1-/u);
    await begin(here(), current);
    figures.applications += 1;
  });

  then("a repeated apply changes nothing", () => stepsOnTheSpot(here(), current));

  for (const { name, edit, rolls, nextRun } of scenario.cases) {
    const what = [...rolls, ...nextRun].join(", ") || "nothing";
    then(`${name}: ${what}`, async () => {
      const head = await stamp(edit(current, namespace));
      const { expectation } = here();
      const expected = await expectation(current, head, { namespace, nodes: NODES });
      const next = [...expected].filter(([, { action }]) => action === "NextRun").map(([which]) => which);
      assert.deepEqual(next, nextRun.map(key), "next runs");
      const rolled = await step(here(), current, head, figures);
      assert.deepEqual(rolled, rolls.map(key).sort(), "rolled");
      current = head;
    });
  }

  then("stamping twice changes nothing", async () => {
    assert.ok((await stamp(current)) === current);
    await stepsOnTheSpot(here(), current);
  });

  then("a restart of one workload rolls that one", async () => {
    const file = join(cluster.folder, `${namespace}.yaml`);
    writeFileSync(file, current);
    const args = ["restart", scenario.restart, file, "--at", "2026-11-21T00:00:00Z"];
    succeeded("rollstamp restart", await rollstamp(args));
    const head = readFileSync(file, "utf8");
    assert.deepEqual(await step(here(), current, head, figures), [key(scenario.restart)]);
    assert.ok((await stamp(head)) === head, "the restart outlives the next stamping");
    current = head;
  });

  then("a restart by kubectl is no drift, and survives the next apply", async () => {
    const args = ["rollout", "restart", scenario.kubectlRestart, "--namespace", namespace];
    succeeded("kubectl rollout restart", await kubectl(cluster, args));
    await stepsOnTheSpot(here(), current);
  });

  then("the last-applied annotation has the stamps of the cluster", async () => {
    const live = (await observer.settled([namespace])).get(key(scenario.restart));
    assert.ok(live);
    const template = ["spec", "template", "metadata", "annotations"];
    const stampsOf = (object: unknown): unknown =>
      Object.entries(textsAt(object, ...template))
        .filter(([name]) => name.includes("rollstamp.dev/"))
        .sort();
    assert.notDeepEqual(stampsOf(live.object), []);
    const last = textsAt(live.object, "metadata", "annotations")["kubectl.kubernetes.io/last-applied-configuration"];
    // A server-side apply keeps the owners of fields in its place.
    if (mode === "server") return assert.equal(last, undefined);
    const applied: unknown = JSON.parse(last ?? "null");
    assert.deepEqual(stampsOf(applied), stampsOf(live.object));
  });
}
