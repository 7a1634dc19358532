/** Steps for the oracle: an object as it is applied first, what somebody else does to it, and what is applied then. */

type Fields = Readonly<Record<string, unknown>>;

/** An object in a few words: its pod spec, the metadata of its pod template, further fields of its spec. */
export interface Written {
  readonly pod?: Fields;
  readonly meta?: Fields;
  readonly spec?: Fields;
}

export interface ApplyStep {
  readonly kind?: "Deployment" | "StatefulSet" | "DaemonSet" | "CronJob" | "Canary";
  readonly base: Written;
  /** JSON patches of the pod template by somebody else; a path that begins with "../" is one of the spec. */
  readonly patches?: readonly Fields[];
  /** What another manager applies server-side. */
  readonly others?: Written;
  readonly next: Written;
}

/** A container. */
export const app = (more: Fields = {}): Fields => ({ name: "app", image: "registry.example/app:1", ...more });
const side = (more: Fields = {}): Fields => ({ name: "side", image: "registry.example/side:1", ...more });
const pod = (...containers: readonly Fields[]): Written => ({ pod: { containers } });
const withPod = (more: Fields): Written => ({ pod: { containers: [app()], ...more } });
const env = (...names: readonly string[]): Fields => ({ env: names.map((name) => ({ name, value: `${name}-1` })) });
const add = (path: string, value: unknown): Fields => ({ op: "add", path, value });
const inject = add("/spec/containers/-", { name: "injected", image: "registry.example/injected:1" });
const toleration = (key: string): Fields => ({ key, operator: "Exists" });
const spread = (topologyKey: string, maxSkew: number, whenUnsatisfiable = "ScheduleAnyway"): Fields => ({
  topologyKey,
  maxSkew,
  whenUnsatisfiable,
  labelSelector: { matchLabels: { app: "x" } },
});
const volumes = (...list: readonly Fields[]): Written => withPod({ volumes: list });
const empty = (name: string): Fields => ({ name, emptyDir: {} });
const mount = (name: string, mountPath: string, more: Fields = {}): Fields => ({ name, mountPath, ...more });
const ports = (...list: readonly Fields[]): Written => pod(app({ ports: list }));
const probe = { httpGet: { path: "/", port: 80 } };

