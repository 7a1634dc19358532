import { groupOf } from "../ground/api-versions.ts";
import { knownGroup } from "../ground/kind-names.ts";
import { HELM_HOOK } from "../ground/hosts/helm.ts";
import { annotationOf, type Item } from "../manifest/items.ts";
import { get, getPath, getString, kindOf, stringOf, toJson } from "../manifest/node.ts";
import type { Workload } from "../workloads/types.ts";
import type { IntOrPercent } from "./int-or-percent.ts";
import type { WrittenRollout, WrittenStrategy } from "./mechanics.ts";
import { holdsOf, rolloutKind } from "./rollout-kinds.ts";

/** The HorizontalPodAutoscaler of a workload, as far as it counts for its pods. */
export interface Autoscaler {
  readonly item: Item;
  readonly minReplicas: number;
}

/** The HorizontalPodAutoscalers of an input, by the workload that each targets. */
export type Autoscalers = ReadonlyMap<string, Autoscaler>;

/** Indexes the HorizontalPodAutoscalers among items. */
export function findAutoscalers(items: readonly Item[], defaultNamespace: string): Autoscalers {
  const found = new Map<string, Autoscaler>();
  for (const item of items) {
    if (item.kind !== "HorizontalPodAutoscaler" || item.group !== "autoscaling") continue;
    const target = getPath(item.tree, item.node, ["spec", "scaleTargetRef"]);
    const kind = getString(item.tree, target, "kind");
    const name = getString(item.tree, target, "name");
    if (kind === undefined || name === undefined) continue;
    const group = groupOf(getString(item.tree, target, "apiVersion") ?? "");
    const key = targetKey(group, kind, item.namespace || defaultNamespace, name);
    // pkg/apis/autoscaling/v2/defaults.go: minReplicas is 1 where it isn't said.
    found.set(key, { item, minReplicas: numberAt(item, ["spec", "minReplicas"]) ?? 1 });
  }
  return found;
}

/** The HorizontalPodAutoscaler that scales a workload; undefined where none does. */
export function autoscalerOf(workload: Workload, autoscalers: Autoscalers): Autoscaler | undefined {
  const { group, kind, name } = workload.item;
  return autoscalers.get(targetKey(group, kind, workload.namespace, name));
}

// One Deployment is served by both groups: the target may name the other one.
function targetKey(group: string, kind: string, namespace: string, name: string): string {
  return `${knownGroup(group)}/${kind}/${namespace}/${name}`;
}

/** What a workload's manifest says of how it rolls. */
export function writtenRollout(workload: Workload, autoscalers: Autoscalers): WrittenRollout {
  const { item, kind } = workload;
  return {
    apiVersion: item.apiVersion,
    kind: item.kind,
    rollsBy: kind.rollsBy,
    replicas: numberAt(item, ["spec", "replicas"]),
    minReplicas: autoscalerOf(workload, autoscalers)?.minReplicas,
    minReadySeconds: numberAt(item, ["spec", "minReadySeconds"]),
    progressDeadlineSeconds: numberAt(item, ["spec", "progressDeadlineSeconds"]),
    holds: holdsOf(item),
    recreatedBy: recreatedBy(item),
    strategy: writtenStrategy(item),
  };
}

/** Annotations by which tools delete a Job and run it again rather than change it. */
const RECREATES: readonly { readonly key: string; readonly value: RegExp; readonly tool: string }[] = [
  { key: HELM_HOOK, value: /./u, tool: "Helm" },
  { key: "argocd.argoproj.io/hook", value: /./u, tool: "Argo CD" },
  { key: "argocd.argoproj.io/sync-options", value: /\bForce=true\b/u, tool: "Argo CD" },
  { key: "kustomize.toolkit.fluxcd.io/force", value: /^enabled$/iu, tool: "Flux" },
];

function recreatedBy(item: Item): string | undefined {
  if (item.kind !== "Job" || item.group !== "batch") return undefined;
  const row = RECREATES.find(({ key, value }) => value.test(annotationOf(item, key) ?? ""));
  return row === undefined ? undefined : `${row.tool} deletes the Job and runs it again (${row.key})`;
}

function writtenStrategy(item: Item): WrittenStrategy {
  const known = rolloutKind(item.group, item.kind)?.strategy;
  const strategy = getPath(item.tree, item.node, ["spec", known?.field ?? "updateStrategy"]);
  if (known?.controller === "Rollout") return argoStrategy(item, strategy);
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

/** A number of pods as manifests write it, or a percentage; undefined where there is none. */
export function countAt(item: Item, mapping: number, key: string): IntOrPercent | undefined {
  const node = get(item.tree, mapping, key);
  return stringOf(item.tree, node) ?? numberOf(item, node);
}

/** The number at a path of an object; undefined where there is none. */
export function numberAt(item: Item, path: readonly string[], from: number = item.node): number | undefined {
  return numberOf(item, getPath(item.tree, from, path));
}

function numberOf(item: Item, node: number): number | undefined {
  if (kindOf(item.tree, node) !== "number") return undefined;
  const value = toJson(item.tree, node);
  return typeof value === "number" ? value : undefined;
}
