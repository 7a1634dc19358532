/** `rollstamp status` against a real API server, with the rights that docs/guides/clusters.md names. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readFileSync, writeFileSync } from "node:fs";
import { inRoot } from "../support/paths.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { apply, kubectl, type Ran, rollstamp, stamp, succeeded } from "./commands.ts";
import { fieldAt, listAt, textAt } from "./fields.ts";
import { chain } from "./rounds.ts";
import { inPod, tokenOf } from "./service-account.ts";

const SECRET_VALUE = "correct-horse-battery-staple";
const ENCODED = Buffer.from(SECRET_VALUE).toString("base64");

const MANIFESTS = `
apiVersion: v1
kind: ConfigMap
metadata: {name: env}
data: {LOG_LEVEL: info, UNUSED: "é \\u2028", MODE: plain}
---
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {password: first-password}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: app
          image: web:1
          env:
            - name: LOG_LEVEL
              valueFrom: {configMapKeyRef: {name: env, key: LOG_LEVEL}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: store}
spec:
  replicas: 2
  serviceName: store
  selector: {matchLabels: {app: store}}
  template:
    metadata: {labels: {app: store}}
    spec:
      containers:
        - name: app
          image: store:1
          envFrom: [{secretRef: {name: login}}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers:
        - name: app
          image: agent:1
          envFrom: [{configMapRef: {name: env}}]
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: app
              image: job:1
              envFrom: [{configMapRef: {name: env}}]
`;

const UNSTAMPED = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: bare}
spec:
  selector: {matchLabels: {app: bare}}
  template:
    metadata: {labels: {app: bare}}
    spec:
      containers: [{name: app, image: "bare:1", envFrom: [{configMapRef: {name: env}}]}]
`;

let cluster: Cluster;

before(async () => {
  cluster = await startCluster();
});

after(async () => {
  await cluster?.stop();
});

describe("status", { concurrency: false }, () => {
  const then = chain();
  const namespace = "shop";
  let current = "";

  const status = (args: readonly string[], kubeconfig = cluster.powerless): Promise<Ran> =>
    rollstamp(["status", "--kubeconfig", kubeconfig, ...args]);
  const report = async (...args: readonly string[]): Promise<unknown> => {
    const ran = await status(["-n", namespace, "-o", "json", ...args]);
    const read: unknown = JSON.parse(succeeded("rollstamp status", ran));
    return read;
  };
  const states = (read: unknown): Record<string, unknown> =>
    Object.fromEntries(
      listAt(read, "workloads").map((one) => [`${textAt(one, "kind")}/${textAt(one, "name")}`, fieldAt(one, "state")]),
    );
  const admin = async (...args: readonly string[]): Promise<string> =>
    succeeded(`kubectl ${args.join(" ")}`, await kubectl(cluster, ["--namespace", namespace, ...args]));
  const settled = async (): Promise<void> => {
    for (const workload of ["deployment/web", "statefulset/store", "daemonset/agent"]) {
      await admin("rollout", "status", workload, "--timeout=60s");
    }
    // Times in the API are whole seconds: what is changed from here on is later than any pod.
    await sleep(1100);
  };

  then("reports missing rights at once", async () => {
    const ran = await status(["-A"]);
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /not allowed to list workloads in all namespaces/u);
    assert.equal(ran.stdout, "");
  });

  then("everything is current after an apply, with the documented ClusterRole", async () => {
    await cluster.api.post("/api/v1/namespaces", { metadata: { name: namespace } });
    await admin("apply", "-f", inRoot("docs/status-cluster-role.yaml"));
    for (const role of ["rollstamp-status", "rollstamp-status-secrets"]) {
      await admin("create", "clusterrolebinding", role, `--clusterrole=${role}`, "--user=nobody");
    }
    current = await stamp(MANIFESTS);
    await apply(cluster, "client", current, namespace);
    await settled();
    const read = await report("--all");
    assert.deepEqual(states(read), {
      "CronJob/nightly": "Current",
      "DaemonSet/agent": "Current",
      "Deployment/web": "Current",
      "StatefulSet/store": "Current",
    });
    assert.deepEqual(listAt(read, "unseen"), []);
  });

  const plan = async (manifests: string, ...more: string[]): Promise<Record<string, unknown>> => {
    const live = ["plan", "--live", "-", "-n", namespace, "-o", "json", "--all", "--kubeconfig", cluster.powerless];
    const args = [...live, ...more];
    const read: unknown = JSON.parse(succeeded("rollstamp plan --live", await rollstamp(args, manifests)));
    return Object.fromEntries(
      listAt(read, "workloads").map((one) => [`${textAt(one, "kind")}/${textAt(one, "name")}`, fieldAt(one, "action")]),
    );
  };
  const nothing = {
    "CronJob/nightly": "None",
    "DaemonSet/agent": "None",
    "Deployment/web": "None",
    "StatefulSet/store": "None",
  };

  then(
    "plan --live: the applied manifests roll nothing, and without their stamps, which an apply removes, everything",
    async () => {
      assert.deepEqual(await plan(current), nothing);
      assert.deepEqual(await plan(MANIFESTS, "--as", "stamped"), nothing);
      assert.deepEqual(await plan(MANIFESTS), {
        "CronJob/nightly": "NextRun",
        "DaemonSet/agent": "Roll",
        "Deployment/web": "Roll",
        "StatefulSet/store": "Roll",
      });
    },
  );

  then("plan --live: a changed key rolls the workloads that see it", async () => {
    const head = MANIFESTS.replace("LOG_LEVEL: info", "LOG_LEVEL: warn") + `---${UNSTAMPED}`;
    assert.deepEqual(await plan(head, "--as", "stamped"), {
      ...nothing,
      "CronJob/nightly": "NextRun",
      "DaemonSet/agent": "Roll",
      "Deployment/bare": "Create",
      "Deployment/web": "Roll",
    });
  });

  then("plan --live: fields of other writers are kept, and changes of them are seen", async () => {
    await admin("rollout", "restart", "daemonset/agent");
    await admin("scale", "deployment/web", "--replicas=3");
    await admin("scale", "deployment/web", "--replicas=2");
    assert.deepEqual(await plan(current), nothing);
    await admin("set", "image", "deployment/web", "app=web:2");
    assert.deepEqual(await plan(current), { ...nothing, "Deployment/web": "Roll" });
    await apply(cluster, "client", current, namespace);
    assert.deepEqual(await plan(current), nothing);
    await settled();
  });

  then("plan --live: server-side apply also leaves nothing to do", async () => {
    const other = "other";
    await cluster.api.post("/api/v1/namespaces", { metadata: { name: other } });
    await apply(cluster, "server", current, other);
    const args = ["plan", "--live", "-", "-n", other, "-o", "json", "--kubeconfig", cluster.powerless];
    const read: unknown = JSON.parse(succeeded("rollstamp plan --live", await rollstamp(args, current)));
    assert.deepEqual(fieldAt(read, "workloads"), []);
  });

  then("a manual edit of a key makes only the workloads stale that see it", async () => {
    await admin("patch", "configmap", "env", "--type=merge", "-p", '{"data":{"LOG_LEVEL":"debug"}}');
    const read = await report();
    assert.deepEqual(states(read), {
      "DaemonSet/agent": "Stale",
      "Deployment/web": "Stale",
      "CronJob/nightly": "Behind",
    });
    // An apply puts the content back to what the stamps are of: no template changes, but what pods see does.
    assert.deepEqual(await plan(current), {
      ...nothing,
      "CronJob/nightly": "NextRun",
      "DaemonSet/agent": "Stale",
      "Deployment/web": "Stale",
    });
    assert.equal(fieldAt(read, "summary", "stalePods"), 5);
    const web = listAt(read, "workloads").find((one) => textAt(one, "name") === "web");
    const [source] = listAt(web, "sources");
    assert.deepEqual(fieldAt(source, "keys"), ["LOG_LEVEL"]);
    assert.equal((await status(["-n", namespace, "--check"])).status, 1);
  });

  then("an edit of an unseen key leaves a workload current", async () => {
    await admin("patch", "configmap", "env", "--type=merge", "-p", '{"data":{"LOG_LEVEL":"info","MODE":"other"}}');
    assert.deepEqual(states(await report()), { "DaemonSet/agent": "Stale", "CronJob/nightly": "Behind" });
    await apply(cluster, "client", current, namespace);
    assert.deepEqual(states(await report()), {});
  });

  then("a rotated Secret is reported without its values", async () => {
    await admin("patch", "secret", "login", "--type=merge", "-p", `{"stringData":{"password":"${SECRET_VALUE}"}}`);
    for (const format of ["text", "json"]) {
      const { stdout, stderr } = await status(["-n", namespace, "-o", format, "--all"]);
      assert.match(stdout, /store/u);
      for (const text of [stdout, stderr]) assert.ok(!text.includes(SECRET_VALUE) && !text.includes(ENCODED));
    }
    assert.deepEqual(states(await report()), { "StatefulSet/store": "Stale" });
  });

  then("pods that started after the change are not stale", async () => {
    await sleep(1100);
    await admin("delete", "pod", "store-0", "store-1");
    // The controller makes them one after the other: there may be nothing to wait for yet.
    for (const pod of ["pod/store-0", "pod/store-1"]) {
      await admin("wait", "--for=create", pod, "--timeout=60s");
      await admin("wait", "--for=condition=Ready", pod, "--timeout=60s");
    }
    assert.deepEqual(states(await report()), { "StatefulSet/store": "Behind" });
  });

  then("a rollout is in progress until all pods have it", async () => {
    await admin("patch", "statefulset", "store", "-p", '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":1}}}}');
    current = await stamp(
      current.replace("first-password", "second-password").replace("LOG_LEVEL: info", "LOG_LEVEL: warn"),
    );
    const web = "deployment/web";
    await admin("rollout", "pause", web);
    await apply(cluster, "client", current, namespace);
    const read = states(await report());
    assert.equal(read["Deployment/web"], "RollingOut");
    assert.match((await status(["-n", namespace])).stdout, /0 of 2 pods updated \(it is paused\)/u);
    await admin("rollout", "resume", web);
    await admin("patch", "statefulset", "store", "-p", '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}}');
    await settled();
    assert.deepEqual(states(await report()), {});
  });

  then("workloads without stamps are listed", async () => {
    await apply(cluster, "client", UNSTAMPED, namespace);
    const read = states(await report());
    assert.equal(read["Deployment/bare"], "Unstamped");
  });

  then("without rights to Secrets it reports what it cannot see", async () => {
    await admin("delete", "clusterrolebinding", "rollstamp-status-secrets");
    const read = await report();
    assert.equal(states(read)["StatefulSet/store"], "Unknown");
    assert.deepEqual(listAt(read, "unseen"), [{ what: "secrets", because: "forbidden" }]);
  });

  then("invalid credentials are one clear message", async () => {
    const file = `${cluster.folder}/expired.kubeconfig`;
    writeFileSync(file, readFileSync(cluster.powerless, "utf8").replace(/token: .*/u, "token: expired"));
    const ran = await status(["-A"], file);
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /refuses its credentials \(401\)/u);
  });

  let uid = "";
  const serviceAccount = (seconds: number): string => tokenOf(cluster, { namespace, name: "watcher", uid }, seconds);

  then("a service account may have the rights", async () => {
    const account = { metadata: { name: "watcher" } };
    uid = textAt(await cluster.api.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, account), "metadata", "uid");
    for (const role of ["rollstamp-status", "rollstamp-status-secrets"]) {
      const binding = ["create", "clusterrolebinding", `watcher-${role}`, `--clusterrole=${role}`];
      await admin(...binding, `--serviceaccount=${namespace}:watcher`);
    }
  });

  then("trusts as the kubeconfig says", async () => {
    const trust = (lines: string): string => {
      const file = `${cluster.folder}/trust.kubeconfig`;
      writeFileSync(file, readFileSync(cluster.powerless, "utf8").replace(/certificate-authority: .*/u, lines));
      return file;
    };
    const skips = await status(["-n", namespace], trust("insecure-skip-tls-verify: true"));
    assert.equal(skips.status, 0, skips.stderr);
    const strange = await status(["-n", namespace], trust("tls-server-name: kubernetes"));
    assert.equal(strange.status, 2);
    assert.match(strange.stderr, /is not trusted \(SELF_SIGNED_CERT_IN_CHAIN\)/u);
    const authority = /certificate-authority: .*/u.exec(readFileSync(cluster.powerless, "utf8"))?.[0] ?? "";
    const other = await status(["-n", namespace], trust(`${authority}\n      tls-server-name: other.example`));
    assert.equal(other.status, 2);
    assert.match(other.stderr, /is not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/u);
  });

  then("in a pod it uses the service account and its namespace", async () => {
    const read: unknown = JSON.parse(
      succeeded("rollstamp status", await inPod(cluster, serviceAccount(3600), namespace, ["status", "-o", "json"])),
    );
    assert.equal(textAt(read, "namespace"), namespace);
    assert.equal(states(read)["Deployment/bare"], "Unstamped");
    const other = await inPod(cluster, serviceAccount(3600), namespace, ["status", "--context", "prod"]);
    assert.deepEqual([other.status, other.stderr.includes("prod")], [2, true]);
  });

  then("expired credentials end it with one clear message", async () => {
    const withToken = (seconds: number): Promise<Ran> => {
      const file = `${cluster.folder}/expiring.kubeconfig`;
      const token = `token: ${serviceAccount(seconds)}`;
      writeFileSync(file, readFileSync(cluster.powerless, "utf8").replace(/token: .*/u, token));
      return status(["-n", namespace], file);
    };
    assert.equal((await withToken(3600)).status, 0);
    const ran = await withToken(-1);
    assert.equal(ran.status, 2);
    assert.match(ran.stderr, /refuses its credentials \(401\): they may have expired/u);
    assert.equal(ran.stderr.trimEnd().split("\n").length, 2);
  });
});
