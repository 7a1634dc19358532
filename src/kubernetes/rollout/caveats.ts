import { formatList, formatName, formatObject, type ResourceRef } from "../../base/names.ts";
import { counted, pluralize } from "../../base/words.ts";
import type { ScaledBy } from "./scalers.ts";
import type { FindingData } from "../../findings/catalogue/finding.ts";
import { describeFinding } from "../../findings/catalogue/describe.ts";

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
    `${formatObject({ kind, name })} runs ${max === null ? `at least ${counted(min, "pod")}` : `${min} to ${max} pods`}: the numbers are for ${counted(min, "pod")}`,
  nodes: () => "one pod per node: only the cluster knows how many",
  operator: ({ kind }) => `the operator of ${formatName(kind)} decides how pods are replaced`,
  "traffic-router": () =>
    "traffic routing with dynamicStableScale: the number of old pods follows the weights of the steps",
  analysis: () => "an analysis decides whether the rollout continues, and may abort it",
  "auto-promotion": () =>
    "autoPromotionEnabled is false: Argo Rollouts 1.8 ignores autoPromotionSeconds and waits until someone promotes the rollout",
  "feature-gate": ({ maxUnavailable }) =>
    `maxUnavailable ${formatName(`${maxUnavailable}`)} needs the feature gate MaxUnavailableStatefulSet before Kubernetes 1.35: without it, pods are replaced one at a time`,
  claim: ({ claim }) =>
    `PersistentVolumeClaim '${formatName(claim)}' is not in the input: if only one pod or node can use the volume, the rollout gets stuck`,
  budget: ({ budget, wanted }) =>
    `${formatObject(budget)} requires ${counted(wanted, "available pod")}: a rolling update ignores it, but no node can be drained during the rollout`,
  evictions: ({ budgets, isForbidden }) =>
    budgets.length === 0
      ? "its pods are evicted and recreated unchanged"
      : `its pods are evicted as ${formatList(budgets.map(formatObject), MOST_BUDGETS, " and ")} ${pluralize(budgets.length, "allows", "allow")}${isForbidden ? ", which is never" : ""}`,
  refused: () =>
    "the apply is rejected and the pods keep running; a tool that deletes and recreates the object leaves no pods meanwhile",
  invalid: ({ by }) => `the API server accepts the object but ${by} rejects it: the pods keep running`,
  deleted: () => "all its pods are removed",
};

/** Why a number of a rollout is not certain, or says less than it seems to: what a rule finds, or one of the above. */
export type Caveat =
  | FindingData<"RS015" | "RS016" | "RS019" | "RS021">
  | { readonly [Id in keyof CaveatParams]: { readonly id: Id; readonly params: CaveatParams[Id] } }[keyof CaveatParams];

/** A caveat in words. */
export function describeCaveat(caveat: Caveat): string {
  return "cause" in caveat ? describeFinding(caveat).message : wordsOf(caveat.id, caveat.params);
}

function wordsOf<Id extends keyof CaveatParams>(id: Id, params: CaveatParams[Id]): string {
  return CAVEATS[id](params);
}
