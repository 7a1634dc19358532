/** The changes that a plan calls refused, and accepted ones beside them, applied to a real API server. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Cluster, startCluster } from "./cluster.ts";
import { apply, kubectl, QUICK, succeeded } from "./commands.ts";
import { REFUSED_CHANGES } from "./refused-changes.ts";
import { POD_CASES } from "./refused-pods.ts";
import { CRON_JOB_NAMES, cronJobOf, SCHEDULES } from "./refused-schedules.ts";

/** As kubectl and server-side applies do: a field that does not exist is refused. */
const STRICT = QUICK.filter((flag) => flag !== "--validate=false");

let cluster: Cluster;

before(async () => {
  cluster = await startCluster({ serverOnly: true });
  const grows =
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: grows}, provisioner: a.example, allowVolumeExpansion: true}";
  await apply(cluster, "client", grows);
});

after(() => cluster?.stop());

describe("the API server decides as a plan does on", { concurrency: 4 }, () => {
  for (const [i, [name, { base, head, refused }]] of Object.entries(REFUSED_CHANGES).entries()) {
    it(`${name}: ${refused ?? "accepted"}`, async () => {
      const named = (text: string): string => text.replaceAll("NAME", `change-${i}`);
      if (base !== "") await apply(cluster, "client", named(base));
      // Only a bound claim can grow.
      if (base.includes("kind: PersistentVolumeClaim")) await bind(`change-${i}`);
      // Until its names are accepted, they may change.
      if (base.includes("kind: CustomResourceDefinition"))
        succeeded(
          "kubectl wait",
          await kubectl(cluster, ["wait", "--for=condition=Established", `crd/change-${i}.example.com`]),
        );
      const { status, stderr } = await kubectl(cluster, ["apply", ...STRICT, "-f", "-"], named(head));
      assert.equal(status === 0, refused === undefined, stderr);
    });
  }
});

describe("the API server decides as a plan does on pods", { concurrency: 4 }, () => {
  for (const [i, { name, base, head, refused }] of POD_CASES.entries()) {
    it(`${name}: ${refused ?? "accepted"}`, async () => {
      const named = (text: string): string => text.replaceAll("NAME", `pods-${i}`);
      if (base !== undefined) await apply(cluster, "client", named(base));
      const { status, stderr } = await kubectl(cluster, ["apply", ...STRICT, "-f", "-"], named(head));
      assert.equal(status === 0, refused === undefined, stderr);
      // The API server does not say which file of a volume it is.
      const path = refused?.replace(/(?<=downwardAPI)\.items\[\d+\]/u, "");
      // kubectl itself needs the names to merge, and what can't be decoded is named without indexes, or not at all.
      const isDecoded = !stderr.includes("cannot be handled as") || stderr.includes("strict decoding error");
      if (path !== undefined && isDecoded && !name.includes("that go")) assert.ok(stderr.includes(path), stderr);
    });
  }
});

describe("the API server decides as a plan does on CronJobs", { concurrency: 4 }, () => {
  for (const [i, [spec, refused]] of SCHEDULES.entries()) {
    it(`${spec}: ${refused ?? "accepted"}`, async () => {
      const head = cronJobOf(spec).replaceAll("NAME", `schedule-${i}`);
      const { status, stderr } = await kubectl(cluster, ["apply", ...STRICT, "-f", "-"], head);
      assert.equal(status === 0, refused === undefined, stderr);
      if (refused !== undefined) assert.ok(stderr.includes(refused), stderr);
    });
  }
});

describe("the API server decides as a plan does on names of CronJobs", () => {
  for (const [name, refused] of CRON_JOB_NAMES) {
    it(`${name.length} characters: ${refused ?? "accepted"}`, async () => {
      const head = cronJobOf('schedule: "@daily"', name);
      const { status, stderr } = await kubectl(cluster, ["apply", ...STRICT, "-f", "-"], head);
      assert.equal(status === 0, refused === undefined, stderr);
      if (refused !== undefined) assert.ok(stderr.includes(refused), stderr);
    });
  }
});

async function bind(claim: string): Promise<void> {
  const status = { status: { phase: "Bound", capacity: { storage: "2Gi" } } };
  const args = ["patch", "pvc", claim, "--subresource=status", "--type=merge", `--patch=${JSON.stringify(status)}`];
  succeeded("kubectl patch", await kubectl(cluster, args));
}
