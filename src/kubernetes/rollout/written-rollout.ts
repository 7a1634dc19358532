import { HELM_HOOK } from "../../base/hosts/helm.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import { get, getPath, getString, isTrue, itemsOf, kindOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { Workload } from "../workloads/types.ts";
import type { Routed, Wait, WrittenRollout, WrittenStrategy } from "./rollout-types.ts";
import { countAt, numberAt } from "./numbers.ts";
import { holdsOf, rolloutKind } from "./rollout-kinds.ts";
import { scaledBy, type Autoscalers } from "./scalers.ts";

/** What a workload's manifest says about its rollouts. */
export function writtenRollout(workload: Workload, autoscalers: Autoscalers): WrittenRollout {
  const { item, kind } = workload;
  return {
    apiVersion: item.apiVersion,
    kind: item.kind,
    rollsBy: kind.rollsBy,
    replicas: numberAt(item, ["spec", "replicas"]),
    scaledBy: scaledBy(workload, autoscalers),
    minReadySeconds: numberAt(item, ["spec", "minReadySeconds"]),
    progressDeadlineSeconds: numberAt(item, ["spec", "progressDeadlineSeconds"]),
    holds: holdsOf(item),
    recreatedBy: recreatedBy(item),
    strategy: writtenStrategy(item),
  };
}

/** Annotations because of which a tool deletes and recreates an object instead of changing it; `hook`: also a bare Pod. */
const RECREATES: readonly {
  readonly key: string;
  readonly value: RegExp;
  readonly tool: string;
  readonly hook?: true;
}[] = [
  // A Pod that is a hook, as in each chart of `helm create`: no apply changes the Pod of the last run.
  { key: HELM_HOOK, value: /./u, tool: "Helm", hook: true },
  { key: "argocd.argoproj.io/hook", value: /./u, tool: "Argo CD", hook: true },
  { key: "argocd.argoproj.io/sync-options", value: /\bForce=true\b/u, tool: "Argo CD" },
  { key: "kustomize.toolkit.fluxcd.io/force", value: /^enabled$/iu, tool: "Flux" },
];

/** Whether a tool deletes and creates an object where a change is not possible. */
export function isRecreated(item: Item): boolean {
  return RECREATES.some(({ key, value }) => value.test(annotationOf(item, key) ?? ""));
}

function recreatedBy(item: Item): string | undefined {
  const isPod = item.kind === "Pod" && item.group === "";
  if (!isPod && (item.kind !== "Job" || item.group !== "batch")) return undefined;
  const row = RECREATES.find(
    ({ key, value, hook }) => (!isPod || hook === true) && value.test(annotationOf(item, key) ?? ""),
  );
  return row === undefined ? undefined : `${row.tool} deletes and recreates the ${item.kind} (${row.key})`;
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

/** An Argo Rollout names its strategy by the field that is set. */
function argoStrategy(item: Item, strategy: number): WrittenStrategy {
  const canary = get(item.tree, strategy, "canary");
  const blueGreen = get(item.tree, strategy, "blueGreen");
  const isBlueGreen = kindOf(item.tree, blueGreen) === "mapping";
  return {
    type: isBlueGreen ? "BlueGreen" : "Canary",
    maxSurge: countAt(item, canary, "maxSurge"),
    maxUnavailable: countAt(item, isBlueGreen ? blueGreen : canary, "maxUnavailable"),
    routed: routedCanary(item, canary),
    waits: isBlueGreen ? unpromoted(item, blueGreen) : pausedStep(item, canary),
  };
}

function routedCanary(item: Item, canary: number): Routed | undefined {
  const { tree } = item;
  if (kindOf(tree, get(tree, canary, "trafficRouting")) !== "mapping") return undefined;
  const steps = itemsOf(tree, get(tree, canary, "steps")).flatMap((step) => {
    const scale = get(tree, step, "setCanaryScale");
    const weight = numberAt(item, ["weight"], scale);
    return [numberAt(item, ["replicas"], scale), weight === undefined ? undefined : `${weight}%`];
  });
  return {
    isDynamic: isTrue(tree, get(tree, canary, "dynamicStableScale")),
    most: [numberAt(item, ["minPodsPerReplicaSet"], canary), ...steps].filter((count) => count !== undefined),
  };
}

/** Argo Rollouts rollout/pause.go, requiresManualAction: a pause step without a duration waits for a person. */
function pausedStep(item: Item, canary: number): Wait | undefined {
  const { tree } = item;
  const index = itemsOf(tree, get(tree, canary, "steps")).findIndex((step) => {
    const pause = get(tree, step, "pause");
    return kindOf(tree, pause) === "mapping" && isUnset(item, get(tree, pause, "duration"));
  });
  return index === -1
    ? undefined
    : {
        field: `spec.strategy.canary.steps[${index}].pause`,
        because: `waits at step ${index + 1} for promotion`,
      };
}

function unpromoted(item: Item, blueGreen: number): Wait | undefined {
  const enabled = get(item.tree, blueGreen, "autoPromotionEnabled");
  const isOff = kindOf(item.tree, enabled) === "boolean" && !isTrue(item.tree, enabled);
  if (!isOff || (numberAt(item, ["autoPromotionSeconds"], blueGreen) ?? 0) > 0) return undefined;
  return {
    field: "spec.strategy.blueGreen.autoPromotionEnabled",
    because: "waits for promotion (autoPromotionEnabled is false)",
  };
}

function isUnset({ tree }: Item, node: number): boolean {
  return node === NONE || kindOf(tree, node) === "null";
}
