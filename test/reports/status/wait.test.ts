// `status --wait` over an API server that changes, fails and comes back.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fieldAt, listAt, textAt } from "../../e2e/fields.ts";
import { inRoot } from "../../support/paths.ts";
import { withFakeCluster, type FakeCluster } from "./fake-cluster.ts";
import { argoRollout, deployment, pod, statefulSet, waits } from "./live-objects.ts";

const schema: object = JSON.parse(readFileSync(inRoot("schemas/status-wait.json"), "utf8"));
const validate = new Ajv2020({ strict: false }).compile(schema);

// Each has a server of its own and spends its time with waiting.
const WAITING = { concurrency: true };
// Each of the commands that run at once listens to the signals that end this process.
process.setMaxListeners(0);

const HALF = { updatedReplicas: 1, availableReplicas: 3, replicas: 4 };
const KINDS = 7;
const WAIT = ["status", "--wait", "--timeout", "20s"];
const JSON_LINES = [...WAIT, "-o", "json"];

/** The lines of a run, each as the schema has it. */
function read(stdout: string): readonly unknown[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => {
      const value: unknown = JSON.parse(line);
      assert.ok(validate(value), `${line} ${JSON.stringify(validate.errors)}`);
      return value;
    });
}

/** What each line reports, in short. */
const steps = (stdout: string): string[] =>
  read(stdout).map((line) =>
    textAt(line, "type") === "Workload"
      ? `${textAt(line, "workload", "name")} ${textAt(line, "workload", "state")} ${String(fieldAt(line, "workload", "updated"))}/${String(fieldAt(line, "workload", "desired"))}`
      : `${textAt(line, "type")} ${String(fieldAt(line, "ended") ?? fieldAt(line, "state") ?? fieldAt(line, "followed"))}`,
  );

/** Runs and, once all has been read, does something to the cluster. */
async function meanwhile(
  cluster: FakeCluster,
  args: readonly string[],
  act: () => void | Promise<void>,
): Promise<Awaited<ReturnType<FakeCluster["run"]>>> {
  const running = cluster.run(args);
  await Promise.race([cluster.nextRound(), running]);
  await act();
  return running;
}

const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

