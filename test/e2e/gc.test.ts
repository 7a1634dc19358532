/** `rollstamp gc` on a real control plane, with the rights that it prints. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HELM_PROTECTION, PROTECTION } from "../../src/base/copies.ts";
import { VERSION_OF } from "../../src/base/keys.ts";
import { inRoot } from "../support/paths.ts";
import { type Cluster, NEVER_READY, startCluster } from "./cluster.ts";
import { apply, kubectl, type Ran, rollstamp, succeeded } from "./commands.ts";
import { startProxy, type CountingProxy } from "./counting-proxy.ts";
import { fieldAt, listAt, textAt } from "./fields.ts";
import { chain } from "./rounds.ts";

const PLANTED = "correct-horse-battery-staple";

interface CopyOf {
  readonly kind?: "ConfigMap" | "Secret";
  readonly annotations?: Readonly<Record<string, string>>;
}

function copy(name: string, { kind = "ConfigMap", annotations = PROTECTION }: CopyOf = {}): string {
  const content = kind === "ConfigMap" ? { data: { a: PLANTED } } : { stringData: { a: PLANTED } };
  return `${JSON.stringify({
    apiVersion: "v1",
    kind,
    immutable: true,
    metadata: { name, labels: { [VERSION_OF]: "env" }, annotations },
    ...content,
  })}\n---\n`;
}

function workload(kind: string, name: string, source: string, ready = true): string {
  const labels = { app: name };
  const spec = {
    containers: [{ name: "app", image: "app:1", envFrom: [{ configMapRef: { name: source } }] }],
  };
  return `${JSON.stringify({
    apiVersion: kind === "Rollout" ? "argoproj.io/v1alpha1" : "apps/v1",
    kind,
    metadata: { name },
    spec: {
      replicas: 2,
      ...(kind === "StatefulSet" ? { serviceName: name } : {}),
      ...(kind === "Deployment" ? { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } } : {}),
      ...(kind === "Rollout" ? { strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } } : {}),
      selector: { matchLabels: labels },
      template: { metadata: { labels: { ...labels, ...(ready ? {} : { [NEVER_READY]: "true" }) } }, spec },
    },
  })}\n---\n`;
}

function cronJob(name: string, source: string): string {
  const spec = {
    restartPolicy: "Never",
    containers: [{ name: "app", image: "app:1", envFrom: [{ secretRef: { name: source } }] }],
  };
  return `${JSON.stringify({
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name },
    spec: { schedule: "0 3 1 1 *", jobTemplate: { spec: { template: { spec } } } },
  })}\n---\n`;
}

let cluster: Cluster;
let proxy: CountingProxy | undefined;

before(async () => {
  cluster = await startCluster({ rollouts: true });
});

after(async () => {
  await proxy?.stop();
  await cluster?.stop();
});

describe("gc", { concurrency: false }, () => {
  const then = chain();
  const namespace = "shop";

  const admin = async (...args: readonly string[]): Promise<string> =>
    succeeded(`kubectl ${args.join(" ")}`, await kubectl(cluster, ["--namespace", namespace, ...args]));
  const gc = (args: readonly string[], kubeconfig = cluster.powerless): Promise<Ran> =>
    rollstamp(["gc", "--kubeconfig", kubeconfig, "--older-than", "1s", ...args]);
  const states = ({ status, stdout, stderr }: Ran): Record<string, string> => {
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stdout, new RegExp(PLANTED, "u"));
    const read: unknown = JSON.parse(stdout);
    return Object.fromEntries(listAt(read, "copies").map((row) => [textAt(row, "name"), textAt(row, "state")]));
  };
  const present = async (): Promise<readonly string[]> =>
    (await admin("get", "configmaps,secrets", "--selector", VERSION_OF, "-o", "name")).trim().split("\n").sort();

  then("names the right that is missing, and deletes nothing", async () => {
    await cluster.api.post("/api/v1/namespaces", { metadata: { name: namespace } });
    const ran = await gc(["-A", "--delete"]);
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /can't list configmaps in all namespaces/u);
  });

  then("needs the rights that it prints", async () => {
    const printed = await rollstamp(["gc", "-A", "--delete", "--rbac", "--kubeconfig", cluster.kubeconfig]);
    succeeded("kubectl apply", await kubectl(cluster, ["apply", "-f", "-"], succeeded("rollstamp gc --rbac", printed)));
    for (const role of ["rollstamp-gc", "rollstamp-gc-secrets"])
      await admin("create", "clusterrolebinding", role, `--clusterrole=${role}`, "--user=nobody");
    assert.deepEqual(states(await gc(["-A", "-o", "json", "--all"])), {});
  });

  then("sees what uses copies, also during a rollout", async () => {
    const names = ["env-rolling", "env-next", "env-zero", "env-now", "env-revision", "env-latest", "env-unused"];
    const copies = [
      ...[...names, "env-stable", "env-canary", "env-changed"].map((name) => copy(name)),
      copy("env-job", { kind: "Secret" }),
      copy("env-secret", { kind: "Secret", annotations: { ...PROTECTION, ...HELM_PROTECTION } }),
      copy("env-unprotected", { annotations: {} }),
    ];
    const first = [
      workload("Deployment", "rolling", "env-rolling"),
      workload("Deployment", "done", "env-zero"),
      workload("StatefulSet", "store", "env-revision"),
      workload("Rollout", "canary", "env-stable"),
      cronJob("nightly", "env-job"),
    ];
    const canary = (phase: string): Promise<string> =>
      admin("wait", "rollout/canary", `--for=jsonpath={.status.phase}=${phase}`, "--timeout=60s");
    await apply(cluster, "client", [...copies, ...first].join(""), namespace);
    for (const name of ["deployment/rolling", "deployment/done", "statefulset/store"])
      await admin("rollout", "status", name, "--timeout=60s");
    await canary("Healthy");
    const second = [
      workload("Deployment", "rolling", "env-next", false),
      workload("Deployment", "done", "env-now"),
      workload("StatefulSet", "store", "env-latest"),
      workload("Rollout", "canary", "env-canary"),
    ];
    await apply(cluster, "client", second.join(""), namespace);
    for (const name of ["deployment/done", "statefulset/store"])
      await admin("rollout", "status", name, "--timeout=60s");
    await canary("Paused");
    await admin("patch", "rollout/canary", "--subresource=status", "--type=merge", "-p", '{"status":{"abort":true}}');
    await canary("Degraded");
    // The age of an object is in whole seconds.
    await sleep(2100);

    const ran = await gc(["-A", "-o", "json", "--all"]);
    assert.deepEqual(states(ran), {
      "env-canary": "Used",
      "env-changed": "Unused",
      "env-job": "Used",
      "env-latest": "Used",
      "env-next": "Used",
      "env-now": "Used",
      "env-revision": "Used",
      "env-rolling": "Used",
      "env-secret": "Unused",
      "env-stable": "Used",
      "env-unused": "Unused",
      "env-zero": "Used",
    });
    const read: unknown = JSON.parse(ran.stdout);
    assert.equal(fieldAt(read, "summary", "unprotected"), 1);
    const kinds = (name: string): readonly string[] =>
      listAt(
        listAt(read, "copies").find((row) => textAt(row, "name") === name),
        "usedBy",
      ).map((user) => textAt(user, "kind"));
    assert.deepEqual(kinds("env-rolling"), ["ReplicaSet", "Pod", "Pod"]);
    assert.deepEqual(kinds("env-zero"), ["ReplicaSet"]);
    assert.deepEqual(kinds("env-canary"), ["Rollout", "ReplicaSet"]);
    assert.deepEqual(kinds("env-stable"), ["ReplicaSet", "Pod", "Pod"]);
    assert.deepEqual(kinds("env-revision"), ["ControllerRevision"]);
    assert.deepEqual(kinds("env-job"), ["CronJob"]);
  });

  then("lists nothing that is newer than a day by default", async () => {
    const ran = await rollstamp(["gc", "--kubeconfig", cluster.powerless, "-n", namespace, "-o", "json"]);
    assert.deepEqual(states(ran), {});
  });

  then("deletes the unused ones, except one that changes in the meantime", async () => {
    const copies = await present();
    proxy = await startProxy(cluster);
    proxy.onRequest = async (path) => {
      if (path.endsWith("/configmaps/env-changed")) await admin("annotate", "configmap/env-changed", "touched=now");
    };
    assert.deepEqual(states(await gc(["-n", namespace, "--delete", "-o", "json"], proxy.kubeconfig)), {
      "env-changed": "Changed",
      "env-secret": "Deleted",
      "env-unused": "Deleted",
    });
    assert.deepEqual(
      await present(),
      copies.filter((name) => !["configmap/env-unused", "secret/env-secret"].includes(name)),
    );
  });

  then("without a right that it needs, deletes nothing", async () => {
    const copies = await present();
    await admin("delete", "clusterrolebinding", "rollstamp-gc-secrets");
    const [unseen] = listAt(JSON.parse((await gc(["-A", "-o", "json"])).stdout), "unseen");
    assert.deepEqual(unseen, { what: "secrets", because: "forbidden" });
    const replicaSets = JSON.stringify([{ op: "replace", path: "/rules/1/resources", value: ["deployments"] }]);
    await admin("patch", "clusterrole", "rollstamp-gc", "--type=json", "-p", replicaSets);
    const ran = await gc(["-A", "--delete"]);
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /can't list .*replicasets\.apps.* in all namespaces/u);
    assert.deepEqual(await present(), copies);
  });

  then("the example with a CronJob is valid", async () => {
    const file = inRoot("docs/gc-cron-job.yaml");
    // A dry run does not create the namespace of the other objects.
    await cluster.api.post("/api/v1/namespaces", { metadata: { name: "rollstamp" } });
    succeeded("kubectl apply", await kubectl(cluster, ["apply", "--dry-run=server", "-f", file]));
  });
});
