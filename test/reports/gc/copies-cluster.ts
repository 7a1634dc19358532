/** A cluster with copies of sources and what may use them, on loopback. */
import { PROTECTION } from "../../../src/base/copies.ts";
import { VERSION_OF } from "../../../src/base/keys.ts";
import type { CliResult, CliWorld } from "../../support/cli.ts";
import { withFakeApi, type FakeApi } from "../status/fake-api.ts";

export const DAY = 86_400_000;

export interface Stored {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly [more: string]: unknown;
  };
  readonly [more: string]: unknown;
}

/** [kind, name in paths] by apiVersion: what such a server has, beside the core group. */
export const SERVED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "apps/v1": {
    Deployment: "deployments",
    StatefulSet: "statefulsets",
    DaemonSet: "daemonsets",
    ReplicaSet: "replicasets",
    ControllerRevision: "controllerrevisions",
  },
  "batch/v1": { CronJob: "cronjobs", Job: "jobs" },
};

const CORE: Readonly<Record<string, string>> = {
  ConfigMap: "configmaps",
  Secret: "secrets",
  Pod: "pods",
  ReplicationController: "replicationcontrollers",
};

/** Argo Rollouts, and a group whose preferred version lacks one of its kinds, as that of OpenKruise did. */
export const CUSTOM: typeof SERVED = {
  "argoproj.io/v1alpha1": { Rollout: "rollouts" },
  "apps.kruise.io/v1beta1": { StatefulSet: "statefulsets" },
  "apps.kruise.io/v1alpha1": { CloneSet: "clonesets", StatefulSet: "statefulsets" },
};

export interface CopyOf {
  readonly kind?: "ConfigMap" | "Secret";
  readonly namespace?: string;
  /** In days. */
  readonly age?: number;
  readonly annotations?: Readonly<Record<string, string | undefined>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A copy of the source `env`, protected and ten days old. */
export function copy(name: string, of: CopyOf = {}): Stored {
  const { kind = "ConfigMap", namespace = "shop", age = 10, labels = { [VERSION_OF]: "env" } } = of;
  const annotations = { ...PROTECTION, ...of.annotations };
  const creationTimestamp = new Date(Date.now() - age * DAY).toISOString().replace(/\.\d+Z/u, "Z");
  const more = { uid: `uid-${name}`, resourceVersion: "7", creationTimestamp, labels, annotations, ...of.metadata };
  return { apiVersion: "v1", kind, metadata: { name, namespace, ...more }, data: { a: "planted-value" } };
}

/** An object that names copies in its pod template. */
export function user(
  apiVersion: string,
  kind: string,
  names: readonly string[],
  { name = "web", namespace = "shop", more = {} }: { name?: string; namespace?: string; more?: object } = {},
): Stored {
  const volumes = names.map((source) => ({ name: "v", configMap: { name: source } }));
  const spec = { replicas: 0, template: { spec: { volumes } } };
  return { apiVersion, kind, metadata: { name, namespace }, spec, ...more };
}

export interface World extends Omit<Partial<FakeApi>, "lists"> {
  readonly served?: typeof SERVED;
  /** The status of a deletion, by name. */
  readonly deletions?: Readonly<Record<string, number>>;
  readonly world?: CliWorld;
}

export interface Ran extends CliResult {
  /** The deletions that the server was asked for: path and preconditions. */
  readonly deleted: readonly (readonly [path: string, body: unknown])[];
  readonly paths: readonly string[];
}

/** Runs `rollstamp gc` against such a cluster. */
export async function gc(
  objects: readonly Stored[],
  args: readonly string[] = [],
  { served = { ...SERVED, ...CUSTOM }, deletions = {}, world, ...api }: World = {},
): Promise<Ran> {
  const lists: Record<string, Stored[]> = {};
  const places = [undefined, "shop", ...objects.map(({ metadata }) => metadata.namespace)];
  for (const [apiVersion, kinds] of Object.entries({ v1: CORE, ...served })) {
    const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
    for (const [kind, plural] of Object.entries(kinds))
      for (const place of places)
        lists[`${root}${place === undefined ? "" : `/namespaces/${place}`}/${plural}`] = objects.filter(
          (one) =>
            one.kind === kind &&
            one.apiVersion === apiVersion &&
            (place === undefined || one.metadata.namespace === place),
        );
  }
  const deleted: [string, unknown][] = [];
  const paths: string[] = [];
  const result = await withFakeApi(
    {
      ...api,
      lists,
      answers: { ...discovery(served), ...api.answers },
      seen: (url, request) => {
        paths.push(url.pathname);
        api.seen?.(url, request);
      },
      fault: (request, response, url) => {
        if (api.fault?.(request, response, url) === true) return true;
        if (request.method !== "DELETE") return false;
        let body = "";
        request.on("data", (chunk: Buffer) => (body += chunk.toString()));
        request.on("end", () => {
          deleted.push([url.pathname, JSON.parse(body)]);
          response.writeHead(deletions[url.pathname.split("/").at(-1) ?? ""] ?? 200).end("{}");
        });
        return true;
      },
    },
    { args: ["gc", ...args], ...(world === undefined ? {} : { world }) },
  );
  return { ...result, deleted, paths };
}

function discovery(served: typeof SERVED): Record<string, unknown> {
  const groups = new Map<string, string[]>();
  for (const apiVersion of Object.keys(served)) {
    const [group = ""] = apiVersion.split("/");
    groups.set(group, [...(groups.get(group) ?? []), apiVersion]);
  }
  const answers: Record<string, unknown> = {
    "/apis": {
      groups: [...groups].map(([name, versions]) => ({
        name,
        preferredVersion: { groupVersion: versions[0] },
        versions: versions.map((groupVersion) => ({ groupVersion })),
      })),
    },
  };
  for (const [apiVersion, kinds] of Object.entries(served))
    answers[`/apis/${apiVersion}`] = {
      resources: Object.entries(kinds).map(([kind, name]) => ({ name, kind, namespaced: true })),
    };
  return answers;
}
