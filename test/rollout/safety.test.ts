/** How safe a rollout is: one row for each class of workloads (docs/plan.md, "Safety"). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned, workload } from "../plan/planned.ts";

interface Row {
  readonly kind: string;
  readonly apiVersion?: string;
  /** Fields of the spec beside its template. */
  readonly spec?: string;
  /** Fields of the pod spec beside its containers. */
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
  "required anti-affinity": { kind: "Deployment", pod: apart, safety: "MayStick", caveats: ["RS015"] },

  "a canary that pauses until somebody promotes it": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 4, strategy: {canary: {steps: [{setWeight: 25}, {pause: {}}]}}",
    safety: "Waits",
    next: /^Promote it .*: step 2 pauses/u,
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
    spec: "replicas: 4, strategy: {canary: {trafficRouting: {nginx: {}}, steps: [{setWeight: 25}]}}",
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
  "blue and green that are promoted after some seconds": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 3, strategy: {blueGreen: {activeService: a, autoPromotionEnabled: false, autoPromotionSeconds: 30}}",
    safety: "Safe",
    caveats: ["auto-promotion"],
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
    scaledBy: "ScaledObject k 0 3",
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
      else assert.match(next ?? "", row.next);
    });
  }
});
