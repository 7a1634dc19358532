/** What may hold a rollout up, and what stands next to it and doesn't: rows of docs/why/observed.md. */
import { NODES, workload } from "./observed-cases.ts";
import {
  APART,
  ARGO,
  BESIDE,
  HOSTNAME,
  HOST_NETWORK,
  IMAGES,
  NO_PORT,
  ONE_LESS,
  ONE_NODE,
  PINNED,
  PORT,
  VOLUME,
  ZONE,
  apart,
  blueGreen,
  budget,
  canary,
  claim,
  daemonSet,
  deployment,
  preferred,
  rollout,
  service,
  situation,
  type Situation,
  type Fields,
} from "./situation-parts.ts";

const SCHEDULED: readonly Situation[] = [
  situation("a host port, as many pods as nodes", "Deployment/web", deployment({ replicas: NODES, ...BESIDE }, PORT), {
    action: "Roll",
    safety: "MayStick",
    caveat: "RS015",
    outcome: "sticks",
    says: NO_PORT,
  }),
  situation("a host port, one node is free", "Deployment/web", deployment({ replicas: NODES - 1, ...BESIDE }, PORT), {
    action: "Roll",
    safety: "MayStick",
    caveat: "RS015",
    outcome: "rolls",
  }),
  situation(
    "a port in the host network, as many pods as nodes",
    "Deployment/web",
    deployment({ replicas: NODES, ...BESIDE }, HOST_NETWORK),
    {
      action: "Roll",
      safety: "MayStick",
      caveat: "RS015",
      outcome: "sticks",
      says: NO_PORT,
    },
  ),
  situation(
    "a host port, as many pods as nodes, maxUnavailable 1",
    "Deployment/web",
    deployment({ replicas: NODES, ...ONE_LESS }, PORT),
    {
      action: "Roll",
      safety: "Reduced",
      outcome: "rolls",
    },
  ),
  situation("a host port, one pod, several nodes", "Deployment/web", deployment({ replicas: 1 }, PORT), {
    action: "Roll",
    safety: "Safe",
    caveat: "RS015",
    outcome: "rolls",
  }),
  situation("a host port, one pod, one node", "Deployment/web", deployment({ replicas: 1 }, { ...PORT, ...ONE_NODE }), {
    action: "Roll",
    safety: "Safe",
    caveat: "RS015",
    outcome: "sticks",
    says: NO_PORT,
  }),
  situation(
    "a host port, one pod, by the name of its node",
    "Deployment/web",
    deployment({ replicas: 1 }, { ...PORT, ...PINNED }),
    {
      action: "Roll",
      safety: "MayStick",
      caveat: "RS015",
      outcome: "sticks",
      says: NO_PORT,
    },
  ),
  situation(
    "a host port, one pod, by the name of its node, Recreate",
    "Deployment/web",
    deployment({ replicas: 1, strategy: { type: "Recreate" } }, { ...PORT, ...PINNED }),
    {
      action: "Roll",
      safety: "Outage",
      outcome: "rolls",
    },
  ),
  situation(
    "a DaemonSet with a host port and maxSurge 1",
    "DaemonSet/web",
    daemonSet({ rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }, PORT),
    {
      action: "Roll",
      safety: "MayStick",
      caveat: "RS015",
      outcome: "sticks",
      says: NO_PORT,
    },
  ),
  situation("a DaemonSet with a host port", "DaemonSet/web", daemonSet({}, PORT), {
    action: "Roll",
    safety: "Unknown",
    caveat: "nodes",
    outcome: "rolls",
  }),
  situation(
    "a DaemonSet with maxSurge 1",
    "DaemonSet/web",
    daemonSet({ rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }, {}),
    {
      action: "Roll",
      safety: "Safe",
      outcome: "rolls",
    },
  ),
  situation(
    "a blue-green Rollout with a host port, as many pods as nodes",
    "Rollout/web",
    rollout({ replicas: NODES, ...blueGreen() }, PORT, [service("web")]),
    {
      action: "Roll",
      safety: "MayStick",
      caveat: "RS015",
      outcome: "sticks",
      says: NO_PORT,
    },
  ),
  situation(
    "a canary with a host port, as many pods as nodes, maxUnavailable 0",
    "Rollout/web",
    rollout({ replicas: NODES, ...canary({ maxSurge: 1, maxUnavailable: 0 }) }, PORT),
    {
      action: "Roll",
      safety: "MayStick",
      caveat: "RS015",
      outcome: "sticks",
      says: NO_PORT,
    },
  ),
  situation(
    "a canary with a host port, as many pods as nodes",
    "Rollout/web",
    rollout({ replicas: NODES, ...canary() }, PORT),
    {
      action: "Roll",
      safety: "Reduced",
      outcome: "rolls",
    },
  ),

  situation(
    "required anti-affinity, as many pods as nodes",
    "Deployment/web",
    deployment({ replicas: NODES, ...BESIDE }, apart(HOSTNAME)),
    {
      action: "Roll",
      safety: "MayStick",
      caveat: "RS015",
      outcome: "sticks",
      says: APART,
    },
  ),
  situation(
    "required anti-affinity, one node is free",
    "Deployment/web",
    deployment({ replicas: NODES - 1, ...BESIDE }, apart(HOSTNAME)),
    {
      action: "Roll",
      safety: "MayStick",
      caveat: "RS015",
      outcome: "rolls",
    },
  ),
  situation(
    "required anti-affinity, as many pods as nodes, maxUnavailable 1",
    "Deployment/web",
    deployment({ replicas: NODES, ...ONE_LESS }, apart(HOSTNAME)),
    {
      action: "Roll",
      safety: "Reduced",
      outcome: "rolls",
    },
  ),
  situation(
    "required anti-affinity, one pod, several nodes",
    "Deployment/web",
    deployment({ replicas: 1 }, apart(HOSTNAME)),
    {
      action: "Roll",
      safety: "Safe",
      caveat: "RS015",
      outcome: "rolls",
    },
  ),
  situation(
    "required anti-affinity, one pod, one node",
    "Deployment/web",
    deployment({ replicas: 1 }, { ...apart(HOSTNAME), ...ONE_NODE }),
    {
      action: "Roll",
      safety: "Safe",
      caveat: "RS015",
      outcome: "sticks",
      says: APART,
    },
  ),
  situation(
    "required anti-affinity by zones, one pod, one zone",
    "Deployment/web",
    deployment({ replicas: 1 }, apart(ZONE)),
    {
      action: "Roll",
      safety: "MayStick",
      caveat: "RS015",
      outcome: "sticks",
      says: APART,
    },
  ),
  situation(
    "required anti-affinity within a revision, as many pods as nodes",
    "Deployment/web",
    deployment({ replicas: NODES, ...BESIDE }, apart(HOSTNAME, { matchLabelKeys: ["pod-template-hash"] })),
    {
      action: "Roll",
      safety: "Safe",
      outcome: "rolls",
    },
  ),
  situation(
    "preferred anti-affinity, as many pods as nodes",
    "Deployment/web",
    deployment({ replicas: NODES, ...BESIDE }, preferred),
    {
      action: "Roll",
      safety: "Safe",
      outcome: "rolls",
    },
  ),

  situation("a volume of one pod", "Deployment/web", deployment({ replicas: 1 }, VOLUME, [claim("ReadWriteOncePod")]), {
    action: "Roll",
    safety: "MayStick",
    caveat: "RS015",
    outcome: "sticks",
    says: /ReadWriteOncePod access mode/u,
  }),
  situation(
    "a volume of one pod, Recreate",
    "Deployment/web",
    deployment({ replicas: 1, strategy: { type: "Recreate" } }, VOLUME, [claim("ReadWriteOncePod")]),
    {
      action: "Roll",
      safety: "Outage",
      outcome: "rolls",
    },
  ),
  situation("a volume of one node", "Deployment/web", deployment({ replicas: 1 }, VOLUME, [claim("ReadWriteOnce")]), {
    action: "Roll",
    safety: "MayStick",
    caveat: "RS015",
    outcome: "rolls",
  }),
  situation(
    "a volume of several nodes",
    "Deployment/web",
    deployment({ replicas: 1 }, VOLUME, [claim("ReadWriteMany")]),
    {
      action: "Roll",
      safety: "Safe",
      outcome: "rolls",
    },
  ),
];

