/** The safety of a rollout: one row for each class of workloads (docs/reference/plan.md, "Safety"). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextText } from "../../../src/output/plan-words.ts";
import { becauseOf, planned, workload } from "../../reports/plan/planned.ts";

interface Row {
  readonly kind: string;
  readonly apiVersion?: string;
  /** Fields of the spec other than the template. */
  readonly spec?: string;
  /** Fields of the pod spec other than the containers. */
  readonly pod?: string;
  /** Fields of the container. */
  readonly container?: string;
  /** Other objects, in flow style. */
  readonly more?: readonly string[];
  readonly safety: string;
  readonly caveats?: readonly string[];
  readonly pods?: number;
  readonly atMost?: number;
  /** `HorizontalPodAutoscaler h 2 9`. */
  readonly scaledBy?: string;
  readonly next?: RegExp;
}

const ARGO = "argoproj.io/v1alpha1";
const claim = (mode: string): string =>
  `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [${mode}]}}`;
const CLAIMED = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]";
const hpa = (range: string, kind = "Deployment", apiVersion = "apps/v1"): string =>
  `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {${range}, scaleTargetRef: {apiVersion: ${apiVersion}, kind: ${kind}, name: web}}}`;
const keda = (range: string, annotations = ""): string =>
  `{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: k, annotations: {${annotations}}}, spec: {${range}scaleTargetRef: {name: web}}}`;
const apart =
  "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}";
const SERVICE = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}}}";
const budget = (spec: string): string =>
  `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {${spec}, selector: {matchLabels: {app: web}}}}`;
const RECREATE = "replicas: 3, strategy: {type: Recreate}";
const AHEAD = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}";

