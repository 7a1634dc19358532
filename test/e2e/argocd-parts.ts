/** Argo CD's parts on a test cluster: repo-server, application controller, our plugin and the hydrator, with Redis in memory. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { parse } from "yaml";
import { inRoot } from "../support/paths.ts";
import type { Api } from "./api.ts";
import { freePorts, type Parts } from "./parts.ts";

/** The namespace of Argo CD. */
export const NAMESPACE = "argocd";

const HOST = "127.0.0.1";

export interface ArgoCD {
  /** The folder of its programs and kinds; Redis, and kustomize. */
  readonly built: string;
  readonly redis: string;
  readonly kustomize: string;
  /** Where all of the cluster is. */
  readonly folder: string;
  readonly server: string;
  readonly token: string;
  /** Whether the source hydrator runs too, and the controller of ApplicationSets. */
  readonly hydrator: boolean;
  readonly applicationSets: boolean;
}

/** The key of the plugin, which a test may write again at any time. */
export const pluginKey = (folder: string): string => join(folder, "plugin-key");

/** What the commit server makes outside of the folder of its cluster (util/askpass, commitserver/commit). */
export const COMMIT_SERVER_FILES: readonly string[] = ["/tmp/commit-server-ask-pass.sock", "/tmp/_commit-service"];

/** A file with the address of Argo CD's Redis. */
const redisAddress = (folder: string): string => join(folder, "redis-port");

/** Starts the parts; `stop` of the parts ends them. */
export async function startArgoCD(
  parts: Parts,
  api: Api,
  { built, redis, kustomize, folder, server, token, hydrator, applicationSets }: ArgoCD,
): Promise<void> {
  const kinds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const crds = join(built, "crds");
  for (const name of readdirSync(crds)) await api.post(kinds, parse(readFileSync(join(crds, name), "utf8")));
  await parts.until("Argo CD's kinds", async () => {
    await Promise.all(
      ["applications", "applicationsets", "appprojects"].map((kind) => api.get(`/apis/argoproj.io/v1alpha1/${kind}`)),
    );
    return true;
  });
  await api.post("/api/v1/namespaces", { metadata: { name: NAMESPACE } });
  const core = `/api/v1/namespaces/${NAMESPACE}`;
  const labels = { "app.kubernetes.io/part-of": "argocd" };
  await api.post(`${core}/configmaps`, {
    metadata: { name: "argocd-cm", labels },
    data: { "kustomize.buildOptions": "--enable-alpha-plugins --enable-helm" },
  });
  await api.post(`${core}/secrets`, {
    metadata: { name: "argocd-secret", labels },
    stringData: { "server.secretkey": token },
  });
  // There is no address inside the cluster.
  await api.post(`${core}/secrets`, {
    metadata: { name: "e2e", labels: { "argocd.argoproj.io/secret-type": "cluster" } },
    stringData: {
      name: "e2e",
      server,
      config: JSON.stringify({ bearerToken: token, tlsClientConfig: { insecure: true } }),
    },
  });
  await api.post(`/apis/argoproj.io/v1alpha1/namespaces/${NAMESPACE}/appprojects`, {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name: "default" },
    spec: {
      sourceRepos: ["*"],
      destinations: [{ server: "*", namespace: "*" }],
      clusterResourceWhitelist: [{ group: "*", kind: "*" }],
    },
  });
  const [redisPort = 0, repoPort = 0, repoMetrics = 0, metrics = 0, commitPort = 0, commitMetrics = 0, ...setPorts] =
    await freePorts(HOST, 9);
  writeFileSync(redisAddress(folder), String(redisPort));
  const store = `--redis=${HOST}:${redisPort}`;
  parts.start(redis.slice(dirname(redis).length + 1), [`${HOST}:${redisPort}`], dirname(redis));
  // The program finds out by its name which part it is.
  const programs = join(folder, "argocd");
  for (const each of [programs, join(folder, "plugins"), join(folder, "temporary")]) mkdirSync(each);
  for (const part of [
    "argocd-repo-server",
    "argocd-application-controller",
    "argocd-cmp-server",
    "argocd-commit-server",
    "argocd-applicationset-controller",
  ])
    symlinkSync(join(built, "cmd"), join(programs, part));
  const bin = join(folder, "argocd-bin");
  mkdirSync(bin);
  symlinkSync(inRoot("dist/rollstamp.cjs"), join(bin, "rollstamp"));
  symlinkSync(kustomize, join(bin, "kustomize"));
  const env = {
    PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
    ARGOCD_GPG_ENABLED: "false",
    ARGOCD_PLUGINSOCKFILEPATH: join(folder, "plugins"),
    TMPDIR: join(folder, "temporary"),
    GIT_CONFIG_NOSYSTEM: "1",
    KUSTOMIZE_PLUGIN_HOME: inRoot("functions/kustomize-plugin"),
  };
  parts.start(
    "argocd-repo-server",
    [
      "--disable-tls",
      `--address=${HOST}`,
      `--port=${repoPort}`,
      `--metrics-address=${HOST}`,
      `--metrics-port=${repoMetrics}`,
      store,
      "--loglevel=warn",
    ],
    programs,
    env,
  );
  parts.start(
    "argocd-application-controller",
    [
      `--kubeconfig=${join(folder, "admin.kubeconfig")}`,
      `--namespace=${NAMESPACE}`,
      `--repo-server=${HOST}:${repoPort}`,
      "--repo-server-plaintext",
      `--metrics-port=${metrics}`,
      "--app-resync=3600",
      "--self-heal-timeout-seconds=1",
      ...(hydrator ? ["--hydrator-enabled", `--commit-server=${HOST}:${commitPort}`] : []),
      store,
      "--loglevel=warn",
    ],
    programs,
    env,
  );
  if (hydrator)
    parts.start(
      "argocd-commit-server",
      [
        `--address=${HOST}`,
        `--port=${commitPort}`,
        `--metrics-address=${HOST}`,
        `--metrics-port=${commitMetrics}`,
        "--loglevel=warn",
      ],
      programs,
      env,
    );
  if (applicationSets)
    parts.start(
      "argocd-applicationset-controller",
      [
        `--kubeconfig=${join(folder, "admin.kubeconfig")}`,
        `--namespace=${NAMESPACE}`,
        `--argocd-repo-server=${HOST}:${repoPort}`,
        "--repo-server-plaintext",
        ...["metrics", "probe", "webhook"].map((what, index) => `--${what}-addr=${HOST}:${setPorts[index] ?? 0}`),
        "--loglevel=warn",
      ],
      programs,
      env,
    );
  startPlugin(parts, folder, env.PATH);
}

