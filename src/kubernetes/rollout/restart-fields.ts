import { RESTARTED_AT } from "../../base/keys.ts";
import { KUBECTL_RESTARTED_AT } from "../../base/hosts/kubectl.ts";
import type { Item } from "../../yaml/read/items.ts";
import { getPath, kindOf, toJson } from "../../yaml/read/node.ts";
import { formatTime, parseTime } from "../../base/times.ts";

/** The known annotations of pod templates for restarts. */
export const RESTART_KEYS: readonly string[] = [RESTARTED_AT, KUBECTL_RESTARTED_AT];

/** A custom kind with its own field or annotation for restarts. */
export interface RestartField {
  readonly group: string;
  readonly kind: string;
  /** The mapping that contains it, and its key there. */
  readonly path: readonly string[];
  readonly key: string;
  /** For messages. */
  readonly field: string;
  /** Converts a time to a value of the field and back; undefined for a value that is not a time. */
  readonly write: (time: Date) => string | number;
  readonly read: (value: string | number) => Date | undefined;
  /** How the pods are replaced, if not as for a changed template. */
  readonly how?: string;
  /** The pods are evicted, as many at once as the strategy allows to be unavailable. */
  readonly evicts?: true;
}

const asTime = {
  write: formatTime,
  read: (value: string | number): Date | undefined => (typeof value === "string" ? parseTime(value) : undefined),
};
const asEpochSeconds = {
  write: (time: Date): number => Math.floor(time.getTime() / 1000),
  // A small number is a counter that someone increments by hand: any time is later.
  read: (value: string | number): Date | undefined => (typeof value === "number" ? new Date(value * 1000) : undefined),
};

// Argo Rollouts pkg/apis/rollouts/v1alpha1 (RolloutSpec.RestartAt); flink-kubernetes-operator's
// FlinkDeploymentSpec.restartNonce; CloudNativePG pkg/utils (ClusterRestartAnnotationName).
/** The kinds that restart without a changed pod template. */
export const RESTART_FIELDS: readonly RestartField[] = [
  {
    group: "argoproj.io",
    kind: "Rollout",
    path: ["spec"],
    key: "restartAt",
    field: "spec.restartAt",
    ...asTime,
    how: "Argo Rollouts evicts the pods as PodDisruptionBudgets allow, without a new revision",
    evicts: true,
  },
  {
    group: "flink.apache.org",
    kind: "FlinkDeployment",
    path: ["spec"],
    key: "restartNonce",
    field: "spec.restartNonce",
    ...asEpochSeconds,
    how: "the operator stops and starts the job",
  },
  {
    group: "postgresql.cnpg.io",
    kind: "Cluster",
    path: ["metadata", "annotations"],
    key: KUBECTL_RESTARTED_AT,
    field: `metadata.annotations[${KUBECTL_RESTARTED_AT}]`,
    ...asTime,
    how: "CloudNativePG restarts the replicas, then the primary",
  },
];

/** The restart field of an object; undefined for most kinds. */
export function restartFieldOf(item: Item): RestartField | undefined {
  return RESTART_FIELDS.find((row) => row.group === item.group && row.kind === item.kind);
}

/** The value of the restart field; undefined if it is not set. */
export function restartFieldValue(item: Item, row: RestartField): string | number | undefined {
  const node = getPath(item.tree, item.node, [...row.path, row.key]);
  const kind = kindOf(item.tree, node);
  if (kind !== "string" && kind !== "number") return undefined;
  const value = toJson(item.tree, node);
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}

/** The time in the restart field; undefined if there is none. */
export function restartFieldTime(item: Item, row: RestartField): Date | undefined {
  const value = restartFieldValue(item, row);
  return value === undefined ? undefined : row.read(value);
}
