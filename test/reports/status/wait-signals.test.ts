// `status --wait` as a process that gets a signal.
import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { describe, it } from "node:test";
import { shipped } from "../../support/shipped.ts";
import { textAt } from "../../e2e/fields.ts";
import { withFakeCluster } from "./fake-cluster.ts";
import { deployment } from "./live-objects.ts";

const HALF = { updatedReplicas: 1, replicas: 4 };

describe("status --wait, when it is ended", () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`${signal}: says what is not finished, and ends by it`, async () => {
      const command = shipped();
      try {
        await withFakeCluster([deployment({ status: HALF })], async (cluster) => {
          const args = ["status", "--wait", "-o", "json", "--kubeconfig", join(cluster.folder, "kubeconfig")];
          const child = command.start(args, { stdio: ["ignore", "pipe", "pipe"] });
          let stdout = "";
          child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
          const ended = once(child, "close");
          while (!stdout.includes("RollingOut")) await new Promise((done) => setTimeout(done, 20));
          child.kill(signal);
          assert.deepEqual(await ended, [null, signal]);
          const last: unknown = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
          assert.deepEqual([textAt(last, "type"), textAt(last, "ended")], ["End", "Interrupted"]);
        });
      } finally {
        command.remove();
      }
    });
  }

  it("ends at once where a signal arrives before the cluster has answered", async () => {
    const command = shipped();
    try {
      await withFakeCluster([deployment()], async (cluster) => {
        const asked = new Promise<void>((done) => cluster.hold(done));
        const args = ["status", "--wait", "--kubeconfig", join(cluster.folder, "kubeconfig")];
        const child = command.start(args, { stdio: ["ignore", "pipe", "pipe"] });
        const ended = once(child, "exit");
        await asked;
        child.kill("SIGINT");
        assert.deepEqual(await ended, [null, "SIGINT"]);
      });
    } finally {
      command.remove();
    }
  });
});
