/** A GitOps engine that applies repositories of two Deployments, and what it makes of the ways to restart their pods. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";
import { rollstamp, succeeded } from "./commands.ts";
import type { Engine, Files } from "./engine-types.ts";
import type { EngineRow, Seen } from "./engine-rows.ts";
import { fieldAt, textAt, textsAt } from "./fields.ts";
import type { Observer, Workload } from "./observe.ts";

export interface Trial {
  readonly engine: Engine;
  readonly cluster: Cluster;
  readonly observer: Observer;
}

/** A Deployment that the engine applies; someone does something; the engine reconciles. */
export async function comesTrue(
  { act, stamped }: EngineRow,
  seen: Seen,
  namespace: string,
  { engine, cluster, observer }: Trial,
): Promise<void> {
  const plain = repository(namespace);
  const files = stamped ? await changedBy(cluster, plain, ["stamp"]) : plain;
  const push = async (pushed: Files): Promise<void> => {
    const { isReady, message } = await engine.push(namespace, pushed);
    assert.equal(isReady, true, message);
  };
  const settled = (): Promise<unknown> => observer.settled([namespace]);
  await push(files);
  const { uid: earlier } = webIn(await observer.settled([namespace]));
  const recording = await observer.record([namespace]);
  await act({
    namespace,
    files,
    cluster,
    settled,
    push,
    changedBy: (given, ...command) => changedBy(cluster, given, command),
  });
  await settled();
  await engine.reconcile(namespace);
  const { key, uid, revision, object } = webIn(await observer.settled([namespace]));
  const pods = await recording.close();
  const template = JSON.stringify(fieldAt(object, "spec", "template"));
  assert.deepEqual(
    {
      ...seen,
      rollouts: revision - 1,
      ...(seen.kept === undefined ? {} : { isKept: template.includes(seen.kept) }),
      ...(seen.isAnother === undefined ? {} : { isAnother: uid !== earlier }),
      ...(seen.leastAvailable === undefined ? {} : { leastAvailable: pods.get(key)?.leastAvailable }),
    },
    seen,
  );
}

function webIn(workloads: ReadonlyMap<string, Workload>): Workload {
  const web = [...workloads.values()].find(({ key }) => key.includes("web"));
  assert.ok(web);
  return web;
}

/** Files as a command of rollstamp leaves them. */
export async function changedBy(cluster: Cluster, files: Files, command: readonly string[]): Promise<Files> {
  const folder = mkdtempSync(join(cluster.folder, "changed-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  succeeded("rollstamp", await rollstamp([...command, folder]));
  return Object.fromEntries(Object.keys(files).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** The Deployments `web` and `api` read the ConfigMap `settings`; nothing reads `extra`. */
export function repository(namespace: string): Record<string, string> {
  return {
    "namespace.yaml": `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${namespace}}\n`,
    "settings.yaml": configMap(namespace, "settings", "one"),
    "extra.yaml": configMap(namespace, "extra", "one"),
    "web.yaml": deployment(namespace, "web"),
    "api.yaml": deployment(namespace, "api"),
  };
}

export function configMap(namespace: string, name: string, level: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata: {LEVEL: ${level}}\n`;
}

export const deployment = (namespace: string, name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  replicas: 2
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
        - name: app
          image: registry.example/app:1
          envFrom: [{configMapRef: {name: settings}}]
`;

/** What the Deployment `web` is in the cluster. */
export interface Web {
  readonly revision: string;
  /** The annotations of its pod template. */
  readonly annotations: Readonly<Record<string, string>>;
}

export async function webOf({ api }: Cluster, namespace: string): Promise<Web> {
  const object = await api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/web`);
  return {
    revision: textAt(object, "metadata", "annotations", "deployment.kubernetes.io/revision"),
    annotations: textsAt(object, "spec", "template", "metadata", "annotations"),
  };
}

/** What the ConfigMap `settings` has in the cluster. */
export const levelOf = async ({ api }: Cluster, namespace: string): Promise<string> =>
  textAt(await api.get(`/api/v1/namespaces/${namespace}/configmaps/settings`), "data", "LEVEL");

/** A commit that changes what the ConfigMap `settings` has. */
export const withLevelTwo = (files: Files): Files => ({
  ...files,
  "settings.yaml": (files["settings.yaml"] ?? "").replace("LEVEL: one", "LEVEL: two"),
});

/** The same files as a kustomization that lists our transformer. */
export const transformed = (files: Files): Files => ({
  ...files,
  "kustomization.yaml": `resources: [${Object.keys(files).join(", ")}]\ntransformers: [stamp.yaml]\n`,
  "stamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamp}\n",
});
