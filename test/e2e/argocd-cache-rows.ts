/** What Argo CD renders again with our plugin, and what it takes from its cache: rows of docs/why/observed.md. */
import type { ArgoCDEngine, ArgoCDOptions } from "./argocd.ts";
import type { Files } from "./engine-types.ts";
import { repository } from "./engine.ts";

/** An Application of the folder `shop`, which our plugin renders with the `rollstamp.yaml` above it. */
export interface Cached {
  readonly namespace: string;
  readonly files: Files;
  readonly argocd: ArgoCDEngine;
  /** Gives the plugin another key. */
  readonly rotate: () => void;
  /** Removes what Argo CD has rendered from its cache. */
  readonly expire: () => Promise<void>;
}

export interface CacheRow {
  /** What someone does, in the words of the table. */
  readonly does: string;
  /** What was observed, in the words of the table. */
  readonly says: string;
  readonly options?: Partial<ArgoCDOptions>;
  readonly act: (cached: Cached) => Promise<unknown>;
  /** How often the Deployment rolled out, and what the Application says in the end. */
  readonly rollouts: number;
  readonly status: "Synced" | "OutOfSync";
}

const PATHS = "argocd.argoproj.io/manifest-generate-paths";

const configuration = (layout: string): string =>
  `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec:\n  secrets: Keyed\n  layout: ${layout}\n`;

/** The Deployment reads a ConfigMap and a Secret. */
export function cachedRepository(namespace: string): Files {
  const { "web.yaml": web = "", "api.yaml": _api, ...others } = repository(namespace);
  const secret = `apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: ${namespace}}\nstringData: {TOKEN: one}\n`;
  const read = web.replace("[{configMapRef: {name: settings}}]", "[{secretRef: {name: token}}]");
  const shop = Object.entries({ ...others, "web.yaml": read, "token.yaml": secret });
  return {
    "rollstamp.yaml": configuration("PerSource"),
    ...Object.fromEntries(shop.map(([name, text]) => [`shop/${name}`, text])),
  };
}

const reconfigured = (files: Files): Files => ({ ...files, "rollstamp.yaml": configuration("Combined") });

const withExtra = (files: Files): Files => ({
  ...files,
  "shop/extra.yaml": (files["shop/extra.yaml"] ?? "").replace("LEVEL: one", "LEVEL: two"),
});

export const CACHE_ROWS: readonly CacheRow[] = [
  {
    does: "the key of `secrets: Keyed` changes; a refresh, a sync",
    says: "the old stamps stay, and the Application is Synced",
    act: async ({ namespace, argocd, rotate }) => {
      rotate();
      await argocd.reconcile(namespace);
      await argocd.sync(namespace, {});
    },
    rollouts: 0,
    status: "Synced",
  },
  {
    does: "the key changes; a hard refresh",
    says: "rendered again: one rollout",
    act: async ({ namespace, argocd, rotate }) => {
      rotate();
      await argocd.refreshHard(namespace, false);
      await argocd.reconcile(namespace);
    },
    rollouts: 1,
    status: "Synced",
  },
  {
    does: "the same, with automated sync without `selfHeal`",
    says: "rendered again, but the commit was synced already: OutOfSync, and nothing rolls out until a sync",
    options: { automated: { selfHeal: false } },
    act: async ({ namespace, argocd, rotate }) => {
      rotate();
      await argocd.refreshHard(namespace, false);
    },
    rollouts: 0,
    status: "OutOfSync",
  },
  {
    does: "the same, and a sync",
    says: "one rollout",
    options: { automated: { selfHeal: false } },
    act: async ({ namespace, argocd, rotate }) => {
      rotate();
      await argocd.refreshHard(namespace, false);
      await argocd.sync(namespace, {});
    },
    rollouts: 1,
    status: "Synced",
  },
  {
    does: "the key changes; the rendering expires in the cache; a refresh",
    says: "rendered again: one rollout",
    act: async ({ namespace, argocd, rotate, expire }) => {
      rotate();
      await expire();
      await argocd.reconcile(namespace);
    },
    rollouts: 1,
    status: "Synced",
  },
  {
    does: "the key changes; then a commit that changes an object that no pod reads",
    says: "rendered again: one rollout",
    act: async ({ namespace, files, argocd, rotate }) => {
      rotate();
      await argocd.push(namespace, withExtra(files));
    },
    rollouts: 1,
    status: "Synced",
  },
  {
    does: "a commit changes only the `rollstamp.yaml` above the folder; no `manifest-generate-paths`",
    says: "rendered again: one rollout",
    act: ({ namespace, files, argocd }) => argocd.push(namespace, reconfigured(files)),
    rollouts: 1,
    status: "Synced",
  },
  {
    does: "the same, with `manifest-generate-paths: .`",
    says: "the old stamps stay, and the Application is Synced at the new commit",
    options: { annotations: { [PATHS]: "." } },
    act: ({ namespace, files, argocd }) => argocd.push(namespace, reconfigured(files)),
    rollouts: 0,
    status: "Synced",
  },
  {
    does: "the same; then a hard refresh",
    says: "rendered again: one rollout",
    options: { annotations: { [PATHS]: "." } },
    act: async ({ namespace, files, argocd }) => {
      await argocd.push(namespace, reconfigured(files));
      await argocd.refreshHard(namespace, false);
      await argocd.reconcile(namespace);
    },
    rollouts: 1,
    status: "Synced",
  },
  {
    does: "the same; then a commit in the folder that changes an object that no pod reads",
    says: "rendered again: one rollout, with that commit",
    options: { annotations: { [PATHS]: "." } },
    act: async ({ namespace, files, argocd }) => {
      await argocd.push(namespace, reconfigured(files));
      await argocd.push(namespace, withExtra(reconfigured(files)));
    },
    rollouts: 1,
    status: "Synced",
  },
  ...[".;/rollstamp.yaml", ".;../rollstamp.yaml"].map((paths): CacheRow => ({
    does: `a commit changes only the \`rollstamp.yaml\`, with \`manifest-generate-paths: ${paths}\``,
    says: "rendered again: one rollout",
    options: { annotations: { [PATHS]: paths } },
    act: ({ namespace, files, argocd }) => argocd.push(namespace, reconfigured(files)),
    rollouts: 1,
    status: "Synced",
  })),
  {
    does: "source hydrator, `manifest-generate-paths: .`: a commit changes only the `rollstamp.yaml`",
    says: "hydrated again: one rollout",
    options: { annotations: { [PATHS]: "." }, isHydrated: true },
    act: ({ namespace, files, argocd }) => argocd.push(namespace, reconfigured(files)),
    rollouts: 1,
    status: "Synced",
  },
  {
    does: "source hydrator: the key changes, and the same commit is hydrated again",
    says: "rendered without the cache: one rollout",
    options: { isHydrated: true },
    act: async ({ namespace, argocd, rotate }) => {
      rotate();
      await argocd.reconcile(namespace);
    },
    rollouts: 1,
    status: "Synced",
  },
];