const ROWS: Readonly<Record<string, Row>> = {
  "a Deployment of one, whose new pod comes first": { kind: "Deployment", safety: "Safe", pods: 1 },
  "a Deployment of four": { kind: "Deployment", spec: "replicas: 4", safety: "Reduced", pods: 4 },
  "a Deployment of four whose new pods come first": {
    kind: "Deployment",
    spec: `replicas: 4, ${AHEAD}`,
    safety: "Safe",
  },
  "a Deployment that recreates": { kind: "Deployment", spec: RECREATE, safety: "Outage" },
  "a Deployment that may miss all": {
    kind: "Deployment",
    spec: "replicas: 2, strategy: {rollingUpdate: {maxUnavailable: 2}}",
    safety: "Outage",
  },
  "a Deployment of none": {
    kind: "Deployment",
    spec: "replicas: 0, strategy: {type: Recreate}",
    safety: "Safe",
    pods: 0,
  },
  "an old Deployment of one": { kind: "Deployment", apiVersion: "extensions/v1beta1", safety: "Outage" },
  "a paused Deployment": {
    kind: "Deployment",
    spec: `paused: true, ${RECREATE}`,
    safety: "Safe",
    pods: 0,
    next: /^Resume it/u,
  },

  "a StatefulSet of one": { kind: "StatefulSet", safety: "Outage" },
  "a StatefulSet of three": { kind: "StatefulSet", spec: "replicas: 3", safety: "Reduced", caveats: [] },
  "a StatefulSet of all at once": {
    kind: "StatefulSet",
    spec: "replicas: 3, updateStrategy: {rollingUpdate: {maxUnavailable: 100%}}",
    safety: "Outage",
    caveats: ["feature-gate"],
  },
  "a StatefulSet of a share at once, which rounds down": {
    kind: "StatefulSet",
    spec: "replicas: 3, podManagementPolicy: Parallel, updateStrategy: {rollingUpdate: {maxUnavailable: 50%}}",
    safety: "Reduced",
    caveats: [],
  },
  "a StatefulSet of two at once": {
    kind: "StatefulSet",
    spec: "replicas: 5, updateStrategy: {rollingUpdate: {maxUnavailable: 2}}",
    safety: "Reduced",
    caveats: ["feature-gate"],
  },
  "a StatefulSet from a partition on": {
    kind: "StatefulSet",
    spec: "replicas: 3, updateStrategy: {rollingUpdate: {partition: 2}}",
    safety: "Reduced",
    pods: 1,
    next: /^Lower the partition/u,
  },
  "a StatefulSet whose partition holds all": {
    kind: "StatefulSet",
    spec: "replicas: 3, updateStrategy: {rollingUpdate: {partition: 3}}",
    safety: "Safe",
    pods: 0,
    next: /^Lower the partition/u,
  },
  "a StatefulSet that waits for deletions": {
    kind: "StatefulSet",
    spec: "replicas: 3, updateStrategy: {type: OnDelete}",
    safety: "Safe",
    pods: 0,
    next: /^Delete its pods/u,
  },
  "a StatefulSet with a volume of one pod, which goes first": {
    kind: "StatefulSet",
    spec: "replicas: 3",
    pod: CLAIMED,
    more: [claim("ReadWriteOncePod")],
    safety: "Reduced",
  },

  "a DaemonSet": { kind: "DaemonSet", safety: "Unknown", caveats: ["nodes"], pods: 0 },
  "a DaemonSet of all nodes at once": {
    kind: "DaemonSet",
    spec: "updateStrategy: {rollingUpdate: {maxUnavailable: 100%}}",
    safety: "Outage",
    caveats: ["nodes"],
  },
  "a DaemonSet that surges": {
    kind: "DaemonSet",
    spec: "updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}",
    safety: "Safe",
    caveats: ["nodes"],
  },
  "a DaemonSet that surges on a port of the node": {
    kind: "DaemonSet",
    spec: "updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}",
    container: "ports: [{containerPort: 80, hostPort: 80}]",
    safety: "MayStick",
    caveats: ["RS015", "nodes"],
  },
  "a DaemonSet that waits for deletions": {
    kind: "DaemonSet",
    spec: "updateStrategy: {type: OnDelete}",
    safety: "Safe",
    next: /^Delete its pods/u,
  },

  "a volume of one pod": {
    kind: "Deployment",
    pod: CLAIMED,
    more: [claim("ReadWriteOncePod")],
    safety: "MayStick",
    caveats: ["RS015"],
  },
  "a volume of one node": {
    kind: "Deployment",
    pod: CLAIMED,
    more: [claim("ReadWriteOnce")],
    safety: "MayStick",
    caveats: ["RS015"],
  },
  "a volume of one node, whose old pod may go first": {
    kind: "Deployment",
    spec: "replicas: 4",
    pod: CLAIMED,
    more: [claim("ReadWriteOnce")],
    safety: "Reduced",
    caveats: [],
  },
  "a volume of one pod under Recreate": {
    kind: "Deployment",
    spec: RECREATE,
    pod: CLAIMED,
    more: [claim("ReadWriteOncePod")],
    safety: "Outage",
    caveats: [],
  },
  "a port of the node": {
    kind: "Deployment",
    spec: "replicas: 2",
    container: "ports: [{containerPort: 80, hostPort: 80}]",
    safety: "MayStick",
    caveats: ["RS015"],
  },
  "a port of the node that an old pod leaves first": {
    kind: "Deployment",
    spec: "replicas: 4",
    container: "ports: [{containerPort: 80, hostPort: 80}]",
    safety: "Reduced",
    caveats: [],
  },
  "a port of the node that one pod has": {
    kind: "Deployment",
    container: "ports: [{containerPort: 80, hostPort: 80}]",
    safety: "Safe",
    caveats: ["RS015"],
  },
  "required anti-affinity": {
    kind: "Deployment",
    spec: "replicas: 2",
    pod: apart,
    safety: "MayStick",
    caveats: ["RS015"],
  },
  "required anti-affinity of one pod": { kind: "Deployment", pod: apart, safety: "Safe", caveats: ["RS015"] },

  "a canary that pauses until someone promotes it": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 4, strategy: {canary: {steps: [{setWeight: 25}, {pause: {}}]}}",
    safety: "Waits",
    next: /^Promote it .*: it waits at step 2/u,
  },
  "a canary that pauses for a while": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 4, strategy: {canary: {steps: [{setWeight: 25}, {pause: {duration: 1h}}]}}",
    safety: "Reduced",
    caveats: [],
  },
  "a canary that may miss all while it waits": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 2, strategy: {canary: {maxUnavailable: 2, steps: [{pause: {}}]}}",
    safety: "Outage",
    next: /^Promote it/u,
  },
  "a canary with a traffic router": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 4, strategy: {canary: {trafficRouting: {plugins: {}}, steps: [{setWeight: 25}]}}",
    safety: "Safe",
  },
  "a canary with a traffic router that takes old pods away meanwhile": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 4, strategy: {canary: {trafficRouting: {plugins: {}}, dynamicStableScale: true}}",
    safety: "Unknown",
    caveats: ["traffic-router"],
  },
  "a canary that an analysis may take back": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 4, strategy: {canary: {maxUnavailable: 0, steps: [{analysis: {templates: []}}]}}",
    safety: "Safe",
    caveats: ["analysis"],
  },
  "a canary with a volume of one pod": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "strategy: {canary: {}}",
    pod: CLAIMED,
    more: [claim("ReadWriteOncePod")],
    safety: "MayStick",
    caveats: ["RS015"],
  },
  "blue and green": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 3, strategy: {blueGreen: {activeService: a}}",
    safety: "Safe",
    caveats: [],
  },
  "blue and green that somebody promotes": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 3, strategy: {blueGreen: {activeService: a, autoPromotionEnabled: false}}",
    safety: "Waits",
    next: /autoPromotionEnabled is false/u,
  },
  "blue and green that somebody promotes, whatever the seconds": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 3, strategy: {blueGreen: {activeService: a, autoPromotionEnabled: false, autoPromotionSeconds: 30}}",
    safety: "Waits",
    caveats: ["auto-promotion"],
    next: /autoPromotionEnabled is false/u,
  },

  "a claim that is not in the input": { kind: "Deployment", pod: CLAIMED, safety: "Safe", caveats: ["claim"] },
  "a claim that is not in the input, whose old pod may go first": {
    kind: "Deployment",
    spec: "replicas: 4",
    pod: CLAIMED,
    safety: "Reduced",
    caveats: [],
  },
  "no readiness probe behind a Service": { kind: "Deployment", more: [SERVICE], safety: "Safe", caveats: ["RS016"] },
  "a readiness probe behind a Service": {
    kind: "Deployment",
    container: "readinessProbe: {tcpSocket: {port: 80}}",
    more: [SERVICE],
    safety: "Safe",
    caveats: [],
  },
  "a Service of other pods": {
    kind: "Deployment",
    more: [SERVICE.replace("app: web", "app: db")],
    safety: "Safe",
    caveats: [],
  },
  "a preStop hook as long as the grace period": {
    kind: "Deployment",
    container: "lifecycle: {preStop: {sleep: {seconds: 30}}}",
    safety: "Safe",
    caveats: ["RS019"],
  },
  "a budget that a rollout goes below": {
    kind: "Deployment",
    spec: "replicas: 4",
    more: [budget("minAvailable: 4")],
    safety: "Reduced",
    caveats: ["budget"],
  },
  "a budget that a rollout meets": {
    kind: "Deployment",
    spec: "replicas: 4",
    more: [budget("maxUnavailable: 1")],
    safety: "Reduced",
    caveats: [],
  },
  "a budget of other pods as well": {
    kind: "Deployment",
    spec: "replicas: 4",
    more: [
      budget("minAvailable: 4"),
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: more}, spec: {template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a}]}}}}",
    ],
    safety: "Reduced",
    caveats: [],
  },

  "what an operator rolls": {
    kind: "CloneSet",
    apiVersion: "apps.kruise.io/v1alpha1",
    spec: "replicas: 3",
    safety: "Unknown",
    caveats: ["operator"],
    pods: 3,
  },

  "an autoscaler that has one pod at times, and may miss it": {
    kind: "Deployment",
    spec: "strategy: {rollingUpdate: {maxUnavailable: 1}}",
    more: [hpa("minReplicas: 1, maxReplicas: 9")],
    safety: "Outage",
    caveats: ["autoscaled"],
    pods: 1,
    atMost: 9,
    scaledBy: "HorizontalPodAutoscaler h 1 9",
  },
  "an autoscaler whose most pods miss some": {
    kind: "Deployment",
    more: [hpa("minReplicas: 2, maxReplicas: 9")],
    safety: "Reduced",
    caveats: ["autoscaled"],
    pods: 2,
    atMost: 9,
    scaledBy: "HorizontalPodAutoscaler h 2 9",
  },
  "an autoscaler of one number": {
    kind: "Deployment",
    more: [hpa("minReplicas: 2, maxReplicas: 2")],
    safety: "Safe",
    caveats: [],
    pods: 2,
    scaledBy: "HorizontalPodAutoscaler h 2 2",
  },
  "an autoscaler that says no least": {
    kind: "Deployment",
    spec: AHEAD,
    more: [hpa("maxReplicas: 5")],
    safety: "Safe",
    pods: 1,
    atMost: 5,
    scaledBy: "HorizontalPodAutoscaler h 1 5",
  },
  "an autoscaler of what is scaled to none": {
    kind: "Deployment",
    spec: `${RECREATE.replace("3", "0")}`,
    more: [hpa("minReplicas: 2, maxReplicas: 9")],
    safety: "Safe",
    caveats: [],
    pods: 0,
  },
  "an autoscaler of a Rollout": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 1, strategy: {canary: {}}",
    more: [hpa("minReplicas: 4, maxReplicas: 8", "Rollout", ARGO)],
    safety: "Reduced",
    pods: 4,
    atMost: 8,
    scaledBy: "HorizontalPodAutoscaler h 4 8",
  },
  "a ScaledObject": {
    kind: "Deployment",
    spec: "replicas: 3",
    more: [keda("")],
    safety: "Reduced",
    caveats: ["autoscaled"],
    pods: 0,
    atMost: 100,
    scaledBy: "ScaledObject k 0 100",
  },
  "a ScaledObject of what recreates": {
    kind: "Deployment",
    spec: RECREATE,
    more: [keda("minReplicaCount: 2, maxReplicaCount: 4, ")],
    safety: "Outage",
    pods: 2,
    atMost: 4,
    scaledBy: "ScaledObject k 2 4",
  },
  "a ScaledObject of what recreates, at times of none": {
    kind: "Deployment",
    spec: RECREATE,
    more: [keda("")],
    safety: "Outage",
    pods: 0,
    atMost: 100,
    scaledBy: "ScaledObject k 0 100",
  },
  "a ScaledObject that idles": {
    kind: "Deployment",
    more: [keda("idleReplicaCount: 0, minReplicaCount: 2, maxReplicaCount: 3, ")],
    safety: "Safe",
    pods: 0,
    atMost: 3,
    scaledBy: "ScaledObject k 0 3 2",
  },
  "a ScaledObject that idles and goes to three pods at once": {
    kind: "Deployment",
    spec: "strategy: {rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}",
    more: [keda("idleReplicaCount: 0, minReplicaCount: 3, maxReplicaCount: 5, ")],
    safety: "Reduced",
    pods: 0,
    atMost: 5,
    scaledBy: "ScaledObject k 0 5 3",
  },
  "a ScaledObject that is paused at a number": {
    kind: "Deployment",
    spec: "replicas: 9",
    more: [keda("", 'autoscaling.keda.sh/paused-replicas: "2"')],
    safety: "Safe",
    caveats: [],
    pods: 2,
    scaledBy: "ScaledObject k 2 2",
  },
  "a ScaledObject that is paused": {
    kind: "Deployment",
    spec: "replicas: 3",
    more: [keda("", 'autoscaling.keda.sh/paused: "true"')],
    safety: "Safe",
    caveats: [],
    pods: 3,
    scaledBy: "ScaledObject k 3 3",
  },
  "a ScaledObject that is not paused": {
    kind: "Deployment",
    spec: "replicas: 3",
    more: [keda("", 'autoscaling.keda.sh/paused: "false"')],
    safety: "Reduced",
    pods: 0,
    atMost: 100,
    scaledBy: "ScaledObject k 0 100",
  },
  "a ScaledObject that takes over an autoscaler": {
    kind: "Deployment",
    more: [keda("minReplicaCount: 1, maxReplicaCount: 3, "), hpa("minReplicas: 5, maxReplicas: 9")],
    safety: "Safe",
    pods: 1,
    atMost: 3,
    scaledBy: "ScaledObject k 1 3",
  },
};

