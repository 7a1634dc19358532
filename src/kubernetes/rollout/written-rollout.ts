import { SYNC_OPTIONS } from "../../base/hosts/argocd.ts";
import { HELM_HOOK } from "../../base/hosts/helm.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import { get, getPath, getString, isTrue, itemsOf, kindOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { Workload } from "../workloads/types.ts";
import { FLUX_MARKS, hasFluxMark } from "./flux-marks.ts";
import type { Routed, Unapplied, Wait, WrittenRollout, WrittenStrategy } from "./rollout-types.ts";
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
    recreatedBy: jobRecreatedBy(item),
    unapplied: unappliedBy(item),
    strategy: writtenStrategy(item),
  };
}

/** Annotations because of which a tool deletes and recreates an object instead of changing it; `hook`: also a bare Pod. */
const RECREATES: readonly {
  readonly key: string;
  readonly isOn: (item: Item, key: string) => boolean;
  readonly tool: string;
  readonly hook?: true;
}[] = [
  // A Pod that is a hook, as in each chart of `helm create`: no apply changes the Pod of the last run.
  { key: HELM_HOOK, isOn: hasAny, tool: "Helm", hook: true },
  { key: "argocd.argoproj.io/hook", isOn: hasAny, tool: "Argo CD", hook: true },
  {
    key: SYNC_OPTIONS,
    isOn: (item, key) => /\bForce=true\b/u.test(annotationOf(item, key) ?? ""),
    tool: "Argo CD",
  },
  { key: `${FLUX_MARKS}/force`, isOn: (item) => hasFluxMark(item, "force", "enabled"), tool: "Flux" },
];

function hasAny(item: Item, key: string): boolean {
  return (annotationOf(item, key) ?? "") !== "";
}

/**
 * What deletes and creates an object where a change is not possible, in words. `isForced`: the Flux Kustomization that
 * applies it says so of all its objects.
 */
export function recreatedBy(item: Item, isForced = false): string | undefined {
  const row = RECREATES.find(({ key, isOn }) => isOn(item, key));
  if (row === undefined && !isForced) return undefined;
  const { tool, key } = row ?? { tool: "Flux", key: "spec.force" };
  return `${tool} deletes and recreates the ${item.kind} (${key})`;
}

/** Argo CD replaces it by force (`kubectl replace --force`) for each change (gitops-engine, pkg/sync, applyObject). */
export function isReplacedByForce(item: Item): boolean {
  const options = annotationOf(item, SYNC_OPTIONS) ?? "";
  return ["Force=true", "Replace=true"].every((option) => options.split(/[,\s]+/u).includes(option));
}

function jobRecreatedBy(item: Item): string | undefined {
  const isPod = item.kind === "Pod" && item.group === "";
  if (isPod && !RECREATES.some(({ key, isOn, hook }) => hook === true && isOn(item, key))) return undefined;
  return isPod || (item.kind === "Job" && item.group === "batch") ? recreatedBy(item) : undefined;
}

/** Marks with which Flux leaves an object in the cluster as it is (fluxcd/pkg, ssa shouldSkipApply). */
const UNAPPLIED: readonly (readonly [name: string, value: string, doing: string])[] = [
  ["ssa", "ignore", "does not apply it"],
  ["ssa", "ifnotpresent", "applies it only if it is missing"],
  ["reconcile", "disabled", "does not apply it"],
];

function unappliedBy(item: Item): Unapplied | undefined {
  const row = UNAPPLIED.find(([name, value]) => hasFluxMark(item, name, value));
  if (row === undefined) return undefined;
  const key = `${FLUX_MARKS}/${row[0]}`;
  return {
    because: `Flux ${row[2]} (${key})`,
    next: `Remove ${key}: Flux applies the change then.`,
  };
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
  return index === -1 ? undefined : { because: `waits at step ${index + 1} for promotion` };
}

function unpromoted(item: Item, blueGreen: number): Wait | undefined {
  return isNeverPromoted(item, blueGreen)
    ? { because: "waits for promotion (autoPromotionEnabled is false)" }
    : undefined;
}

/** Whether only a person promotes: also with autoPromotionSeconds, which the controller ignores then (docs/why/observed.md). */
export function isNeverPromoted({ tree }: Item, blueGreen: number): boolean {
  const enabled = get(tree, blueGreen, "autoPromotionEnabled");
  return kindOf(tree, enabled) === "boolean" && !isTrue(tree, enabled);
}

function isUnset({ tree }: Item, node: number): boolean {
  return node === NONE || kindOf(tree, node) === "null";
}
