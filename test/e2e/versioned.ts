/**
 * Versioned copies of a ConfigMap (layout Versioned) on the cluster: the files that bring them there, and what pods name.
 * The pods are kwok's: what they would have read is the content of the ConfigMap that they name.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { VERSION_OF } from "../../src/base/keys.ts";
import type { Cluster } from "./cluster.ts";
import { kubectl, rollstamp, succeeded } from "./commands.ts";
import type { Files } from "./engine-types.ts";
import { fieldAt, listAt, textAt } from "./fields.ts";
import { eventually } from "./observe.ts";

/** The ConfigMap `settings` with one `LEVEL`, and the workload `web` that reads it. */
export interface Shop {
  readonly namespace: string;
  /** A Rollout is a canary that pauses at a quarter. */
  readonly kind: "Deployment" | "StatefulSet" | "Rollout";
  readonly level: string;
  /** The sync wave of both. */
  readonly wave?: string;
  /** More labels of the pods. */
  readonly labels?: Readonly<Record<string, string>>;
  /** More of the workload's spec. */
  readonly spec?: object;
}

export const PODS = 4;
const SOURCE = "settings";
const WORKLOAD = "web";
export const SYNC_WAVE = "argocd.argoproj.io/sync-wave";

const STRATEGY = { canary: { steps: [{ setWeight: 25 }, { pause: {} }] } };

/** As someone writes it, without rollstamp. */
export function plain({ namespace, kind, level, wave, labels, spec }: Shop): Files {
  const annotations = wave === undefined ? {} : { annotations: { [SYNC_WAVE]: wave } };
  const app = { app: WORKLOAD };
  return {
    "settings.yaml": stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: SOURCE, namespace, ...annotations },
      data: { LEVEL: level },
    }),
    "web.yaml": stringify({
      apiVersion: kind === "Rollout" ? "argoproj.io/v1alpha1" : "apps/v1",
      kind,
      metadata: { name: WORKLOAD, namespace, ...annotations },
      spec: {
        replicas: PODS,
        ...(kind === "Rollout" ? { strategy: STRATEGY } : {}),
        ...spec,
        selector: { matchLabels: app },
        template: {
          metadata: { labels: { ...app, ...labels } },
          spec: {
            containers: [
              { name: "app", image: "registry.example/app:1", envFrom: [{ configMapRef: { name: SOURCE } }] },
            ],
          },
        },
      },
    }),
  };
}

/** The configuration of layout Versioned. */
export const CONFIG: string = stringify({
  apiVersion: "rollstamp.dev/v1alpha1",
  kind: "ConfigHash",
  metadata: { name: "stamp" },
  spec: { layout: "Versioned", versionedSecrets: true },
});

/** The same with a Secret. */
export function withSecret(shop: Shop): Files {
  const { "settings.yaml": settings = "", "web.yaml": web = "" } = plain(shop);
  return {
    "settings.yaml": settings.replace("kind: ConfigMap", "kind: Secret").replace(/^data:/mu, "stringData:"),
    "web.yaml": web.replace("configMapRef:", "secretRef:"),
  };
}

/** As the function renders a shop: one copy, protected from pruning. */
export const rendered = (cluster: Cluster, shop: Shop): Promise<Files> => render(cluster, plain(shop));

/** As the function renders files. */
export async function render({ folder }: Cluster, files: Files): Promise<Files> {
  const config = join(mkdtempSync(join(folder, "config-")), "rollstamp.yaml");
  writeFileSync(config, CONFIG);
  const text = Object.values(files).join("---\n");
  return { "all.yaml": succeeded("rollstamp", await rollstamp(["--config", config], text)) };
}

/** As `rollstamp stamp` leaves it in Git after a commit for each level: the last copies, without protection. */
export async function committed(cluster: Cluster, shop: Shop, levels: readonly string[]): Promise<Files> {
  const folder = mkdtempSync(join(cluster.folder, "committed-"));
  const path = (name: string): string => join(folder, name);
  for (const [name, text] of Object.entries({ ...plain(shop), "rollstamp.yaml": CONFIG }))
    writeFileSync(path(name), text);
  for (const level of levels) {
    // The original comes before its copies.
    const text = readFileSync(path("settings.yaml"), "utf8").replace(/LEVEL: .*/u, `LEVEL: ${level}`);
    writeFileSync(path("settings.yaml"), text);
    succeeded("rollstamp", await rollstamp(["stamp", folder]));
    succeeded("rollstamp", await rollstamp(["stamp", "--check", folder]));
  }
  return Object.fromEntries(Object.keys(plain(shop)).map((name) => [name, readFileSync(path(name), "utf8")]));
}

