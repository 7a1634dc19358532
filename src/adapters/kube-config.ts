import type { ChildProcess, SpawnOptions } from "node:child_process";
import { existsSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent, type RequestOptions } from "node:https";
import { delimiter } from "node:path";
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { endGroup, spawnInGroup } from "./child-processes.ts";
import type { Cluster } from "@kubernetes/client-node/dist/config_types.js";

// This module is a bundle of its own (docs/decisions/0004-cluster-client.md), which src/adapters/cluster.ts
// loads. It throws plain Errors, to which that gives their words.

export interface KubeConfigOptions {
  /** The file of --kubeconfig. */
  readonly file: string | undefined;
  readonly context: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** After so long a program that gets credentials is ended. */
  readonly timeoutMs: number;
}

/** What a kubeconfig, or a pod's service account, says of a cluster. */
export type FoundConfig =
  | { readonly is: "none" }
  | { readonly is: "noContext"; readonly context: string; readonly known: readonly string[] }
  | {
      readonly is: "found";
      readonly context: string;
      readonly server: string;
      readonly namespace: string | undefined;
      /** The options of a request: certificates, headers with credentials, proxy. Asked for each request: tokens expire. */
      readonly requestOptions: () => Promise<RequestOptions>;
    };

/** Finds the cluster as kubectl does: --kubeconfig, KUBECONFIG, ~/.kube/config, a pod's service account. */
export function findKubeConfig({ file, context, environment, timeoutMs }: KubeConfigOptions): FoundConfig {
  const config = read(file, environment["KUBECONFIG"]);
  if (config === undefined) return { is: "none" };
  const known = config.getContexts().map(({ name }) => name);
  const wanted = context ?? config.getCurrentContext();
  const found = config.getContextObject(wanted ?? "");
  if (!found) return known.length === 0 ? { is: "none" } : { is: "noContext", context: wanted ?? "", known };
  config.setCurrentContext(found.name);
  const cluster = config.getCurrentCluster();
  if (!cluster) return { is: "none" };
  endHangingPrograms(config, timeoutMs);
  allowPlainHttp(config, cluster);
  const lasting = new (cluster.server.startsWith("http:") ? HttpAgent : HttpsAgent)({ keepAlive: true });
  return {
    is: "found",
    context: found.name,
    server: cluster.server,
    namespace: found.namespace,
    requestOptions: async () => {
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      // The library's own agent opens a connection for each request, and holds on to the first certificates
      // that it is given. Ours takes those of the request, and leaves a proxy to the library.
      return cluster.proxyUrl === undefined ? { ...options, agent: lasting } : options;
    },
  };
}

function read(file: string | undefined, variable: string | undefined): KubeConfig | undefined {
  const files = file === undefined ? (variable ?? "").split(delimiter).filter((name) => name !== "") : [file];
  if (files.length === 0) {
    const config = new KubeConfig();
    config.loadFromDefault();
    // What the library falls back to: nobody has configured it, so nobody means it.
    return config.getCurrentCluster()?.server === "http://localhost:8080" &&
      config.getCurrentContext() === "loaded-context"
      ? undefined
      : config;
  }
  // kubectl skips files of KUBECONFIG that are not there; one that is named by itself is meant.
  const [first, ...more] = file === undefined ? files.filter((name) => existsSync(name)) : files;
  if (first === undefined) return undefined;
  const config = new KubeConfig();
  config.loadFromFile(first);
  for (const name of more) {
    const other = new KubeConfig();
    other.loadFromFile(name);
    config.mergeConfig(other);
  }
  return config;
}

/** A program that gets credentials may wait for a person who is not there: the library would wait with it. */
function endHangingPrograms(config: KubeConfig, timeout: number): void {
  const authenticators: unknown = Reflect.get(config, "authenticators") ?? Reflect.get(KubeConfig, "authenticators");
  if (!Array.isArray(authenticators)) return;
  for (const authenticator of authenticators) {
    if (typeof authenticator !== "object" || authenticator === null || !("execFn" in authenticator)) continue;
    authenticator.execFn = (
      command: string,
      args: readonly string[] | undefined,
      options: SpawnOptions,
    ): ChildProcess => {
      const child = spawnInGroup(command, args ?? [], options);
      const clock = setTimeout(() => endGroup(child), timeout);
      child.once("close", () => clearTimeout(clock));
      return child;
    };
  }
}

/** The library refuses http:// (as `kubectl proxy` serves it) unless certificates are skipped; there are none. */
function allowPlainHttp(config: KubeConfig, cluster: Cluster): void {
  if (!cluster.server.startsWith("http:")) return;
  config.clusters = config.clusters.map((one) => (one.name === cluster.name ? { ...one, skipTLSVerify: true } : one));
}
