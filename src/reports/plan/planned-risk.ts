import type { Levels } from "../lint/lint.ts";
import { namedByOriginal, sharedCanary } from "../lint/rules/rollouts.ts";
import type { Caveat } from "../../kubernetes/rollout/caveats.ts";
import { riskOf, type Risk } from "../../kubernetes/rollout/risk.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import { isIgnored } from "../../findings/results/ignores.ts";
import { ownerOf } from "./pair.ts";
import { changedSources } from "./plan-findings.ts";
import type { Reason } from "./plan-reasons.ts";
import type { Action } from "./planned-workload.ts";
import type { Side, SideWorkload } from "./side.ts";

/** What happens to a workload, as far as its risk depends on it. */
export interface RiskyChange {
  readonly action: Action;
  readonly rollout: Rollout;
  /** Whether it is restarted by a field of its kind, which evicts the pods. */
  readonly isEvicted: boolean;
  readonly reasons: readonly Reason[];
}

const SAFE: Risk = { safety: "Safe", caveats: [] };

type RiskOf = (side: Side, own: SideWorkload, change: RiskyChange, levels: Levels) => Risk;

/** The risk of each action for the running pods. It is safe if no pod is replaced. */
const RISKS: Readonly<Record<Action, RiskOf>> = {
  Roll: rollRisk,
  Fail: (_side, _own, { rollout: { refused } }) => ({
    safety: "Unknown",
    caveats: [
      refused?.by === undefined ? { id: "refused", params: {} } : { id: "invalid", params: { by: refused.by } },
    ],
  }),
  Delete: (_side, { workload: { item } }, { rollout: { strategy } }) =>
    // Without pods there is no outage. A bare Pod has no number of replicas.
    (strategy === null ? item.kind !== "Pod" : strategy.replicas === 0)
      ? SAFE
      : { safety: "Reduced", caveats: [{ id: "deleted", params: {} }] },
  NextRun: () => SAFE,
  NoEffect: () => SAFE,
  Reload: () => SAFE,
  Waiting: () => SAFE,
  Stale: () => SAFE,
  Scale: () => SAFE,
  Create: () => SAFE,
  None: () => SAFE,
};

/** How safe a change of a workload is, and how certain that is. `side` is the rendering that has the workload. */
export function plannedRisk(side: Side, own: SideWorkload, change: RiskyChange, levels: Levels): Risk {
  return RISKS[change.action](side, own, change, levels);
}

function rollRisk(side: Side, own: SideWorkload, change: RiskyChange, levels: Levels): Risk {
  const { workload } = own;
  const { rollout, isEvicted } = change;
  const risk = riskOf(
    {
      workload,
      template: ownerOf(side, own).workload.templates[0],
      rollout,
      isEvicted,
      // Ignoring RS015 accepts that the rollout may stop.
      isAccepted: ({ claim }) => levels.get("RS015") === "off" || isIgnored("RS015", [workload.item, claim]),
    },
    side.surroundings,
  );
  const canary = isEvicted ? undefined : sharedBy(side, own, change);
  return canary === undefined ? risk : { ...risk, caveats: [...risk.caveats, canary] };
}

/** RS021: the old pods see the new content of a changed file that they mount. */
function sharedBy(side: Side, own: SideWorkload, { reasons }: RiskyChange): Caveat | undefined {
  const isChanged = changedSources(reasons);
  const owner = ownerOf(side, own);
  const sightings = owner.workload.templates.flatMap((template) => namedByOriginal(owner.desired(template)));
  const { item, runBy } = own.workload;
  return sharedCanary(item, runBy, sightings.filter(isChanged));
}
