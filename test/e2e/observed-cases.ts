/** The rollouts by which a plan's numbers are held against a control plane, as rows of docs/why/observed.md. */

/** Rollouts of one kind and one strategy, with several numbers of pods. */
export interface Group {
  /** What the row of the table is called. */
  readonly kind: string;
  readonly strategy: string;
  readonly replicas: readonly number[];
  /** The objects of a workload with a name, a number of pods and an image. */
  readonly objects: (name: string, replicas: number, image: string) => readonly object[];
  /** The kind whose pods are looked at. */
  readonly watched: "Deployment" | "StatefulSet" | "DaemonSet" | "Rollout";
  /** Somebody has to promote it. */
  readonly waits?: true;
  /** The numbers are bounds that not every number of pods reaches. */
  readonly loose?: true;
  /** More new pods are made, and taken away again, than are replaced. */
  readonly more?: true;
}

export const NODES = 4;

const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const FEW = [1, 2, 3, 5, 8];

/** The pod template of a workload, which takes the labels of its name. */
export function template(name: string, image: string, pod: object = {}): object {
  return { metadata: { labels: { app: name } }, spec: { containers: [{ name: "app", image }], ...pod } };
}

/** A workload of its name. */
export function workload(
  apiVersion: string,
  kind: string,
  name: string,
  spec: object,
  image: string,
  pod: object = {},
): object {
  const selector = { matchLabels: { app: name } };
  return { apiVersion, kind, metadata: { name }, spec: { ...spec, selector, template: template(name, image, pod) } };
}

type Spec = Readonly<Record<string, unknown>>;

function deployments(strategy: string, spec: Spec, replicas: readonly number[] = ALL): Group {
  return {
    kind: "Deployment",
    strategy,
    replicas,
    watched: "Deployment",
    objects: (name, count, image) => [workload("apps/v1", "Deployment", name, { replicas: count, ...spec }, image)],
  };
}

const rolling = (maxSurge: number | string, maxUnavailable: number | string): Spec => ({
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
});

function statefulSets(strategy: string, updateStrategy: object, spec: Spec = {}): Group {
  return {
    kind: "StatefulSet",
    strategy,
    replicas: FEW,
    watched: "StatefulSet",
    objects: (name, replicas, image) => [
      workload("apps/v1", "StatefulSet", name, { replicas, serviceName: "none", updateStrategy, ...spec }, image),
    ],
  };
}

const PARALLEL: Spec = { podManagementPolicy: "Parallel" };

function byMaxUnavailable(maxUnavailable: number | string): readonly Group[] {
  const update = { type: "RollingUpdate", rollingUpdate: { maxUnavailable } };
  return [
    statefulSets(`maxUnavailable ${maxUnavailable}`, update),
    statefulSets(`maxUnavailable ${maxUnavailable}, Parallel`, update, PARALLEL),
  ];
}

function daemonSets(strategy: string, updateStrategy: object): Group {
  return {
    kind: "DaemonSet",
    strategy,
    replicas: [NODES],
    watched: "DaemonSet",
    objects: (name, _, image) => [workload("apps/v1", "DaemonSet", name, { updateStrategy }, image)],
  };
}

const ARGO = "argoproj.io/v1alpha1";
const QUICKLY = { revisionHistoryLimit: 1 };

function canaries(strategy: string, canary: object, replicas: readonly number[] = FEW): Group {
  return {
    kind: "Rollout, canary",
    strategy,
    replicas,
    watched: "Rollout",
    objects: (name, count, image) => [
      workload(ARGO, "Rollout", name, { replicas: count, ...QUICKLY, strategy: { canary } }, image),
    ],
  };
}

const service = (name: string, app: string): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector: { app }, ports: [{ port: 80 }] },
});

function blueGreens(strategy: string, blueGreen: object): Group {
  return {
    kind: "Rollout, blueGreen",
    strategy,
    replicas: [1, 3, 5],
    watched: "Rollout",
    objects: (name, replicas, image) => [
      service(name, name),
      workload(
        ARGO,
        "Rollout",
        name,
        {
          replicas,
          ...QUICKLY,
          strategy: { blueGreen: { activeService: name, scaleDownDelaySeconds: 1, ...blueGreen } },
        },
        image,
      ),
    ],
  };
}

const ingress = (name: string): object => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  metadata: { name },
  spec: {
    ingressClassName: "nginx",
    rules: [
      {
        host: `${name}.example`,
        http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name, port: { number: 80 } } } }] },
      },
    ],
  },
});

/** Weights of the traffic by annotations of an Ingress: Argo Rollouts writes them, and no router has to read them. */
function routed(strategy: string, canary: object, steps: readonly object[]): Group {
  return {
    kind: "Rollout, canary with a traffic router",
    strategy,
    replicas: FEW,
    watched: "Rollout",
    objects: (name, replicas, image) => {
      const nginx = { stableIngress: name };
      const soon = "dynamicStableScale" in canary ? {} : { scaleDownDelaySeconds: 1 };
      const services = { stableService: name, canaryService: `${name}-canary` };
      const spec = { canary: { ...services, ...soon, trafficRouting: { nginx }, steps, ...canary } };
      return [
        service(name, name),
        service(`${name}-canary`, name),
        ingress(name),
        workload(ARGO, "Rollout", name, { replicas, ...QUICKLY, strategy: spec }, image),
      ];
    },
  };
}

const pause = { pause: { duration: 1 } };
const weight = (setWeight: number): object => ({ setWeight });
const QUARTERS = [weight(25), pause, weight(50), pause, weight(75), pause];