/** Starts our plugin beside the repo-server, as functions/argocd-cmp has it in a sidecar. */
function startPlugin(parts: Parts, folder: string, path: string): void {
  parts.start("argocd-cmp-server", ["--config-dir-path", inRoot("functions/argocd-cmp")], join(folder, "argocd"), {
    PATH: path,
    ARGOCD_PLUGINSOCKFILEPATH: join(folder, "plugins"),
    ARGOCD_CMP_WORKDIR: join(folder, "temporary"),
    TMPDIR: join(folder, "temporary"),
    ROLLSTAMP_HMAC_KEY_FILE: pluginKey(folder),
  });
}

/** Removes the renderings of an Application from Argo CD's Redis, as their expiry does. */
export async function expireRenderings(folder: string, application: string): Promise<void> {
  const port = Number(readFileSync(redisAddress(folder), "utf8"));
  const command = (words: readonly string[]): string =>
    [`*${words.length}`, ...words.flatMap((word) => [`$${Buffer.byteLength(word)}`, word]), ""].join("\r\n");
  const ask = (...words: readonly string[]): Promise<string> =>
    new Promise((done, fail) => {
      let answer = "";
      const socket = connect(port, HOST, () => socket.write(command(words) + command(["QUIT"])));
      socket.on("data", (data) => (answer += data.toString("utf8")));
      socket.once("close", () => done(answer)).once("error", fail);
    });
  const keys = (await ask("KEYS", "mfst|*")).split("\r\n").filter((key) => key.includes(`|${application}|`));
  assert.ok(keys.length > 0, `Redis has renderings of ${application}`);
  assert.match(await ask("DEL", ...keys), /^:[1-9]/u);
}