describe("status --wait", WAITING, () => {
  it("follows a rollout to its end, with a line of JSON for each step", () =>
    withFakeCluster([deployment({ generation: 3, seen: 2 })], async (cluster) => {
      const { status, stdout, stderr } = await meanwhile(cluster, JSON_LINES, async () => {
        for (const updated of [1, 2]) {
          cluster.set(deployment({ generation: 3, status: { updatedReplicas: updated, replicas: 4 } }));
          await cluster.nextRound();
        }
        cluster.set(deployment({ generation: 3 }));
      });
      assert.equal(status, 0, stderr);
      assert.deepEqual(steps(stdout), [
        "Start 1",
        "web RollingOut 3/3",
        "web RollingOut 1/3",
        "web RollingOut 2/3",
        "web Done 3/3",
        "End Settled",
      ]);
    }));

  it("lists each kind, however many workloads there are", () => {
    const many = Array.from({ length: 1000 }, (_, i) => deployment({ name: `web-${i}`, status: HALF }));
    return withFakeCluster(many, async (cluster) => {
      let requests: readonly string[] = [];
      const { status, stdout } = await meanwhile(cluster, WAIT, () => {
        requests = [...cluster.requests];
        cluster.set(...many.map(({ metadata: { name } }) => deployment({ name })));
      });
      assert.equal(status, 0, stdout.slice(-500));
      assert.match(stdout, /ok: 1,000 workloads: 1,000 done/u);
      const rounds = requests.filter((name) => name === "replicasets").length;
      assert.ok(requests.length <= 1 + (rounds + 1) * (4 + KINDS), requests.join(", "));
    });
  });

  it("reads pods and events only in namespaces with rollouts that have not ended", () =>
    withFakeCluster([deployment({ status: HALF })], async (cluster) => {
      const running = cluster.run([...WAIT, "-A"]);
      await cluster.nextRound();
      cluster.set(deployment());
      assert.equal((await running).status, 0);
      const events = cluster.paths.filter((path) => path.endsWith("/events"));
      assert.deepEqual([...new Set(events)], ["/api/v1/events", "/api/v1/namespaces/shop/events"]);
    }));

  it("exits with 1 after a failed rollout, with the reason from the cluster, once the others have ended", () => {
    const failed = deployment({
      name: "bad",
      status: HALF,
      progressing: { status: "False", reason: "ProgressDeadlineExceeded", message: "has timed out progressing." },
    });
    return withFakeCluster([failed, deployment({ status: HALF })], async (cluster) => {
      const { status, stdout } = await meanwhile(cluster, WAIT, () => {
        cluster.set(deployment());
      });
      assert.equal(status, 1);
      assert.equal(
        stdout,
        `following 2 workloads in namespace shop of fake
FAILED      Deployment shop/bad: 1 of 3 pods updated, 3 available
            ProgressDeadlineExceeded: has timed out progressing.
ROLLING     Deployment shop/web: 1 of 3 pods updated, 3 available
DONE        Deployment shop/web: 3 of 3 pods updated

Problems:
FAILED      Deployment shop/bad: its controller has given up
            ProgressDeadlineExceeded: has timed out progressing.

2 workloads: 1 done, 1 failed after ${/after (\d+ s)/u.exec(stdout)?.[1] ?? ""}
`,
      );
    });
  });

  it("does not wait for the others with --fail-fast", () => {
    const failed = deployment({ name: "bad", status: HALF, progressing: { reason: "ProgressDeadlineExceeded" } });
    return withFakeCluster([failed, deployment({ status: HALF })], async (cluster) => {
      const { status, stdout } = await cluster.run([...JSON_LINES, "--fail-fast"]);
      assert.equal(status, 1);
      assert.equal(steps(stdout).at(-1), "End FailedFast");
    });
  });

  it("exits with 1 after a blocked rollout, and waits no longer than --stuck-after", () => {
    const db = statefulSet({ status: { updateRevision: "db-3", updatedReplicas: 1, availableReplicas: 2 } });
    const bad = pod(db, {
      name: "db-2",
      labels: { "controller-revision-hash": "db-3" },
      status: waits("ImagePullBackOff", 'Back-off pulling image "db:nope"'),
    });
    return withFakeCluster([db, bad], async (cluster) => {
      const { status, stdout } = await cluster.run([...WAIT, "--stuck-after", "1s"]);
      assert.equal(status, 1);
      assert.match(
        stdout,
        /^STUCK {7}StatefulSet shop\/db: 1 of 3 pods updated, 2 available\n {12}Pod db-2: ImagePullBackOff: Back-off pulling image "db:nope"$/mu,
      );
      assert.match(stdout, /^STUCK {7}StatefulSet shop\/db: no progress for \d second/mu);
      assert.ok(!stdout.includes("planted-value"));
    });
  });

  it("a reason that passes in time stops nothing", () => {
    const db = statefulSet({ status: { updateRevision: "db-3", updatedReplicas: 1 } });
    const bad = pod(db, { labels: { "controller-revision-hash": "db-3" }, status: waits("ErrImagePull") });
    return withFakeCluster([db, bad], async (cluster) => {
      const { status, stdout } = await meanwhile(cluster, [...WAIT, "--stuck-after", "15s"], () => {
        cluster.set(statefulSet());
      });
      assert.equal(status, 0, stdout);
    });
  });

  it("gives up after --timeout, and says what is not finished", () =>
    withFakeCluster([deployment({ status: HALF })], async (cluster) => {
      const { status, stdout } = await cluster.run(["status", "--wait", "--timeout", "1s"]);
      assert.equal(status, 1);
      assert.match(stdout, /ROLLING {5}Deployment shop\/web: not finished\n/u);
      assert.match(stdout, /1 workload: 0 done, 1 unfinished after \d s \(--timeout\); the rollouts continue/u);
    }));

  it("follows Argo Rollouts where the server has them, and reports one that waits for approval", () => {
    const api = argoRollout({ status: { phase: "Paused", pauseConditions: [{ reason: "BlueGreenPause" }] } });
    return withFakeCluster(
      [api],
      async (cluster) => {
        const { status, stdout } = await cluster.run(WAIT);
        assert.equal(status, 1);
        assert.match(stdout, /WAITS {7}Rollout shop\/api: waits for approval\n {12}BlueGreenPause/u);
      },
      { argo: true },
    );
  });

  for (const [options, message] of [
    [["--timeout", "soon"], /--timeout must be a duration, got "soon"/u],
    [["--timeout", "0"], /--timeout must be a duration, got "0"/u],
    [["--stuck-after", "5d"], /--stuck-after must be a duration, got "5d"/u],
    [["--check"], /--check has no effect with --wait/u],
  ] as const) {
    it(`refuses ${options.join(" ")}`, () =>
      withFakeCluster([deployment()], async (cluster) => {
        const { status, stderr } = await cluster.run(["status", "--wait", ...options]);
        assert.equal(status, 2);
        assert.match(stderr, message);
      }));
  }

  it("accepts durations as people write them", () =>
    withFakeCluster([deployment()], async (cluster) => {
      for (const time of ["90", "0.5s", "15m", "1h30m"])
        assert.equal((await cluster.run(["status", "--wait", "--timeout", time])).status, 0, time);
    }));

  it("is not a success where there is nothing", () =>
    withFakeCluster([], async (cluster) => {
      const { status, stderr } = await cluster.run(WAIT);
      assert.equal(status, 2);
      assert.match(stderr, /no Deployment, StatefulSet, DaemonSet or Rollout in namespace 'shop'/u);
    }));

  it("shows its progress on a terminal, on one line that is cleared", () =>
    withFakeCluster([deployment({ status: HALF })], async (cluster) => {
      const running = cluster.run(WAIT, { terminal: true });
      await cluster.nextRound();
      cluster.set(deployment());
      const { stdout, stderr } = await running;
      // How many seconds the first round takes depends on the machine.
      assert.match(stderr, /0\/1 done, \d+ s \| web 1\/3\r/u, JSON.stringify(stderr));
      assert.ok(stderr.endsWith("\r\u001b[K"), JSON.stringify(stderr));
      assert.ok(stdout.includes("\u001b[32mDONE"), JSON.stringify(stdout));
    }));
});