const NEVER_READY_LABEL = { app: "web", "never-ready": "true" };

/** The new pods are never ready. */
function neverReady(
  name: string,
  kind: string,
  apiVersion: string,
  spec: Fields,
  safety: string,
  more: readonly object[] = [],
): Situation {
  const base = [...more, workload(apiVersion, kind, "web", spec, IMAGES[0])];
  const pod = { containers: [{ name: "app", image: IMAGES[1] }] };
  const template = { metadata: { labels: NEVER_READY_LABEL }, spec: pod };
  const selector = { matchLabels: { app: "web" } };
  const head = [...more, { apiVersion, kind, metadata: { name: "web" }, spec: { ...spec, selector, template } }];
  return { name, workload: `${kind}/web`, base, head, action: "Roll", safety, outcome: "fails" };
}

const RESTARTED = "2026-11-21T00:00:00Z";

/** A restart by the Rollout's own field. */
function restarted(name: string, more: readonly object[], rest: Pick<Situation, "safety" | "outcome">): Situation {
  const spec = { replicas: 4, ...canary() };
  return {
    name,
    workload: "Rollout/web",
    base: rollout(spec, {}, more)(IMAGES[0]),
    head: rollout({ ...spec, restartAt: RESTARTED }, {}, more)(IMAGES[0]),
    action: "Roll",
    caveat: "evictions",
    ...rest,
  };
}

