/** Objects as an API server has them, with the status that controllers write. */
export interface Live {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string; readonly uid: string };
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [more: string]: unknown;
}

export const BEFORE = "2026-01-01T00:00:00Z";
export const AFTER = "2026-01-02T00:00:10Z";

const PLURALS: Readonly<Record<string, string>> = {
  Deployment: "deployments",
  StatefulSet: "statefulsets",
  DaemonSet: "daemonsets",
  Rollout: "rollouts",
  ReplicaSet: "replicasets",
  ControllerRevision: "controllerrevisions",
  Pod: "pods",
  Event: "events",
};

export function listPathOf({ apiVersion, kind }: Live): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${root}/namespaces/shop/${PLURALS[kind] ?? ""}`;
}

export function nameOf({ kind, metadata }: Live): string {
  return `${kind}/${metadata.name}`;
}

type Fields = Readonly<Record<string, unknown>>;

function object(apiVersion: string, kind: string, name: string, metadata: Fields, more: Fields): Live {
  const merged = { name, namespace: "shop", uid: `${kind}-${name}`, creationTimestamp: BEFORE, ...metadata };
  return { apiVersion, kind, metadata: merged, ...more };
}

const owned = (by: string): Fields => ({ ownerReferences: [{ uid: by, controller: true }] });

export interface Of {
  readonly name?: string;
  readonly generation?: number;
  readonly seen?: number;
  readonly spec?: Fields;
  readonly status?: Fields;
  /** Of the condition Progressing. */
  readonly progressing?: Fields;
}

/** A Deployment of three pods, all of the present template, unless its status says otherwise. */
export function deployment({ name = "web", generation = 2, seen, spec, status, progressing }: Of = {}): Live {
  const all = { replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
  const condition = {
    type: "Progressing",
    status: "True",
    reason: "NewReplicaSetAvailable",
    lastUpdateTime: AFTER,
    ...progressing,
  };
  return object(
    "apps/v1",
    "Deployment",
    name,
    { generation },
    {
      spec: {
        replicas: 3,
        template: { spec: { containers: [{ env: [{ name: "P", value: "planted-value" }] }] } },
        ...spec,
      },
      status: { observedGeneration: seen ?? generation, conditions: [condition], ...all, ...status },
    },
  );
}

export function statefulSet({ name = "db", generation = 2, seen, spec, status }: Of = {}): Live {
  const revisions = { currentRevision: `${name}-2`, updateRevision: `${name}-2` };
  const all = { replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
  return object(
    "apps/v1",
    "StatefulSet",
    name,
    { generation },
    {
      spec: { replicas: 3, updateStrategy: { type: "RollingUpdate" }, ...spec },
      status: { observedGeneration: seen ?? generation, ...revisions, ...all, ...status },
    },
  );
}

export function daemonSet({ name = "agent", generation = 2, seen, spec, status }: Of = {}): Live {
  const all = { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 };
  return object(
    "apps/v1",
    "DaemonSet",
    name,
    { generation },
    {
      spec: { updateStrategy: { type: "RollingUpdate" }, ...spec },
      status: { observedGeneration: seen ?? generation, ...all, ...status },
    },
  );
}

export function argoRollout({ name = "api", generation = 2, seen, spec, status, progressing }: Of = {}): Live {
  const all = { replicas: 3, updatedReplicas: 3, availableReplicas: 3, phase: "Healthy", currentPodHash: "h2" };
  const condition = { type: "Progressing", status: "True", lastUpdateTime: AFTER, ...progressing };
  return object(
    "argoproj.io/v1alpha1",
    "Rollout",
    name,
    { generation },
    {
      spec: { replicas: 3, strategy: { canary: {} }, ...spec },
      status: { observedGeneration: String(seen ?? generation), conditions: [condition], ...all, ...status },
    },
  );
}

/** A ReplicaSet of a Deployment, with a revision. */
export function replicaSet(owner: Live, revision: number): Live {
  const hash = `h${revision}`;
  return object(
    "apps/v1",
    "ReplicaSet",
    `${owner.metadata.name}-${hash}`,
    {
      ...owned(owner.metadata.uid),
      labels: { "pod-template-hash": hash },
      annotations: { "deployment.kubernetes.io/revision": String(revision) },
    },
    {},
  );
}

/** A ControllerRevision of a StatefulSet or a DaemonSet. */
export function controllerRevision(owner: Live, revision: number, writtenAt: string): Live {
  const name = `${owner.metadata.name}-${revision}`;
  return object(
    "apps/v1",
    "ControllerRevision",
    name,
    {
      ...owned(owner.metadata.uid),
      labels: { "controller-revision-hash": String(revision) },
      managedFields: [{ time: writtenAt }],
    },
    {},
  );
}

export interface PodOf {
  readonly name?: string;
  /** The value of the label, with its key. */
  readonly labels?: Fields;
  readonly status?: Fields;
  readonly metadata?: Fields;
}

export function pod(owner: Live, { name, labels = {}, status, metadata }: PodOf = {}): Live {
  return object(
    "v1",
    "Pod",
    name ?? `${owner.metadata.name}-x`,
    { ...owned(owner.metadata.uid), labels, ...metadata },
    {
      spec: { containers: [{ name: "app", env: [{ name: "PASSWORD", value: "planted-value" }] }] },
      status: { phase: "Pending", ...status },
    },
  );
}

/** The status of a pod whose container waits. */
export function waits(reason: string, message = "", more: Fields = {}): Fields {
  return { containerStatuses: [{ name: "app", state: { waiting: { reason, message } }, ...more }] };
}

export function warning(about: Live, reason: string, message: string, name?: string): Live {
  const involvedObject = { kind: about.kind, name: about.metadata.name, uid: about.metadata.uid };
  return object(
    "v1",
    "Event",
    name ?? reason.toLowerCase(),
    {},
    { involvedObject, reason, message, type: "Warning", lastTimestamp: AFTER },
  );
}
