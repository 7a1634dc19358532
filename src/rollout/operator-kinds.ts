import type { Item } from "../manifest/items.ts";
import { getPath, getString, isTrue, itemsOf, kindOf } from "../manifest/node.ts";

/** A setting of a custom kind by which a stamp or a restart annotation replaces no pod. */
export interface HeldBackKind {
  readonly group: string;
  readonly kind: string;
  /** The field, dot-separated. */
  readonly field: string;
  /** True for the values by which it holds. */
  readonly holds: (item: Item, path: readonly string[]) => boolean;
  /** Why, in words: "it updates pods in place". */
  readonly because: string;
  /** It holds for annotations and labels only: another image reaches the pods all the same. */
  readonly metadataOnly?: true;
}

const IN_PLACE = "it updates its pods in place: an annotation alone restarts no container";
const PAUSED = "it is paused: it rolls when it is resumed";

const inPlace = (item: Item, path: readonly string[]): boolean =>
  (getString(item.tree, item.node, ...path) ?? "").startsWith("InPlace");
const isOn = (item: Item, path: readonly string[]): boolean => isTrue(item.tree, getPath(item.tree, item.node, path));
const isEmptyList = (item: Item, path: readonly string[]): boolean => {
  const node = getPath(item.tree, item.node, path);
  return kindOf(item.tree, node) === "sequence" && itemsOf(item.tree, node).length === 0;
};

// openkruise/kruise apis/apps/{v1alpha1,v1beta1}: CloneSetUpdateStrategy, RollingUpdateStatefulSetStrategy,
// RollingUpdateDaemonSet; openshift/api apps/v1: DeploymentConfigSpec.Triggers.
/** The settings of custom kinds by which an annotation replaces no pod. */
export const HELD_BACK_KINDS: readonly HeldBackKind[] = [
  {
    group: "apps.kruise.io",
    kind: "CloneSet",
    field: "spec.updateStrategy.type",
    holds: inPlace,
    because: IN_PLACE,
    metadataOnly: true,
  },
  { group: "apps.kruise.io", kind: "CloneSet", field: "spec.updateStrategy.paused", holds: isOn, because: PAUSED },
  {
    group: "apps.kruise.io",
    kind: "StatefulSet",
    field: "spec.updateStrategy.rollingUpdate.podUpdatePolicy",
    holds: inPlace,
    because: IN_PLACE,
    metadataOnly: true,
  },
  {
    group: "apps.kruise.io",
    kind: "StatefulSet",
    field: "spec.updateStrategy.rollingUpdate.paused",
    holds: isOn,
    because: PAUSED,
  },
  {
    group: "apps.kruise.io",
    kind: "DaemonSet",
    field: "spec.updateStrategy.rollingUpdate.rollingUpdateType",
    holds: inPlace,
    because: IN_PLACE,
    metadataOnly: true,
  },
  {
    group: "apps.kruise.io",
    kind: "DaemonSet",
    field: "spec.updateStrategy.rollingUpdate.paused",
    holds: isOn,
    because: PAUSED,
  },
  {
    group: "apps.openshift.io",
    kind: "DeploymentConfig",
    field: "spec.triggers",
    holds: isEmptyList,
    because: "its list of triggers is empty: it rolls only when someone starts it",
  },
];

/** The setting of an object by which an annotation replaces none of its pods; undefined where none does. */
export function heldBackBy(item: Item): HeldBackKind | undefined {
  return HELD_BACK_KINDS.find(
    (row) => row.group === item.group && row.kind === item.kind && row.holds(item, row.field.split(".")),
  );
}