/** The plan of a workload whose image changes. */
function rowPlan(row: Omit<Row, "safety">): ReturnType<typeof planned> {
  const { kind, apiVersion = "apps/v1", spec = "", pod = "", container = "", more = [] } = row;
  const text = (image: string): string =>
    [
      `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: web}, spec: {${spec === "" ? "" : `${spec}, `}selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {${pod === "" ? "" : `${pod}, `}containers: [{name: app, image: "${image}"${container === "" ? "" : `, ${container}`}}]}}}}\n`,
      ...more.map((object) => `${object}\n`),
    ].join("---\n");
  return planned(text("web:1"), text("web:2"));
}

describe("the safety of a rollout", () => {
  for (const [name, row] of Object.entries(ROWS)) {
    it(`${name}: ${row.safety}`, () => {
      const report = rowPlan(row);
      const found = workload(report, "web");
      const { safety, caveats, pods, podsAtMost, scaledBy, next } = found;
      assert.equal(safety, row.safety);
      if (row.caveats !== undefined)
        assert.deepEqual(
          caveats.map(({ id }) => id),
          row.caveats,
        );
      if (row.pods !== undefined) assert.equal(pods, row.pods);
      assert.equal(podsAtMost, row.atMost);
      assert.equal(report.summary.podsAtMost, row.atMost ?? pods);
      const by = scaledBy === undefined ? undefined : Object.values(scaledBy).join(" ");
      assert.equal(by, row.scaledBy);
      if (row.next === undefined) assert.equal(next, undefined);
      else assert.match(next === undefined ? "" : nextText(next), row.next);
    });
  }
});

