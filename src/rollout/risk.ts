import { worded } from "../findings/words.ts";
import { get, getPath, isTrue, itemsOf, kindOf } from "../manifest/node.ts";
import type { Item } from "../manifest/items.ts";
import { NONE } from "../manifest/tree.ts";
import type { PodTemplate, Workload } from "../workloads/types.ts";
import { caveat } from "./caveats.ts";
import { replacesNone } from "./mechanics.ts";
import { numberAt } from "./numbers.ts";
import { rolloutKind, type Controller } from "./rollout-kinds.ts";
import type { Rollout } from "./rollout-types.ts";
import { safetyOf, type Caveat, type Safety } from "./safety.ts";
import type { Surroundings } from "./surroundings.ts";
import { standstillOf, type Standstill } from "./standstill.ts";

/** What a rollout does to the pods that serve, and how far that is certain. */
export interface Risk {
  readonly safety: Safety;
  readonly caveats: readonly Caveat[];
}

/** A workload that rolls. */
export interface RollingWorkload {
  readonly workload: Workload;
  /** The pod template that it runs: its own, or the one that it borrows. */
  readonly template: PodTemplate | undefined;
  readonly rollout: Rollout;
  /** Its pods are evicted, no new revision is made: a restart by a field of the kind. */
  readonly isEvicted: boolean;
  /** Whether somebody has said why a standstill is none here: it is told as a caveat then. */
  readonly isAccepted: (standstill: Standstill) => boolean;
}

/** What is to be said of a rollout. */
export function riskOf(rolling: RollingWorkload, surroundings: Surroundings): Risk {
  const { workload, template, rollout, isEvicted, isAccepted } = rolling;
  // No new pod starts beside an old one where those are evicted.
  const standstill =
    template === undefined || isEvicted
      ? undefined
      : standstillOf({ workload, template, rollout }, surroundings.claims);
  const { group, kind } = workload.item;
  const known = rolloutKind(group, kind)?.strategy?.controller;
  const facts: CaveatFacts = { ...rolling, standstill, controller: known, surroundings };
  return {
    safety: safetyOf({ rollout, hangs: standstill !== undefined && !isAccepted(standstill) }),
    caveats: replacesNone(rollout) ? [] : CAVEAT_ROWS.flatMap((row) => row(facts)),
  };
}

interface CaveatFacts extends RollingWorkload {
  readonly standstill: Standstill | undefined;
  /** Undefined where only an operator knows how it rolls. */
  readonly controller: Controller | undefined;
  readonly surroundings: Surroundings;
}

/** What makes a number less certain, or less than it sounds, in the order in which it is told. */
const CAVEAT_ROWS: readonly ((facts: CaveatFacts) => Caveat[])[] = [
  ({ standstill }) =>
    standstill === undefined ? [] : [{ id: standstill.told.id, message: worded(standstill.told).message }],
  ({ controller, workload }) => (controller === undefined ? [caveat("operator", { kind: workload.item.kind })] : []),
  ({ controller }) => (controller === "DaemonSet" ? [caveat("nodes", {})] : []),
  ({ rollout: { scaledBy, ends } }) =>
    scaledBy === undefined || ends === undefined ? [] : [caveat("autoscaled", { scaledBy })],
  ({ controller, rollout }) => {
    const maxUnavailable = (rollout.ends?.most ?? rollout).strategy?.maxUnavailable;
    return controller === "StatefulSet" && typeof maxUnavailable === "number" && maxUnavailable > 1
      ? [caveat("feature-gate", { maxUnavailable })]
      : [];
  },
  ({ controller, rollout: { strategy }, isEvicted }) =>
    controller === "Rollout" && !isEvicted && strategy?.type === "Canary" && strategy.maxUnavailable === null
      ? [caveat("traffic-router", {})]
      : [],
  ({ controller, workload, isEvicted }) =>
    controller === "Rollout" && !isEvicted && isAnalysed(workload.item) ? [caveat("analysis", {})] : [],
  ({ controller, workload, isEvicted }) =>
    controller === "Rollout" && !isEvicted && isPromotedLate(workload.item) ? [caveat("auto-promotion", {})] : [],
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
  const enabled = get(item.tree, blueGreen, "autoPromotionEnabled");
  const isOff = kindOf(item.tree, enabled) === "boolean" && !isTrue(item.tree, enabled);
  return isOff && (numberAt(item, ["autoPromotionSeconds"], blueGreen) ?? 0) > 0;
}
