/** Changes without a rollout of their own, and what a cluster does with them: rows of docs/why/observed.md. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { workload } from "./observed-cases.ts";
import { fieldAt, listAt, numberAt, textAt } from "./fields.ts";
import { type Fields, IMAGES, service } from "./situation-parts.ts";
import type { PodsSeen } from "./replay.ts";

/** For how long nothing may happen where nothing is to happen. */
const STILL_SECONDS = 6;

export interface Effect {
  readonly name: string;
  readonly base: readonly object[];
  readonly head: readonly object[];
  /** What the plan has, as ids: of the workload (kind/name), and of findings anywhere. */
  readonly planned: Planned;
  /** What the cluster does; `see` holds it against the cluster. */
  readonly does: string;
  /** Called once `base` runs. */
  readonly see: (cluster: Applied) => Promise<void>;
}

export interface Planned {
  readonly workload?: string;
  readonly action?: string;
  readonly safety?: string;
  readonly isLost?: true;
  readonly findings?: readonly string[];
}

/** A namespace in which `base` runs. */
export interface Applied {
  readonly namespace: string;
  /** Applies `head`, and returns what kubectl prints on standard error. */
  readonly apply: (flags?: readonly string[]) => Promise<{ readonly status: number; readonly stderr: string }>;
  /** An object of the namespace, such as `apps/v1 deployments web`, or a list without a name; undefined if it is gone. */
  readonly get: (what: string, namespace?: string) => Promise<unknown>;
  readonly remove: (what: string) => Promise<void>;
  /** The pods of a workload since `base` was ready. */
  readonly pods: (workload: string) => Promise<PodsSeen>;
  readonly until: (what: string, holds: () => Promise<boolean>) => Promise<void>;
}

const still = (): Promise<void> => sleep(STILL_SECONDS * 1000);

const settings = (data: Fields): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings" },
  data,
});
const BOTH = settings({ LEVEL: "info", MODE: "plain" });

/** A container that reads the key LEVEL of the ConfigMap. */
const reading = (image: string): Fields => ({
  containers: [
    {
      name: "app",
      image,
      env: [{ name: "LEVEL", valueFrom: { configMapKeyRef: { name: "settings", key: "LEVEL" } } }],
    },
  ],
});
const reader = (image: string, spec: Fields = {}): object =>
  workload("apps/v1", "Deployment", "web", { replicas: 3, progressDeadlineSeconds: 4, ...spec }, image, reading(image));
const web = (spec: Fields, image: string = IMAGES[0]): object => workload("apps/v1", "Deployment", "web", spec, image);

const LOST: readonly Effect[] = [
  {
    name: "a key is gone that the new pods of a rolling Deployment need",
    base: [BOTH, reader(IMAGES[0])],
    head: [settings({ MODE: "plain" }), neverReady(reader(IMAGES[1]))],
    planned: { workload: "Deployment/web", action: "Roll", safety: "MayStick", isLost: true },
    does: "nothing is refused; one new pod is created, which does not start; the 3 old pods stay, also after the deadline",
    see: async ({ apply, get, pods, until }) => {
      assert.equal((await apply()).status, 0);
      await until("the deadline", async () => {
        const conditions = listAt(await get("apps/v1 deployments web"), "status", "conditions");
        return conditions.some((one) => textAt(one, "reason") === "ProgressDeadlineExceeded");
      });
      const seen = await pods("Deployment/web");
      assert.deepEqual([seen.created, seen.ended, seen.leastAvailable], [1, 0, 3]);
    },
  },
  {
    name: "a ConfigMap is gone that pods need, without a rollout",
    base: [BOTH, reader(IMAGES[0])],
    head: [reader(IMAGES[0])],
    planned: { workload: "Deployment/web", action: "None", isLost: true },
    does: "no pod is replaced; for a pod that is deleted a new one is created, which names the missing ConfigMap",
    see: async ({ apply, get, remove, pods, until }) => {
      assert.equal((await apply()).status, 0);
      await still();
      assert.equal(await get("v1 configmaps settings"), undefined);
      const before = await pods("Deployment/web");
      assert.deepEqual([before.created, before.ended], [0, 0]);
      const [first] = listAt(await get("v1 pods"), "items");
      await remove(`v1 pods ${textAt(first, "metadata", "name")}`);
      await until("the pod in its place", async () => (await pods("Deployment/web")).created === 1);
      assert.match(JSON.stringify(await get("v1 pods")), /"configMapKeyRef":\{"name":"settings","key":"LEVEL"/u);
    },
  },
  {
    name: "a ConfigMap changes, and nothing stamps the Deployment",
    base: [BOTH, reader(IMAGES[0])],
    head: [settings({ LEVEL: "debug", MODE: "plain" }), reader(IMAGES[0])],
    planned: { workload: "Deployment/web", action: "Stale", findings: ["RS025"] },
    does: "no pod is replaced",
    see: noPod,
  },
];

async function noPod({ apply, pods }: Applied): Promise<void> {
  assert.equal((await apply()).status, 0);
  await still();
  const seen = await pods("Deployment/web");
  assert.deepEqual([seen.created, seen.ended], [0, 0]);
}

/** The same workload with pods that never start: kwok has no kubelet that would refuse them. */
function neverReady(made: object): object {
  const labels = { app: "web", "never-ready": "true" };
  const spec: object = Reflect.get(made, "spec");
  const template: object = Reflect.get(spec, "template");
  return { ...made, spec: { ...spec, template: { ...template, metadata: { labels } } } };
}

const quota = (pods: number): object => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "pods" },
  spec: { hard: { pods: String(pods) } },
});
const rolling = (maxSurge: number, maxUnavailable: number): Fields => ({
  replicas: 3,
  progressDeadlineSeconds: 4,
  strategy: { rollingUpdate: { maxSurge, maxUnavailable } },
});

