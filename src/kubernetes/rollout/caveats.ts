import { formatList, formatName, formatObject, type ResourceRef } from "../../base/names.ts";
import { counted, pluralize } from "../../base/words.ts";
import type { ScaledBy } from "./scalers.ts";
import type { Caveat } from "./safety.ts";

/** What is told with each caveat that is no finding of a rule as well. */
interface CaveatParams {
  /** The number of pods is an autoscaler's matter. */
  readonly autoscaled: { readonly scaledBy: ScaledBy };
  /** One pod a node. */
  readonly nodes: object;
  /** How it rolls, only its operator knows. */
  readonly operator: { readonly kind: string };
  readonly "traffic-router": object;
  /** Something else than the pods' readiness decides whether it goes on. */
  readonly analysis: object;
  readonly "auto-promotion": object;
  /** A StatefulSet whose pods go several at once. */
  readonly "feature-gate": { readonly maxUnavailable: number | string };
  /** A volume of which the input doesn't say who can have it. */
  readonly claim: { readonly claim: string };
  /** Fewer pods are left than a budget asks for. */
  readonly budget: { readonly budget: ResourceRef; readonly wanted: number };
  /** The pods go by evictions. */
  readonly evictions: { readonly budgets: readonly ResourceRef[]; readonly isForbidden: boolean };
  readonly refused: object;
  /** Its controller refuses what the API server takes. */
  readonly invalid: { readonly by: string };
  readonly deleted: object;
}

type Words = { readonly [Id in keyof CaveatParams]: (params: CaveatParams[Id]) => string };

const MOST_BUDGETS = 3;

/** The caveats by their ids, in words. docs/plan.md has them, too. */
const CAVEATS: Words = {
  autoscaled: ({ scaledBy: { kind, name, min, max } }) =>
    `${formatObject({ kind, name })} keeps ${max === null ? `${counted(min, "pod")} and more` : `${min} to ${max} pods`}: the numbers are those of ${counted(min, "pod")}`,
  nodes: () => "one pod a node: how many nodes there are, and so how many pods, only the cluster knows",
  operator: ({ kind }) => `how its pods are replaced, only the operator of ${formatName(kind)} knows`,
  "traffic-router": () =>
    "a traffic router with dynamicStableScale: the old pods go as the traffic does, and how many there are is a matter of the steps' weights",
  analysis: () => "an analysis decides whether it goes on, and may take it back",
  "auto-promotion": () =>
    "autoPromotionEnabled is false beside autoPromotionSeconds: Argo Rollouts 1.8 leaves the seconds out of account and waits until somebody promotes it",
  "feature-gate": ({ maxUnavailable }) =>
    `maxUnavailable ${formatName(`${maxUnavailable}`)} needs the feature gate MaxUnavailableStatefulSet before Kubernetes 1.35: without it one pod at a time changes`,
  claim: ({ claim }) =>
    `PersistentVolumeClaim '${formatName(claim)}' is not in the input: if only one pod or node can have the volume, the rollout hangs`,
  budget: ({ budget, wanted }) =>
    `${formatObject(budget)} wants ${counted(wanted, "pod")} available: a rolling update doesn't ask it, and nobody can drain a node meanwhile`,
  evictions: ({ budgets, isForbidden }) =>
    budgets.length === 0
      ? "its pods are evicted, and made anew as before"
      : `its pods are evicted, as ${formatList(budgets.map(formatObject), MOST_BUDGETS, " and ")} ${pluralize(budgets.length, "allows", "allow")}${isForbidden ? ": that is never" : ""}`,
  refused: () =>
    "the apply is refused, and the pods stay as they are: a tool that deletes the object to make it anew leaves none meanwhile",
  invalid: ({ by }) => `the API server takes it, and ${by} doesn't: the pods stay as they are`,
  deleted: () => "its pods go, and none comes in their place",
};

/** A caveat in words. */
export function caveat<Id extends keyof CaveatParams>(id: Id, params: CaveatParams[Id]): Caveat {
  return { id, message: CAVEATS[id](params) };
}
