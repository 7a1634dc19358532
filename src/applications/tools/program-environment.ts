import { delimiter, isAbsolute } from "node:path";

/** The variables that describe an application, without its parameters. */
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

/** The variables that are needed to find and start a program. */
const OF_THE_SYSTEM = ["PATH", "PATHEXT", "SystemRoot", "COMSPEC"] as const;

/** The variables that fetching remote bases may need: proxies and certificates. */
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

// A port without a listener and no protocols for git: a second barrier against network access.
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

// No local repositories and no transports that are programs: a ref could be an option of git that runs a program.
const ONLINE: Readonly<Record<string, string>> = { GIT_ALLOW_PROTOCOL: "http:https:ssh", GIT_TERMINAL_PROMPT: "0" };

/** The home folder, and the folders for caches and configuration. */
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
 * The whole environment of kustomize and helm. It does not contain the key of digests, and other variables of the sidecar or the
 * Application, because generators of kustomize and templates of release names can read variables. `home` is an empty folder.
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
    /** A folder that comes first on PATH. */
    readonly before?: string | undefined;
  },
): Record<string, string> {
  const names = [...OF_THE_SYSTEM, ...OF_THE_APPLICATION, ...(fetches ? OF_A_FETCH : []), ...also];
  const kept = names.flatMap((name) => {
    const value = name === "PATH" ? absolutePath(environment[name], before) : environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  // Without spreads: V8 would create hidden classes of 6 KB for each such object (docs/why/benchmarks.md).
  return Object.fromEntries([
    ...kept,
    ...Object.entries(fetches ? ONLINE : OFFLINE),
    ...FOLDERS.map((name) => [name, home] as const),
  ]);
}

/**
 * The folders where programs are searched, without the current folder, which belongs to a repository. An empty list would mean
 * the current folder; without a list, the system uses its default.
 */
export function absolutePath(path = "", before = ""): string | undefined {
  return [before, ...path.split(delimiter)].filter(isAbsolute).join(delimiter) || undefined;
}