const RANGE = {
  apiVersion: "v1",
  kind: "LimitRange",
  metadata: { name: "pods" },
  spec: { limits: [{ type: "Pod", max: { memory: "2Gi" } }] },
};
const limited = (image: string, resources: Fields): object =>
  workload("apps/v1", "Deployment", "web", rolling(1, 0), image, { containers: [{ name: "app", image, resources }] });
const PRIORITY = {
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name: "observed" },
  value: 1000,
};
const prioritized = (priorityClassName: string): object =>
  workload("apps/v1", "Deployment", "web", rolling(1, 0), IMAGES[0], {
    priorityClassName,
    containers: [{ name: "app", image: IMAGES[0] }],
  });

const QUOTAS: readonly Effect[] = [
  {
    name: "a ResourceQuota of 3 pods, a Deployment of 3 with maxSurge 1 and maxUnavailable 0",
    base: [quota(3), web(rolling(0, 1))],
    head: [quota(3), web(rolling(1, 0), IMAGES[1])],
    planned: { workload: "Deployment/web", action: "Roll", safety: "Safe", findings: ["RS027"] },
    does: "no new pod: `exceeded quota`; the 3 old pods stay, and the rollout is given up at its deadline",
    see: refusing(/exceeded quota: pods/u),
  },
  {
    name: "the same with maxSurge 0 and maxUnavailable 1",
    base: [quota(3), web(rolling(0, 1))],
    head: [quota(3), web(rolling(0, 1), IMAGES[1])],
    planned: { workload: "Deployment/web", action: "Roll", safety: "Reduced" },
    does: "rolls to its end",
    see: async ({ apply, pods, until }) => {
      assert.equal((await apply()).status, 0);
      await until("the rollout", async () => (await pods("Deployment/web")).ended === 3);
    },
  },
  {
    name: "a LimitRange with a `max` of memory for pods, and a Deployment that no longer sets a limit",
    base: [RANGE, limited(IMAGES[0], { limits: { memory: "1Gi" } })],
    head: [RANGE, limited(IMAGES[1], {})],
    planned: { workload: "Deployment/web", action: "Roll", safety: "Safe", findings: ["RS027"] },
    does: "no new pod: `No limit is specified`; the 3 old pods stay, and the rollout is given up at its deadline",
    see: refusing(/maximum memory usage per Pod is 2Gi.*No limit is specified/u),
  },
  {
    name: "a Deployment names a misspelt PriorityClass",
    base: [PRIORITY, prioritized("observed")],
    head: [PRIORITY, prioritized("obsreved")],
    planned: { workload: "Deployment/web", action: "Roll", safety: "MayStick", findings: ["cannot-start"] },
    does: "no new pod: `no PriorityClass with name`; the 3 old pods stay, and the rollout is given up at its deadline",
    see: refusing(/no PriorityClass with name obsreved was found/u),
  },
];

