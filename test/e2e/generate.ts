/**
 * Applications at random, by a seed: a namespace each, with sources and with workloads that see some
 * of their keys. The generator knows by construction who sees what, so it can say what an edit must
 * roll without reading a manifest.
 */
import { stringify } from "yaml";
import type { WorkloadKey } from "./replay.ts";

export interface Application {
  readonly namespace: string;
  readonly sources: readonly Source[];
  readonly workloads: readonly Workload[];
}

export interface Source {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, string>>;
  /** Secrets only: how the values are written down; it must not matter. */
  readonly written: "data" | "stringData";
  /** Every reference to it is. */
  readonly optional: boolean;
  /** Not in the manifests, or not yet. */
  readonly absent: boolean;
}

interface Workload {
  readonly kind: "Deployment" | "StatefulSet" | "DaemonSet" | "CronJob" | "Job";
  readonly name: string;
  readonly replicas: number;
  readonly references: readonly Reference[];
}

interface Reference {
  readonly source: string;
  readonly form: Form;
  /** The key it shows; forms that show all have none. */
  readonly key?: string;
}

const WHOLE = ["envFrom", "volume", "projected", "initEnvFrom"] as const;
const PICKED = ["env", "initEnv", "volumeItems", "projectedItems", "subPath"] as const;
type Form = (typeof WHOLE)[number] | (typeof PICKED)[number];

/** A workload that a source, or one key of it, reaches. */
export interface Sight {
  readonly key: WorkloadKey;
  readonly kind: Workload["kind"];
}

/** A source of numbers that are the same for the same seed (mulberry32's constants). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks one of a list that is not empty. */
export function pick<T>(list: readonly T[], next: () => number): T {
  const found = list[Math.floor(next() * list.length)];
  if (found === undefined) throw new Error("nothing to pick from");
  return found;
}

const sourceId = ({ kind, name }: Pick<Source, "kind" | "name">): string => `${kind}/${name}`;

/** An application whose names are those of its neighbours: only the namespace tells them apart. */
export function generateApplication(namespace: string, next: () => number): Application {
  const count = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  const kinds = ["ConfigMap", "Secret"] as const;
  // A ConfigMap and a Secret may have one name.
  const sources = ["settings", "credentials", "features", "later"].flatMap((name) =>
    kinds
      .filter(() => next() < 0.7)
      .map((kind): Source => {
        const keys = ["url", "level", "token", "app.conf"].slice(0, count(1, 4));
        return {
          kind,
          name,
          labels: { chart: "app-1.0.0" },
          data: Object.fromEntries(keys.map((key) => [key, `${namespace} ${key} ${Math.floor(next() * 1e6)}\n`])),
          written: next() < 0.5 ? "data" : "stringData",
          optional: name === "later",
          absent: name === "later",
        };
      }),
  );
  const workloads = (["Deployment", "Deployment", "StatefulSet", "DaemonSet", "CronJob", "Job"] as const)
    .filter((kind) => kind === "Deployment" || next() < 0.6)
    .map((kind, index): Workload => {
      const references = sources
        .filter(() => next() < 0.5)
        .map((source): Reference => {
          const keys = Object.keys(source.data);
          // What is not there is not picked from: its keys are unknown.
          if (source.absent || next() < 0.4) return { source: sourceId(source), form: pick(WHOLE, next) };
          return { source: sourceId(source), form: pick(PICKED, next), key: pick(keys, next) };
        });
      return { kind, name: `${kind.toLowerCase()}-${index}`, replicas: count(1, 3), references };
    });
  return { namespace, sources, workloads };
}

/** The workloads that see a key; without a key, those that have any reference to the source. */
export function whoSees({ namespace, workloads }: Application, source: Source, key?: string): readonly Sight[] {
  return workloads
    .filter(({ references }) =>
      references.some(
        (reference) =>
          reference.source === sourceId(source) &&
          (key === undefined || reference.key === undefined || reference.key === key),
      ),
    )
    .map(({ kind, name }) => ({ key: `${kind}/${namespace}/${name}`, kind }));
}

/** Replaces one source of an application. */
export function withSource(application: Application, old: Source, changed: Partial<Source>): Application {
  return {
    ...application,
    sources: application.sources.map((source) => (source === old ? { ...source, ...changed } : source)),
  };
}