describe("a restart by Argo Rollouts, which evicts pods", () => {
  const restart = (spec: string, more = ""): ReturnType<typeof planned> => {
    const side = (field: string): string =>
      `{apiVersion: ${ARGO}, kind: Rollout, metadata: {name: web}, spec: {${spec}${field}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: "web:1"}]}}}}\n${more}`;
    return planned(side(""), side(", restartAt: 2026-11-22T00:00:00Z"));
  };
  const CASES: readonly (readonly [string, string, string, number | null, string?])[] = [
    ["one pod", "replicas: 1, strategy: {canary: {}}", "Outage", 0],
    ["four pods of a canary", "replicas: 4, strategy: {canary: {steps: [{pause: {}}]}}", "Reduced", 3],
    ["blue and green", "replicas: 8, strategy: {blueGreen: {autoPromotionEnabled: false}}", "Reduced", 6],
    [
      "what no budget lets go",
      "replicas: 4, strategy: {canary: {}}",
      "MayStick",
      3,
      `---\n${budget("minAvailable: 4")}\n`,
    ],
    [
      "what a budget lets go",
      "replicas: 4, strategy: {canary: {}}",
      "Reduced",
      3,
      `---\n${budget("minAvailable: 3")}\n`,
    ],
  ];
  for (const [what, spec, safety, least, more] of CASES) {
    it(`of ${what} is ${safety}`, () => {
      const found = workload(restart(spec, more), "web");
      assert.deepEqual([found.safety, found.strategy?.minAvailable, found.next], [safety, least, undefined]);
      assert.equal(found.caveats[0]?.id, "evictions");
    });
  }
});

