import type { FindingId, Findings } from "../../../src/findings/catalogue/catalogue.ts";
import type { Finding } from "../../../src/findings/catalogue/finding.ts";

// One of each finding, by each of its causes. A new cause needs its sample to compile. The texts that an input
// supplies hold a tilde: tests make them long.

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
  "chart-label": {
    selected: { workload: object, labels: ["helm.sh/chart", "chart~"], by: object },
    required: { workload: object, labels: ["chart~"], by: object },
    read: { workload: object, labels: ["chart~"] },
    defaulted: { workload: object, labels: ["chart~"] },
  },
  "chart-checksum": {
    covers: {
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
    nothing: { workload: object, annotations: ["checksum/config~"] },
  },
  RS001: {
    notGiven: { ...use, others: [object, object] },
    elsewhere: { ...use, others: [object], other: object },
    placeholder: { ...use, others: [object] },
    unmounted: { ...use, others: [object] },
    maybeMade: { ...use, others: [object], maker: object },
    notRendered: { ...use, through: undefined },
    otherNamespace: { ...use, other: object, namespace: "shop~" },
    noTemplate: { workload: object, other: source },
    otherApplication: { ...use, others: [object], application: "web~" },
  },
  RS002: { notGiven: { ...use, key: "a~" }, unmounted: { ...use, key: "a~" }, notRendered: { ...use, key: "a~" } },
  RS003: { kept: image, bareName: image, restart: image },
  RS004: {
    strategy: noPod,
    heldVolume: { ...noPod, claim: "data~" },
    recreate: noPod,
    onlyPod: noPod,
    allAtOnce: noPod,
    unserved: noPod,
    allNodes: noPod,
    restart: { workload: object },
  },
  RS005: {
    held: { ...because, mark: { override: "spec.overrides[0].stamp" } },
    restartHeld: because,
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
    item: { workload: object, annotation: "operator.1password.io/auto-restart", maker: object },
    target: { workload: object, maker: object },
  },
  RS008: { guessable: { workload: object, secrets: [source, source] } },
  RS009: {
    noTime: stamp,
    noDigest: stamp,
    stale: stamp,
    missing: stamp,
    unwanted: { ...stamp, why: "unused" },
    deselected: { ...stamp, rule: "opted out~" },
    noWaiting: { workload: object },
    waitsForNothing: { workload: object },
    leftAlone: { workload: object, rule: "a Pod~" },
    waitsForOther: { workload: object, stamps: ["configmap.rollstamp.dev/a~"] },
    neverOpen: { workload: object },
  },
  RS010: { scaled: { workload: object, scaler: object } },
  RS011: { removed: { workload: object, apiVersion: "apps/v1beta1", removedIn: "1.16", instead: "apps/v1" } },
  RS012: { unused: { source: object } },
  RS013: {
    differs: { source: object, keys, seen: source },
    once: { source: object },
    template: { workload: object, paths: ["metadata.annotations[checksum/config]~"] },
    annotations: { workload: object, annotations: ["rollme~"] },
  },
  RS015: {
    claim: { workload: object, claim: "data~", mode: "ReadWriteOnce" },
    port: { workload: object, port: 8080 },
    onlyPodPort: { workload: object, port: 8080 },
    surgingPort: { workload: object, port: 8080 },
    antiAffinity: { workload: object, topologyKey: "kubernetes.io/hostname~" },
    onlyPodAffinity: { workload: object, topologyKey: "kubernetes.io/hostname~" },
  },
  RS016: { unprobed: { workload: object, services: ["web~"] } },
  RS017: { share: { source: object, rolls: 12, workloads: 40 } },
  RS018: {
    none: { budget: object, field: "maxUnavailable", value: "0%~" },
    all: { budget: object, value: "99%~", pods: 1, workloads: [object] },
  },
  RS019: {
    slept: { workload: object, container: "app~", seconds: 30, grace: 30 },
    refused: { workload: object, container: "app~", seconds: 31, grace: 30 },
  },
  RS020: { deadline: { workload: object, minReadySeconds: 600, progressDeadlineSeconds: 600 } },
  RS021: { shared: { workload: object, strategy: "canary", sources: [source] } },
  RS022: { reloads: { workload: object, source, reloader: "reload~" } },
  "unknown-values": {
    chart: { object, chart: "web~" },
    text: { object },
    source: { object, source },
    none: { object },
  },
  RS024: { notRendered: { object, changed: ["spec.values.image.tag~"] } },
  RS023: { named: { workload: object, source }, digested: { source: object, keys: ["a~", "b~"] } },
  RS014: {
    unknown: {
      object,
      sources: [source, source],
      entries: [{ group: "agones.dev~", kind: "Fleet~", podTemplate: "spec.template~" }],
    },
    noPlace: {
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
  "repeated-key": { repeated: { object, field: "spec.replicas~" } },
  "overridden-key": { merged: { object, field: "data.a~" } },
  "renamed-key": {
    renamed: { source: object, key: "data.012~", to: "10~" },
    refused: { source: object, key: "data.~" },
  },
  "unquoted-value": {
    unquoted: { source: object, key: "data.a~" },
    field: { object, field: "spec.a~" },
  },
  restart: {
    unmet: { target: "deployment/web~" },
    rolls: { workload: object, pods: 2, minAvailable: 1, maxTotal: 3 },
    byField: { workload: object, pods: 2, how: "the operator does it" },
    byController: { workload: object, isOnePodANode: true },
    byRunners: { workload: object, pods: 1, runners: [{ runner: object, pods: 2 }] },
    newRevision: {
      workload: object,
      runners: [object],
      cheaper: [{ kind: "Rollout", name: "web~", field: "spec.restartAt" }],
    },
    leftToRunner: { workload: object, runners: [object], ownPods: 2 },
    noRoll: because,
  },
  "fixed-name": { fixed: { workload: object, rule: "a name is set~" } },
  ignore: { unknown: { object, rule: "RS01~", near: undefined }, noReason: { object, rule: "RS001" } },
  "unread-manifest": { unread: { problem: "this is not valid YAML~" } },
  "unrendered-application": {
    failed: { application: "web~", path: "apps~", problem: "it failed~" },
    several: { applications: ["web~", "api~"], problem: "it failed~" },
    unlooked: { sources: [source], applications: ["web~", "api~"], problem: "it failed~", alike: 1 },
  },
  "unseen-change": {
    changed: { source, keys, workloads: [object], applications: ["web~"] },
    gone: { source, keys, workloads: [object], applications: ["web~"] },
  },
  "suspended-application": {
    suspended: { object: "HelmRelease web~" },
    resumed: { object: "HelmRelease web~" },
  },
  "stands-twice": {
    apart: { object, first: "a~:1", second: "b~:1", more: 2, parts: ["a~", "b~"] },
  },
  "unsure-source": {
    several: {
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
  "kustomize-input": { leftAlone: { paths: ["a~", "b~", "c~", "d~"] } },
  waiting: {
    tooLarge: { workload: object, pods: 50 },
    neverOpen: { workload: object },
    inRender: { workload: object, annotations: ["rollstamp.dev/waiting", "rollstamp.dev/rollout-window"] },
  },
  "reloader-annotation": {
    notText: annotation,
    notTrue: { ...annotation, value: "yes~" },
    onSource: annotation,
    expression: { ...annotation, text: "(~", problem: "missing )~" },
  },
  "wave-annotation": {
    notText: annotation,
    notTrue: { ...annotation, value: "yes~" },
    entry: { ...annotation, text: "a/b/c~" },
  },
};

/** One of each finding, by each of its causes. */
export function sampleFindings(change: (params: unknown) => unknown = (params) => params): Finding[] {
  return Object.entries(SAMPLES).flatMap(([id, causes]) =>
    Object.entries(causes).map(([cause, params]) => sample({ id, cause, params: change(params) })),
  );
}

/** What Object.entries makes of the samples is typed no more: they were, above. */
function sample(finding: { readonly id: string; readonly cause: string; readonly params: unknown }): Finding {
  return finding as Finding;
}

/** The causes of each finding, as its samples name them. */
export const SAMPLED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(SAMPLES).map(([id, causes]) => [id satisfies string as FindingId, Object.keys(causes)]),
);
