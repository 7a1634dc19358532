/** A client of Argo CD on a test cluster, with repositories on disk. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { RESOURCES_FINALIZER } from "../../src/base/hosts/argocd.ts";
import type { Api } from "./api.ts";
import { NAMESPACE } from "./argocd-parts.ts";
import type { Engine, Files, PushOptions, Reconciled } from "./engine-types.ts";
import { fieldAt, listAt, textAt } from "./fields.ts";
import { eventually } from "./observe.ts";
import { commitFiles, headOf, repositoryOf } from "./repository.ts";

const WAIT_SECONDS = 120;
const AGAIN_MILLISECONDS = 10_000;
const REFRESH = "argocd.argoproj.io/refresh";
const HYDRATE = "argocd.argoproj.io/hydrate";
/** The branch with what the hydrator has rendered. */
const HYDRATED = "hydrated";

export interface ArgoCDOptions {
  readonly folder: string;
  readonly server: string;
  readonly syncOptions: readonly string[];
  /** The plugin that renders the repositories; without one, Argo CD does. */
  readonly plugin?: string;
  /** More fields of `spec.source`. */
  readonly source?: object;
  /** More fields of `syncPolicy.automated`; null: nothing is synced by itself. */
  readonly automated?: object | null;
  /** `spec.ignoreDifferences` of the Applications. */
  readonly ignoreDifferences?: readonly object[];
  /** How often a failed sync is repeated; without, a refused object is an answer at once. */
  readonly retries?: number;
  /** The folder that is applied. */
  readonly path?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** `spec.sourceHydrator` takes the place of the source: rendered manifests are written to a branch, and applied from it. */
  readonly isHydrated?: boolean;
}

export interface ArgoCDEngine extends Engine {
  readonly application: (name: string) => Promise<unknown>;
  /** What `argocd app get --hard-refresh` does. */
  readonly refreshHard: (name: string, untilSynced?: boolean) => Promise<Reconciled>;
  /** What `argocd app sync` does with these options. */
  readonly sync: (name: string, sync: object) => Promise<Reconciled>;
}

const APPLICATIONS = `/apis/argoproj.io/v1alpha1/namespaces/${NAMESPACE}/applications`;

/** A client of the started parts: an Application for each repository, with automated sync, pruning and self-heal. */
export function argoCDOf(
  api: Api,
  {
    folder,
    server,
    syncOptions,
    plugin,
    source = {},
    automated = {},
    ignoreDifferences = [],
    retries = 0,
    path = ".",
    annotations = {},
    isHydrated = false,
  }: ArgoCDOptions,
): ArgoCDEngine {
  const prunes = new Map<string, boolean>();
  let syncs = 0;

  const annotate = (name: string, key: string, value: string | null): Promise<unknown> =>
    api.patch(`${APPLICATIONS}/${name}`, { metadata: { annotations: { [key]: value } } });

  const refresh = (name: string, refreshed: string | null = "normal"): Promise<unknown> =>
    annotate(name, REFRESH, refreshed);

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
        // A commit that changes no object is not synced.
        if (phase === "Succeeded" && textAt(object, "status", "sync", "status") === "Synced")
          return { isReady: true, message };
      }
      if (Date.now() > deadline) throw new Error(`${name} was not reconciled: ${JSON.stringify(object)}`);
      await sleep(100);
    }
  };

  /** Has the hydrator render a commit, and returns the commit that it makes of it. */
  const hydrated = async (name: string, revision: string): Promise<string> => {
    const operation = async (): Promise<unknown> =>
      fieldAt(await application(name), "status", "sourceHydrator", "currentOperation");
    const earlier = textAt(await operation(), "startedAt");
    let made = "";
    await eventually(`${name} to be hydrated`, async () => {
      const current = await operation();
      // The controller removes the annotation when it writes the status, also one that came after the operation began.
      if (textAt(current, "startedAt") === earlier) await annotate(name, HYDRATE, "normal");
      made = textAt(current, "hydratedSHA");
      const isDone = textAt(current, "phase") === "Hydrated" && textAt(current, "drySHA") === revision;
      return isDone && textAt(current, "startedAt") !== earlier ? "" : JSON.stringify(current ?? "not yet");
    });
    return made;
  };

  const sourceOf = (name: string): object => {
    const from = { repoURL: `file://${repository(name)}`, path, targetRevision: "main" };
    if (isHydrated) return { sourceHydrator: { drySource: from, syncSource: { targetBranch: HYDRATED, path } } };
    return { source: { ...from, ...(plugin === undefined ? {} : { plugin: { name: plugin } }), ...source } };
  };

  const repository = (name: string): string => repositoryOf(folder, name);
  const head = (name: string): string => headOf(repository(name));

  const commit = async (name: string, files: Files, { prune = true }: PushOptions = {}): Promise<string> => {
    const revision = commitFiles(repository(name), files);
    if (prunes.has(name)) await refresh(name);
    else
      await api.post(APPLICATIONS, {
        apiVersion: "argoproj.io/v1alpha1",
        kind: "Application",
        metadata: { name, annotations },
        spec: {
          project: "default",
          ...sourceOf(name),
          destination: { server, namespace: name },
          ignoreDifferences,
          syncPolicy: {
            automated: automated === null ? undefined : { prune, selfHeal: true, ...automated },
            retry: { limit: retries, backoff: { duration: "1s" } },
            syncOptions,
          },
        },
      });
    if (!prunes.has(name)) prunes.set(name, prune);
    return revision;
  };

  return {
    commit,
    push: async (name, files, options = {}) => {
      const revision = await commit(name, files, options);
      return reconciled(name, isHydrated ? await hydrated(name, revision) : revision, options.untilSynced);
    },
    reconcile: async (name) => {
      await refresh(name);
      return reconciled(name, isHydrated ? await hydrated(name, head(name)) : head(name));
    },
    application,
    remove: async (name) => {
      await api.patch(`${APPLICATIONS}/${name}`, { metadata: { finalizers: [RESOURCES_FINALIZER] } });
      await api.delete(`${APPLICATIONS}/${name}`);
      let next = Date.now() + AGAIN_MILLISECONDS;
      await eventually(`${name} to be gone`, async () => {
        const names = listAt(await api.get(APPLICATIONS), "items").map((one) => textAt(one, "metadata", "name"));
        if (!names.includes(name)) return "";
        // The controller may miss that it is deleted, as above; any change of the object shows it again.
        if (Date.now() > next) {
          await annotate(name, REFRESH, `again-${(next = Date.now() + AGAIN_MILLISECONDS)}`);
        }
        return "it is there";
      });
    },
    refreshHard: async (name, untilSynced) => {
      await refresh(name, "hard");
      return reconciled(name, head(name), untilSynced);
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
