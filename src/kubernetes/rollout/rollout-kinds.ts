import type { Item } from "../../yaml/read/items.ts";
import { getPath, getString, isTrue, itemsOf, kindOf } from "../../yaml/read/node.ts";
import type { IntOrPercent } from "./int-or-percent.ts";

/** What a strategy is, once its defaults are filled in. */
export interface StrategyDefaults {
  readonly type: string;
  readonly maxSurge?: IntOrPercent;
  readonly maxUnavailable?: IntOrPercent;
}

/** The types of a strategy by which old pods give way to new ones, and by which they wait to be deleted. */
export const ROLLING = "RollingUpdate";
export const ON_DELETE = "OnDelete";

/** How the controller of a kind replaces pods: which formula of mechanics.ts holds. */
export type Controller = "Deployment" | "StatefulSet" | "DaemonSet" | "Rollout";

/** A strategy whose rules are known. */
export interface KnownStrategy {
  readonly controller: Controller;
  /** The field of the spec that holds it. */
  readonly field: StrategyField;
  readonly defaults: StrategyDefaults;
  /** The deadline where none is written; undefined: there is none then. */
  readonly progressDeadlineSeconds?: number;
  /** Defaults of some versions that differ. */
  readonly versions?: Readonly<Record<string, StrategyDefaults>>;
}

type StrategyField = "strategy" | "updateStrategy";

/** A setting by which a changed template replaces no pod for now. */
export interface Hold {
  /** The field, dot-separated. */
  readonly field: string;
  /** True for the values by which it holds. */
  readonly holds: (item: Item, path: readonly string[]) => boolean;
  /** Why, in words: "it updates its pods in place". */
  readonly because: string;
  /** What a person does for the pods to take the change. */
  readonly next: string;
  /** It holds for annotations and labels only: another image reaches the pods all the same. */
  readonly metadataOnly?: true;
}

/** How a kind rolls: a row of ROLLOUT_KINDS. */
export interface RolloutKind {
  readonly group: string;
  readonly kind: string;
  /** Undefined: how it rolls, only its operator knows. */
  readonly strategy?: KnownStrategy;
  readonly holds: readonly Hold[];
}

const isOn: Hold["holds"] = (item, path) => isTrue(item.tree, getPath(item.tree, item.node, path));
const isInPlace: Hold["holds"] = (item, path) => (getString(item.tree, item.node, ...path) ?? "").startsWith("InPlace");
const isEmptyList: Hold["holds"] = (item, path) => {
  const node = getPath(item.tree, item.node, path);
  return kindOf(item.tree, node) === "sequence" && itemsOf(item.tree, node).length === 0;
};

const paused = (field: string): Hold => ({
  field,
  holds: isOn,
  because: "it is paused",
  next: `Resume it: remove ${field}.`,
});
const inPlace = (field: string): Hold => ({
  field,
  holds: isInPlace,
  because: "it updates its pods in place, and an annotation alone restarts no container",
  next: "Delete its pods one by one, or restart its containers.",
  metadataOnly: true,
});

/** `spec.paused`, as Deployments and most custom kinds have it. */
export const PAUSED: Hold = paused("spec.paused");

const QUARTER: StrategyDefaults = { type: "RollingUpdate", maxSurge: "25%", maxUnavailable: "25%" };
const ONE_NODE: StrategyDefaults = { type: "RollingUpdate", maxSurge: 0, maxUnavailable: 1 };

// pkg/apis/apps/{v1,v1beta1,v1beta2}/defaults.go and pkg/apis/extensions/v1beta1/defaults.go of
// Kubernetes; Argo Rollouts' utils/defaults; openkruise/kruise apis/apps/{v1alpha1,v1beta1}
// (CloneSetUpdateStrategy, RollingUpdateStatefulSetStrategy, RollingUpdateDaemonSet); openshift/api
// apps/v1 (DeploymentConfigSpec.Triggers).
/** How the kinds roll of which more is known than that their template counts, by group and kind. */
export const ROLLOUT_KINDS: readonly RolloutKind[] = [
  {
    group: "apps",
    kind: "Deployment",
    strategy: { controller: "Deployment", field: "strategy", defaults: QUARTER, progressDeadlineSeconds: 600 },
    holds: [PAUSED],
  },
  {
    group: "extensions",
    kind: "Deployment",
    strategy: {
      controller: "Deployment",
      field: "strategy",
      defaults: { type: "RollingUpdate", maxSurge: 1, maxUnavailable: 1 },
    },
    holds: [PAUSED],
  },
  // StatefulSets and DaemonSets have no `paused`: the API server drops it.
  {
    group: "apps",
    kind: "StatefulSet",
    strategy: {
      controller: "StatefulSet",
      field: "updateStrategy",
      defaults: { type: "RollingUpdate", maxUnavailable: 1 },
      versions: { v1beta1: { type: "OnDelete", maxUnavailable: 1 } },
    },
    holds: [],
  },
  {
    group: "apps",
    kind: "DaemonSet",
    strategy: { controller: "DaemonSet", field: "updateStrategy", defaults: ONE_NODE },
    holds: [],
  },
  {
    group: "extensions",
    kind: "DaemonSet",
    strategy: { controller: "DaemonSet", field: "updateStrategy", defaults: { ...ONE_NODE, type: "OnDelete" } },
    holds: [],
  },
  {
    group: "argoproj.io",
    kind: "Rollout",
    strategy: {
      controller: "Rollout",
      field: "strategy",
      defaults: { ...QUARTER, type: "Canary" },
      progressDeadlineSeconds: 600,
    },
    holds: [PAUSED],
  },
  {
    group: "apps.kruise.io",
    kind: "CloneSet",
    holds: [inPlace("spec.updateStrategy.type"), paused("spec.updateStrategy.paused")],
  },
  {
    group: "apps.kruise.io",
    kind: "StatefulSet",
    holds: [
      inPlace("spec.updateStrategy.rollingUpdate.podUpdatePolicy"),
      paused("spec.updateStrategy.rollingUpdate.paused"),
    ],
  },
  {
    group: "apps.kruise.io",
    kind: "DaemonSet",
    holds: [
      inPlace("spec.updateStrategy.rollingUpdate.rollingUpdateType"),
      paused("spec.updateStrategy.rollingUpdate.paused"),
    ],
  },
  {
    group: "apps.openshift.io",
    kind: "DeploymentConfig",
    holds: [
      {
        field: "spec.triggers",
        holds: isEmptyList,
        because: "its list of triggers is empty, so someone has to start each rollout",
        next: "Start the rollout: oc rollout latest.",
      },
      PAUSED,
    ],
  },
];

/** The row of a kind; undefined for kinds of which nothing more is known. */
export function rolloutKind(group: string, kind: string): RolloutKind | undefined {
  return ROLLOUT_KINDS.find((row) => row.group === group && row.kind === kind);
}

/** The settings of an object that hold, whatever its strategy. */
export function holdsOf(item: Item): Hold[] {
  const rows = rolloutKind(item.group, item.kind)?.holds ?? [PAUSED];
  return rows.filter((row) => row.holds(item, row.field.split(".")));
}
