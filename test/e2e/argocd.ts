/** Argo CD's repo-server and application controller on a test cluster, with Redis in memory and repositories on disk. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { RESOURCES_FINALIZER } from "../../src/base/hosts/argocd.ts";
import { inRoot } from "../support/paths.ts";
import type { Api } from "./api.ts";
import type { Engine, Reconciled } from "./engine-types.ts";
import { fieldAt, textAt } from "./fields.ts";
import { freePorts, type Parts } from "./parts.ts";
import { commitFiles, headOf, repositoryOf } from "./repository.ts";

const NAMESPACE = "argocd";
const HOST = "127.0.0.1";
const WAIT_SECONDS = 120;
const AGAIN_MILLISECONDS = 10_000;
const REFRESH = "argocd.argoproj.io/refresh";

export interface ArgoCD {
  /** The folders of its programs and kinds, and of Redis. */
  readonly built: string;
  readonly redis: string;
  /** Where all of the cluster is. */
  readonly folder: string;
  readonly server: string;
  readonly token: string;
}

/** Starts the parts; `stop` of the parts ends them. */
export async function startArgoCD(
  parts: Parts,
  api: Api,
  { built, redis, folder, server, token }: ArgoCD,
): Promise<void> {
  const kinds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const crds = join(built, "crds");
  for (const name of readdirSync(crds)) await api.post(kinds, parse(readFileSync(join(crds, name), "utf8")));
  await parts.until("Argo CD's kinds", async () => {
    await Promise.all(["applications", "appprojects"].map((kind) => api.get(`/apis/argoproj.io/v1alpha1/${kind}`)));
    return true;
  });
  await api.post("/api/v1/namespaces", { metadata: { name: NAMESPACE } });
  const core = `/api/v1/namespaces/${NAMESPACE}`;
  const labels = { "app.kubernetes.io/part-of": "argocd" };
  await api.post(`${core}/configmaps`, { metadata: { name: "argocd-cm", labels } });
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
  const [redisPort = 0, repoPort = 0, repoMetrics = 0, metrics = 0] = await freePorts(HOST, 4);
  const store = `--redis=${HOST}:${redisPort}`;
  parts.start(redis.slice(dirname(redis).length + 1), [`${HOST}:${redisPort}`], dirname(redis));
  // The program finds out by its name which part it is.
  const programs = join(folder, "argocd");
  for (const each of [programs, join(folder, "plugins"), join(folder, "temporary")]) mkdirSync(each);
  for (const part of ["argocd-repo-server", "argocd-application-controller", "argocd-cmp-server"])
    symlinkSync(join(built, "cmd"), join(programs, part));
  const env = {
    ARGOCD_GPG_ENABLED: "false",
    ARGOCD_PLUGINSOCKFILEPATH: join(folder, "plugins"),
    TMPDIR: join(folder, "temporary"),
    GIT_CONFIG_NOSYSTEM: "1",
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
      store,
      "--loglevel=warn",
    ],
    programs,
    env,
  );
  startPlugin(parts, folder);
}

/** Starts our plugin beside the repo-server, as functions/argocd-cmp has it in a sidecar. */
function startPlugin(parts: Parts, folder: string): void {
  const bin = join(folder, "plugin-bin");
  mkdirSync(bin);
  symlinkSync(inRoot("dist/rollstamp.cjs"), join(bin, "rollstamp"));
  parts.start("argocd-cmp-server", ["--config-dir-path", inRoot("functions/argocd-cmp")], join(folder, "argocd"), {
    PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
    ARGOCD_PLUGINSOCKFILEPATH: join(folder, "plugins"),
    ARGOCD_CMP_WORKDIR: join(folder, "temporary"),
    TMPDIR: join(folder, "temporary"),
  });
}

export interface ArgoCDOptions {
  readonly folder: string;
  readonly server: string;
  readonly syncOptions: readonly string[];
  /** The plugin that renders the repositories; without one, Argo CD does. */
  readonly plugin?: string;
  /** `spec.ignoreDifferences` of the Applications. */
  readonly ignoreDifferences?: readonly object[];
  /** How often a failed sync is repeated; without, a refused object is an answer at once. */
  readonly retries?: number;
}

export interface ArgoCDEngine extends Engine {
  readonly application: (name: string) => Promise<unknown>;
  /** What `argocd app get --hard-refresh` does. */
  readonly refreshHard: (name: string) => Promise<Reconciled>;
  /** What `argocd app sync` does with these options. */
  readonly sync: (name: string, sync: object) => Promise<Reconciled>;
}

