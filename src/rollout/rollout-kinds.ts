import type { IntOrPercent } from "./int-or-percent.ts";

/** What a strategy is, once its defaults are filled in. */
export interface StrategyDefaults {
  readonly type: string;
  readonly maxSurge?: IntOrPercent;
  readonly maxUnavailable?: IntOrPercent;
}

/** How the controller of a kind replaces pods: which formula of mechanics.ts holds. */
export type Controller = "Deployment" | "StatefulSet" | "DaemonSet" | "Rollout";

/** How a kind rolls: a row of ROLLOUT_KINDS. */
export interface RolloutKind {
  readonly group: string;
  readonly kind: string;
  readonly controller: Controller;
  /** The field of the spec that holds the strategy. */
  readonly strategyField: "strategy" | "updateStrategy";
  readonly defaults: StrategyDefaults;
  /** Defaults of some versions that differ. */
  readonly versions?: Readonly<Record<string, StrategyDefaults>>;
}

const QUARTER: StrategyDefaults = { type: "RollingUpdate", maxSurge: "25%", maxUnavailable: "25%" };
const ONE_NODE: StrategyDefaults = { type: "RollingUpdate", maxSurge: 0, maxUnavailable: 1 };

// pkg/apis/apps/{v1,v1beta1,v1beta2}/defaults.go and pkg/apis/extensions/v1beta1/defaults.go of
// Kubernetes; Argo Rollouts' utils/defaults.
/** The defaults of the kinds whose strategy is known, by group, kind and version. */
export const ROLLOUT_KINDS: readonly RolloutKind[] = [
  { group: "apps", kind: "Deployment", controller: "Deployment", strategyField: "strategy", defaults: QUARTER },
  {
    group: "extensions",
    kind: "Deployment",
    controller: "Deployment",
    strategyField: "strategy",
    defaults: { type: "RollingUpdate", maxSurge: 1, maxUnavailable: 1 },
  },
  {
    group: "apps",
    kind: "StatefulSet",
    controller: "StatefulSet",
    strategyField: "updateStrategy",
    defaults: { type: "RollingUpdate", maxUnavailable: 1 },
    versions: { v1beta1: { type: "OnDelete", maxUnavailable: 1 } },
  },
  { group: "apps", kind: "DaemonSet", controller: "DaemonSet", strategyField: "updateStrategy", defaults: ONE_NODE },
  {
    group: "extensions",
    kind: "DaemonSet",
    controller: "DaemonSet",
    strategyField: "updateStrategy",
    defaults: { ...ONE_NODE, type: "OnDelete" },
  },
  {
    group: "argoproj.io",
    kind: "Rollout",
    controller: "Rollout",
    strategyField: "strategy",
    defaults: { ...QUARTER, type: "Canary" },
  },
];

/** The row of a kind; undefined for kinds that an operator of their own rolls. */
export function rolloutKind(group: string, kind: string): RolloutKind | undefined {
  return ROLLOUT_KINDS.find((row) => row.group === group && row.kind === kind);
}
