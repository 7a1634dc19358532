// Each state of a rollout and each reason of the cluster, as objects show them: one row each.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { liveEvent, livePod } from "../../../src/reports/status/live-pods.ts";
import { revisionOf, WaitBoard, type Seen } from "../../../src/reports/status/wait-board.ts";
import type { WorkloadProgress } from "../../../src/reports/status/wait-report.ts";
import type { Json } from "../../../src/yaml/read/node.ts";
import {
  AFTER,
  argoRollout,
  BEFORE,
  controllerRevision,
  daemonSet,
  deployment,
  pod,
  replicaSet,
  statefulSet,
  waits,
  warning,
  type Live,
} from "./live-objects.ts";

interface Look {
  /** How long after the first look, in seconds. */
  readonly later?: number;
  readonly runAtExit?: boolean;
}

/** The state of the first workload. */
function look(objects: readonly Live[], { later = 0, runAtExit = false }: Look = {}): WorkloadProgress | undefined {
  const board = new WaitBoard(60_000, DEFAULT_LIMITS);
  const seen: Seen = { workloads: [], replicaSets: [], revisions: [], pods: [], events: [] };
  for (const { apiVersion, kind, ...more } of objects) {
    const object: Json = JSON.parse(JSON.stringify({ apiVersion, kind, ...more }));
    const event = kind === "Event" ? liveEvent(object) : undefined;
    if (kind === "ReplicaSet") seen.replicaSets.push(revisionOf(object, false));
    else if (kind === "ControllerRevision") seen.revisions.push(revisionOf(object, true));
    else if (kind === "Pod") seen.pods.push(livePod(object));
    else if (kind !== "Event") seen.workloads.push({ apiVersion, kind, object });
    if (event !== undefined) seen.events.push(event);
  }
  board.look(seen, 0);
  return board.look(seen, later * 1000, runAtExit)[0];
}

const HALF = { updatedReplicas: 1, availableReplicas: 3, replicas: 4 };