const OTHERS: readonly Situation[] = [
  neverReady(
    "pods that are never ready, Deployment",
    "Deployment",
    "apps/v1",
    { replicas: 3, progressDeadlineSeconds: 4 },
    "Safe",
  ),
  neverReady(
    "pods that are never ready, Deployment of 4",
    "Deployment",
    "apps/v1",
    { replicas: 4, progressDeadlineSeconds: 4 },
    "Reduced",
  ),
  neverReady(
    "pods that are never ready, canary",
    "Rollout",
    ARGO,
    { replicas: 3, progressDeadlineSeconds: 4, ...canary() },
    "Safe",
  ),
  neverReady(
    "pods that are never ready, blueGreen",
    "Rollout",
    ARGO,
    { replicas: 3, progressDeadlineSeconds: 4, ...blueGreen() },
    "Safe",
    [service("web")],
  ),

  situation(
    "canary, pause: {}",
    "Rollout/web",
    rollout({ replicas: 2, ...canary({ steps: [{ setWeight: 50 }, { pause: {} }] }) }),
    {
      action: "Roll",
      safety: "Waits",
      outcome: "waits",
    },
  ),
  situation(
    "canary, pause with a duration",
    "Rollout/web",
    rollout({ replicas: 2, ...canary({ steps: [{ setWeight: 50 }, { pause: { duration: 1 } }] }) }),
    {
      action: "Roll",
      safety: "Safe",
      outcome: "rolls",
    },
  ),
  situation(
    "blueGreen, autoPromotionEnabled false",
    "Rollout/web",
    rollout({ replicas: 2, ...blueGreen({ autoPromotionEnabled: false }) }, {}, [service("web")]),
    {
      action: "Roll",
      safety: "Waits",
      outcome: "waits",
    },
  ),
  situation(
    "blueGreen, autoPromotionSeconds 1",
    "Rollout/web",
    rollout({ replicas: 2, ...blueGreen({ autoPromotionSeconds: 1 }) }, {}, [service("web")]),
    {
      action: "Roll",
      safety: "Safe",
      outcome: "rolls",
    },
  ),
  situation(
    "blueGreen, autoPromotionEnabled false, autoPromotionSeconds 1",
    "Rollout/web",
    rollout({ replicas: 2, ...blueGreen({ autoPromotionEnabled: false, autoPromotionSeconds: 1 }) }, {}, [
      service("web"),
    ]),
    {
      action: "Roll",
      safety: "Waits",
      caveat: "auto-promotion",
      outcome: "waits",
    },
  ),

  situation(
    "a budget that the rollout falls below",
    "Deployment/web",
    deployment({ replicas: 2, ...ONE_LESS }, {}, [budget({ minAvailable: 2 })]),
    {
      action: "Roll",
      safety: "Reduced",
      caveat: "budget",
      outcome: "rolls",
    },
  ),
  restarted("restartAt", [], { safety: "Reduced", outcome: "rolls" }),
  restarted("restartAt, a budget that lets one go", [budget({ maxUnavailable: 1 })], {
    safety: "Reduced",
    outcome: "rolls",
  }),
  restarted("restartAt, a budget that lets none go", [budget({ maxUnavailable: 0 })], {
    safety: "MayStick",
    outcome: "held",
  }),

  situation(
    "a StatefulSet of 4, maxUnavailable 2, without the feature gate",
    "StatefulSet/web",
    (image) => [
      workload(
        "apps/v1",
        "StatefulSet",
        "web",
        { replicas: 4, serviceName: "none", updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } },
        image,
      ),
    ],
    { action: "Roll", safety: "Reduced", caveat: "feature-gate", outcome: "rolls" },
  ),
  situation(
    "a paused Deployment",
    "Deployment/web",
    (image) => deployment({ replicas: 2, paused: image === IMAGES[1] })(image),
    {
      action: "NoEffect",
      safety: "Safe",
      outcome: "nothing",
    },
  ),
  situation(
    "a paused Rollout",
    "Rollout/web",
    (image) => rollout({ replicas: 2, paused: image === IMAGES[1], ...canary() })(image),
    {
      action: "NoEffect",
      safety: "Safe",
      outcome: "nothing",
    },
  ),
  situation(
    "a ReplicaSet",
    "ReplicaSet/web",
    (image) => [workload("apps/v1", "ReplicaSet", "web", { replicas: 2 }, image)],
    {
      action: "NoEffect",
      safety: "Safe",
      outcome: "nothing",
    },
  ),
  situation(
    "a StatefulSet with a partition of all",
    "StatefulSet/web",
    (image) => [
      workload(
        "apps/v1",
        "StatefulSet",
        "web",
        { replicas: 2, serviceName: "none", updateStrategy: { rollingUpdate: { partition: 2 } } },
        image,
      ),
    ],
    { action: "Roll", safety: "Safe", outcome: "nothing" },
  ),
];

