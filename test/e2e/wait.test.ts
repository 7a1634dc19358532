/** `rollstamp status --wait` against the real controllers and scheduler, with the rights that docs/guides/clusters.md names. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { inRoot } from "../support/paths.ts";
import { type Cluster, NEVER_READY, startCluster } from "./cluster.ts";
import { apply, kubectl, type Ran, rollstamp, startRollstamp, succeeded, type Watching } from "./commands.ts";
import { fieldAt, listAt, textAt } from "./fields.ts";
import { chain } from "./rounds.ts";

const deployment = (name: string, image: string, spec = "replicas: 2", pod = ""): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  ${spec}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {${pod}containers: [{name: app, image: "${image}", env: [{name: PASSWORD, value: planted-value}]}]}
`;

const statefulSet = (name: string, image: string, spec = "replicas: 2"): string => `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: ${name}}
spec:
  ${spec}
  serviceName: ${name}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: app, image: "${image}"}]}
`;

const daemonSet = (image: string): string => `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: app, image: "${image}"}]}
`;

const rollout = (image: string, strategy: string, spec = "replicas: 2", labels = ""): string => `
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: canary}
spec:
  ${spec}
  strategy: {${strategy}}
  selector: {matchLabels: {app: canary}}
  template:
    metadata: {labels: {app: canary${labels}}}
    spec: {containers: [{name: app, image: "${image}"}]}
`;

const all = (...manifests: readonly string[]): string => manifests.join("---");

let cluster: Cluster;

before(async () => {
  cluster = await startCluster({ rollouts: true });
});

after(async () => {
  await cluster?.stop();
});

describe("status --wait", { concurrency: false }, () => {
  const then = chain();
  const namespace = "shop";

  const admin = async (...args: readonly string[]): Promise<string> =>
    succeeded(`kubectl ${args.join(" ")}`, await kubectl(cluster, ["--namespace", namespace, ...args]));
  const command = (...args: readonly string[]): readonly string[] => {
    const where = ["-n", namespace, "--kubeconfig", cluster.powerless];
    return ["status", "--wait", "--timeout", "90s", "-o", "json", ...where, ...args];
  };
  const wait = (...args: readonly string[]): Promise<Ran> => rollstamp(command(...args));
  const lines = ({ stdout }: Pick<Ran, "stdout">): readonly unknown[] =>
    stdout
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
  /** How each workload stood in the end: its last line. */
  const last = (ran: Pick<Ran, "stdout">): Map<string, unknown> => {
    const found = new Map<string, unknown>();
    for (const line of lines(ran)) {
      const workload = fieldAt(line, "workload");
      if (textAt(line, "type") === "Workload") found.set(textAt(workload, "name"), workload);
    }
    return found;
  };
  const states = (ran: Pick<Ran, "stdout">): Record<string, unknown> =>
    Object.fromEntries([...last(ran)].sort().map(([name, one]) => [name, fieldAt(one, "state")]));
  const reasons = (ran: Pick<Ran, "stdout">, name: string): string[] =>
    listAt(last(ran).get(name), "reasons").map((one) => textAt(one, "reason"));
  const first = all(deployment("web", "web:1"), statefulSet("store", "store:1"), daemonSet("agent:1"));

  then("reports missing rights at once", async () => {
    const ran = await wait();
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /not allowed to list workloads/u);
  });

  then("follows a first apply to its end, with the documented ClusterRole", async () => {
    await cluster.api.post("/api/v1/namespaces", { metadata: { name: namespace } });
    await admin("apply", "-f", inRoot("docs/status-cluster-role.yaml"));
    await admin("create", "clusterrolebinding", "wait", "--clusterrole=rollstamp-wait", "--user=nobody");
    await apply(cluster, "client", first, namespace);
    const ran = await wait();
    assert.equal(ran.status, 0, ran.stdout);
    assert.deepEqual(states(ran), { agent: "Done", store: "Done", web: "Done" });
    assert.deepEqual(listAt(lines(ran)[0], "unseen"), []);
  });

  then("follows a later apply, a change of the number of pods and a rollback", async () => {
    await apply(cluster, "client", all(deployment("web", "web:2"), statefulSet("store", "store:2")), namespace);
    const ran = await wait();
    assert.equal(ran.status, 0, ran.stdout);
    await admin("scale", "deployment/web", "statefulset/store", "--replicas=3");
    const scaled = await wait();
    assert.equal(scaled.status, 0, scaled.stdout);
    assert.deepEqual(
      ["web", "store"].map((name) => fieldAt(last(scaled).get(name), "updated")),
      [3, 3],
    );
    await admin("rollout", "undo", "deployment/web");
    await admin("rollout", "undo", "statefulset/store");
    const back = await wait();
    assert.equal(back.status, 0, back.stdout);
    assert.deepEqual(states(back), { agent: "Done", store: "Done", web: "Done" });
  });

  then("a paused workload, or one that waits for deleted pods, is held", async () => {
    await admin("rollout", "pause", "deployment/web");
    await admin("set", "image", "deployment/web", "app=web:9");
    const onDelete = statefulSet("calm", "calm:1", "replicas: 1\n  updateStrategy: {type: OnDelete}");
    await apply(cluster, "client", onDelete, namespace);
    await apply(cluster, "client", onDelete.replace("calm:1", "calm:2"), namespace);
    const ran = await wait();
    assert.equal(ran.status, 0, ran.stdout);
    assert.deepEqual([states(ran)["calm"], states(ran)["web"]], ["Held", "Held"]);
    assert.equal(fieldAt(last(ran).get("web"), "because"), "it is paused");
    await admin("rollout", "resume", "deployment/web");
    assert.equal((await wait()).status, 0);
  });

  then("a StatefulSet that is reverted halfway is not done", async () => {
    const halfway = statefulSet("halfway", "halfway:1", "replicas: 2\n  updateStrategy: {type: OnDelete}");
    await apply(cluster, "client", halfway, namespace);
    assert.equal((await wait()).status, 0);
    await apply(cluster, "client", halfway.replace("halfway:1", "halfway:2"), namespace);
    await wait();
    await admin("delete", "pod", "halfway-1");
    await admin("wait", "pod/halfway-1", "--for=jsonpath={.spec.containers[0].image}=halfway:2", "--timeout=30s");
    await apply(cluster, "client", halfway, namespace);
    const ran = await wait();
    const end = last(ran).get("halfway");
    assert.deepEqual([fieldAt(end, "state"), fieldAt(end, "updated"), fieldAt(end, "desired")], ["Held", 1, 2]);
    await admin("delete", "statefulset", "halfway");
  });

  then("a StatefulSet is done at its partition", async () => {
    await admin("patch", "statefulset", "store", "-p", '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":2}}}}');
    await admin("set", "image", "statefulset/store", "app=store:part");
    const ran = await wait();
    assert.equal(ran.status, 0, ran.stdout);
    assert.deepEqual([fieldAt(last(ran).get("store"), "updated"), fieldAt(last(ran).get("store"), "desired")], [1, 1]);
  });

  then("a rollout without a node fails by its deadline, with the message of the scheduler", async () => {
    const spec = "replicas: 1\n  progressDeadlineSeconds: 4";
    await apply(cluster, "client", deployment("lost", "lost:1", spec, "nodeSelector: {disk: none}, "), namespace);
    const ran = await wait();
    assert.equal(ran.status, 1, ran.stdout);
    assert.equal(states(ran)["lost"], "Failed");
    assert.deepEqual(reasons(ran, "lost"), ["ProgressDeadlineExceeded", "Unschedulable"]);
    assert.match(ran.stdout, /0\/3 nodes are available: 3 node\(s\) didn't match Pod's node affinity\/selector/u);
    await admin("delete", "deployment", "lost");
  });

  then("forbidden pods make a rollout stick, with the message of the admission", async () => {
    const limit = { type: "Container", max: { cpu: "1m" } };
    const range = { apiVersion: "v1", kind: "LimitRange", metadata: { name: "small" }, spec: { limits: [limit] } };
    await cluster.api.post(`/api/v1/namespaces/${namespace}/limitranges`, range);
    await apply(cluster, "client", all(deployment("big", "big:1"), statefulSet("large", "large:1")), namespace);
    await admin("set", "resources", "deployment/big", "statefulset/large", "--limits=cpu=1");
    const ran = await wait("--stuck-after", "4s");
    assert.equal(ran.status, 1, ran.stdout);
    assert.deepEqual([states(ran)["big"], states(ran)["large"]], ["Stuck", "Stuck"]);
    assert.deepEqual([reasons(ran, "big"), reasons(ran, "large")], [["FailedCreate"], ["FailedCreate"]]);
    assert.match(ran.stdout, /maximum cpu usage per Container is 1m, but limit is 1/u);
    assert.ok(!ran.stdout.includes("planted-value"));
    await admin("delete", "deployment/big", "statefulset/large", "limitrange/small");
  });

  then("an Argo Rollout is followed to its end, under its own controller", async () => {
    await apply(cluster, "client", rollout("canary:1", "canary: {}"), namespace);
    const begun = await wait();
    assert.equal(begun.status, 0, begun.stdout);
    assert.equal(states(begun)["canary"], "Done");
    await apply(cluster, "client", rollout("canary:2", "canary: {}"), namespace);
    const ran = await wait();
    assert.equal(ran.status, 0, ran.stdout);
    assert.equal(states(ran)["canary"], "Done");
  });

  const promote = (): Promise<unknown> =>
    cluster.api.patch(`/apis/argoproj.io/v1alpha1/namespaces/${namespace}/rollouts/canary/status`, {
      status: { pauseConditions: null },
    });

  then("an Argo Rollout that pauses waits for a person, and is done once it is promoted", async () => {
    const paused = "canary: {steps: [{setWeight: 50}, {pause: {duration: 1}}, {pause: {}}]}";
    await apply(cluster, "client", rollout("canary:3", paused), namespace);
    const ran = await wait();
    assert.equal(ran.status, 1, ran.stdout);
    assert.equal(states(ran)["canary"], "Waits");
    await promote();
    const promoted = await wait();
    assert.equal(promoted.status, 0, promoted.stdout);
    assert.equal(states(promoted)["canary"], "Done");
  });

  then("an invalid Argo Rollout has failed, with the message of its controller, until it is fixed", async () => {
    await apply(cluster, "client", rollout("canary:4", "canary: {dynamicStableScale: true, steps: null}"), namespace);
    const ran = await wait();
    assert.equal(ran.status, 1, ran.stdout);
    assert.equal(states(ran)["canary"], "Failed");
    assert.deepEqual(reasons(ran, "canary"), ["InvalidSpec"]);
    assert.match(ran.stdout, /spec\.strategy\.dynamicStableScale: Invalid value: …/u);
    await apply(cluster, "client", rollout("canary:4", "canary: {dynamicStableScale: null}"), namespace);
    const fixed = await wait();
    assert.equal(fixed.status, 0, fixed.stdout);
  });

  then("an Argo Rollout whose pods are never ready fails by its deadline", async () => {
    const spec = "replicas: 2\n  progressDeadlineSeconds: 4";
    await apply(cluster, "client", rollout("canary:5", "canary: {}", spec, `, ${NEVER_READY}: "yes"`), namespace);
    const ran = await wait();
    assert.equal(ran.status, 1, ran.stdout);
    assert.equal(states(ran)["canary"], "Failed");
    assert.ok(reasons(ran, "canary").includes("ProgressDeadlineExceeded"), ran.stdout);
    await admin("delete", "rollout", "canary");
  });

  then("continues when the API server is killed and restarted", async () => {
    const slow = deployment(
      "slow",
      "slow:1",
      "replicas: 8\n  minReadySeconds: 1\n  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}",
    );
    await apply(cluster, "client", slow, namespace);
    assert.equal((await wait()).status, 0);
    await admin("set", "image", "deployment/slow", "app=slow:2");
    const watching: Watching = startRollstamp(command("--timeout", "180s"));
    for (let line = ""; !line.includes("RollingOut"); line = await watching.line());
    await cluster.signal("SIGKILL");
    for (let line = ""; !line.includes("Lost"); line = await watching.line());
    await cluster.restart();
    const ran = await watching.ended();
    assert.equal(ran.status, 0, ran.stdout + ran.stderr);
    assert.match(ran.stdout, /"Regained"/u);
    assert.match(ran.stdout, /"state":"Done","updated":8/u);
  });

  then("follows many rollouts with few requests", async () => {
    const count = Number(process.env["ROLLSTAMP_WAIT_CROWD"] ?? "60");
    const names = Array.from({ length: count }, (_, i) => `many-${i}`);
    await apply(cluster, "client", all(...names.map((name) => deployment(name, "many:1", "replicas: 1"))), namespace);
    const started = Date.now();
    const ran = await wait("--timeout", "15m");
    assert.equal(ran.status, 0, ran.stdout.slice(-1000));
    assert.ok(Number(fieldAt(lines(ran).at(-1), "summary", "done")) >= count);
    process.stderr.write(`# ${count} Deployments followed to their end in ${Date.now() - started} ms\n`);
  });
});