describe("a Rollout that runs a Deployment's pod template", () => {
  const side = (image: string, value = "a"): string =>
    [
      `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 0, template: {metadata: {labels: {app: web}}, spec: {${CLAIMED.replace("]", ", {name: env, configMap: {name: env}}]")}, containers: [{name: app, image: "${image}", volumeMounts: [{name: env, mountPath: /etc/env}]}]}}}}`,
      `{apiVersion: ${ARGO}, kind: Rollout, metadata: {name: canary}, spec: {replicas: 3, strategy: {canary: {maxUnavailable: 0, steps: [{pause: {}}]}}, workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`,
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {A: ${value}}}`,
    ].join("\n---\n");
  it("has the safety of that template; the Deployment has no pod to lose", () => {
    const report = planned(side("web:1"), side("web:2"));
    assert.deepEqual([workload(report, "canary").safety, workload(report, "web").safety], ["Waits", "Safe"]);
    assert.deepEqual(
      workload(report, "canary").caveats.map(({ id }) => id),
      ["claim"],
    );
  });
  it("can get stuck because of a volume of that template", () => {
    const more = `\n---\n${claim("ReadWriteOncePod")}`;
    const report = planned(side("web:1") + more, side("web:2") + more);
    assert.equal(workload(report, "canary").safety, "MayStick");
  });
  it("has the caveat that old pods read the changed file too", () => {
    const report = planned(side("web:1"), side("web:1", "b"));
    assert.deepEqual(
      workload(report, "canary").caveats.map(({ id }) => id),
      ["claim", "RS021"],
    );
  });
});

describe("a rejected preStop hook", () => {
  const side = (image: string, seconds: number, kind = "Deployment", apiVersion = "apps/v1"): string =>
    `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: web}, spec: {template: {spec: {containers: [{name: app, image: "${image}", lifecycle: {preStop: {sleep: {seconds: ${seconds}}}}}]}}}}`;
  it("makes the apply fail with the reason", () => {
    const found = workload(planned(side("web:1", 20), side("web:2", 31)), "web");
    assert.deepEqual([found.action, found.safety, found.pods], ["Fail", "Unknown", 0]);
    assert.equal(
      becauseOf(found),
      "spec.template.spec.containers[0].lifecycle.preStop.sleep.seconds must not be more than terminationGracePeriodSeconds (30)",
    );
    assert.deepEqual(found.next, { id: "correct-field" });
  });
  it("is not rejected for kinds that Kubernetes does not check, nor if it is as long as the grace period", () => {
    assert.equal(workload(planned(side("a", 20), side("b", 30)), "web").action, "Roll");
    const kruise = ["CloneSet", "apps.kruise.io/v1alpha1"] as const;
    assert.equal(workload(planned(side("a", 20, ...kruise), side("b", 31, ...kruise)), "web").action, "Roll");
  });
});
