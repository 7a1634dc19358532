import type { Item } from "../manifest/items.ts";
import { get, getPath, getString, isTrue, kindOf, stringOf, toJson } from "../manifest/node.ts";
import { NONE } from "../manifest/tree.ts";
import type { Workload } from "../workloads/types.ts";
import type { IntOrPercent } from "./int-or-percent.ts";
import type { WrittenRollout, WrittenStrategy } from "./mechanics.ts";
import { rolloutKind } from "./rollout-kinds.ts";

/** `minReplicas` of the HorizontalPodAutoscalers of an input, by the workload that each targets. */
export type Autoscalers = ReadonlyMap<string, number>;

/** Indexes the HorizontalPodAutoscalers among items. */
export function findAutoscalers(items: readonly Item[], defaultNamespace: string): Autoscalers {
  const found = new Map<string, number>();
  for (const item of items) {
    if (item.kind !== "HorizontalPodAutoscaler" || item.group !== "autoscaling") continue;
    const target = getPath(item.tree, item.node, ["spec", "scaleTargetRef"]);
    const kind = getString(item.tree, target, "kind");
    const name = getString(item.tree, target, "name");
    if (kind === undefined || name === undefined) continue;
    const group = groupOf(getString(item.tree, target, "apiVersion") ?? "");
    const key = targetKey(group, kind, item.namespace || defaultNamespace, name);
    // pkg/apis/autoscaling/v2/defaults.go: minReplicas is 1 where it isn't said.
    found.set(key, numberAt(item, ["spec", "minReplicas"]) ?? 1);
  }
  return found;
}

/** The HorizontalPodAutoscaler's `minReplicas` for a workload; undefined where none targets it. */
export function minReplicasOf(workload: Workload, autoscalers: Autoscalers): number | undefined {
  const { group, kind, name } = workload.item;
  return autoscalers.get(targetKey(group, kind, workload.namespace, name));
}

// One Deployment is served by both groups: the target may name the other one.
function targetKey(group: string, kind: string, namespace: string, name: string): string {
  return `${group === "extensions" ? "apps" : group}/${kind}/${namespace}/${name}`;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** What a workload's manifest says of how it rolls. */
export function writtenRollout(workload: Workload, autoscalers: Autoscalers): WrittenRollout {
  const { item, kind } = workload;
  return {
    apiVersion: item.apiVersion,
    kind: item.kind,
    rollsBy: kind.rollsBy,
    replicas: numberAt(item, ["spec", "replicas"]),
    minReplicas: minReplicasOf(workload, autoscalers),
    paused: isTrue(item.tree, getPath(item.tree, item.node, ["spec", "paused"])),
    strategy: writtenStrategy(item),
  };
}

function writtenStrategy(item: Item): WrittenStrategy {
  const row = rolloutKind(item.group, item.kind);
  const field = row?.strategyField ?? "updateStrategy";
  const strategy = getPath(item.tree, item.node, ["spec", field]);
  if (row?.controller === "Rollout") return argoStrategy(item, strategy);
  const rollingUpdate = get(item.tree, strategy, "rollingUpdate");
  return {
    type: getString(item.tree, strategy, "type") || undefined,
    hasRollingUpdate: kindOf(item.tree, rollingUpdate) === "mapping",
    maxSurge: countAt(item, rollingUpdate, "maxSurge"),
    maxUnavailable: countAt(item, rollingUpdate, "maxUnavailable"),
    partition: numberAt(item, ["partition"], rollingUpdate),
  };
}

/** An Argo Rollout names its strategy by the field that is there. */
function argoStrategy(item: Item, strategy: number): WrittenStrategy {
  const canary = get(item.tree, strategy, "canary");
  const isBlueGreen = kindOf(item.tree, get(item.tree, strategy, "blueGreen")) === "mapping";
  return {
    type: isBlueGreen ? "BlueGreen" : "Canary",
    maxSurge: countAt(item, canary, "maxSurge"),
    maxUnavailable: countAt(item, canary, "maxUnavailable"),
    hasTrafficRouting: kindOf(item.tree, get(item.tree, canary, "trafficRouting")) === "mapping",
  };
}

function countAt(item: Item, mapping: number, key: string): IntOrPercent | undefined {
  const node = get(item.tree, mapping, key);
  return stringOf(item.tree, node) ?? numberOf(item, node);
}

function numberAt(item: Item, path: readonly string[], from: number = item.node): number | undefined {
  return numberOf(item, getPath(item.tree, from, path));
}

function numberOf(item: Item, node: number): number | undefined {
  if (node === NONE || kindOf(item.tree, node) !== "number") return undefined;
  const value = toJson(item.tree, node);
  return typeof value === "number" ? value : undefined;
}
