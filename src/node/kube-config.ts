import type { ChildProcess, SpawnOptions } from "node:child_process";
import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent, type RequestOptions } from "node:https";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import { endGroup, QUICK_MS, spawnInGroup, withoutKey } from "./processes.ts";
import { runGit } from "./git-options.ts";
import { repositoryOf } from "./repository-files.ts";
import type { Cluster, User } from "@kubernetes/client-node/dist/config_types.js";

// This module is a separate bundle (docs/why/decisions.md) that src/node/cluster.ts loads. It throws
// plain Errors; cluster.ts words them.

export interface KubeConfigOptions {
  /** The file of --kubeconfig. */
  readonly file: string | undefined;
  readonly context: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** When a program that gets credentials is killed. */
  readonly timeoutMs: number;
}

/** A cluster in a kubeconfig or in a pod's service account. */
export type FoundConfig =
  | { readonly is: "none" }
  | { readonly is: "noContext"; readonly context: string; readonly known: readonly string[] }
  | {
      readonly is: "found";
      readonly context: string;
      readonly server: string;
      readonly namespace: string | undefined;
      /** The options of a request: certificates, headers with credentials, proxy. Call it for each request: tokens expire. */
      readonly requestOptions: () => Promise<RequestOptions>;
    };

/** The name of the Error for a kubeconfig in a commit that names a program. */
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
      // The library's agent opens a connection for each request and keeps the first certificates. Ours uses those of the
      // request; a proxy stays with the library.
      return cluster.proxyUrl === undefined ? { ...options, agent: lasting } : options;
    },
  };
}

/** A kubeconfig, and the file that defines each user. */
interface Loaded {
  readonly config: KubeConfig;
  readonly fileOf: (user: string) => string | undefined;
}

function read(file: string | undefined, variable: string | undefined): Loaded | undefined {
  const files = file === undefined ? (variable ?? "").split(delimiter).filter((name) => name !== "") : [file];
  if (files.length === 0) {
    const config = new KubeConfig();
    config.loadFromDefault();
    // The fallback of the library: nobody has configured it.
    if (
      config.getCurrentCluster()?.server === "http://localhost:8080" &&
      config.getCurrentContext() === "loaded-context"
    )
      return undefined;
    return { config, fileOf: () => join(homedir(), ".kube", "config") };
  }
  // kubectl skips missing files of KUBECONFIG, but not a missing --kubeconfig.
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

/** Whether a program gets the credentials of a user. */
function startsProgram({ exec, authProvider }: User): boolean {
  const settings: unknown = authProvider?.config;
  const hasCommand =
    typeof settings === "object" && settings !== null && ("exec" in settings || "cmd-path" in settings);
  return Boolean(exec) || authProvider?.name === "exec" || hasCommand;
}

/**
 * Whether git tracks a file, by its path or by the target of a link. A file that a CI job or a person only put into the worktree
 * is not tracked. If git fails, the file counts as tracked.
 */
async function isTracked(file: string, environment: Environment): Promise<boolean> {
  const path = resolve(file);
  for (const candidate of new Set([path, realpathSync(path)])) {
    const repository = repositoryOf(dirname(candidate));
    if (repository === undefined) continue;
    const args = ["ls-files", "--error-unmatch", "--", candidate];
    const kept = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("GIT_")));
    const run = await runGit(args, { cwd: repository, environment: kept, most: 1 << 20, timeoutMs: QUICK_MS });
    if (run.is !== "failed" || run.how !== "status 1") return true;
  }
  return false;
}

/**
 * Makes the library start its credential programs through us. A program may wait for a person who is not there, and the library
 * would wait with it, even for a program that does not exist. None of them gets the key of our digests.
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
      const env = { ...withoutKey(options.env ?? given.environment) };
      const child = spawnInGroup(programOf(command, given), args ?? [], { ...options, env });
      const clock = setTimeout(() => endGroup(child), given.timeoutMs);
      child.once("close", () => clearTimeout(clock));
      // A program that can't be started emits no 'close'.
      child.once("error", () => setImmediate(() => child.emit("close", null)));
      return child;
    };
  }
}

/** Finds a program as kubectl does: a path starts at the kubeconfig's folder; a name is searched in absolute folders. */
function programOf(
  command: string,
  { environment, userFile }: { readonly environment: Environment; readonly userFile: string | undefined },
): string {
  if (isAbsolute(command) || process.platform === "win32") return command;
  if (command.includes("/")) return resolve(dirname(userFile ?? "."), command);
  const folders = (environment["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  // Not found: a name without a slash would also be searched in the current folder.
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

/** The library refuses http:// (`kubectl proxy`) unless certificates are skipped; plain HTTP has none. */
function allowPlainHttp(config: KubeConfig, cluster: Cluster): void {
  if (!cluster.server.startsWith("http:")) return;
  config.clusters = config.clusters.map((one) => (one.name === cluster.name ? { ...one, skipTLSVerify: true } : one));
}
