/** What situations are made of: workloads, and what stands around them. */
import { workload } from "./observed-cases.ts";

/**
 * What a change comes to: it rolls to its end; no node takes the new pod; its pods are never ready; a person has to
 * promote it; its pods may not be evicted; nothing happens; its controller, or the API server, refuses it.
 */
export type Outcome = "rolls" | "sticks" | "fails" | "waits" | "held" | "nothing" | "invalid" | "refused";

export interface Situation {
  readonly name: string;
  /** The objects before and after the change. */
  readonly base: readonly object[];
  readonly head: readonly object[];
  /** The workload, as kind and name; what is no workload is not in a plan. */
  readonly workload: string;
  readonly action: string;
  readonly safety?: string;
  /** Among the caveats of the plan. */
  readonly caveat?: string;
  readonly outcome: Outcome;
  /** What the cluster says of it. */
  readonly says?: RegExp;
}

export type Fields = Readonly<Record<string, unknown>>;

/** What differs between situations of one sort. */
type Made = (image: string) => readonly object[];

export const IMAGES = ["registry.example/app:1", "registry.example/app:2"] as const;

export function situation(
  name: string,
  target: string,
  make: Made,
  rest: Omit<Situation, "name" | "workload" | "base" | "head">,
): Situation {
  return { name, workload: target, base: make(IMAGES[0]), head: make(IMAGES[1]), ...rest };
}

export const ARGO = "argoproj.io/v1alpha1";
export const BESIDE: Fields = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };
export const ONE_LESS: Fields = { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } };

export const deployment =
  (spec: Fields, pod: Fields = {}, more: readonly object[] = []): Made =>
  (image) => [...more, workload("apps/v1", "Deployment", "web", spec, image, podOf(image, pod))];
export const daemonSet =
  (updateStrategy: object, pod: Fields): Made =>
  (image) => [workload("apps/v1", "DaemonSet", "web", { updateStrategy }, image, podOf(image, pod))];
export const rollout =
  (spec: Fields, pod: Fields = {}, more: readonly object[] = []): Made =>
  (image) => [...more, workload(ARGO, "Rollout", "web", spec, image, podOf(image, pod))];

/** A pod that asks for ports needs them in its container. */
function podOf(image: string, { ports, ...pod }: Fields): object {
  return ports === undefined ? pod : { ...pod, containers: [{ name: "app", image, ports }] };
}

/** A port of the nodes. */
export const HOST_PORT = 20_000;

export const PORT: Fields = { ports: [{ containerPort: 80, hostPort: HOST_PORT }] };
export const HOST_NETWORK: Fields = { hostNetwork: true, ports: [{ containerPort: HOST_PORT }] };
export const PINNED: Fields = { nodeSelector: { "kubernetes.io/hostname": "node-1" } };
/** Nothing says that there is one such node only. */
export const POOL: Readonly<Record<string, string>> = { pool: "one" };
export const ONE_NODE: Fields = { nodeSelector: POOL };
export const HOSTNAME = "kubernetes.io/hostname";
export const ZONE = "topology.kubernetes.io/zone";

export function apart(topologyKey: string, more: Fields = {}): Fields {
  const term = { topologyKey, labelSelector: { matchLabels: { app: "web" } }, ...more };
  return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

export const preferred: Fields = {
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, podAffinityTerm: { topologyKey: HOSTNAME, labelSelector: { matchLabels: { app: "web" } } } },
      ],
    },
  },
};

export const VOLUME: Fields = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };

export function claim(mode: string): object {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    // No controller binds it here: the scheduler asks for these two.
    metadata: { name: "data", annotations: { "pv.kubernetes.io/bind-completed": "true" } },
    spec: {
      accessModes: [mode],
      volumeName: VOLUMES[mode],
      storageClassName: "",
      resources: { requests: { storage: "1Gi" } },
    },
  };
}

/** The volumes that the cluster of the test has. */
export const VOLUMES: Readonly<Record<string, string>> = {
  ReadWriteOncePod: "one-pod",
  ReadWriteOnce: "one-node",
  ReadWriteMany: "shared",
};

export const budget = (spec: object): object => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web" },
  spec: { selector: { matchLabels: { app: "web" } }, ...spec },
});

export const service = (name: string): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
});

export const blueGreen = (more: Fields = {}): Fields => ({
  strategy: { blueGreen: { activeService: "web", scaleDownDelaySeconds: 1, ...more } },
});
export const canary = (more: Fields = {}): Fields => ({ strategy: { canary: more } });

export const NO_PORT: RegExp = /didn't have free ports/u;
export const APART: RegExp = /didn.t match pod anti-affinity rules/u;