/** That the API server refuses each new pod. */
function refusing(why: RegExp): Effect["see"] {
  return async ({ apply, get, pods, until }) => {
    assert.equal((await apply()).status, 0);
    await until("the deadline", async () => {
      const conditions = listAt(await get("apps/v1 deployments web"), "status", "conditions");
      return conditions.some((one) => textAt(one, "reason") === "ProgressDeadlineExceeded");
    });
    assert.match(JSON.stringify(await get("apps/v1 replicasets")), why);
    const seen = await pods("Deployment/web");
    assert.deepEqual([seen.created, seen.ended], [0, 0]);
  };
}

const autoscaler = (minReplicas: number, maxReplicas: number): object => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas,
    maxReplicas,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
  },
});

const replicasOf = async ({ get }: Applied): Promise<number> =>
  numberAt(await get("apps/v1 deployments web"), "spec", "replicas");

const AUTOSCALERS: readonly Effect[] = [
  {
    name: "`replicas: 0` under a HorizontalPodAutoscaler with minReplicas 2",
    base: [autoscaler(2, 5), web({ replicas: 2 })],
    head: [autoscaler(2, 5), web({ replicas: 0 })],
    planned: { workload: "Deployment/web", action: "Scale" },
    does: "all pods are removed; the autoscaler reports `ScalingDisabled` and does not scale up",
    see: async (cluster) => {
      assert.equal((await cluster.apply()).status, 0);
      await cluster.until("ScalingDisabled", async () => {
        const conditions = listAt(
          await cluster.get("autoscaling/v2 horizontalpodautoscalers web"),
          "status",
          "conditions",
        );
        return conditions.some((one) => textAt(one, "reason") === "ScalingDisabled");
      });
      await still();
      assert.equal(await replicasOf(cluster), 0);
      assert.deepEqual(listAt(await cluster.get("v1 pods"), "items"), []);
    },
  },
  {
    name: "the target of a HorizontalPodAutoscaler with minReplicas 3 gets `replicas: 1`, client-side apply",
    base: [autoscaler(3, 5), web({})],
    head: [autoscaler(3, 5), web({ replicas: 1 })],
    planned: { findings: ["RS010"] },
    does: "the apply removes 2 of 3 pods, and the autoscaler creates 2 again",
    see: async (cluster) => {
      await cluster.until("the autoscaler", async () => (await replicasOf(cluster)) === 3);
      await cluster.until("its pods", async () => {
        const status = fieldAt(await cluster.get("apps/v1 deployments web"), "status");
        return numberAt(status, "availableReplicas") === 3;
      });
      const before = await cluster.pods("Deployment/web");
      assert.equal((await cluster.apply()).status, 0);
      await cluster.until("the autoscaler again", async () => {
        const { created, ended } = await cluster.pods("Deployment/web");
        return ended - before.ended === 2 && created - before.created === 2;
      });
      assert.equal(await replicasOf(cluster), 3);
    },
  },
  {
    name: "the same target no longer sets `replicas: 5`, client-side apply",
    base: [autoscaler(3, 5), web({ replicas: 5 })],
    head: [autoscaler(3, 5), web({})],
    planned: { findings: ["dropped-replicas"] },
    does: "the apply removes 4 of 5 pods, and the autoscaler creates 2 again",
    see: async (cluster) => {
      const before = await cluster.pods("Deployment/web");
      assert.equal((await cluster.apply()).status, 0);
      await cluster.until("the autoscaler", async () => {
        const { created, ended } = await cluster.pods("Deployment/web");
        return ended - before.ended === 4 && created - before.created === 2;
      });
      assert.equal(await replicasOf(cluster), 3);
    },
  },
  {
    name: "the target of a HorizontalPodAutoscaler with minReplicas 3 gets `replicas: 1`, server-side apply",
    base: [autoscaler(3, 5), web({})],
    head: [autoscaler(3, 5), web({ replicas: 1 })],
    planned: { findings: ["RS010"] },
    does: "the apply is refused: a conflict with the autoscaler over `.spec.replicas`",
    see: async (cluster) => {
      await cluster.until("the autoscaler", async () => (await replicasOf(cluster)) === 3);
      const { status, stderr } = await cluster.apply(["--server-side", "--field-manager=e2e"]);
      assert.equal(status, 1);
      assert.match(stderr, /conflict with "kube-controller-manager" with subresource "scale".*: \.spec\.replicas/su);
    },
  },
];

