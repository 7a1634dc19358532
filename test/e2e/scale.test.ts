/** `rollstamp status` on a cluster of thousands of objects: what it finds, asks for and needs; and faults meanwhile. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { inRoot } from "../support/paths.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { kubectl, type Ran, rollstamp, succeeded } from "./commands.ts";
import { type CountingProxy, startProxy } from "./counting-proxy.ts";
import { type Crowd, CROWD_SECRET, gather } from "./crowd.ts";
import { fieldAt, listAt, numberAt, textAt } from "./fields.ts";
import { chain } from "./rounds.ts";

const SIZE = { namespaces: 50, deployments: 2000, pods: 5000, content: 2000, editedEvery: 50 };

/** The pages in which each list may be read; those of sources a second time, for their content. */
const PAGES: Readonly<Record<string, readonly number[]>> = {
  deployments: [250],
  replicasets: [500],
  pods: [500],
  configmaps: [500, 50],
  secrets: [500, 50],
};
/** Discovery, and one page each of the kinds that this cluster has none of: StatefulSets, DaemonSets, CronJobs. */
const OTHER_REQUESTS = 3 + 3;
/** docs/guides/clusters.md has the measured figure: about 160. */
const MOST_MEMORY_MB = 220;

const figures: string[] = [];
let cluster: Cluster;
let proxy: CountingProxy;
let crowd: Crowd;

before(async () => {
  cluster = await startCluster({ serverOnly: true });
  proxy = await startProxy(cluster);
  crowd = await gather(cluster.api, SIZE);
  const admin = async (...args: readonly string[]): Promise<string> =>
    succeeded(`kubectl ${args.join(" ")}`, await kubectl(cluster, args));
  await admin("apply", "-f", inRoot("docs/status-cluster-role.yaml"));
  for (const role of ["rollstamp-status", "rollstamp-status-secrets"])
    await admin("create", "clusterrolebinding", role, `--clusterrole=${role}`, "--user=nobody");
});

after(async () => {
  await proxy?.stop();
  await cluster?.stop();
});

describe(`status of ${SIZE.deployments} Deployments with ${SIZE.pods} pods`, { concurrency: false }, () => {
  const then = chain();

  then("finds all stale workloads, page by page, in bounded memory", async () => {
    const peak = join(cluster.folder, "peak");
    const start = performance.now();
    const args = ["status", "-A", "--all", "-o", "json", "--kubeconfig", proxy.kubeconfig];
    const ran = await rollstamp(args, "", ["--require", tellsPeak(peak)]);
    const seconds = (performance.now() - start) / 1000;
    const report: unknown = JSON.parse(succeeded("rollstamp status", ran));
    assert.equal(numberAt(report, "summary", "workloads"), SIZE.deployments);
    assert.deepEqual(
      listAt(report, "workloads").reduce<number>((sum, one) => sum + numberAt(one, "pods", "total"), 0),
      SIZE.pods,
    );
    assert.deepEqual(staleOf(report), crowd.stale);
    assert.equal(numberAt(report, "summary", "stalePods"), crowd.stalePods);
    assert.deepEqual(listAt(report, "unseen"), []);
    for (const text of [CROWD_SECRET, Buffer.from(CROWD_SECRET).toString("base64").slice(0, -4)])
      assert.ok(!ran.stdout.includes(text) && !ran.stderr.includes(text));

    const { exchanges, connections } = proxy.take();
    const expected = Object.entries(PAGES).flatMap(([name, pages]) =>
      // The API server has a ConfigMap of its own, and learns behind the last Secret that only releases are left.
      pages.map((page) => Math.ceil(((crowd.lists[name] ?? 0) + 1) / page)),
    );
    const most = expected.reduce((sum, count) => sum + count, 0) + OTHER_REQUESTS;
    assert.ok(exchanges.length <= most, `${exchanges.length} requests, of ${most}`);
    const limits = [...new Set(exchanges.map(({ query }) => query.get("limit")))].sort();
    assert.deepEqual(limits, [null, "250", "50", "500"].sort());
    assert.equal(connections, 1);
    const memory = Number(readFileSync(peak, "utf8"));
    assert.ok(memory <= MOST_MEMORY_MB, `${memory} MB`);
    const sent = exchanges.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
    figures.push(
      `${seconds.toFixed(1)} s, ${exchanges.length} requests, ${sent.toFixed(1)} MB, peak memory ${memory} MB`,
    );
  });

  then("does not hang if the server does, in the middle of a list", async () => {
    let isHalted = false;
    proxy.onRequest = async (path) => {
      if (isHalted || !path.includes("/pods?") || !path.includes("continue=")) return;
      isHalted = true;
      await cluster.signal("SIGSTOP");
    };
    const ran = await rollstamp(["status", "-A", "--request-timeout", "2", "--kubeconfig", proxy.kubeconfig]);
    await cluster.signal("SIGCONT");
    assert.ok(isHalted);
    endsWithOneMessage(ran, /does not answer within 2 seconds/u);
  });

  then("reports a change, and ends when the server ends", async () => {
    const args = ["status", "-A", "-o", "json", "--kubeconfig", cluster.powerless];
    const edited = "app-1";
    await cluster.api.patch(`/api/v1/namespaces/team-1/configmaps/${edited}`, { data: { MODE: "edited" } });
    const report: unknown = JSON.parse(succeeded("rollstamp status", await rollstamp(args)));
    assert.deepEqual(staleOf(report), [...crowd.stale, `team-1/${edited}`].sort());
    await cluster.signal("SIGKILL");
    endsWithOneMessage(await rollstamp(args), /can't be reached: connection refused/u);
  });
});

it("figures", (context) => {
  for (const line of figures) context.diagnostic(line);
  assert.equal(figures.length, 1);
});

function endsWithOneMessage({ status, stdout, stderr }: Ran, message: RegExp): void {
  assert.equal(status, 2, stderr);
  assert.equal(stdout, "");
  assert.match(stderr, message);
  assert.equal(stderr.trimEnd().split("\n").length, 2, "a message, and what to do");
}

function staleOf(report: unknown): readonly string[] {
  return listAt(report, "workloads")
    .filter((one) => fieldAt(one, "state") === "Stale")
    .map((one) => `${textAt(one, "namespace")}/${textAt(one, "name")}`)
    .sort();
}

/** A module that makes Node write down, at its end, the most memory that it has had, in MB. */
function tellsPeak(file: string): string {
  const path = join(cluster.folder, "tells-peak.cjs");
  // Not getrusage's: a process starts with the peak of the one that it was forked from.
  const read = String.raw`/VmHWM:\s+(\d+) kB/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]`;
  const write = `fs.writeFileSync(${JSON.stringify(file)}, String(Math.round(${read} / 1024)))`;
  writeFileSync(path, `const fs = require("node:fs");\nprocess.on("exit", () => ${write});\n`);
  return path;
}
