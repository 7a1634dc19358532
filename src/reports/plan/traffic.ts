import type { RuleId } from "../../findings/catalogue/catalogue.ts";
import { ignores } from "../../findings/results/ignores.ts";
import { onceFor } from "../../base/grouped.ts";
import { requiredPods } from "../../kubernetes/rollout/required-pods.ts";
import { trafficOf } from "../../kubernetes/rollout/traffic.ts";
import type { Item } from "../../yaml/read/items.ts";
import { templatesOf } from "./pair.ts";
import type { AcceptedFinding, PlannedWorkload } from "./planned-workload.ts";
import type { Side, SideWorkload } from "./side.ts";

/** What judges a workload besides its action and its safety: see judged.ts. */
export type Judging = Pick<PlannedWorkload, "traffic" | "wanted" | "accepted">;

/** Who sends traffic to the pods, how many of them are required, and what someone accepted. */
export function judging(side: Side, own: SideWorkload, change: Accepting): Judging {
  const accepted = acceptedBy(own.workload.item, change);
  const reasons = accepted.length === 0 ? {} : { accepted };
  if (change.action !== "Roll" && change.replicas?.to !== 0) return reasons;
  const traffic = trafficOf(own.workload.namespace, templatesOf(side, own), side.surroundings.services());
  if (change.action !== "Roll") return { traffic, ...reasons };
  const wanted = requiredIn(side)(own.workload);
  return {
    traffic,
    ...(wanted === undefined ? {} : { wanted }),
    ...reasons,
  };
}

const requiredIn = onceFor((side: Side) => requiredPods(side.workloads.values(), side.surroundings));

/** What happens to a workload, as far as someone may accept it. */
type Accepting = Pick<PlannedWorkload, "action" | "safety" | "caveats" | "lost" | "next" | "replicas">;

/** The rules whose `ignore.rollstamp.dev/<ID>` on a workload changes the verdict, and when there is something to accept. */
const ACCEPTABLE: readonly { readonly id: RuleId; readonly applies: (change: Accepting) => boolean }[] = [
  { id: "RS001", applies: ({ lost = [] }) => lost.some(({ keys }) => keys.length === 0) },
  { id: "RS002", applies: ({ lost = [] }) => lost.some(({ keys }) => keys.length > 0) },
  { id: "RS004", applies: ({ safety }) => safety === "Outage" },
  { id: "RS005", applies: ({ action, next }) => action === "NoEffect" && next !== undefined },
  { id: "RS025", applies: ({ action }) => action === "Stale" },
  { id: "RS015", applies: ({ caveats }) => caveats.some(({ id }) => id === "RS015") },
];

function acceptedBy(item: Item, change: Accepting): AcceptedFinding[] {
  return ignores(item).flatMap(({ id, reason }): AcceptedFinding[] => {
    const row = ACCEPTABLE.find((candidate) => candidate.id === id);
    if (row === undefined || reason === undefined || !row.applies(change)) return [];
    return [{ id: row.id, reason }];
  });
}