/** Strategies that Argo Rollouts' controller refuses, and their neighbours that it takes. */
function strategies(): readonly Situation[] {
  const rows: readonly (readonly [string, Fields, boolean])[] = [
    ["neither canary nor blueGreen", { strategy: {} }, false],
    ["both canary and blueGreen", { strategy: { canary: {}, blueGreen: { activeService: "web" } } }, false],
    ["maxSurge 0 and maxUnavailable 0", canary({ maxSurge: 0, maxUnavailable: 0 }), false],
    ["one Service twice, blueGreen", blueGreen({ previewService: "web" }), false],
    ["one Service twice, canary", canary({ canaryService: "web", stableService: "web" }), false],
    ["scaleDownDelaySeconds without a router", canary({ scaleDownDelaySeconds: 1 }), false],
    ["dynamicStableScale without a router", canary({ dynamicStableScale: true }), false],
    ["a router without Services", canary({ trafficRouting: { nginx: { stableIngress: "web" } } }), false],
    ["setCanaryScale without a router", canary({ steps: [{ setCanaryScale: { replicas: 1 } }] }), false],
    ["a step of nothing", canary({ steps: [{}] }), false],
    ["a step of two", canary({ steps: [{ setWeight: 10, pause: { duration: 1 } }] }), false],
    ["setWeight 101", canary({ steps: [{ setWeight: 101 }] }), false],
    ["setWeight 100", canary({ steps: [{ setWeight: 100 }] }), true],
    ["minReadySeconds at the deadline", { minReadySeconds: 5, progressDeadlineSeconds: 5, ...canary() }, false],
    ["minReadySeconds below the deadline", { minReadySeconds: 1, progressDeadlineSeconds: 60, ...canary() }, true],
  ];
  return rows.map(([name, spec, isTaken]) => ({
    name: `a Rollout: ${name}`,
    workload: "Rollout/web",
    base: rollout({ replicas: 1, ...canary() }, {}, [service("web")])(IMAGES[0]),
    head: rollout({ replicas: 1, ...spec }, {}, [service("web")])(IMAGES[1]),
    action: isTaken ? "Roll" : "Fail",
    outcome: isTaken ? "rolls" : "invalid",
  }));
}

export const SITUATIONS: readonly Situation[] = [...SCHEDULED, ...OTHERS, ...strategies()];

/** What the API server refuses, and what it takes: the plan says Fail of the same. */
export const REFUSALS: readonly Situation[] = refusals();

