/** Ways to restart pods, and what a GitOps engine makes of each: rows of docs/why/observed.md. */
import type { Files } from "./engine-types.ts";
import { listAt, textAt } from "./fields.ts";
import type { Cluster } from "./cluster.ts";
import { kubectl, type Ran, succeeded } from "./commands.ts";

/** What an engine did with a Deployment after its next reconcile. */
export interface Seen {
  /** How often its pods were replaced by a rollout. */
  readonly rollouts: number;
  /** Whether another object has its name now, and how few of its two pods were available meanwhile. */
  readonly isAnother?: boolean;
  readonly leastAvailable?: number;
  /** A string in the pod template, and whether it is still there. */
  readonly kept?: string;
  readonly isKept?: boolean;
}

/** A repository that an engine applies to a namespace: the Deployments `web` and `api` read the ConfigMap `settings`. */
export interface Applied {
  readonly namespace: string;
  readonly files: Files;
  readonly cluster: Cluster;
  /** Waits until nothing rolls. */
  readonly settled: () => Promise<unknown>;
  /** Commits files, and waits until the engine has applied them. */
  readonly push: (files: Files) => Promise<void>;
  /** The files after a command of rollstamp. */
  readonly changedBy: (files: Files, ...command: readonly string[]) => Promise<Files>;
}

/** What an engine makes of it. */
interface Answer {
  readonly seen: Seen;
  /** The same in the words of the table. */
  readonly says: string;
}

export interface EngineRow {
  /** What someone does, in the words of the table. */
  readonly does: string;
  /** Whether the files have stamps. */
  readonly stamped: boolean;
  readonly act: (applied: Applied) => Promise<void>;
  readonly flux: Answer;
  readonly argocd: Answer;
  /** With `Replace=true`; only rows that have it are tried with it. */
  readonly replace?: Answer;
  /** With our plugin, where that makes a difference. */
  readonly plugin?: Answer;
}

const RESTARTED_AT = "kubectl.kubernetes.io/restartedAt";
const RESTART = "rollstamp.dev/restartedAt";
const STAMP = "configmap.rollstamp.dev/settings";

const changed = (files: Files): Files => ({
  ...files,
  "settings.yaml": (files["settings.yaml"] ?? "").replace("LEVEL: one", "LEVEL: two"),
});

/** Changes what no pod reads. */
const withExtra = (files: Files): Files => ({
  ...files,
  "extra.yaml": (files["extra.yaml"] ?? "").replace("LEVEL: one", "LEVEL: two"),
});

async function patchTemplate(
  { cluster, namespace, settled }: Applied,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const patch = JSON.stringify({ spec: { template: { metadata: { annotations } } } });
  succeeded("kubectl patch", await kubectl(cluster, ["patch", "deployment/web", "-n", namespace, "--patch", patch]));
  await settled();
}