/** Each is made twice: by kubectl, and by the server. */
export const APPLY_STEPS: Readonly<Record<string, ApplyStep>> = {
  "nothing changes": { base: pod(app()), next: pod(app()) },
  "another image": { base: pod(app()), next: pod(app({ image: "registry.example/app:2" })) },
  "a default that is written out": {
    base: pod(app()),
    next: pod(app({ terminationMessagePath: "/dev/termination-log", imagePullPolicy: "IfNotPresent" })),
  },
  "a quantity in other words": {
    base: pod(app({ resources: { limits: { cpu: "1000m" } } })),
    next: pod(app({ resources: { limits: { cpu: "1" } } })),
  },
  "a default that stays when the tag changes": {
    base: pod(app({ image: "registry.example/app:latest" })),
    next: pod(app()),
  },
  "an injected sidecar stays": { base: pod(app()), patches: [inject], next: pod(app()) },
  "an injected sidecar stays beside a change": {
    base: pod(app()),
    patches: [inject],
    next: pod(app({ image: "registry.example/app:2" })),
  },
  "a sidecar that is injected before ours stays there": {
    base: pod(app(), side()),
    patches: [add("/spec/containers/0", { name: "injected", image: "registry.example/injected:1" })],
    next: pod(app({ args: ["a"] }), side()),
  },
  "containers in another order": { base: pod(app(), side()), next: pod(side(), app()) },
  "containers in another order, with one injected between": {
    base: pod(app(), side()),
    patches: [add("/spec/containers/1", { name: "injected", image: "registry.example/injected:1" })],
    next: pod(side(), app()),
  },
  "a container goes": { base: pod(app(), side()), next: pod(app()) },
  "a container goes of which somebody else has set a field": {
    base: pod(app(), side()),
    patches: [add("/spec/containers/1/args", ["x"])],
    next: pod(app()),
  },
  "a container comes before the others": { base: pod(app()), next: pod(side(), app()) },
  "initContainers in another order": {
    base: withPod({ initContainers: [side(), side({ name: "two" }), side({ name: "three" })] }),
    patches: [add("/spec/initContainers/-", side({ name: "injected" }))],
    next: withPod({ initContainers: [side({ name: "three" }), side(), side({ name: "two" })] }),
  },
  "kubectl rollout restart stays": {
    base: { ...pod(app()), meta: { annotations: { a: "b" } } },
    patches: [add("/metadata/annotations/kubectl.kubernetes.io~1restartedAt", "2026-01-01T00:00:00Z")],
    next: { ...pod(app()), meta: { annotations: { a: "b" } } },
  },
  "an annotation goes, another's stays": {
    base: { ...pod(app()), meta: { annotations: { a: "b", c: "d" } } },
    patches: [add("/metadata/annotations/theirs", "x")],
    next: { ...pod(app()), meta: { annotations: { c: "d" } } },
  },
  "all annotations go": { base: { ...pod(app()), meta: { annotations: { a: "b" } } }, next: pod(app()) },
  "an edit by hand is undone": {
    base: pod(app({ args: ["a"] })),
    patches: [add("/spec/containers/0/args", ["b"])],
    next: pod(app({ args: ["a"] })),
  },
  "replicas of an autoscaler stay": { base: pod(app()), patches: [add("../replicas", 7)], next: pod(app()) },
  "env by name: one goes, one comes, theirs stays": {
    base: pod(app(env("A", "B"))),
    patches: [add("/spec/containers/0/env/-", { name: "THEIRS", value: "x" })],
    next: pod(app(env("C", "A"))),
  },
  "env in another order": { base: pod(app(env("A", "B", "C"))), next: pod(app(env("C", "A", "B"))) },
  "all env goes": {
    base: pod(app(env("A"))),
    patches: [add("/spec/containers/0/env/-", { name: "THEIRS", value: "x" })],
    next: pod(app()),
  },
  "a value in place of a reference": {
    base: pod(app({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] })),
    next: pod(app({ env: [{ name: "A", value: "x", valueFrom: null }] })),
  },
  "a reference to another key": {
    base: pod(app({ env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "c", key: "k", optional: true } } }] })),
    next: pod(app({ env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "c", key: "other" } } }] })),
  },
  "envFrom is one value": {
    base: pod(app({ envFrom: [{ configMapRef: { name: "a" } }] })),
    patches: [add("/spec/containers/0/envFrom/-", { configMapRef: { name: "theirs" } })],
    next: pod(app({ envFrom: [{ configMapRef: { name: "a" } }] })),
  },
  "ports by number and protocol": {
    base: ports({ containerPort: 80, name: "http" }, { containerPort: 443, name: "https" }),
    patches: [add("/spec/containers/0/ports/-", { containerPort: 9090, name: "theirs", protocol: "TCP" })],
    next: ports({ containerPort: 443, name: "https" }, { containerPort: 8080, name: "http" }),
  },
  "a port with its protocol written out": {
    base: ports({ containerPort: 53, name: "dns" }),
    next: ports({ containerPort: 53, name: "dns", protocol: "TCP" }),
  },
  "one port by two protocols": {
    base: ports(
      { containerPort: 53, name: "dns", protocol: "UDP" },
      { containerPort: 53, name: "tcp", protocol: "TCP" },
    ),
    next: ports(
      { containerPort: 53, name: "dns", protocol: "UDP" },
      { containerPort: 53, name: "tcp", protocol: "TCP" },
    ),
  },
  "a volume of another kind": {
    base: volumes(empty("data"), { name: "c", configMap: { name: "a" } }),
    next: volumes(empty("data"), { name: "c", secret: { secretName: "a" } }),
  },
  "an injected volume stays": {
    base: volumes(empty("data")),
    patches: [add("/spec/volumes/-", empty("theirs"))],
    next: volumes(empty("more"), empty("data")),
  },
  "a volume goes": { base: volumes(empty("data"), empty("tmp")), next: volumes(empty("tmp")) },
  "projected sources are one value": {
    base: volumes({ name: "p", projected: { sources: [{ configMap: { name: "a" } }] } }),
    patches: [add("/spec/volumes/0/projected/sources/-", { configMap: { name: "theirs" } })],
    next: volumes({ name: "p", projected: { sources: [{ configMap: { name: "a" } }] } }),
  },
  "mounts by their path": {
    base: { pod: { containers: [app({ volumeMounts: [mount("v", "/a"), mount("v", "/b")] })], volumes: [empty("v")] } },
    patches: [add("/spec/containers/0/volumeMounts/-", mount("v", "/theirs"))],
    next: {
      pod: {
        containers: [app({ volumeMounts: [mount("v", "/b", { readOnly: true }), mount("v", "/c")] })],
        volumes: [empty("v")],
      },
    },
  },
  "tolerations are one value": {
    base: withPod({ tolerations: [toleration("a")] }),
    patches: [add("/spec/tolerations/-", toleration("theirs"))],
    next: withPod({ tolerations: [toleration("a")] }),
  },
  "topologySpreadConstraints by key": {
    base: withPod({ topologySpreadConstraints: [spread("zone", 1), spread("host", 1)] }),
    patches: [add("/spec/topologySpreadConstraints/-", spread("theirs", 2))],
    next: withPod({ topologySpreadConstraints: [spread("host", 2), spread("rack", 1)] }),
  },
  "hostAliases by address": {
    base: withPod({ hostAliases: [{ ip: "10.0.0.1", hostnames: ["a"] }] }),
    patches: [add("/spec/hostAliases/-", { ip: "10.0.0.9", hostnames: ["theirs"] })],
    next: withPod({
      hostAliases: [
        { ip: "10.0.0.2", hostnames: ["b"] },
        { ip: "10.0.0.1", hostnames: ["a", "c"] },
      ],
    }),
  },
  "imagePullSecrets by name": {
    base: withPod({ imagePullSecrets: [{ name: "a" }, { name: "b" }] }),
    patches: [add("/spec/imagePullSecrets/-", { name: "theirs" })],
    next: withPod({ imagePullSecrets: [{ name: "b" }, { name: "c" }] }),
  },
  "nodeSelector, with theirs beside": {
    base: withPod({ nodeSelector: { disk: "ssd" } }),
    patches: [add("/spec/nodeSelector/theirs", "x")],
    next: withPod({ nodeSelector: { disk: "ssd" } }),
  },
  "nodeSelector with another key": {
    base: withPod({ nodeSelector: { disk: "ssd", zone: "a" } }),
    next: withPod({ nodeSelector: { disk: "ssd" } }),
  },
  "nodeSelector goes": { base: withPod({ nodeSelector: { disk: "ssd" } }), next: withPod({}) },
  affinity: {
    base: withPod({
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "host" }] } },
    }),
    patches: [
      add("/spec/affinity/nodeAffinity", {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "k", operator: "Exists" }] }],
        },
      }),
    ],
    next: withPod({
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone" }] } },
    }),
  },
  "a null takes a field out": {
    base: pod(app({ readinessProbe: probe })),
    next: pod(app({ readinessProbe: null })),
  },
  "a null for what was never there": { base: pod(app()), next: pod(app({ livenessProbe: null, args: null })) },
  "a probe goes with its defaults": { base: pod(app({ readinessProbe: probe })), next: pod(app()) },
  "a probe of another kind": {
    base: pod(app({ readinessProbe: probe })),
    next: pod(app({ readinessProbe: { tcpSocket: { port: 80 } } })),
  },
  "a probe that somebody else has tuned": {
    base: pod(app({ readinessProbe: probe })),
    patches: [add("/spec/containers/0/readinessProbe/periodSeconds", 3)],
    next: pod(app({ readinessProbe: probe })),
  },
  "securityContext of both": {
    base: withPod({ securityContext: { runAsUser: 1000, fsGroup: 1 } }),
    patches: [add("/spec/securityContext/runAsGroup", 3)],
    next: withPod({ securityContext: { runAsUser: 1000 } }),
  },
  "limits and requests": {
    base: pod(app({ resources: { limits: { cpu: "1", memory: "1Gi" } } })),
    patches: [add("/spec/containers/0/resources/requests", { cpu: "500m" })],
    next: pod(app({ resources: { limits: { memory: "1Gi" } } })),
  },
  "a command that becomes empty": { base: pod(app({ command: ["a"], args: ["b"] })), next: pod(app({ args: [] })) },
  "another manager's sidecar and annotation": {
    base: { ...pod(app()), meta: { annotations: { a: "b" } } },
    others: { pod: { containers: [side()] }, meta: { annotations: { theirs: "x" } } },
    next: pod(app({ image: "registry.example/app:2" })),
  },
  "what two managers have set stays with one of them": {
    base: pod(app(env("A", "B"))),
    others: { pod: { containers: [{ name: "app", ...env("B") }] } },
    next: pod(app()),
  },
  "an old name of a field": {
    base: withPod({ serviceAccountName: "a" }),
    next: withPod({ serviceAccountName: "b" }),
  },
  "a StatefulSet: template and replicas": {
    kind: "StatefulSet",
    base: { ...pod(app()), spec: { replicas: 2 } },
    patches: [inject],
    next: { ...pod(app(env("A"))), spec: { replicas: 3 } },
  },
  "a StatefulSet with claims, which nobody changes": {
    kind: "StatefulSet",
    base: {
      ...pod(app({ volumeMounts: [mount("data", "/data")] })),
      spec: {
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    },
    next: {
      ...pod(app({ volumeMounts: [mount("data", "/other")] })),
      spec: {
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    },
  },
  "a DaemonSet": {
    kind: "DaemonSet",
    base: withPod({ hostNetwork: true, tolerations: [toleration("a")] }),
    patches: [inject],
    next: withPod({ tolerations: [toleration("a")] }),
  },
  "a CronJob's nested template": {
    kind: "CronJob",
    base: withPod({ restartPolicy: "Never", nodeSelector: { disk: "ssd" } }),
    patches: [inject],
    next: withPod({ restartPolicy: "OnFailure" }),
  },
  "a CronJob that somebody suspended": {
    kind: "CronJob",
    base: withPod({ restartPolicy: "Never" }),
    patches: [add("../suspend", true)],
    next: withPod({ restartPolicy: "Never" }),
  },
  "a custom kind: a field of theirs": {
    kind: "Canary",
    base: pod(app(env("A"))),
    patches: [add("/spec/hostNetwork", true)],
    next: pod(app(env("A", "B"))),
  },
  "a custom kind: a container of theirs": {
    kind: "Canary",
    base: pod(app()),
    patches: [inject],
    next: pod(app({ image: "registry.example/app:2" })),
  },
  "a custom kind: fields that go": {
    kind: "Canary",
    base: { pod: { containers: [app(), side()], nodeSelector: { a: "b" } }, meta: { annotations: { a: "b" } } },
    next: pod(app()),
  },
  "a custom kind: a null": {
    kind: "Canary",
    base: withPod({ nodeSelector: { a: "b" } }),
    next: withPod({ nodeSelector: null }),
  },
  "one port by two protocols, of which one goes": {
    base: ports(
      { containerPort: 53, name: "dns", protocol: "UDP" },
      { containerPort: 53, name: "tcp", protocol: "TCP" },
    ),
    next: ports({ containerPort: 53, name: "dns", protocol: "UDP" }),
  },
  "one port by two protocols, one of them somebody else's": {
    base: ports({ containerPort: 53, name: "tcp", protocol: "TCP" }),
    patches: [add("/spec/containers/0/ports/-", { containerPort: 53, name: "theirs", protocol: "UDP" })],
    next: ports({ containerPort: 53, name: "tcp-2", protocol: "TCP" }),
  },
  "env that somebody added a second time, and that we leave": {
    base: pod(app(env("A", "B"))),
    patches: [add("/spec/containers/0/env/-", { name: "A", value: "theirs" })],
    next: pod(app({ ...env("A", "B"), image: "registry.example/app:2" })),
  },
  "env that somebody added a second time, and that we change": {
    base: pod(app(env("A", "B"))),
    patches: [add("/spec/containers/0/env/-", { name: "A", value: "theirs" })],
    next: pod(
      app({
        env: [
          { name: "A", value: "x" },
          { name: "B", value: "B-1" },
        ],
      }),
    ),
  },
  "env that somebody added a second time, and that goes": {
    base: pod(app(env("A", "B"))),
    patches: [add("/spec/containers/0/env/-", { name: "A", value: "theirs" })],
    next: pod(app(env("B"))),
  },
  "finalizers of a template, one of them theirs": {
    base: { ...pod(app()), meta: { finalizers: ["example.com/a", "example.com/b"] } },
    patches: [add("/metadata/finalizers/-", "example.com/theirs")],
    next: { ...pod(app()), meta: { finalizers: ["example.com/b", "example.com/c"] } },
  },
  "a duplicate finalizer": {
    base: { ...pod(app()), meta: { finalizers: ["example.com/a"] } },
    patches: [add("/metadata/finalizers/-", "example.com/a")],
    next: { ...pod(app()), meta: { finalizers: ["example.com/a", "example.com/b"] } },
  },
  "a duplicate finalizer without an added one": {
    base: { ...pod(app()), meta: { finalizers: ["example.com/a", "example.com/b"] } },
    patches: [add("/metadata/finalizers/-", "example.com/a")],
    next: { ...pod(app()), meta: { finalizers: ["example.com/a"] } },
  },
};