describe("the state of a workload", () => {
  const rows: readonly (readonly [what: string, state: string, objects: readonly Live[]])[] = [
    ["a Deployment, all there", "Done", [deployment()]],
    ["a Deployment that its controller has not seen", "RollingOut", [deployment({ generation: 3, seen: 2 })]],
    ["a Deployment with pods to come", "RollingOut", [deployment({ status: HALF })]],
    ["a Deployment whose old pods have not gone", "RollingOut", [deployment({ status: { replicas: 4 } })]],
    ["a Deployment whose new pods do not serve", "RollingOut", [deployment({ status: { availableReplicas: 2 } })]],
    [
      "a Deployment of no pods",
      "Done",
      [deployment({ spec: { replicas: 0 }, status: { replicas: 0, updatedReplicas: 0, availableReplicas: 0 } })],
    ],
    [
      "a Deployment after its deadline",
      "Failed",
      [deployment({ status: HALF, progressing: { status: "False", reason: "ProgressDeadlineExceeded" } })],
    ],
    [
      "a Deployment whose deadline passed before the change that its controller has not seen",
      "RollingOut",
      [deployment({ generation: 3, seen: 2, progressing: { status: "False", reason: "ProgressDeadlineExceeded" } })],
    ],
    ["a Deployment that is paused half-way", "Held", [deployment({ spec: { paused: true }, status: HALF })]],
    ["a Deployment that is paused and has nothing to do", "Done", [deployment({ spec: { paused: true } })]],
    ["a StatefulSet, all there", "Done", [statefulSet()]],
    [
      "a StatefulSet with pods to come",
      "RollingOut",
      [statefulSet({ status: { updateRevision: "db-3", updatedReplicas: 1 } })],
    ],
    [
      "a StatefulSet that was reverted halfway: its current revision is the wanted one again",
      "RollingOut",
      [statefulSet({ status: { updatedReplicas: 2 } })],
    ],
    ["a StatefulSet whose last pod does not serve", "RollingOut", [statefulSet({ status: { availableReplicas: 2 } })]],
    [
      "a StatefulSet down to its partition",
      "Done",
      [
        statefulSet({
          spec: { updateStrategy: { rollingUpdate: { partition: 2 } } },
          status: { updateRevision: "db-3", updatedReplicas: 1 },
        }),
      ],
    ],
    [
      "a StatefulSet with a partition above its pods",
      "Done",
      [
        statefulSet({
          spec: { updateStrategy: { rollingUpdate: { partition: 5 } } },
          status: { updateRevision: "db-3", updatedReplicas: 0 },
        }),
      ],
    ],
    [
      "a StatefulSet of OnDelete",
      "Held",
      [
        statefulSet({
          spec: { updateStrategy: { type: "OnDelete" } },
          status: { updateRevision: "db-3", updatedReplicas: 0 },
        }),
      ],
    ],
    ["a DaemonSet, all there", "Done", [daemonSet()]],
    ["a DaemonSet with nodes to come", "RollingOut", [daemonSet({ status: { updatedNumberScheduled: 1 } })]],
    ["a DaemonSet whose pods do not serve", "RollingOut", [daemonSet({ status: { numberAvailable: 2 } })]],
    [
      "a DaemonSet of OnDelete",
      "Held",
      [daemonSet({ spec: { updateStrategy: { type: "OnDelete" } }, status: { updatedNumberScheduled: 0 } })],
    ],
    [
      "a DaemonSet without nodes",
      "Done",
      [daemonSet({ status: { desiredNumberScheduled: 0, updatedNumberScheduled: 0, numberAvailable: 0 } })],
    ],
    ["a Rollout, all there", "Done", [argoRollout()]],
    ["a Rollout at work", "RollingOut", [argoRollout({ status: { phase: "Progressing", updatedReplicas: 1 } })]],
    ["a Rollout that its controller has not seen", "RollingOut", [argoRollout({ generation: 3, seen: 2 })]],
    [
      "a Rollout at a step that waits for a person",
      "Waits",
      [
        argoRollout({
          spec: { strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } } },
          status: {
            phase: "Paused",
            currentStepIndex: 1,
            updatedReplicas: 1,
            pauseConditions: [{ reason: "CanaryPauseStep" }],
          },
        }),
      ],
    ],
    [
      "a Rollout at a step that waits for a time",
      "RollingOut",
      [
        argoRollout({
          spec: { strategy: { canary: { steps: [{ pause: { duration: "5m" } }] } } },
          status: {
            phase: "Paused",
            currentStepIndex: 0,
            updatedReplicas: 1,
            pauseConditions: [{ reason: "CanaryPauseStep" }],
          },
        }),
      ],
    ],
    [
      "a Rollout that promotes itself after a time",
      "RollingOut",
      [
        argoRollout({
          spec: { strategy: { blueGreen: { autoPromotionSeconds: 30 } } },
          status: { phase: "Paused", pauseConditions: [{ reason: "BlueGreenPause" }] },
        }),
      ],
    ],
    [
      "a Rollout that a person promotes, whatever its seconds say",
      "Waits",
      [
        argoRollout({
          spec: { strategy: { blueGreen: { autoPromotionEnabled: false, autoPromotionSeconds: 30 } } },
          status: { phase: "Paused", pauseConditions: [{ reason: "BlueGreenPause" }] },
        }),
      ],
    ],
    [
      "a Rollout that a person promotes",
      "Waits",
      [
        argoRollout({
          spec: { strategy: { blueGreen: { autoPromotionEnabled: false } } },
          status: { phase: "Paused", pauseConditions: [{ reason: "BlueGreenPause" }] },
        }),
      ],
    ],
    [
      "a Rollout that was aborted",
      "Failed",
      [argoRollout({ status: { phase: "Degraded" }, progressing: { status: "False", reason: "RolloutAborted" } })],
    ],
  ];
  for (const [what, state, objects] of rows) it(`${what}: ${state}`, () => assert.equal(look(objects)?.state, state));
});

