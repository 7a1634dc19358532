import { get, getPath, itemsOf, kindOf } from "../../yaml/read/node.ts";
import type { Item } from "../../yaml/read/items.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { podLabels } from "../workloads/pod-labels.ts";
import type { PodTemplate, Workload } from "../workloads/types.ts";
import { wantedHealthy } from "./budgets.ts";
import type { Caveat } from "./caveats.ts";
import { replacesNone } from "./mechanics.ts";
import { numberAt } from "./numbers.ts";
import { longPreStops } from "./pre-stop.ts";
import { isUnprobed } from "./readiness.ts";
import { rolloutKind, type Controller } from "./rollout-kinds.ts";
import type { Rollout } from "./rollout-types.ts";
import { safetyOf, type Safety } from "./safety.ts";
import { whenReady } from "./services.ts";
import type { Surroundings } from "./surroundings.ts";
import { standstillOf, unknownClaim, type Standstill } from "./standstill.ts";
import { isNeverPromoted } from "./written-rollout.ts";

/** What a rollout does to the available pods, and how certain that is. */
export interface Risk {
  readonly safety: Safety;
  readonly caveats: readonly Caveat[];
}

export interface RollingWorkload {
  readonly workload: Workload;
  /** The pod template that it runs: its own or a borrowed one. */
  readonly template: PodTemplate | undefined;
  readonly rollout: Rollout;
  /** Its pods are evicted without a new revision: a restart through the restart field of the kind. */
  readonly isEvicted: boolean;
  /** Whether someone has accepted a standstill: it is only a caveat then. */
  readonly isAccepted: (standstill: Standstill) => boolean;
}

export function riskOf(rolling: RollingWorkload, surroundings: Surroundings): Risk {
  const { workload, template, rollout, isEvicted, isAccepted } = rolling;
  if (replacesNone(rollout)) return { safety: safetyOf({ rollout, hangs: false }), caveats: [] };
  const { group, kind } = workload.item;
  const controller = rolloutKind(group, kind)?.strategy?.controller;
  // Evicted pods are removed first, so no new pod has to start beside an old one.
  const standstill =
    template === undefined || isEvicted
      ? undefined
      : standstillOf({ workload, template, rollout }, surroundings.claims);
  const budgets = template === undefined ? [] : budgetsOf(rolling, template, surroundings);
  const isForbidden = isEvicted && budgets.some(({ isUnmeetable }) => isUnmeetable);
  const facts: CaveatFacts = { standstill, budgets, isForbidden, controller, surroundings, ...rolling };
  return {
    safety: safetyOf({
      rollout,
      hangs:
        isForbidden || (standstill !== undefined && standstill.isFreeElsewhere !== true && !isAccepted(standstill)),
    }),
    caveats: CAVEAT_ROWS.flatMap((row) => row(facts)),
  };
}

/** A PodDisruptionBudget that selects the replaced pods and no others. */
interface Budget {
  readonly item: Item;
  readonly wanted: number;
  /** It allows no eviction, even with the largest number of pods. */
  readonly isUnmeetable: boolean;
}

function budgetsOf({ workload, rollout }: RollingWorkload, template: PodTemplate, { budgets }: Surroundings): Budget[] {
  const fewest = (rollout.ends?.fewest ?? rollout).strategy?.replicas ?? null;
  const most = (rollout.ends?.most ?? rollout).strategy?.replicas ?? null;
  if (fewest === null || most === null) return [];
  return budgets()(workload.namespace, podLabels(template)).map((item) => ({
    item,
    wanted: wantedHealthy(item, fewest),
    isUnmeetable: wantedHealthy(item, most) >= most,
  }));
}

interface CaveatFacts extends RollingWorkload {
  readonly standstill: Standstill | undefined;
  readonly budgets: readonly Budget[];
  /** No budget ever allows an eviction. */
  readonly isForbidden: boolean;
  /** Undefined if only an operator knows how it rolls out. */
  readonly controller: Controller | undefined;
  readonly surroundings: Surroundings;
}

