import type { FindingId, Findings } from "../../../src/findings/catalogue/catalogue.ts";
import type { Finding } from "../../../src/findings/catalogue/finding.ts";

// One sample of each cause. A new cause needs one to compile. Strings that an input supplies contain a tilde, at which
// tests make them long.

const object = { apiVersion: "apps/v1", kind: "Deployment~", namespace: "shop~", name: "web~" };
const source = { kind: "ConfigMap", namespace: "shop~", name: "env~" };
const use = { workload: object, source, through: object };
const keys = { added: ["a~", "b~"], removed: ["c~"], changed: ["", "d~"] };
const image = { workload: object, user: "container app~", image: "web~", policy: "Never~" };
const because = { workload: object, because: "it is paused~" };
const stamp = { workload: object, stamp: "configmap.rollstamp.dev/env~" };
const annotation = { object, annotation: "wave.pusher.com/extra-configmaps~" };

const noPod = {
  workload: object,
  strategy: { type: "RollingUpdate~", replicas: 1, maxUnavailable: "100%~", maxSurge: "1~" },
};

const SAMPLES: Findings = {
  "leaving-copy": { used: { workload: object, copies: [{ ...source, apiVersion: "v1" }] } },
  "wrong-copy": { content: { copy: { ...source, apiVersion: "v1" }, source: { ...source, apiVersion: "v1" } } },
  "not-versioned": {
    json: { source: { ...source, apiVersion: "v1" } },
    overlay: { source: { ...source, apiVersion: "v1" }, by: "overlays/prod/kustomization.yaml~" },
  },
  "chart-label": {
    selected: { workload: object, labels: ["helm.sh/chart", "chart~"], by: object },
    required: { workload: object, labels: ["chart~"], by: object },
    read: { workload: object, labels: ["chart~"] },
    defaultSelector: { workload: object, labels: ["chart~"] },
  },
  "chart-checksum": {
    uncovered: {
      workload: object,
      annotations: ["checksum/cm~"],
      sources: [source],
      entries: ["configmap/a~", "secret/shop/b~"],
    },
    annotated: {
      workload: object,
      annotations: ["checksum/cm~", "checksum/b~"],
      sources: [source],
      entries: ["configmap/a~"],
    },
    noSources: { workload: object, annotations: ["checksum/config~"] },
  },
  RS001: {
    missing: { ...use, others: [object, object] },
    wrongNamespace: { ...use, others: [object], other: object },
    placeholder: { ...use, others: [object] },
    unmounted: { ...use, others: [object] },
    mayBeCreated: { ...use, others: [object], maker: object },
    missingInRendering: { ...use, through: undefined },
    defaultNamespace: { ...use, other: object, namespace: "shop~" },
    missingTemplate: { workload: object, other: source },
    otherApplication: { ...use, others: [object], application: "web~" },
  },
  RS002: {
    missing: { ...use, key: "a~" },
    unmounted: { ...use, key: "a~" },
    missingInRendering: { ...use, key: "a~" },
  },
  RS003: { notPulled: image, neverPulled: image, initContainer: image, bareName: image, restart: image },
  RS004: {
    strategy: noPod,
    exclusiveVolume: { ...noPod, claim: "data~" },
    recreate: noPod,
    singlePod: noPod,
    allAtOnce: noPod,
    noTraffic: noPod,
    allNodes: noPod,
    restart: { workload: object },
  },
  RS005: {
    noEffect: { ...because, trigger: { override: "spec.overrides[0].stamp" } },
    restartLater: { ...because, next: "Resume it: remove spec.paused." },
    notRestarted: because,
  },
  RS006: {
    content: { source: object, keys },
    mutable: { source: object },
    type: { source: object, from: "Opaque~", to: "other~" },
  },
  RS007: {
    annotation: { workload: object, writer: "Reloader", annotation: "a~" },
    shared: { workload: object, writer: "Wave", annotation: "a~" },
    onePassword: { workload: object, annotation: "operator.1password.io/auto-restart", maker: object },
    vaultSecretsOperator: { workload: object, maker: object },
  },
  RS008: { guessable: { workload: object, secrets: [source, source] } },
  RS009: {
    invalidTime: stamp,
    invalidDigest: stamp,
    stale: stamp,
    copy: { workload: object, copy: "web-588b2c19d3~", why: "content" },
    missing: stamp,
    leftover: { ...stamp, why: "unused" },
    notSelected: { ...stamp, rule: "opted out~" },
    invalidWaiting: { workload: object },
    nothingToWaitFor: { workload: object },
    neverStamped: { workload: object, rule: "a Pod~" },
    staleWaiting: { workload: object, stamps: ["configmap.rollstamp.dev/a~"] },
    disjointWindows: { workload: object },
  },
  RS010: { autoscaled: { workload: object, scaler: object } },
  RS011: { removed: { workload: object, apiVersion: "apps/v1beta1", removedIn: "1.16", instead: "apps/v1" } },
  RS012: { unused: { source: object } },
  RS013: {
    content: { source: object, keys, seen: source },
    onlyOnce: { source: object },
    template: { workload: object, paths: ["metadata.annotations[checksum/config]~"] },
    annotations: { workload: object, annotations: ["rollme~"] },
  },
  RS015: {
    volume: { workload: object, claim: "data~", mode: "ReadWriteOnce" },
    hostPort: { workload: object, port: 8080 },
    singlePodHostPort: { workload: object, port: 8080 },
    surgingHostPort: { workload: object, port: 8080 },
    antiAffinity: { workload: object, topologyKey: "kubernetes.io/hostname~" },
    singlePodAntiAffinity: { workload: object, topologyKey: "kubernetes.io/hostname~" },
  },
  RS016: { noProbe: { workload: object, services: ["web~"] } },
  RS017: { largeShare: { source: object, rolls: 1200, workloads: 4000 } },
  RS018: {
    fixedNumber: { budget: object, field: "maxUnavailable", value: "0%~" },
    allPods: { budget: object, value: "99%~", pods: 1, workloads: [object] },
    doubled: { budget: object, other: object, workloads: [object] },
  },
  RS019: {
    noTimeLeft: { workload: object, container: "app~", seconds: 30, grace: 30 },
    rejected: { workload: object, container: "app~", seconds: 31, grace: 30 },
  },
  RS020: { deadline: { workload: object, minReadySeconds: 600, progressDeadlineSeconds: 600 } },
  RS021: { mounted: { workload: object, strategy: "canary", sources: [source] } },
  RS022: { reloads: { workload: object, source, reloader: "reload~" } },
  "unstamped-release": {
    unknownChart: { object, chart: "web~" },
    stringValues: { object },
    missingSource: { object, source },
    noReferences: { object },
  },
  RS025: {
    forgotten: { workload: object, sources: [source], path: "apps/web~" },
    unstamped: { workload: object, sources: [source], path: "apps/web~" },
    uncovered: { workload: object, sources: [source, source] },
    optedOut: { workload: object, sources: [source] },
    excluded: { workload: object, sources: [source] },
    reloads: { workload: object, sources: [source] },
    watched: { workload: object, sources: [source], writer: "Reloader" },
  },
  RS024: {
    notRendered: { object, change: "changed", changed: ["spec.values.image.tag~"] },
    notFetched: {
      application: "web~",
      object: { kind: "HelmRelease", namespace: "shop~", name: "web~" },
      change: "changed",
      changed: ["spec.chart.spec.version~"],
      parts: [{ is: "chart", name: "web 1.2.3~" }],
    },
    unknownUses: { application: "web~", sources: [source], parts: [{ is: "base", name: "https://git.example/base~" }] },
    dependencyMissing: { object: { kind: "Kustomization", namespace: "shop~", name: "web~" }, users: [source] },
    sourceRemoved: { object: { kind: "GitRepository", namespace: "shop~", name: "web~" }, users: [source] },
    notPermitted: {
      project: { kind: "AppProject", namespace: "argocd~", name: "team~" },
      what: "namespace",
      names: ["shop~"],
      applications: ["web~"],
    },
    byHelmfiles: { application: "web~", path: "apps/web~", helmfiles: ["helmfile~.yaml"] },
    hiddenByValues: { application: "web~", path: "apps/web~", changed: ["apps/web~/templates/a~.yaml"] },
    needsValues: { application: "web~", path: "apps/web~", problem: "no image~" },
    source: { object, changed: ["spec.url~"], users: [{ object: source, application: "web~" }] },
  },
  RS026: {
    noMatch: { service: object, workloads: [object], labels: ["app=web~"] },
    workloadDeleted: { service: object, workloads: [object, object] },
    noPort: { service: object, workloads: [object], port: "http~" },
  },
  RS027: {
    atRest: { quota: object, resource: "requests.cpu~", allowed: 4, needed: 4.5 },
    rollout: {
      quota: object,
      resource: "requests.memory~",
      allowed: 4 * 1024 ** 3,
      needed: 3.5 * 1024 ** 3,
      workload: object,
      added: 768 * 1024 ** 2,
    },
    unset: { quota: object, resource: "limits.cpu~", workloads: [object, object] },
    limitRange: {
      workload: object,
      container: "app~",
      range: object,
      resource: "limits.memory~",
      bound: "max",
      allowed: 1024 ** 3,
      set: 2 * 1024 ** 3,
    },
    scoped: { quota: object },
  },
  RS023: { name: { workload: object, source }, content: { source: object, keys: ["a~", "b~"] } },
  RS014: {
    unknownKind: {
      object,
      sources: [source, source],
      entries: [{ group: "agones.dev~", kind: "Fleet~", podTemplate: "spec.template~" }],
    },
    unknownPath: {
      object,
      sources: [source],
      entry: {
        kind: "Fleet~",
        references: [
          { kind: "Secret", path: "spec.secrets~" },
          { form: "Volumes", path: "a~" },
        ],
      },
    },
  },
  coverage: {
    ciphertext: { workload: object, source, maker: undefined },
    declaration: { workload: object, source, maker: object },
  },
  "duplicate-key": { duplicate: { object, field: "spec.replicas~" } },
  "overridden-key": { merged: { object, field: "data.a~" } },
  "unquoted-key": {
    renamed: { source: object, key: "data.012~", to: "10~" },
    rejected: { source: object, key: "data.~" },
  },
  "unquoted-value": {
    source: { source: object, key: "data.a~" },
    date: { source: object, key: "data.a~" },
  },
  restart: {
    noMatch: { target: "deployment/web~" },
    rollout: { workload: object, pods: 2, minAvailable: 1, maxTotal: 3 },
    restartField: { workload: object, pods: 2, how: "the operator does it" },
    controller: { workload: object, isOnePodPerNode: true },
    runners: { workload: object, pods: 1, runners: [{ runner: object, pods: 2 }] },
    newRevision: {
      workload: object,
      runners: [object],
      cheaper: [{ kind: "Rollout", name: "web~", field: "spec.restartAt" }],
    },
    leftToRunner: { workload: object, runners: [object], remainingPods: 2 },
    noRollout: because,
    keptTime: { workload: object, time: "2026-01-01T00:00:00Z" },
  },
  "fixed-name": { fixed: { workload: object, rule: "a name is set~" } },
  "short-key": { short: { shortest: 16 } },
  "invalid-ignore": { unknownRule: { object, rule: "RS01~", near: undefined }, noReason: { object, rule: "RS001" } },
  "unreadable-manifest": {
    unreadable: { problem: "this is not valid YAML~" },
    becameTemplate: { problem: "it contains {{~" },
    changedTemplate: { problem: "it contains {{~" },
  },
  "unrendered-application": {
    failed: { application: "web~", path: "apps~", problem: "it failed~" },
    severalFailed: { applications: ["web~", "api~"], problem: "it failed~" },
    unknownUses: { sources: [source], applications: ["web~", "api~"], problem: "it failed~", alike: 1 },
  },
  "cross-application-change": {
    changed: { source, keys, workloads: [object], applications: ["web~"] },
    removed: { source, keys, workloads: [object], applications: ["web~"] },
    watched: { source, keys, workloads: [object], applications: ["web~"], writer: "Reloader" },
  },
  "changed-selector": {
    noMatch: { service: object, labels: ["app=web~"] },
  },
  "lost-budget": {
    unselected: { budget: object, workloads: [object] },
  },
  "late-source": {
    later: { workload: object, sources: [source] },
  },
  "suspended-application": {
    resumed: { object: "HelmRelease web~" },
  },
  "renamed-application": {
    deleted: { object: "Application web~", other: "Application shop~" },
    moved: { object: "Kustomization web~", from: "infra~", to: "apps~" },
  },
  "released-rollout": {
    resumed: { workload: object, because: "it is paused" },
    partition: { workload: object, from: 3, to: 1 },
  },
  "taken-over": {
    unknown: { workload: object, from: "web~", to: "shop~" },
  },
  "deleted-volumes": {
    scaled: { workload: object, from: 3, to: 1 },
    deleted: { workload: object },
  },
  "dropped-replicas": {
    removed: { workload: object, from: 5, scaler: object },
    lowered: { workload: object, from: 5, to: 1, scaler: object, min: 3 },
  },
  "lost-port": {
    notReady: { workload: object, container: "app~", field: "readinessProbe", port: "http~" },
    stopped: { workload: object, container: "app~", field: "lifecycle.postStart", port: "http~" },
    unused: { workload: object, container: "app~", field: "livenessProbe", port: "http~" },
  },
  "lost-request": { unmeasured: { workload: object, scaler: object, resource: "cpu~", container: "app~" } },
  "cannot-start": {
    stuck: { workload: object, problem: { is: "missing", kind: "ServiceAccount~", name: "wbe~", similar: "web~" } },
    later: { workload: object, problem: { is: "memory", user: "container app~", bytes: 0.256 } },
  },
  "fewer-nodes": { narrowed: { workload: object, field: "nodeSelector" } },
  "duplicate-object": {
    severalFiles: { object, first: "a~:1", second: "b~:1", more: 2, parts: ["a~", "b~"] },
  },
  "ambiguous-source": {
    ambiguous: {
      workload: object,
      source: { kind: "ConfigMap", namespace: "a~", name: "b~" },
      places: ["a~:1"],
      more: 1,
    },
    changed: {
      workload: object,
      source: { kind: "ConfigMap", namespace: "a~", name: "b~" },
      places: ["a~:1"],
      more: 0,
    },
  },
  "no-stamp": { required: { workload: object } },
  "kustomize-input": { skipped: { paths: ["a~", "b~", "c~", "d~"] } },
  waiting: {
    overMaxPods: { workload: object, pods: 50 },
    disjointWindows: { workload: object },
    copies: { workload: object, annotations: ["rollstamp.dev/rollout-window~"] },
    rendering: { workload: object, annotations: ["rollstamp.dev/waiting", "rollstamp.dev/rollout-window"] },
  },
  "reloader-annotation": {
    notString: annotation,
    notBoolean: { ...annotation, value: "yes~" },
    notBooleanOnSource: annotation,
    expression: { ...annotation, text: "(~", problem: "missing )~" },
  },
  "unknown-annotation": { unknown: { ...annotation, near: "rollstamp.dev/stamp~" }, onTemplate: annotation },
  "wave-annotation": {
    notString: annotation,
    notBoolean: { ...annotation, value: "yes~" },
    entry: { ...annotation, text: "a/b/c~" },
  },
};

/** One finding of each cause. */
export function sampleFindings(change: (params: unknown) => unknown = (params) => params): Finding[] {
  return Object.entries(SAMPLES).flatMap(([id, causes]) =>
    Object.entries(causes).map(([cause, params]) => sample({ id, cause, params: change(params) })),
  );
}

/** Object.entries loses the types of the samples, which were checked above. */
function sample(finding: { readonly id: string; readonly cause: string; readonly params: unknown }): Finding {
  return finding as Finding;
}

/** The causes of each finding that have samples. */
export const SAMPLED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(SAMPLES).map(([id, causes]) => [id satisfies string as FindingId, Object.keys(causes)]),
);
