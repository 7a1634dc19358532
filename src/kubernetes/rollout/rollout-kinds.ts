import type { Item } from "../../yaml/read/items.ts";
import { getPath, getString, isTrue, itemsOf, kindOf } from "../../yaml/read/node.ts";
import type { IntOrPercent } from "./numbers.ts";

export interface StrategyDefaults {
  readonly type: string;
  readonly maxSurge?: IntOrPercent;
  readonly maxUnavailable?: IntOrPercent;
}

export const ROLLING = "RollingUpdate";
export const ON_DELETE = "OnDelete";

/** The controller of a kind: it selects the formulas in mechanics.ts. */
export type Controller = "Deployment" | "StatefulSet" | "DaemonSet" | "Rollout";

export interface KnownStrategy {
  readonly controller: Controller;
  /** Its field in the spec. */
  readonly field: StrategyField;
  readonly defaults: StrategyDefaults;
  /** The default deadline; none without it. */
  readonly progressDeadlineSeconds?: number;
  /** Versions with other defaults. */
  readonly versions?: Readonly<Record<string, StrategyDefaults>>;
}

type StrategyField = "strategy" | "updateStrategy";

/** A setting because of which a changed template replaces no pod yet. */
export interface Hold {
  /** The field, dot-separated. */
  readonly field: string;
  /** Whether the setting is on. */
  readonly holds: (item: Item, path: readonly string[]) => boolean;
  /** The reason in words: "it updates its pods in place". */
  readonly because: string;
  /** What to do so that the pods get the change. */
  readonly next: string;
  /** It applies only to annotations and labels: a changed image still reaches the pods. */
  readonly metadataOnly?: true;
}

/** How a kind rolls out: a row of ROLLOUT_KINDS. */
export interface RolloutKind {
  readonly group: string;
  readonly kind: string;
  /** Undefined if only its operator knows how it rolls out. */
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

const QUARTER = { type: "RollingUpdate", maxSurge: "25%", maxUnavailable: "25%" };
const ONE_NODE = { type: "RollingUpdate", maxSurge: 0, maxUnavailable: 1 };

const row = (group: string, kind: string, holds: readonly Hold[], strategy?: KnownStrategy): RolloutKind => ({
  group,
  kind,
  holds,
  ...(strategy === undefined ? {} : { strategy }),
});

// pkg/apis/apps/{v1,v1beta1,v1beta2}/defaults.go and pkg/apis/extensions/v1beta1/defaults.go of
// Kubernetes; Argo Rollouts' utils/defaults; openkruise/kruise apis/apps/{v1alpha1,v1beta1}
// (CloneSetUpdateStrategy, RollingUpdateStatefulSetStrategy, RollingUpdateDaemonSet); openshift/api
// apps/v1 (DeploymentConfigSpec.Triggers).
/** How kinds roll out, by group and kind. All other kinds have PAUSED as their only hold. */
export const ROLLOUT_KINDS: readonly RolloutKind[] = [
  row("apps", "Deployment", [PAUSED], {
    controller: "Deployment",
    field: "strategy",
    defaults: QUARTER,
    progressDeadlineSeconds: 600,
  }),
  row("extensions", "Deployment", [PAUSED], {
    controller: "Deployment",
    field: "strategy",
    defaults: { type: "RollingUpdate", maxSurge: 1, maxUnavailable: 1 },
  }),
  // The API server drops `paused` of StatefulSets and DaemonSets.
  row("apps", "StatefulSet", [], {
    controller: "StatefulSet",
    field: "updateStrategy",
    defaults: { type: "RollingUpdate", maxUnavailable: 1 },
    versions: { v1beta1: { type: "OnDelete", maxUnavailable: 1 } },
  }),
  row("apps", "DaemonSet", [], { controller: "DaemonSet", field: "updateStrategy", defaults: ONE_NODE }),
  row("extensions", "DaemonSet", [], {
    controller: "DaemonSet",
    field: "updateStrategy",
    defaults: { ...ONE_NODE, type: "OnDelete" },
  }),
  row("argoproj.io", "Rollout", [PAUSED], {
    controller: "Rollout",
    field: "strategy",
    defaults: { ...QUARTER, type: "Canary" },
    progressDeadlineSeconds: 600,
  }),
  row("apps.kruise.io", "CloneSet", [inPlace("spec.updateStrategy.type"), paused("spec.updateStrategy.paused")]),
  row("apps.kruise.io", "StatefulSet", [
    inPlace("spec.updateStrategy.rollingUpdate.podUpdatePolicy"),
    paused("spec.updateStrategy.rollingUpdate.paused"),
  ]),
  row("apps.kruise.io", "DaemonSet", [
    inPlace("spec.updateStrategy.rollingUpdate.rollingUpdateType"),
    paused("spec.updateStrategy.rollingUpdate.paused"),
  ]),
  row("apps.openshift.io", "DeploymentConfig", [
    {
      field: "spec.triggers",
      holds: isEmptyList,
      because: "its list of triggers is empty, so someone has to start each rollout",
      next: "Start the rollout: oc rollout latest.",
    },
    PAUSED,
  ]),
];

/** The row of a kind, if it has one. */
export function rolloutKind(group: string, kind: string): RolloutKind | undefined {
  return ROLLOUT_KINDS.find((candidate) => candidate.group === group && candidate.kind === kind);
}

/** The settings of an object that are on, whatever its strategy. */
export function holdsOf(item: Item): Hold[] {
  const holds = rolloutKind(item.group, item.kind)?.holds ?? [PAUSED];
  return holds.filter((hold) => hold.holds(item, hold.field.split(".")));
}