/** Reloader is not run: this is what it writes, as the manager that it is (pkg/callbacks/rolling_upgrade.go, v1.4). */
async function asReloader({ cluster, namespace, settled }: Applied, operations: readonly object[]): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web?fieldManager=Reloader`;
  await cluster.api.patch(path, operations, "json-patch+json");
  await settled();
}

const VARIABLE = {
  op: "add",
  path: "/spec/template/spec/containers/0/env",
  value: [{ name: "STAKATER_SETTINGS_CONFIGMAP", value: "0d2f" }],
};

export const ENGINE_ROWS: readonly EngineRow[] = [
  {
    does: "a commit changes the ConfigMap; nothing is stamped",
    stamped: false,
    act: ({ files, push }) => push(changed(files)),
    flux: { seen: { rollouts: 0 }, says: "applied; no rollout, the pods keep the old content" },
    argocd: { seen: { rollouts: 0 }, says: "applied; no rollout, the pods keep the old content" },
  },
  {
    does: "a commit changes the ConfigMap and, by `rollstamp stamp`, the stamps",
    stamped: true,
    act: async ({ files, push, changedBy }) => push(await changedBy(changed(files), "stamp")),
    flux: { seen: { rollouts: 1, kept: STAMP, isKept: true }, says: "applied; one rollout, and the stamp stays" },
    argocd: { seen: { rollouts: 1, kept: STAMP, isKept: true }, says: "applied; one rollout, and the stamp stays" },
  },
  {
    does: "a commit of `rollstamp restart`",
    stamped: false,
    act: async ({ files, push, changedBy }) => push(await changedBy(files, "restart", "Deployment/web")),
    flux: {
      seen: { rollouts: 1, kept: RESTART, isKept: true },
      says: "applied; one rollout, and the annotation stays",
    },
    argocd: {
      seen: { rollouts: 1, kept: RESTART, isKept: true },
      says: "applied; one rollout, and the annotation stays",
    },
  },
  {
    does: "`kubectl rollout restart`",
    stamped: false,
    act: async ({ cluster, namespace, settled }) => {
      succeeded("restart", await kubectl(cluster, ["rollout", "restart", "deployment/web", "-n", namespace]));
      await settled();
    },
    flux: {
      seen: { rollouts: 2, kept: RESTARTED_AT, isKept: false },
      says: "reverted at the next reconcile: two rollouts",
    },
    argocd: { seen: { rollouts: 1, kept: RESTARTED_AT, isKept: true }, says: "stays: one rollout" },
  },
  {
    does: "`kubectl rollout restart`, then a commit that changes an object that no pod reads",
    stamped: false,
    act: async ({ cluster, namespace, files, push, settled }) => {
      succeeded("restart", await kubectl(cluster, ["rollout", "restart", "deployment/web", "-n", namespace]));
      await settled();
      await push(withExtra(files));
    },
    flux: {
      seen: { rollouts: 2, kept: RESTARTED_AT, isKept: false },
      says: "reverted: two rollouts",
    },
    argocd: { seen: { rollouts: 1, kept: RESTARTED_AT, isKept: true }, says: "stays: one rollout" },
    replace: {
      seen: { rollouts: 2, kept: RESTARTED_AT, isKept: false },
      says: "removed by the sync of that commit: two rollouts",
    },
  },
  {
    does: "`kubectl patch` adds an annotation (`reloaded-at`) to the pod template",
    stamped: false,
    act: (applied) => patchTemplate(applied, { "example.com/reloaded-at": "2026-01-01" }),
    flux: {
      seen: { rollouts: 2, kept: "example.com/reloaded-at", isKept: false },
      says: "reverted at the next reconcile: two rollouts",
    },
    argocd: { seen: { rollouts: 1, kept: "example.com/reloaded-at", isKept: true }, says: "stays: one rollout" },
  },
  {
    does: "`kubectl patch` changes a stamp that is in Git",
    stamped: true,
    act: (applied) => patchTemplate(applied, { [STAMP]: "by-hand" }),
    flux: {
      seen: { rollouts: 2, kept: "by-hand", isKept: false },
      says: "reverted at the next reconcile: two rollouts",
    },
    argocd: {
      seen: { rollouts: 2, kept: "by-hand", isKept: false },
      says: "reverted within seconds (self-heal): two rollouts",
    },
  },
  {
    does: "`kubectl replace --force` with the file in Git",
    stamped: false,
    act: async ({ cluster, files, settled }) => {
      const replace = (): Promise<Ran> => kubectl(cluster, ["replace", "--force", "-f", "-"], files["web.yaml"]);
      let ran = await replace();
      // kubectl looks once a second whether the object is gone; self-heal can create it again before.
      for (let tries = 1; tries < 5 && ran.stderr.includes("AlreadyExists"); tries++) {
        await settled();
        ran = await replace();
      }
      succeeded("replace", ran);
      await settled();
    },
    flux: {
      seen: { rollouts: 0, isAnother: true, leastAvailable: 0 },
      says: "no strategy applies: all pods are gone at once; the new object stays",
    },
    argocd: {
      seen: { rollouts: 0, isAnother: true, leastAvailable: 0 },
      says: "no strategy applies: all pods are gone at once; the new object stays",
    },
    plugin: {
      seen: { rollouts: 1, isAnother: true, leastAvailable: 0 },
      says: "all pods are gone at once; self-heal adds the stamps to the new object: one rollout more",
    },
  },
  {
    does: "Reloader adds its environment variable (its default)",
    stamped: false,
    act: (applied) => asReloader(applied, [VARIABLE]),
    flux: { seen: { rollouts: 1, kept: "STAKATER_SETTINGS_CONFIGMAP", isKept: true }, says: "stays: one rollout" },
    argocd: { seen: { rollouts: 1, kept: "STAKATER_SETTINGS_CONFIGMAP", isKept: true }, says: "stays: one rollout" },
  },
  {
    does: "the same, then a commit that changes an object that no pod reads",
    stamped: false,
    act: async (applied) => {
      await asReloader(applied, [VARIABLE]);
      await applied.push(withExtra(applied.files));
    },
    flux: { seen: { rollouts: 1, kept: "STAKATER_SETTINGS_CONFIGMAP", isKept: true }, says: "stays: one rollout" },
    argocd: { seen: { rollouts: 1, kept: "STAKATER_SETTINGS_CONFIGMAP", isKept: true }, says: "stays: one rollout" },
    replace: {
      seen: { rollouts: 2, kept: "STAKATER_SETTINGS_CONFIGMAP", isKept: false },
      says: "removed by the sync of that commit: two rollouts",
    },
  },
  {
    does: "Reloader adds its annotation (`--reload-strategy=annotations`)",
    stamped: false,
    act: (applied) =>
      asReloader(applied, [
        {
          op: "add",
          path: "/spec/template/metadata/annotations",
          value: { "reloader.stakater.com/last-reloaded-from": "{}" },
        },
      ]),
    flux: { seen: { rollouts: 1, kept: "last-reloaded-from", isKept: true }, says: "stays: one rollout" },
    argocd: { seen: { rollouts: 1, kept: "last-reloaded-from", isKept: true }, says: "stays: one rollout" },
  },
  {
    does: "a commit changes the ConfigMap and the stamps, and Reloader adds its variable too",
    stamped: true,
    act: async (applied) => {
      await applied.push(await applied.changedBy(changed(applied.files), "stamp"));
      await applied.settled();
      await asReloader(applied, [VARIABLE]);
    },
    flux: { seen: { rollouts: 2, kept: "STAKATER_SETTINGS_CONFIGMAP", isKept: true }, says: "both stay: two rollouts" },
    argocd: {
      seen: { rollouts: 2, kept: "STAKATER_SETTINGS_CONFIGMAP", isKept: true },
      says: "both stay: two rollouts",
    },
  },
  {
    does: "somebody deletes a pod",
    stamped: false,
    act: async ({ cluster, namespace, settled }) => {
      const pods = await cluster.api.get(`/api/v1/namespaces/${namespace}/pods`);
      const [name = ""] = listAt(pods, "items").map((pod) => textAt(pod, "metadata", "name"));
      succeeded("delete", await kubectl(cluster, ["delete", "pod", name, "-n", namespace]));
      await settled();
    },
    flux: { seen: { rollouts: 0 }, says: "nothing: the ReplicaSet replaces the pod" },
    argocd: { seen: { rollouts: 0 }, says: "nothing: the ReplicaSet replaces the pod" },
  },
];

/** Only Argo CD has plugins. Its files have no stamps: the plugin makes them. */
export const PLUGIN_ROW: EngineRow = {
  does: "a commit changes the ConfigMap; our plugin stamps",
  stamped: false,
  act: ({ files, push }) => push(changed(files)),
  flux: { seen: { rollouts: 0 }, says: "runs no plugins" },
  argocd: {
    seen: { rollouts: 1, kept: STAMP, isKept: true },
    says: "applied; one rollout, and the stamp stays",
  },
};
