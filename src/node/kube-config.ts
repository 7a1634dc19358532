import { existsSync, realpathSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent, type RequestOptions } from "node:https";
import { dirname, resolve } from "node:path";
import { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import type { Cluster, User } from "@kubernetes/client-node/dist/config_types.js";
import type { Environment } from "../platform/ports/environment.ts";
import { credentialProgram, type Credential } from "./credential-program.ts";
import { runGit } from "./git-options.ts";
import { contentOf, fieldsOf, pathOf, readKubeconfigs, textOf, textsOf, type Entry } from "./kube-config-files.ts";
import { QUICK_MS } from "./processes.ts";
import { environmentProxy } from "./proxy-environment.ts";
import { repositoryOf } from "./repository-files.ts";

// This module is a separate bundle (docs/why/decisions.md) that src/node/cluster.ts loads. It throws
// plain Errors; cluster.ts words them.

export interface KubeConfigOptions {
  /** The file of --kubeconfig. */
  readonly file: string | undefined;
  readonly context: string | undefined;
  readonly environment: Environment;
  /** When a program that gets credentials is killed. */
  readonly timeoutMs: number;
}

/** A cluster in a kubeconfig or in a pod's service account. */
export type FoundConfig =
  | { readonly is: "none" }
  | { readonly is: "noContext"; readonly context: string; readonly known: readonly string[] }
  /** Its user or its cluster is not what kubectl accepts. */
  | { readonly is: "refused"; readonly context: string; readonly because: string }
  | {
      readonly is: "found";
      readonly context: string;
      readonly server: string;
      readonly namespace: string | undefined;
      /** The options of a request: certificates, headers with credentials, proxy. Call it for each request: tokens expire. */
      readonly requestOptions: () => Promise<RequestOptions>;
    };

/** The name of the Error for a kubeconfig in a commit that names a program or a token's file. */
export const OF_A_REPOSITORY = "OfARepository";

/** Finds the cluster as kubectl does: --kubeconfig, KUBECONFIG, ~/.kube/config, a pod's service account. */
export function findKubeConfig(options: KubeConfigOptions): FoundConfig {
  const { file, context, environment } = options;
  const configs = readKubeconfigs(file, environment["KUBECONFIG"]);
  if (configs === undefined)
    return (environment["KUBECONFIG"] ?? "") === "" ? serviceAccountConfig(options) : { is: "none" };
  const known = [...configs.contexts.keys()];
  const wanted = context ?? configs.current;
  const found = configs.contexts.get(wanted);
  if (found === undefined) return known.length === 0 ? { is: "none" } : { is: "noContext", context: wanted, known };
  const cluster = configs.clusters.get(textOf(found.fields, "cluster"));
  if (cluster === undefined) return { is: "none" };
  const user = configs.users.get(textOf(found.fields, "user")) ?? { fields: {}, file: cluster.file };
  const because = refusal(user, cluster);
  if (because !== undefined) return { is: "refused", context: wanted, because };
  return connected(
    { context: wanted, namespace: textOf(found.fields, "namespace") || undefined, cluster: clusterOf(cluster), user },
    options,
  );
}

const POD = "/var/run/secrets/kubernetes.io/serviceaccount";

function serviceAccountConfig(options: KubeConfigOptions): FoundConfig {
  const token = `${POD}/token`;
  if (!existsSync(token)) return { is: "none" };
  const config = new KubeConfig();
  config.loadFromCluster();
  const [cluster, [context]] = [config.getCurrentCluster(), config.getContexts()];
  if (cluster === null || context === undefined) return { is: "none" };
  const { name, namespace } = context;
  const wanted = options.context ?? name;
  if (wanted !== name) return { is: "noContext", context: wanted, known: [name] };
  const user = { fields: { tokenFile: token }, file: token };
  return connected({ context: name, namespace, cluster, user }, options);
}

interface Chosen {
  readonly context: string;
  readonly namespace: string | undefined;
  readonly cluster: Cluster;
  readonly user: Entry;
}

function connected({ context, namespace, cluster, user }: Chosen, options: KubeConfigOptions): FoundConfig {
  const proxyUrl = cluster.proxyUrl ?? environmentProxy(cluster.server, options.environment);
  if (proxyUrl !== undefined && !URL.canParse(proxyUrl))
    return { is: "refused", context, because: "the address of its proxy is not valid" };
  const isHttp = cluster.server.startsWith("http:");
  const headers = impersonation(user);
  const credentials = isHttp ? undefined : credentialsOf(user, options);
  const config = new KubeConfig();
  config.loadFromClusterAndUser(proxyUrl === undefined ? cluster : { ...cluster, proxyUrl }, { name: USER });
  const lasting = new (isHttp ? HttpAgent : HttpsAgent)({ keepAlive: true });
  return {
    is: "found",
    context,
    server: cluster.server,
    namespace,
    requestOptions: async () => {
      const found = await credentials?.();
      config.users = [{ name: USER, ...found }];
      const request: RequestOptions = { headers: { ...headers } };
      await config.applyToHTTPSOptions(request);
      if (found?.authProvider !== undefined && fieldsOf(request.headers)["Authorization"] === undefined)
        throw new Error("its id-token has expired and can't be renewed");
      // The library's agent opens a connection for each request and keeps the first certificates. Ours uses those of the
      // request; a proxy stays with the library.
      return proxyUrl === undefined ? { ...request, agent: lasting } : request;
    },
  };
}

const USER = "user";

function clusterOf(cluster: Entry): Cluster {
  const { fields } = cluster;
  const server = textOf(fields, "server");
  const optional = {
    caFile: pathOf(cluster, "certificate-authority"),
    caData: textOf(fields, "certificate-authority-data"),
    tlsServerName: textOf(fields, "tls-server-name"),
    proxyUrl: textOf(fields, "proxy-url"),
  };
  // The library refuses http:// (`kubectl proxy`) unless certificates are skipped; plain HTTP has none.
  const skipTLSVerify = fields["insecure-skip-tls-verify"] === true || server.startsWith("http:");
  return { name: "cluster", server, skipTLSVerify, ...filled(optional) };
}

/** The fields that are not empty. */
function filled<T extends Readonly<Record<string, string>>>(fields: T): Partial<T> {
  const kept: Partial<T> = { ...fields };
  for (const key in fields) if (fields[key] === "") delete kept[key];
  return kept;
}

/** Why kubectl refuses a user or a cluster (client-go's tools/clientcmd/validation.go); undefined if it accepts both. */
function refusal({ fields: user }: Entry, { fields: cluster }: Entry): string | undefined {
  const has = (...keys: readonly string[]): boolean => keys.some((key) => textOf(user, key) !== "");
  const provider = fieldsOf(user["auth-provider"]);
  const exec = fieldsOf(user["exec"]);
  const hasProvider = Object.keys(provider).length > 0;
  const hasExec = Object.keys(exec).length > 0;
  const both = (one: string, other: string): string => `both ${one} and ${other} are set`;
  const rows: readonly (readonly [boolean, string])[] = [
    [
      hasProvider && provider["name"] !== "oidc",
      `kubectl no longer has the auth-provider '${textOf(provider, "name")}': use an exec command`,
    ],
    [hasProvider && hasExec, both("auth-provider", "exec")],
    [hasExec && textOf(exec, "command") === "", "exec has no command"],
    [has("token", "tokenFile") && has("username", "password"), both("a token", "a password")],
    [
      has("client-certificate") && has("client-certificate-data"),
      both("client-certificate", "client-certificate-data"),
    ],
    [has("client-key") && has("client-key-data"), both("client-key", "client-key-data")],
    [
      has("client-certificate", "client-certificate-data") && !has("client-key", "client-key-data"),
      "client-certificate has no client-key",
    ],
    [
      textOf(cluster, "certificate-authority") !== "" && textOf(cluster, "certificate-authority-data") !== "",
      both("certificate-authority", "certificate-authority-data"),
    ],
    [
      cluster["insecure-skip-tls-verify"] === true &&
        ["certificate-authority", "certificate-authority-data"].some((key) => textOf(cluster, key) !== ""),
      both("insecure-skip-tls-verify", "a certificate-authority"),
    ],
    [
      !has("as") && Object.keys(impersonation({ fields: user, file: "" })).length > 0,
      "as-uid, as-groups and as-user-extra need as",
    ],
  ];
  return rows.find(([is]) => is)?.[1];
}

/** The headers of impersonation. */
function impersonation({ fields }: Entry): Readonly<Record<string, string | string[]>> {
  const extras = fieldsOf(fields["as-user-extra"]);
  const extra = Object.keys(extras).map(
    (key) => [`Impersonate-Extra-${encodeURIComponent(key)}`, textsOf(extras, key)] as const,
  );
  const rows: readonly (readonly [string, string | string[]])[] = [
    ["Impersonate-User", textOf(fields, "as")],
    ["Impersonate-Uid", textOf(fields, "as-uid")],
    ["Impersonate-Group", textsOf(fields, "as-groups")],
    ...extra,
  ];
  return Object.fromEntries(rows.filter(([, value]) => value.length > 0));
}

const OIDC_KEYS = [
  "client-id",
  "client-secret",
  "id-token",
  "idp-certificate-authority",
  "idp-certificate-authority-data",
  "idp-issuer-url",
  "refresh-token",
];

/** Returns what identifies a user, in kubectl's order: a token or a password; a certificate; a program or OIDC. */
function credentialsOf(user: Entry, options: KubeConfigOptions): () => Promise<Partial<User>> {
  const { fields } = user;
  const optional = {
    certFile: pathOf(user, "client-certificate"),
    certData: textOf(fields, "client-certificate-data"),
    keyFile: pathOf(user, "client-key"),
    keyData: textOf(fields, "client-key-data"),
    token: textOf(fields, "token"),
    username: textOf(fields, "username"),
  };
  const fixed = { ...filled(optional), password: textOf(fields, "password") };
  const trusted = trustedFile(user.file, options.environment);
  const file = pathOf(user, "tokenFile");
  if (file !== "") {
    return async () => {
      await trusted("a token's file, which is not read");
      return { ...fixed, token: tokenIn(file, fixed.token) };
    };
  }
  if (fixed.token !== undefined || fixed.username !== undefined) return () => Promise.resolve(fixed);
  const provider = fieldsOf(user.fields["auth-provider"]);
  if (provider["name"] !== undefined) {
    const settings = fieldsOf(provider["config"]);
    // The library takes other keys for a program or a file.
    const authProvider = {
      name: "oidc",
      config: Object.fromEntries(OIDC_KEYS.map((key) => [key, textOf(settings, key)])),
    };
    return () => Promise.resolve({ ...fixed, authProvider });
  }
  const hasCertificate = fixed.certFile !== undefined || fixed.certData !== undefined;
  if (hasCertificate || Object.keys(fieldsOf(fields["exec"])).length === 0) return () => Promise.resolve(fixed);
  const program = credentialProgram(user, options);
  return async () => {
    await trusted("a program, which is not run");
    return userFromCredential(await program());
  };
}

function userFromCredential({ token, certificate, key }: Credential): Partial<User> {
  const encoded = (pem: string): string => Buffer.from(pem).toString("base64");
  return filled({ token, certData: encoded(certificate), keyData: encoded(key) });
}

/** The token in a file, which may be replaced at any time. As in kubectl, the token of the kubeconfig is used if there is none. */
function tokenIn(file: string, other: string | undefined): string {
  try {
    const token = contentOf(file).trim();
    if (token !== "") return token;
  } catch (cause) {
    if (other === undefined) throw cause;
  }
  if (other === undefined) throw new Error("its tokenFile is empty");
  return other;
}

/** Returns a check that throws an Error if git tracks a kubeconfig, whose author then chose a program or a file. */
function trustedFile(file: string, environment: Environment): (names: string) => Promise<void> {
  let isForeign: Promise<boolean> | undefined;
  return async (names) => {
    isForeign ??= isTracked(file, environment);
    if (await isForeign) throw Object.assign(new Error(names), { name: OF_A_REPOSITORY });
  };
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