describe("why a rollout does not get on", () => {
  const web = deployment({ status: HALF });
  const set = replicaSet(web, 2);
  const old = replicaSet(web, 1);
  const webPod = (status: Readonly<Record<string, unknown>>, more = {}): Live =>
    pod(set, { labels: { "pod-template-hash": "h2" }, status, ...more });
  const db = statefulSet({ status: { updateRevision: "db-3", updatedReplicas: 0, availableReplicas: 2 } });
  const last = { terminated: { exitCode: 137, reason: "OOMKilled", message: "planted-value" } };
  interface Row {
    readonly what: string;
    readonly objects: readonly Live[];
    /** Reason, message, object; undefined: no problem is reported. */
    readonly says: readonly [string, (string | undefined)?, string?] | undefined;
    /** It is stuck after a minute. */
    readonly sticks?: false;
  }
  const rows: readonly Row[] = [
    {
      what: "an image that can't be pulled",
      objects: [web, set, webPod(waits("ImagePullBackOff", 'Back-off pulling image "reg.example/shop/web:nope"'))],
      says: ["ImagePullBackOff", 'Back-off pulling image "reg.example/shop/web:nope"', "Pod web-h2-x"],
    },
    {
      what: "a Secret that is not there",
      objects: [web, set, webPod(waits("CreateContainerConfigError", 'secret "db-login" not found'))],
      says: ["CreateContainerConfigError", 'secret "db-login" not found', "Pod web-h2-x"],
    },
    {
      what: "a container that ends again and again",
      objects: [
        web,
        set,
        webPod(waits("CrashLoopBackOff", "back-off 5m restarting", { restartCount: 7, lastState: last })),
      ],
      says: ["CrashLoopBackOff", "container app ended with exit code 137, OOMKilled, restarts: 7", "Pod web-h2-x"],
    },
    {
      what: "a container that has just been started again",
      objects: [
        web,
        set,
        webPod({
          containerStatuses: [{ name: "app", state: { running: {} }, ready: false, restartCount: 2, lastState: last }],
        }),
      ],
      says: ["OOMKilled", "container app ended with exit code 137, restarts: 2", "Pod web-h2-x"],
    },
    {
      what: "no node with room",
      objects: [
        web,
        set,
        webPod({
          conditions: [
            {
              type: "PodScheduled",
              status: "False",
              reason: "Unschedulable",
              message: "0/3 nodes are available: 3 Insufficient cpu.",
            },
          ],
        }),
      ],
      says: ["Unschedulable", "0/3 nodes are available: 3 Insufficient cpu.", "Pod web-h2-x"],
    },
    {
      what: "the output of a container's program is not shown",
      objects: [web, set, webPod(waits("RunContainerError", 'exec: "planted-value": not found'))],
      says: ["RunContainerError", undefined, "Pod web-h2-x"],
    },
    {
      what: "a quota, by the Deployment's condition",
      objects: [
        deployment({
          status: {
            ...HALF,
            conditions: [
              {
                type: "ReplicaFailure",
                status: "True",
                reason: "FailedCreate",
                message:
                  'pods "web-5d8f9c7b6d-x2k4j" is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3',
              },
            ],
          },
        }),
      ],
      says: [
        "FailedCreate",
        'pods "web-5d8f9c7b6d-x2k4j" is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3',
      ],
    },
    {
      what: "a quota, by an event of a StatefulSet that lacks pods",
      objects: [
        db,
        warning(db, "FailedCreate", 'create Pod db-2 in StatefulSet db failed error: pods "db-2" is forbidden'),
      ],
      says: ["FailedCreate", 'create Pod db-2 in StatefulSet db failed error: pods "db-2" is forbidden'],
    },
    {
      what: "an old event of a StatefulSet that has its pods",
      objects: [
        db,
        warning(db, "FailedCreate", "exceeded quota"),
        ...[0, 1, 2].map((i) => pod(db, { name: `db-${i}`, labels: { "controller-revision-hash": "db-3" } })),
      ],
      says: undefined,
    },
    {
      what: "a volume that is not mounted, while containers are made",
      objects: [
        web,
        set,
        webPod(waits("ContainerCreating")),
        warning(webPod({}), "FailedMount", 'MountVolume.SetUp failed for volume "tls" : secret "tls" not found'),
      ],
      says: ["FailedMount", 'MountVolume.SetUp failed for volume "tls" : secret "tls" not found', "Pod web-h2-x"],
    },
    {
      what: "a volume that was not mounted, once containers run",
      objects: [web, set, webPod({}), warning(webPod({}), "FailedMount", "timed out")],
      says: undefined,
    },
    {
      what: "pods that are only slow: told, and not stuck",
      objects: [
        web,
        set,
        webPod({
          conditions: [
            {
              type: "ContainersReady",
              status: "False",
              reason: "ContainersNotReady",
              message: "containers with unready status: [app]",
            },
          ],
        }),
      ],
      says: ["ContainersNotReady", "containers with unready status: [app]", "Pod web-h2-x"],
      sticks: false,
    },
    {
      what: "the trouble of a pod of the template before",
      objects: [web, set, old, pod(old, { labels: { "pod-template-hash": "h1" }, status: waits("CrashLoopBackOff") })],
      says: undefined,
    },
    {
      what: "the trouble of a pod that is being deleted",
      objects: [web, set, webPod(waits("CrashLoopBackOff"), { metadata: { deletionTimestamp: AFTER } })],
      says: undefined,
    },
    {
      what: "the deadline, with what pods say behind it",
      objects: [
        deployment({
          status: HALF,
          progressing: {
            status: "False",
            reason: "ProgressDeadlineExceeded",
            message: 'ReplicaSet "web-5d8f9c7b6d" has timed out progressing.',
          },
        }),
        set,
        webPod(waits("ErrImageNeverPull")),
      ],
      says: ["ProgressDeadlineExceeded", 'ReplicaSet "web-5d8f9c7b6d" has timed out progressing.'],
    },
  ];
  for (const { what, objects, says, sticks = says !== undefined } of rows) {
    it(what, () => {
      const early = look(objects, { later: 59 });
      const [first] = early?.reasons ?? [];
      const [reason, message, object] = says ?? [];
      assert.deepEqual([first?.reason, first?.message, first?.object], [reason, message, object]);
      const isFailed = reason === "ProgressDeadlineExceeded";
      assert.equal(early?.state, isFailed ? "Failed" : "RollingOut");
      assert.equal(look(objects, { later: 61 })?.state, isFailed ? "Failed" : sticks ? "Stuck" : "RollingOut");
      assert.ok(!JSON.stringify(early).includes("planted-value"));
    });
  }

  it("is shown once for pods with the same problem, with their number", () => {
    const pods = ["a", "b", "c"].map((name) => webPod(waits("ErrImagePull"), { name }));
    const [first, ...more] = look([web, set, ...pods])?.reasons ?? [];
    assert.deepEqual([first?.object, first?.more, more], ["Pod a", 2, []]);
  });
});

