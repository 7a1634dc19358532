import type { ChildProcess, SpawnOptions } from "node:child_process";
import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent, type RequestOptions } from "node:https";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { HMAC_KEY_FILE_VARIABLE, HMAC_KEY_VARIABLE } from "../../base/keys.ts";
import { endGroup, runChild, spawnInGroup } from "./processes.ts";
import { GIT_OPTIONS } from "./git.ts";
import { repositoryOf } from "./repository-files.ts";
import type { Cluster, User } from "@kubernetes/client-node/dist/config_types.js";

// This module is a bundle of its own (docs/decisions/0004-cluster-client.md), which src/platform/node/cluster.ts
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

/** The name of the Error for credentials that a commit would have a program get. */
export const OF_A_REPOSITORY = "OfARepository";

/** Finds the cluster as kubectl does: --kubeconfig, KUBECONFIG, ~/.kube/config, a pod's service account. */
export function findKubeConfig({ file, context, environment, timeoutMs }: KubeConfigOptions): FoundConfig {
  const loaded = read(file, environment["KUBECONFIG"]);
  if (loaded === undefined) return { is: "none" };
  const { config, fileOf } = loaded;
  const known = config.getContexts().map(({ name }) => name);
  const wanted = context ?? config.getCurrentContext();
  const found = config.getContextObject(wanted ?? "");
  if (!found) return known.length === 0 ? { is: "none" } : { is: "noContext", context: wanted ?? "", known };
  config.setCurrentContext(found.name);
  const cluster = config.getCurrentCluster();
  if (!cluster) return { is: "none" };
  const user = config.getCurrentUser();
  const userFile = user === null ? undefined : fileOf(user.name);
  startPrograms(config, { timeoutMs, environment, userFile });
  allowPlainHttp(config, cluster);
  let isForeign: Promise<boolean> | undefined;
  const lasting = new (cluster.server.startsWith("http:") ? HttpAgent : HttpsAgent)({ keepAlive: true });
  return {
    is: "found",
    context: found.name,
    server: cluster.server,
    namespace: found.namespace,
    requestOptions: async () => {
      if (user !== null && userFile !== undefined && startsProgram(user)) {
        isForeign ??= isTracked(userFile, environment);
        if (await isForeign) throw Object.assign(new Error("refused"), { name: OF_A_REPOSITORY });
      }
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      // The library's own agent opens a connection for each request, and holds on to the first certificates
      // that it is given. Ours takes those of the request, and leaves a proxy to the library.
      return cluster.proxyUrl === undefined ? { ...options, agent: lasting } : options;
    },
  };
}

/** A kubeconfig, and the file in which it has a user. */
interface Loaded {
  readonly config: KubeConfig;
  readonly fileOf: (user: string) => string | undefined;
}

function read(file: string | undefined, variable: string | undefined): Loaded | undefined {
  const files = file === undefined ? (variable ?? "").split(delimiter).filter((name) => name !== "") : [file];
  if (files.length === 0) {
    const config = new KubeConfig();
    config.loadFromDefault();
    // What the library falls back to: nobody has configured it, so nobody means it.
    if (
      config.getCurrentCluster()?.server === "http://localhost:8080" &&
      config.getCurrentContext() === "loaded-context"
    )
      return undefined;
    return { config, fileOf: () => join(homedir(), ".kube", "config") };
  }
  // kubectl skips files of KUBECONFIG that are not there; one that is named by itself is meant.
  const [first, ...more] = file === undefined ? files.filter((name) => existsSync(name)) : files;
  if (first === undefined) return undefined;
  const config = new KubeConfig();
  config.loadFromFile(first);
  const owners = new Map(config.getUsers().map(({ name }) => [name, first]));
  for (const name of more) {
    const other = new KubeConfig();
    other.loadFromFile(name);
    for (const user of other.getUsers()) if (!owners.has(user.name)) owners.set(user.name, name);
    config.mergeConfig(other);
  }
  return { config, fileOf: (user) => owners.get(user) };
}

type Environment = KubeConfigOptions["environment"];

/** True for a user whose credentials a program gets. */
function startsProgram({ exec, authProvider }: User): boolean {
  const settings: unknown = authProvider?.config;
  const hasCommand =
    typeof settings === "object" && settings !== null && ("exec" in settings || "cmd-path" in settings);
  return Boolean(exec) || authProvider?.name === "exec" || hasCommand;
}

/**
 * True for a file that a commit has brought, by its path or by what that leads to: git knows it. One that a CI job
 * or a person has only put into the worktree is theirs. Where git can't tell, it counts as brought.
 */
async function isTracked(file: string, environment: Environment): Promise<boolean> {
  const path = resolve(file);
  for (const one of new Set([path, realpathSync(path)])) {
    const repository = repositoryOf(dirname(one));
    if (repository === undefined) continue;
    const args = [...GIT_OPTIONS, "ls-files", "--error-unmatch", "--", one];
    const kept = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("GIT_")));
    const run = await runChild("git", args, { cwd: repository, environment: kept, most: 1 << 20, timeoutMs: 10_000 });
    if (run.is !== "failed" || run.how !== "status 1") return true;
  }
  return false;
}

/**
 * Programs that get credentials are started by us. One may wait for a person who is not there: the library would wait
 * with it, and for one that isn't there at all. None gets the key of our digests.
 */
function startPrograms(
  config: KubeConfig,
  given: Pick<KubeConfigOptions, "timeoutMs" | "environment"> & { readonly userFile: string | undefined },
): void {
  const authenticators: unknown = Reflect.get(config, "authenticators") ?? Reflect.get(KubeConfig, "authenticators");
  if (!Array.isArray(authenticators)) return;
  for (const authenticator of authenticators) {
    if (typeof authenticator !== "object" || authenticator === null || !("execFn" in authenticator)) continue;
    authenticator.execFn = (
      command: string,
      args: readonly string[] | undefined,
      options: SpawnOptions,
    ): ChildProcess => {
      const { [HMAC_KEY_VARIABLE]: _, [HMAC_KEY_FILE_VARIABLE]: __, ...env } = options.env ?? given.environment;
      const child = spawnInGroup(programOf(command, given), args ?? [], { ...options, env });
      const clock = setTimeout(() => endGroup(child), given.timeoutMs);
      child.once("close", () => clearTimeout(clock));
      // What has not been started doesn't close.
      child.once("error", () => setImmediate(() => child.emit("close", null)));
      return child;
    };
  }
}

/** A program as kubectl finds it: a path is from the kubeconfig's folder, a name is looked for in absolute folders. */
function programOf(
  command: string,
  { environment, userFile }: { readonly environment: Environment; readonly userFile: string | undefined },
): string {
  if (isAbsolute(command) || process.platform === "win32") return command;
  if (command.includes("/")) return resolve(dirname(userFile ?? "."), command);
  const folders = (environment["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  // One that is nowhere is not there: without a slash the system would look into the current folder, too.
  return folders.map((folder) => join(folder, command)).find(isProgram) ?? join("/nonexistent", command);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The library refuses http:// (as `kubectl proxy` serves it) unless certificates are skipped; there are none. */
function allowPlainHttp(config: KubeConfig, cluster: Cluster): void {
  if (!cluster.server.startsWith("http:")) return;
  config.clusters = config.clusters.map((one) => (one.name === cluster.name ? { ...one, skipTLSVerify: true } : one));
}