function scaled(strategy: string, spec: Spec): Group {
  return {
    kind: "Deployment of a HorizontalPodAutoscaler, minReplicas",
    strategy,
    replicas: [2, 3, 5],
    watched: "Deployment",
    objects: (name, minReplicas, image) => [
      workload("apps/v1", "Deployment", name, spec, image),
      {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name },
        spec: {
          minReplicas,
          maxReplicas: 10,
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
          metrics: [
            { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
          ],
        },
      },
    ],
  };
}

export const GROUPS: readonly Group[] = [
  deployments("defaults", {}),
  deployments("maxSurge 1, maxUnavailable 0", rolling(1, 0)),
  deployments("maxSurge 0, maxUnavailable 1", rolling(0, 1)),
  deployments("maxSurge 100%, maxUnavailable 0", rolling("100%", 0)),
  deployments("maxSurge 0, maxUnavailable 100%", rolling(0, "100%")),
  deployments("maxSurge 50%, maxUnavailable 50%", rolling("50%", "50%")),
  deployments("maxSurge 3, maxUnavailable 2", rolling(3, 2)),
  deployments("maxSurge 0, maxUnavailable 9%", rolling(0, "9%")),
  deployments("maxSurge 200%, maxUnavailable 0", rolling("200%", 0), FEW),
  deployments("Recreate", { strategy: { type: "Recreate" } }),
  deployments("minReadySeconds 1", { minReadySeconds: 1 }, FEW),
  scaled("defaults", {}),
  scaled("maxSurge 0, maxUnavailable 50%", rolling(0, "50%")),

  ...[1, 2, 3, "10%", "34%", "50%", "100%"].flatMap(byMaxUnavailable),
  statefulSets("partition 2, maxUnavailable 2", { rollingUpdate: { partition: 2, maxUnavailable: 2 } }),
  statefulSets("partition 2, maxUnavailable 100%", { rollingUpdate: { partition: 2, maxUnavailable: "100%" } }),
  statefulSets("minReadySeconds 1", {}, { minReadySeconds: 1 }),
  statefulSets("OnDelete", { type: "OnDelete" }),

  ...[1, 2, 3, "10%", "50%", "100%"].map((maxUnavailable) =>
    daemonSets(`maxUnavailable ${maxUnavailable}`, { rollingUpdate: { maxUnavailable } }),
  ),
  ...[1, 2, "34%", "100%"].map((maxSurge) =>
    daemonSets(`maxSurge ${maxSurge}`, { rollingUpdate: { maxSurge, maxUnavailable: 0 } }),
  ),
  daemonSets("OnDelete", { type: "OnDelete" }),

  canaries("defaults", {}),
  canaries("maxSurge 1, maxUnavailable 0", { maxSurge: 1, maxUnavailable: 0 }),
  canaries("maxSurge 0, maxUnavailable 1", { maxSurge: 0, maxUnavailable: 1 }),
  canaries("maxSurge 100%, maxUnavailable 0", { maxSurge: "100%", maxUnavailable: 0 }),
  canaries("maxSurge 50%, maxUnavailable 50%", { maxSurge: "50%", maxUnavailable: "50%" }),
  canaries("maxSurge 3, maxUnavailable 2", { maxSurge: 3, maxUnavailable: 2 }),
  canaries("maxSurge 100%, maxUnavailable 50%", { maxSurge: "100%", maxUnavailable: "50%" }),
  canaries("maxSurge 0, maxUnavailable 9%", { maxSurge: 0, maxUnavailable: "9%" }),
  { ...canaries("steps of 25%, defaults", { steps: QUARTERS }), loose: true },
  {
    ...canaries("steps of 25%, maxSurge 1, maxUnavailable 0", { steps: QUARTERS, maxSurge: 1, maxUnavailable: 0 }),
    loose: true,
  },
  {
    ...canaries("steps of 25%, maxSurge 50%, maxUnavailable 50%", {
      steps: QUARTERS,
      maxSurge: "50%",
      maxUnavailable: "50%",
    }),
    loose: true,
  },
  { ...canaries("20%, then pause: {}", { steps: [weight(20), { pause: {} }] }, [1, 5]), waits: true, loose: true },
  routed("steps of 25%", {}, QUARTERS),
  routed("no steps", {}, []),
  routed("steps of 25%, dynamicStableScale", { dynamicStableScale: true }, QUARTERS),
  {
    ...routed("setCanaryScale 3, then 10%", {}, [{ setCanaryScale: { replicas: 3 } }, weight(10), pause]),
    more: true,
  },
  blueGreens("defaults", {}),
  blueGreens("previewReplicaCount 1", { previewReplicaCount: 1 }),
  blueGreens("maxUnavailable 1", { maxUnavailable: 1 }),
  blueGreens("autoPromotionSeconds 1", { autoPromotionSeconds: 1 }),
  {
    ...blueGreens("autoPromotionEnabled false, autoPromotionSeconds 1", {
      autoPromotionEnabled: false,
      autoPromotionSeconds: 1,
    }),
    waits: true,
  },
  { ...blueGreens("autoPromotionEnabled false", { autoPromotionEnabled: false }), waits: true },
  {
    kind: "Rollout by workloadRef",
    strategy: "canary, maxSurge 1, maxUnavailable 1",
    replicas: [1, 3, 4],
    watched: "Rollout",
    objects: (name, replicas, image) => [
      workload("apps/v1", "Deployment", name, { replicas: 0 }, image),
      {
        apiVersion: ARGO,
        kind: "Rollout",
        metadata: { name },
        spec: {
          replicas,
          ...QUICKLY,
          workloadRef: { apiVersion: "apps/v1", kind: "Deployment", name },
          strategy: { canary: { maxSurge: 1, maxUnavailable: 1 } },
        },
      },
    ],
  },
];