/** The files with other copies: someone has edited them. */
export function withCopies(files: Files, edit: (copy: ReturnType<typeof parseAllDocuments>[number]) => void): Files {
  const entries = Object.entries(files).map(([path, text]) => {
    const documents = parseAllDocuments(text);
    for (const document of documents) if (document.hasIn(["metadata", "labels", VERSION_OF])) edit(document);
    return [path, documents.map((document) => document.toString({ directives: false })).join("---\n")];
  });
  return Object.fromEntries(entries);
}

/** The files whose copies have no such annotations. */
export const without = (files: Files, ...keys: readonly string[]): Files =>
  withCopies(files, (copy) => keys.forEach((key) => copy.deleteIn(["metadata", "annotations", key])));

/** The name of the copy that the workload in the files names. */
export function namedIn(files: Files): string {
  const found = Object.values(files)
    .flatMap((text) => parseAllDocuments(text).map((document): unknown => document.toJS()))
    .find((object) => textAt(object, "metadata", "name") === WORKLOAD);
  return sourceOf(fieldAt(found, "spec", "template", "spec"));
}

function sourceOf(podSpec: unknown): string {
  const [entry] = listAt(listAt(podSpec, "containers")[0], "envFrom");
  return textAt(entry, "configMapRef", "name") || textAt(entry, "secretRef", "name");
}

/** A copy on the cluster. */
export interface Copy {
  readonly uid: string;
  readonly level: string;
}

/** The copies on the cluster, by name. */
export async function copiesOf({ api }: Cluster, namespace: string): Promise<Map<string, Copy>> {
  const selector = encodeURIComponent(`${VERSION_OF}=${SOURCE}`);
  const list = await api.get(`/api/v1/namespaces/${namespace}/configmaps?labelSelector=${selector}`);
  return new Map(listAt(list, "items").map((copy) => [textAt(copy, "metadata", "name"), copyOf(copy)]));
}

/** The copy that an object is. */
export const copyOf = (object: unknown): Copy => ({
  uid: textAt(object, "metadata", "uid"),
  level: textAt(object, "data", "LEVEL"),
});

export async function levelsOf(cluster: Cluster, namespace: string): Promise<readonly string[]> {
  return [...(await copiesOf(cluster, namespace)).values()].map(({ level }) => level).sort();
}

/** A pod, and the ConfigMap or Secret that it names. */
export interface PodSeen {
  readonly uid: string;
  readonly name: string;
  /** Its ReplicaSet. */
  readonly owner: string;
  readonly source: string;
  readonly isGoing: boolean;
}

function podOf(pod: unknown): PodSeen {
  return {
    uid: textAt(pod, "metadata", "uid"),
    name: textAt(pod, "metadata", "name"),
    owner: textAt(listAt(pod, "metadata", "ownerReferences")[0], "name"),
    source: sourceOf(fieldAt(pod, "spec")),
    isGoing: textAt(pod, "metadata", "deletionTimestamp") !== "",
  };
}

/** The pods that are there and not on their way out. */
export async function podsOf({ api }: Cluster, namespace: string): Promise<readonly PodSeen[]> {
  const list = await api.get(`/api/v1/namespaces/${namespace}/pods`);
  return listAt(list, "items")
    .map(podOf)
    .filter(({ isGoing }) => !isGoing);
}

/** Counts the pods of each level: of the content of the ConfigMap that they name, which may be missing. */
export async function podLevels(cluster: Cluster, namespace: string): Promise<Readonly<Record<string, number>>> {
  const [pods, list] = await Promise.all([
    podsOf(cluster, namespace),
    cluster.api.get(`/api/v1/namespaces/${namespace}/configmaps`),
  ]);
  const levels = new Map(
    listAt(list, "items").map((one) => [textAt(one, "metadata", "name"), textAt(one, "data", "LEVEL")]),
  );
  const counts: Record<string, number> = {};
  for (const { source } of pods) {
    const level = levels.get(source) ?? "missing";
    counts[level] = (counts[level] ?? 0) + 1;
  }
  return counts;
}

export interface Recorded {
  /** Every pod that has ever been there, by uid. */
  readonly pods: ReadonlyMap<string, PodSeen>;
  readonly stop: () => void;
}