/** How many pods a Service sends to. */
async function endpoints({ get }: Applied): Promise<number> {
  const slices = listAt(await get("discovery.k8s.io/v1 endpointslices"), "items");
  return slices.flatMap((slice) => listAt(slice, "endpoints")).length;
}

const selecting = (selector: Fields): object => ({ ...service("web"), spec: { selector, ports: [{ port: 80 }] } });

const SERVICES: readonly Effect[] = [
  {
    name: "a Service gets a selector that no pod has",
    base: [web({ replicas: 2 }), selecting({ app: "web" })],
    head: [web({ replicas: 2 }), selecting({ app: "other" })],
    planned: { findings: ["RS026"] },
    does: "its EndpointSlices have no endpoint any more; the pods stay",
    see: async (cluster) => {
      await cluster.until("endpoints", async () => (await endpoints(cluster)) === 2);
      assert.equal((await cluster.apply()).status, 0);
      await cluster.until("no endpoint", async () => (await endpoints(cluster)) === 0);
      const seen = await cluster.pods("Deployment/web");
      assert.deepEqual([seen.created, seen.ended], [0, 0]);
    },
  },
  ...["Deployment", "StatefulSet", "DaemonSet"].map(labelled),
];

/** A new label in the selectors of a workload and of its Service, as `labels` with `includeSelectors` writes it. */
function labelled(kind: string): Effect {
  const spec =
    kind === "DaemonSet" ? {} : kind === "StatefulSet" ? { replicas: 2, serviceName: "web" } : { replicas: 2 };
  const labelledBy = (labels: Fields): object => ({
    apiVersion: "apps/v1",
    kind,
    metadata: { name: "web" },
    spec: {
      ...spec,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "app", image: IMAGES[0] }] } },
    },
  });
  const [old, now] = [{ app: "web" }, { app: "web", team: "store" }];
  return {
    name: `a new label in the selectors of a ${kind} and its Service`,
    base: [selecting(old), labelledBy(old)],
    head: [selecting(now), labelledBy(now)],
    planned: { workload: `${kind}/web`, action: "Fail" },
    does: `the ${kind} is refused (422) and its pods stay; the Service is changed and has no endpoint`,
    see: async (cluster) => {
      await cluster.until("endpoints", async () => (await endpoints(cluster)) > 0);
      const { status, stderr } = await cluster.apply();
      assert.equal(status, 1);
      assert.match(stderr, new RegExp(`${kind}.*"web" is invalid: spec`, "u"));
      await cluster.until("no endpoint", async () => (await endpoints(cluster)) === 0);
      await still();
      assert.equal(await endpoints(cluster), 0);
      const seen = await cluster.pods(`${kind}/web`);
      assert.deepEqual([seen.created, seen.ended], [0, 0]);
    },
  };
}

const database = (namespace: string): object => ({
  ...workload("apps/v1", "StatefulSet", "db", { replicas: 1, serviceName: "db", ...CLAIMS }, IMAGES[0]),
  metadata: { name: "db", namespace },
});
const CLAIMS: Fields = {
  volumeClaimTemplates: [
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};

/** The namespace to which something moves. */
export const MOVED = "-moved";

const MOVES: readonly Effect[] = [
  {
    name: "a StatefulSet moves to another namespace",
    base: [database("")],
    head: [database(MOVED)],
    planned: { workload: "StatefulSet/db", action: "Delete" },
    does: "it gets a new PersistentVolumeClaim without a volume; the old claim stays in the old namespace",
    see: async ({ apply, get, until, namespace }) => {
      const claim = "v1 persistentvolumeclaims data-db-0";
      await until("the claim", async () => (await get(claim)) !== undefined);
      const old = await get(claim);
      assert.equal((await apply()).status, 0);
      await until("the other claim", async () => (await get(claim, `${namespace}${MOVED}`)) !== undefined);
      await until("the deletion", async () => (await get("apps/v1 statefulsets db")) === undefined);
      await still();
      const [stays, made] = [await get(claim), await get(claim, `${namespace}${MOVED}`)];
      assert.equal(textAt(stays, "metadata", "uid"), textAt(old, "metadata", "uid"));
      assert.notEqual(textAt(made, "metadata", "uid"), textAt(old, "metadata", "uid"));
      assert.deepEqual([textAt(made, "spec", "volumeName"), textAt(made, "status", "phase")], ["", "Pending"]);
    },
  },
];

export const EFFECTS: readonly Effect[] = [...LOST, ...QUOTAS, ...AUTOSCALERS, ...SERVICES, ...MOVES];