/** The manifests of an application, as one stream. */
export function render({ namespace, sources, workloads }: Application): string {
  const objects = [
    ...sources.filter(({ absent }) => !absent).map((source) => sourceObject(source, namespace)),
    ...workloads.map((workload) => workloadObject(workload, sources, namespace)),
  ];
  return objects.map((object) => `---\n${stringify(object)}`).join("");
}

function sourceObject({ kind, name, labels, data, written }: Source, namespace: string): unknown {
  const metadata = { name, namespace, labels };
  if (kind === "ConfigMap") return { apiVersion: "v1", kind, metadata, data };
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  return { apiVersion: "v1", kind, metadata, [written]: written === "data" ? Object.fromEntries(encoded) : data };
}

function workloadObject(workload: Workload, sources: readonly Source[], namespace: string): unknown {
  const { kind, name, replicas } = workload;
  const metadata = { name, namespace };
  const spec = podSpec(workload, sources);
  const labels = { app: name };
  const selected = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } };
  const once = { template: { spec: { restartPolicy: "Never", ...spec } } };
  const specs: Readonly<Record<Workload["kind"], unknown>> = {
    Deployment: { replicas, ...selected },
    StatefulSet: { replicas, serviceName: name, ...selected },
    DaemonSet: selected,
    CronJob: { schedule: "0 0 1 1 *", jobTemplate: { spec: once } },
    Job: once,
  };
  const apiVersion = kind === "CronJob" || kind === "Job" ? "batch/v1" : "apps/v1";
  return { apiVersion, kind, metadata, spec: specs[kind] };
}

interface Parts {
  readonly env: unknown[];
  readonly envFrom: unknown[];
  readonly initEnv: unknown[];
  readonly initEnvFrom: unknown[];
  readonly volumes: unknown[];
  readonly volumeMounts: unknown[];
}

function podSpec({ references }: Workload, sources: readonly Source[]): Readonly<Record<string, unknown>> {
  const parts: Parts = { env: [], envFrom: [], initEnv: [], initEnvFrom: [], volumes: [], volumeMounts: [] };
  for (const [index, reference] of references.entries()) {
    const source = sources.find((one) => sourceId(one) === reference.source);
    if (source) addReference(parts, reference, source, index);
  }
  const image = "registry.example/generated/app:1.0.0";
  const init = { name: "init", image, env: parts.initEnv, envFrom: parts.initEnvFrom };
  return {
    ...(parts.initEnv.length + parts.initEnvFrom.length > 0 ? { initContainers: [init] } : {}),
    containers: [{ name: "app", image, env: parts.env, envFrom: parts.envFrom, volumeMounts: parts.volumeMounts }],
    volumes: parts.volumes,
  };
}

function addReference(
  parts: Parts,
  { form, key = "" }: Reference,
  { kind, name, ...source }: Source,
  index: number,
): void {
  const optional = source.optional ? { optional: true } : {};
  const secret = kind === "Secret";
  const from = { [secret ? "secretRef" : "configMapRef"]: { name, ...optional } };
  const variable = {
    name: `VALUE_${index}`,
    valueFrom: { [secret ? "secretKeyRef" : "configMapKeyRef"]: { name, key, ...optional } },
  };
  const items = key === "" ? {} : { items: [{ key, path: "file" }] };
  const volume = `volume-${index}`;
  const plain = secret ? { secret: { secretName: name, ...optional } } : { configMap: { name, ...optional } };
  const some = secret ? { secret: { secretName: name, ...items } } : { configMap: { name, ...items } };
  const projection = { [secret ? "secret" : "configMap"]: { name, ...items, ...optional } };
  const mount = (definition: object, more: Readonly<Record<string, string>> = {}): void => {
    parts.volumes.push({ name: volume, ...definition });
    parts.volumeMounts.push({ name: volume, mountPath: `/mnt/${index}`, ...more });
  };
  const forms: Readonly<Record<Form, () => unknown>> = {
    env: () => parts.env.push(variable),
    initEnv: () => parts.initEnv.push(variable),
    envFrom: () => parts.envFrom.push(from),
    initEnvFrom: () => parts.initEnvFrom.push(from),
    volume: () => mount(plain),
    volumeItems: () => mount(some),
    subPath: () => mount(plain, { subPath: key }),
    projected: () => mount({ projected: { sources: [projection] } }),
    projectedItems: () => mount({ projected: { sources: [projection] } }),
  };
  forms[form]();
}