describe("status --wait, when the cluster fails", WAITING, () => {
  it("reports a wrong address at once", () =>
    withFakeCluster([deployment()], async (cluster) => {
      await cluster.stop();
      const { status, stdout, stderr } = await cluster.run(WAIT);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, /can't be reached: connection refused/u);
      await cluster.start();
    }));

  it("resumes after a restart of the API server", () =>
    withFakeCluster([deployment({ status: HALF })], async (cluster) => {
      const { status, stdout } = await meanwhile(cluster, JSON_LINES, async () => {
        await cluster.stop();
        await pause(700);
        cluster.set(deployment());
        await cluster.start();
      });
      assert.equal(status, 0, stdout);
      const lines = steps(stdout);
      assert.deepEqual(lines.slice(0, 3), ["Start 1", "web RollingOut 1/3", "Connection Lost"]);
      assert.ok(lines.includes("web Done 3/3"));
      assert.equal(lines.filter((line) => line === "Connection Lost").length, 1);
    }));

  it("drops deleted objects", () => {
    const old = deployment({ name: "old", status: HALF });
    return withFakeCluster([deployment({ status: HALF }), old], async (cluster) => {
      const { status, stdout } = await meanwhile(cluster, JSON_LINES, () => {
        cluster.remove(old);
        cluster.set(deployment());
      });
      assert.equal(status, 0, stdout);
      assert.equal(fieldAt(read(stdout).at(-1), "summary", "followed"), 1);
    });
  });

  it("waits while the server is overloaded", () =>
    withFakeCluster([deployment({ status: HALF })], async (cluster) => {
      const { status, stdout } = await meanwhile(cluster, JSON_LINES, async () => {
        cluster.refuse(503);
        const before = cluster.requests.length;
        while (cluster.requests.length < before + 6) await pause(20);
        cluster.refuse(0);
        cluster.set(deployment());
      });
      assert.equal(status, 0, stdout);
      assert.ok(steps(stdout).includes("Connection Lost"));
    }));

  it("expired credentials end it with status 2, after the last line", () =>
    withFakeCluster([deployment({ status: HALF })], async (cluster) => {
      const { status, stdout, stderr } = await meanwhile(cluster, JSON_LINES, () => {
        cluster.refuse(401);
      });
      assert.equal(status, 2);
      assert.match(stderr, /refuses its credentials \(401\): they may have expired/u);
      const last = read(stdout).at(-1);
      assert.deepEqual([textAt(last, "ended"), fieldAt(last, "status")], ["Error", 2]);
      assert.match(textAt(last, "because"), /401/u);
    }));

  it("names what may not be listed, and what is unknown because of that", () =>
    withFakeCluster([deployment()], async (cluster) => {
      cluster.refuse(403, /(?:pods|events)$/u);
      const { status, stdout } = await cluster.run(JSON_LINES);
      assert.equal(status, 0, stdout);
      assert.deepEqual(
        listAt(read(stdout)[0], "unseen").map((one) => textAt(one, "what")),
        ["pods", "events"],
      );
    }));

  for (const [refused, what] of [
    [/\/apis$/u, "custom kinds"],
    [/\/apis\/argoproj\.io\/v1alpha1$/u, "argoproj.io/v1alpha1"],
  ] as const)
    it(`names ${what} if the server does not list them: a Rollout may be among them`, () =>
      withFakeCluster(
        [deployment()],
        async (cluster) => {
          cluster.refuse(403, refused);
          const { status, stdout } = await cluster.run(JSON_LINES);
          assert.equal(status, 0, stdout);
          assert.deepEqual(
            listAt(read(stdout)[0], "unseen").map((one) => textAt(one, "what")),
            [what],
          );
        },
        { argo: true },
      ));

  it("continues where a starting server refuses for a while what it allows", () =>
    withFakeCluster([deployment({ status: HALF })], async (cluster) => {
      const { status, stdout } = await meanwhile(cluster, JSON_LINES, async () => {
        cluster.refuse(403, /deployments/u);
        const before = cluster.requests.length;
        while (cluster.requests.length < before + 10) await pause(20);
        cluster.refuse(0);
        cluster.set(deployment());
      });
      assert.equal(status, 0, stdout);
      assert.ok(steps(stdout).includes("Connection Lost"));
    }));

  it("without the right to list workloads it says so", () =>
    withFakeCluster([deployment()], async (cluster) => {
      cluster.refuse(403, /namespaces/u);
      const { status, stderr } = await cluster.run(WAIT);
      assert.equal(status, 2);
      assert.match(stderr, /not allowed to list workloads/u);
    }));
});