function refusals(): readonly Situation[] {
  const replaced = (made: object, path: readonly string[], value: unknown): object => {
    const [first = "", ...rest] = path;
    const inner: unknown = Reflect.get(made, first);
    const within = typeof inner === "object" && inner !== null ? inner : {};
    return { ...made, [first]: rest.length === 0 ? value : replaced(within, rest, value) };
  };
  const rolling = { replicas: 1 };
  const set = { replicas: 1, serviceName: "web" };
  const pod = { restartPolicy: "Never" };
  const kinds: Readonly<Record<string, object>> = {
    Deployment: workload("apps/v1", "Deployment", "web", rolling, IMAGES[0]),
    StatefulSet: workload("apps/v1", "StatefulSet", "web", set, IMAGES[0]),
    DaemonSet: workload("apps/v1", "DaemonSet", "web", {}, IMAGES[0]),
    Job: {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "web" },
      spec: { suspend: true, template: { spec: { ...pod, containers: [{ name: "app", image: IMAGES[0] }] } } },
    },
  };
  const image = ["spec", "template", "spec", "containers"];
  const other = [{ name: "app", image: IMAGES[1] }];
  const surge = (maxSurge: number | string, maxUnavailable: number | string): object => ({
    rollingUpdate: { maxSurge, maxUnavailable },
  });
  const storage = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const relabelled = { metadata: { labels: { app: "other" } }, spec: { containers: other } };
  const rows: readonly (readonly [string, string, readonly (readonly [readonly string[], unknown])[], string])[] = [
    ...["Deployment", "StatefulSet", "DaemonSet"].map(
      (kind) =>
        [
          `${kind}: another selector`,
          kind,
          [
            [["spec", "selector"], { matchLabels: { app: "other" } }],
            [["spec", "template"], relabelled],
          ],
          "Fail",
        ] as const,
    ),
    ["StatefulSet: another serviceName", "StatefulSet", [[["spec", "serviceName"], "other"]], "Fail"],
    ["StatefulSet: podManagementPolicy", "StatefulSet", [[["spec", "podManagementPolicy"], "Parallel"]], "Fail"],
    [
      "StatefulSet: volumeClaimTemplates",
      "StatefulSet",
      [[["spec", "volumeClaimTemplates"], [{ metadata: { name: "data" }, spec: storage }]]],
      "Fail",
    ],
    ["StatefulSet: minReadySeconds", "StatefulSet", [[["spec", "minReadySeconds"], 1]], "None"],
    ["Job: another image", "Job", [[image, [{ name: "app", image: IMAGES[1] }]]], "Fail"],
    ["Job: parallelism", "Job", [[["spec", "parallelism"], 2]], "None"],
    [
      "Deployment: maxSurge 0 and maxUnavailable 0",
      "Deployment",
      [
        [["spec", "strategy"], surge(0, 0)],
        [image, other],
      ],
      "Fail",
    ],
    [
      "Deployment: maxSurge 0% and maxUnavailable 0",
      "Deployment",
      [
        [["spec", "strategy"], surge("0%", 0)],
        [image, other],
      ],
      "Fail",
    ],
    [
      "Deployment: maxUnavailable 101%",
      "Deployment",
      [
        [["spec", "strategy"], surge(0, "101%")],
        [image, other],
      ],
      "Fail",
    ],
    [
      "Deployment: maxSurge 200%",
      "Deployment",
      [
        [["spec", "strategy"], surge("200%", 0)],
        [image, other],
      ],
      "Roll",
    ],
    [
      "Deployment: rollingUpdate beside Recreate",
      "Deployment",
      [
        [["spec", "strategy"], { type: "Recreate", ...surge(1, 0) }],
        [image, other],
      ],
      "Fail",
    ],
    [
      "StatefulSet: OnDelete beside the defaults",
      "StatefulSet",
      [[["spec", "updateStrategy"], { type: "OnDelete" }]],
      "Fail",
    ],
    [
      "Deployment: minReadySeconds at the deadline",
      "Deployment",
      [
        [["spec", "minReadySeconds"], 600],
        [image, other],
      ],
      "Fail",
    ],
    [
      "Deployment: minReadySeconds below the deadline",
      "Deployment",
      [
        [["spec", "minReadySeconds"], 599],
        [image, other],
      ],
      "Roll",
    ],
    [
      "DaemonSet: both 0",
      "DaemonSet",
      [
        [["spec", "updateStrategy"], surge(0, 0)],
        [image, other],
      ],
      "Fail",
    ],
    [
      "DaemonSet: both above 0",
      "DaemonSet",
      [
        [["spec", "updateStrategy"], surge(1, 1)],
        [image, other],
      ],
      "Fail",
    ],
    [
      "Deployment: a sleep longer than the grace period",
      "Deployment",
      [[image, [{ name: "app", image: IMAGES[1], lifecycle: { preStop: { sleep: { seconds: 31 } } } }]]],
      "Fail",
    ],
    [
      "Deployment: a sleep as long as the grace period",
      "Deployment",
      [[image, [{ name: "app", image: IMAGES[1], lifecycle: { preStop: { sleep: { seconds: 30 } } } }]]],
      "Roll",
    ],
  ];
  return rows.map(([name, kind, changes, action]) => {
    const base = kinds[kind] ?? {};
    const head = changes.reduce((made, [path, value]) => replaced(made, path, value), base);
    return {
      name,
      workload: `${kind}/web`,
      base: [base],
      head: [head],
      action,
      outcome: action === "Fail" ? "refused" : "nothing",
    };
  });
}