/** What makes a number less certain, or less than it seems, in report order. */
const CAVEAT_ROWS: readonly ((facts: CaveatFacts) => Caveat[])[] = [
  ({ standstill }) => (standstill === undefined ? [] : [standstill.data]),
  ({ isEvicted, budgets, isForbidden }) =>
    isEvicted
      ? [{ id: "evictions", params: { budgets: budgets.map(({ item }) => resourceRef(item)), isForbidden } }]
      : [],
  ({ controller, workload }) =>
    controller === undefined ? [{ id: "operator", params: { kind: workload.item.kind } }] : [],
  ({ controller }) => (controller === "DaemonSet" ? [{ id: "nodes", params: {} }] : []),
  ({ rollout: { scaledBy, ends } }) =>
    scaledBy === undefined || ends === undefined ? [] : [{ id: "autoscaled", params: { scaledBy } }],
  ({ controller, rollout }) => {
    const maxUnavailable = (rollout.ends?.most ?? rollout).strategy?.maxUnavailable;
    return controller === "StatefulSet" && typeof maxUnavailable === "number" && maxUnavailable > 1
      ? [{ id: "feature-gate", params: { maxUnavailable } }]
      : [];
  },
  ({ controller, rollout: { strategy }, isEvicted }) =>
    controller === "Rollout" && !isEvicted && strategy?.type === "Canary" && strategy.minAvailable === null
      ? [{ id: "traffic-router", params: {} }]
      : [],
  ({ controller, workload, isEvicted }) =>
    controller === "Rollout" && !isEvicted && isAnalysed(workload.item) ? [{ id: "analysis", params: {} }] : [],
  ({ controller, workload, isEvicted }) =>
    controller === "Rollout" && !isEvicted && isPromotedLate(workload.item)
      ? [{ id: "auto-promotion", params: {} }]
      : [],
  ({ workload, template, rollout, isEvicted, surroundings }) => {
    const claim =
      template === undefined || isEvicted
        ? undefined
        : unknownClaim({ workload, template, rollout }, surroundings.claims);
    return claim === undefined ? [] : [{ id: "claim", params: { claim } }];
  },
  ({ workload, template, controller, surroundings }) => {
    if (template === undefined || controller === undefined || !isUnprobed(template)) return [];
    const services = whenReady(surroundings.services()(workload.namespace, podLabels(template))).map(
      ({ name }) => name,
    );
    if (services.length === 0) return [];
    return [{ id: "RS016", cause: "noProbe", params: { workload: resourceRef(workload.item), services } }];
  },
  ({ workload, template }) =>
    template === undefined
      ? []
      : longPreStops(workload, template)
          .slice(0, 1)
          .map(({ data }) => data),
  ({ rollout, isEvicted, budgets }) => {
    const least = (rollout.ends?.fewest ?? rollout).strategy?.minAvailable ?? null;
    const over = isEvicted || least === null ? undefined : budgets.find(({ wanted }) => wanted > least);
    return over === undefined
      ? []
      : [{ id: "budget", params: { budget: resourceRef(over.item), wanted: over.wanted } }];
  },
];

const ANALYSES: readonly (readonly string[])[] = [
  ["canary", "analysis"],
  ["blueGreen", "prePromotionAnalysis"],
  ["blueGreen", "postPromotionAnalysis"],
];

function isAnalysed({ tree, node }: Item): boolean {
  const strategy = getPath(tree, node, ["spec", "strategy"]);
  const steps = itemsOf(tree, getPath(tree, strategy, ["canary", "steps"]));
  return (
    ANALYSES.some((path) => kindOf(tree, getPath(tree, strategy, path)) === "mapping") ||
    steps.some((step) => ["analysis", "experiment"].some((key) => get(tree, step, key) !== NONE))
  );
}

function isPromotedLate(item: Item): boolean {
  const blueGreen = getPath(item.tree, item.node, ["spec", "strategy", "blueGreen"]);
  return isNeverPromoted(item, blueGreen) && (numberAt(item, ["autoPromotionSeconds"], blueGreen) ?? 0) > 0;
}