/** Records all pods of a namespace from now on. */
export async function recordPods({ api }: Cluster, namespace: string): Promise<Recorded> {
  const pods = new Map<string, PodSeen>();
  const stop = await api.watch(`/api/v1/namespaces/${namespace}/pods`, {
    event: (_type, object) => {
      const pod = podOf(object);
      pods.set(pod.uid, pod);
    },
    broken: () => undefined,
  });
  return { pods, stop };
}

export async function createNamespace({ api }: Cluster, name: string): Promise<void> {
  await api.post("/api/v1/namespaces", { metadata: { name } });
}

const rolloutOf = (namespace: string): string =>
  `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/rollouts/${WORKLOAD}`;

export const rolloutIn = ({ api }: Cluster, namespace: string): Promise<unknown> => api.get(rolloutOf(namespace));

type Phase = "Healthy" | "Paused" | "Degraded";

/** What is missing until the Rollout is so and has its pods. */
async function missing(cluster: Cluster, namespace: string, phase: Phase, count: number): Promise<string> {
  const rollout = await rolloutIn(cluster, namespace);
  const isSeen = textAt(rollout, "status", "observedGeneration") === String(fieldAt(rollout, "metadata", "generation"));
  const pods = await podsOf(cluster, namespace);
  const isThere = textAt(rollout, "status", "phase") === phase && pods.length === count;
  return isSeen && isThere ? "" : JSON.stringify(fieldAt(rollout, "status"));
}

/** Waits until the Rollout is so and has its pods. */
export function untilRollout(cluster: Cluster, namespace: string, phase: Phase, count: number = PODS): Promise<void> {
  return eventually(`${namespace}/${WORKLOAD} to be ${phase}`, () => missing(cluster, namespace, phase, count));
}

const AGAIN_MILLISECONDS = 3000;

/**
 * Sets a field of the status at a pause. The controller puts its own copy of what it has written into its cache and may
 * miss what was written meanwhile; then it is written again.
 */
async function writeStatus(cluster: Cluster, namespace: string, field: string, phase: Phase): Promise<void> {
  const write = (value: unknown): Promise<unknown> =>
    cluster.api.patch(`${rolloutOf(namespace)}/status`, { status: { [field]: value } });
  await write(true);
  let next = Date.now() + AGAIN_MILLISECONDS;
  await eventually(`${namespace}/${WORKLOAD} to be ${phase}`, async () => {
    if (Date.now() > next && textAt(await rolloutIn(cluster, namespace), "status", "phase") === "Paused") {
      await write(null);
      await write(true);
      next = Date.now() + AGAIN_MILLISECONDS;
    }
    return missing(cluster, namespace, phase, PODS);
  });
}

/** What `kubectl argo rollouts abort` does. */
export const abort = (cluster: Cluster, namespace: string): Promise<void> =>
  writeStatus(cluster, namespace, "abort", "Degraded");

/** What `kubectl argo rollouts promote --full` does. */
export const promote = (cluster: Cluster, namespace: string): Promise<void> =>
  writeStatus(cluster, namespace, "promoteFull", "Healthy");

/** What `kubectl argo rollouts undo` does: the pod template of the oldest ReplicaSet. */
export async function undo({ api }: Cluster, namespace: string): Promise<void> {
  const list = listAt(await api.get(`/apis/apps/v1/namespaces/${namespace}/replicasets`), "items");
  const first = list.find((one) => textAt(one, "metadata", "annotations", "rollout.argoproj.io/revision") === "1");
  const operations = [
    { op: "replace", path: "/spec/template", value: fieldAt(first, "spec", "template") },
    { op: "remove", path: "/spec/template/metadata/labels/rollouts-pod-template-hash" },
  ];
  await api.patch(rolloutOf(namespace), operations, "json-patch+json");
}

/** Deletes a pod, and waits until another one is there. */
export async function replacePod(cluster: Cluster, namespace: string, { name, uid }: PodSeen): Promise<PodSeen> {
  const known = new Set((await podsOf(cluster, namespace)).map((pod) => pod.uid));
  succeeded("delete", await kubectl(cluster, ["delete", "pod", name, "-n", namespace, "--wait=false"]));
  let found: PodSeen | undefined;
  await eventually("another pod", async () => {
    const pods = await podsOf(cluster, namespace);
    found = pods.find((pod) => !known.has(pod.uid));
    return found === undefined || pods.some((pod) => pod.uid === uid) ? "there is none" : "";
  });
  if (found === undefined) throw new Error("no pod");
  return found;
}
