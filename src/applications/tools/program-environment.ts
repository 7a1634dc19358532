import { delimiter, isAbsolute } from "node:path";

/** What describes an application; the values of its parameters are none of a program's business. */
const OF_THE_APPLICATION = [
  "ARGOCD_APP_NAME",
  "ARGOCD_APP_NAMESPACE",
  "ARGOCD_APP_PROJECT_NAME",
  "ARGOCD_APP_REVISION",
  "ARGOCD_APP_REVISION_SHORT",
  "ARGOCD_APP_REVISION_SHORT_8",
  "ARGOCD_APP_SOURCE_PATH",
  "ARGOCD_APP_SOURCE_TARGET_REVISION",
  "KUBE_VERSION",
  "KUBE_API_VERSIONS",
] as const;

/** What a program needs to be found and started. */
const OF_THE_SYSTEM = ["PATH", "PATHEXT", "SystemRoot", "COMSPEC"] as const;

/** What a fetch of the owner's remote bases may need: proxies and certificates. */
const OF_A_FETCH = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSH_COMMAND",
  "GIT_CONFIG_GLOBAL",
  "SSH_AUTH_SOCK",
] as const;

// A port at which nobody listens, and a protocol that git has not: the second door behind one that is shut.
const NOWHERE = "http://127.0.0.1:9";
const OFFLINE: Readonly<Record<string, string>> = {
  HTTP_PROXY: NOWHERE,
  HTTPS_PROXY: NOWHERE,
  ALL_PROXY: NOWHERE,
  GIT_ALLOW_PROTOCOL: "none",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
};

// No local repository, and no transport that is a program: a ref can be an option of git, and is then run there.
const ONLINE: Readonly<Record<string, string>> = { GIT_ALLOW_PROTOCOL: "http:https:ssh", GIT_TERMINAL_PROMPT: "0" };

/** The folders of its user, and those for what it keeps. */
const FOLDERS = [
  "HOME",
  "USERPROFILE",
  "TMPDIR",
  "TEMP",
  "TMP",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "HELM_CACHE_HOME",
  "HELM_CONFIG_HOME",
  "HELM_DATA_HOME",
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The whole environment of kustomize and helm. What is not named here they don't have: not the key of our
 * digests nor its file's name, not the sidecar's own variables, not the Application's. kustomize's generators
 * can read variables, and so can a template of a release's name. `home` is an empty folder of their own.
 */
export function programEnvironment(
  environment: Environment,
  home: string,
  {
    fetches,
    also = [],
    before,
  }: {
    readonly fetches: boolean;
    readonly also?: readonly string[];
    /** A folder whose programs come before those of PATH. */
    readonly before?: string | undefined;
  },
): Record<string, string> {
  const names = [...OF_THE_SYSTEM, ...OF_THE_APPLICATION, ...(fetches ? OF_A_FETCH : []), ...also];
  const kept = names.flatMap((name) => {
    const value = name === "PATH" ? absolutePath(environment[name], before) : environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  // Not by spreads: V8 makes hidden classes of its own for each such object (docs/benchmarks.md), here 6 KB.
  return Object.fromEntries([
    ...kept,
    ...Object.entries(fetches ? ONLINE : OFFLINE),
    ...FOLDERS.map((name) => [name, home] as const),
  ]);
}

/**
 * Where programs are looked for: not where they run, which is a repository's. An empty list would be that folder, too;
 * without one the system looks into its own.
 */
function absolutePath(path = "", before = ""): string | undefined {
  return [before, ...path.split(delimiter)].filter(isAbsolute).join(delimiter) || undefined;
}