const APPLICATIONS = `/apis/argoproj.io/v1alpha1/namespaces/${NAMESPACE}/applications`;

/** A client of the started parts: an Application for each repository, with automated sync, pruning and self-heal. */
export function argoCDOf(
  api: Api,
  { folder, server, syncOptions, plugin, ignoreDifferences = [], retries = 0 }: ArgoCDOptions,
): ArgoCDEngine {
  const prunes = new Map<string, boolean>();
  let syncs = 0;

  const refresh = (name: string, refreshed: string | null = "normal"): Promise<unknown> =>
    api.patch(`${APPLICATIONS}/${name}`, { metadata: { annotations: { [REFRESH]: refreshed } } });

  const application = (name: string): Promise<unknown> => api.get(`${APPLICATIONS}/${name}`);

  /** Waits until the controller has compared it again, and applied what it wants to apply. */
  const reconciled = async (name: string, revision: string, untilSynced = true): Promise<Reconciled> => {
    const isPruned = prunes.get(name) ?? true;
    const deadline = Date.now() + WAIT_SECONDS * 1000;
    let next = Date.now() + AGAIN_MILLISECONDS;
    for (;;) {
      const object = await application(name);
      const asked = textAt(object, "metadata", "annotations", REFRESH);
      // The controller puts its own copy of what it has written into its cache, and may miss what was asked meanwhile.
      if (asked !== "" && Date.now() > next) {
        await refresh(name, null);
        await refresh(name, asked);
        next = Date.now() + AGAIN_MILLISECONDS;
      }
      const phase = textAt(object, "status", "operationState", "phase");
      const done = textAt(object, "status", "operationState", "syncResult", "revision");
      const isIdle = asked === "" && fieldAt(object, "operation") === undefined && phase !== "Running";
      const compared = textAt(object, "status", "sync", "revision");
      const message = textAt(object, "status", "operationState", "message");
      if (isIdle && compared === revision) {
        // Nothing is synced if there is only something to prune, and it may not.
        if (!isPruned && phase === "Succeeded") return { isReady: true, message };
        if (done === revision && (phase === "Failed" || phase === "Error")) return { isReady: false, message };
        if (done === revision && phase === "Succeeded" && !untilSynced) return { isReady: true, message };
        if (done === revision && textAt(object, "status", "sync", "status") === "Synced")
          return { isReady: true, message };
      }
      if (Date.now() > deadline) throw new Error(`${name} was not reconciled: ${JSON.stringify(object)}`);
      await sleep(100);
    }
  };

  const repository = (name: string): string => repositoryOf(folder, name);
  const head = (name: string): string => headOf(repository(name));

  return {
    push: async (name, files, { prune = true, untilSynced } = {}) => {
      const revision = commitFiles(repository(name), files);
      if (prunes.has(name)) await refresh(name);
      else
        await api.post(APPLICATIONS, {
          apiVersion: "argoproj.io/v1alpha1",
          kind: "Application",
          metadata: { name },
          spec: {
            project: "default",
            source: {
              repoURL: `file://${repository(name)}`,
              path: ".",
              targetRevision: "main",
              ...(plugin === undefined ? {} : { plugin: { name: plugin } }),
            },
            destination: { server, namespace: name },
            ignoreDifferences,
            syncPolicy: {
              automated: { prune, selfHeal: true },
              retry: { limit: retries, backoff: { duration: "1s" } },
              syncOptions,
            },
          },
        });
      if (!prunes.has(name)) prunes.set(name, prune);
      return reconciled(name, revision, untilSynced);
    },
    reconcile: async (name) => {
      await refresh(name);
      return reconciled(name, head(name));
    },
    application,
    remove: async (name) => {
      await api.patch(`${APPLICATIONS}/${name}`, { metadata: { finalizers: [RESOURCES_FINALIZER] } });
      await api.delete(`${APPLICATIONS}/${name}`);
    },
    refreshHard: async (name) => {
      await refresh(name, "hard");
      return reconciled(name, head(name));
    },
    sync: async (name, sync) => {
      const username = `e2e-${(syncs += 1)}`;
      await api.patch(`${APPLICATIONS}/${name}`, {
        operation: { initiatedBy: { username }, sync: { revision: head(name), prune: true, ...sync } },
      });
      const done = await reconciled(name, head(name));
      const operation = fieldAt(await application(name), "status", "operationState", "operation");
      assert.equal(textAt(operation, "initiatedBy", "username"), username);
      return done;
    },
  };
}