describe("the problem of a workload", () => {
  const degraded = (...conditions: readonly unknown[]): Live =>
    argoRollout({ status: { phase: "Degraded", conditions } });
  const invalid = { type: "InvalidSpec", status: "True", reason: "InvalidSpec", message: "" };
  const paused = argoRollout({ status: { phase: "Paused", pauseConditions: [{ reason: "BlueGreenPause" }] } });
  const rows: readonly (readonly [what: string, objects: readonly Live[], problem: unknown, early: unknown])[] = [
    ["a rollout that is not finished", [deployment({ status: HALF })], { is: "Unfinished" }, undefined],
    ["a Rollout that its controller refuses", [degraded(invalid)], { is: "Failed" }, { is: "Failed" }],
    ["a Rollout that waits for approval", [paused], { is: "NeedsApproval" }, { is: "NeedsApproval" }],
    ["a workload that is held", [deployment({ spec: { paused: true }, status: HALF })], undefined, undefined],
  ];
  for (const [what, objects, problem, early] of rows) {
    it(what, () => {
      assert.deepEqual(look(objects)?.problem, early);
      assert.deepEqual(look(objects, { runAtExit: true })?.problem, problem);
    });
  }

  it("a held workload says why", () =>
    assert.equal(look([deployment({ spec: { paused: true }, status: HALF })])?.because, "it is paused"));
});

describe("the current pods of a DaemonSet", () => {
  const agent = daemonSet({ status: { updatedNumberScheduled: 1 } });
  it("are those of the revision that was written last, also after a rollback", () => {
    const revisions = [controllerRevision(agent, 1, AFTER), controllerRevision(agent, 2, BEFORE)];
    const reasonOf = (revision: string): unknown => {
      const bad = pod(agent, { labels: { "controller-revision-hash": revision }, status: waits("ErrImagePull") });
      return look([agent, ...revisions, bad])?.reasons[0]?.reason;
    };
    assert.deepEqual([reasonOf("1"), reasonOf("2")], ["ErrImagePull", undefined]);
  });
});
