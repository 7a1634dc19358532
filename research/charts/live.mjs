// What a cluster holds of a release: its workloads' templates, how often each was rolled out, and whether the stamps are the
// digests of what lies beside them. It shares no code with rollstamp.
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { objectsOf, seenBy } from "./walker.mjs";

const SETTLE_SECONDS = 60;

const PATHS = {
  Deployment: "apis/apps/v1/namespaces/NS/deployments",
  StatefulSet: "apis/apps/v1/namespaces/NS/statefulsets",
  DaemonSet: "apis/apps/v1/namespaces/NS/daemonsets",
  CronJob: "apis/batch/v1/namespaces/NS/cronjobs",
  ConfigMap: "api/v1/namespaces/NS/configmaps",
  Secret: "api/v1/namespaces/NS/secrets",
};
const pathOf = (kind, namespace, name = "") =>
  `/${PATHS[kind].replace("NS", namespace)}${name === "" ? "" : `/${name}`}`;

/** The object, or undefined where there is none. */
async function getIfThere(api, path) {
  try {
    return await api.get(path);
  } catch (cause) {
    if (/: 404 /u.test(cause.message)) return undefined;
    throw cause;
  }
}

const templateOf = (object) =>
  object.kind === "CronJob" ? object.spec.jobTemplate.spec.template : object.spec.template;

/** The workloads that a manifest writes, as { kind, namespace, name }. */
export function workloadsIn(text, namespace) {
  return objectsOf(text)
    .map(({ object }) => object)
    .filter(
      ({ kind, apiVersion }) =>
        ["Deployment", "StatefulSet", "DaemonSet", "CronJob"].includes(kind) && /^(apps|batch)\//u.test(apiVersion),
    )
    .map(({ kind, metadata }) => ({ kind, namespace: metadata.namespace ?? namespace, name: metadata.name }));
}

export const idOf = ({ kind, namespace, name }) => `${kind} ${namespace}/${name}`;

/** What names the newest rollout of a workload; undefined as long as its controller has not seen what it is. */
async function revisionOf(api, { kind, namespace }, object) {
  if (kind === "CronJob") return "";
  if ((object.status?.observedGeneration ?? 0) < object.metadata.generation) return undefined;
  if (kind === "Deployment") return object.metadata.annotations?.["deployment.kubernetes.io/revision"];
  if (kind === "StatefulSet") return object.status?.updateRevision;
  const { items } = await api.get(`/apis/apps/v1/namespaces/${namespace}/controllerrevisions`);
  const revisions = items.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid),
  );
  return revisions.sort((a, b) => a.revision - b.revision).at(-1)?.metadata.name;
}

/** The workloads as they stand once each one's controller has seen it: id to { uid, revision, template, row }. */
export async function stateOf(api, workloads) {
  const deadline = Date.now() + SETTLE_SECONDS * 1000;
  const state = new Map();
  for (const row of workloads) {
    for (;;) {
      const object = await getIfThere(api, pathOf(row.kind, row.namespace, row.name));
      if (object === undefined) break;
      const revision = await revisionOf(api, row, { ...object, kind: row.kind });
      if (revision !== undefined) {
        state.set(idOf(row), {
          row,
          uid: object.metadata.uid,
          revision,
          template: templateOf({ ...object, kind: row.kind }),
        });
        break;
      }
      if (Date.now() > deadline) throw new Error(`${idOf(row)}: its controller has not seen it in ${SETTLE_SECONDS} s`);
      await sleep(50);
    }
  }
  return state;
}

/** The workloads that still exist. */
export async function findExisting(api, workloads) {
  const rows = [];
  for (const row of workloads) {
    const object = await getIfThere(api, pathOf(row.kind, row.namespace, row.name));
    // In the foreground of a deletion it stands until its pods are gone.
    if (object !== undefined && object.metadata.deletionTimestamp === undefined) rows.push(idOf(row));
  }
  return rows;
}

const STAMP = /^(configmap|secret|secretproviderclass)\.rollstamp\.dev\/(.+)$/u;

export function stampsOf(template) {
  return Object.fromEntries(Object.entries(template.metadata?.annotations ?? {}).filter(([key]) => STAMP.test(key)));
}

function bytesOf(kind, object) {
  const texts = Object.entries(object.data ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value, kind === "Secret" ? "base64" : "utf8"),
  ]);
  const binary = Object.entries(object.binaryData ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64")]);
  return [...texts, ...binary];
}

/** hash-v1 over some entries. */
function digestOf(entries) {
  const hash = createHash("sha256");
  const add = (bytes) => hash.update(`${bytes.length}:`).update(bytes).update(",");
  add(Buffer.from("rollstamp/1"));
  const keyed = entries.map(([key, value]) => [Buffer.from(key), value]).sort(([a], [b]) => Buffer.compare(a, b));
  for (const [key, value] of keyed) {
    add(key);
    add(value);
  }
  return `h1-${hash.digest("hex").slice(0, 40)}`;
}

/**
 * Holds the stamps of live templates against the live ConfigMaps and Secrets that the pods name: { right, other, wrong }.
 * `other` are those whose source is not in the cluster, or that the pods name in another way than this walker reads.
 */
export async function heldAgainstLive(api, state) {
  let right = 0;
  const [other, wrong] = [[], []];
  for (const [id, { row, template }] of state) {
    const seen = seenBy(template.spec);
    for (const [key, stamp] of Object.entries(stampsOf(template))) {
      const [, type, name] = STAMP.exec(key);
      const kind = { configmap: "ConfigMap", secret: "Secret" }[type];
      const keys = kind === undefined ? undefined : seen.get(`${kind} ${name}`);
      const object = keys === undefined ? undefined : await getIfThere(api, pathOf(kind, row.namespace, name));
      if (object === undefined) other.push(`${id}: ${key}`);
      else {
        const digest = digestOf(bytesOf(kind, object).filter(([entry]) => keys === "*" || keys.has(entry)));
        if (digest === stamp) right++;
        else wrong.push(`${id}: ${key} is not the digest of what is in the cluster`);
      }
    }
  }
  return { right, other, wrong };
}
