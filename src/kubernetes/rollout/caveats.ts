import { formatList, formatName, formatObject, type ResourceRef } from "../../base/names.ts";
import { counted, pluralize } from "../../base/words.ts";
import type { ScaledBy } from "./scalers.ts";
import type { FindingData } from "../../findings/catalogue/finding.ts";
import { describeFinding } from "../../findings/catalogue/describe.ts";

/** The parameters of each caveat that is not also a finding of a rule. */
interface CaveatParams {
  /** An autoscaler sets the number of pods. */
  readonly autoscaled: { readonly scaledBy: ScaledBy };
  /** One pod per node. */
  readonly nodes: object;
  /** Only the operator knows how the pods are replaced. */
  readonly operator: { readonly kind: string };
  readonly "traffic-router": object;
  /** Something other than readiness decides whether the rollout continues. */
  readonly analysis: object;
  readonly "auto-promotion": object;
  /** A StatefulSet that replaces several pods at once. */
  readonly "feature-gate": { readonly maxUnavailable: number | string };
  /** The input does not show who can use the volume. */
  readonly claim: { readonly claim: string };
  /** Fewer pods stay available than a budget requires. */
  readonly budget: { readonly budget: ResourceRef; readonly wanted: number };
  readonly evictions: { readonly budgets: readonly ResourceRef[]; readonly isForbidden: boolean };
  readonly refused: object;
  /** The API server accepts the object, but its controller rejects it. */
  readonly invalid: { readonly by: string };
  readonly deleted: object;
}

type Words = { readonly [Id in keyof CaveatParams]: (params: CaveatParams[Id]) => string };

const MOST_BUDGETS = 3;

/** The messages, by id; docs/reference/plan.md lists them. */
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

/** Why a number of a rollout is not certain, or less than it seems: a finding of a rule, or one of the above. */
export type Caveat =
  | FindingData<"RS015" | "RS016" | "RS019" | "RS021">
  | { readonly [Id in keyof CaveatParams]: { readonly id: Id; readonly params: CaveatParams[Id] } }[keyof CaveatParams];

export function describeCaveat(caveat: Caveat): string {
  return "cause" in caveat ? describeFinding(caveat).message : wordsOf(caveat.id, caveat.params);
}

function wordsOf<Id extends keyof CaveatParams>(id: Id, params: CaveatParams[Id]): string {
  return CAVEATS[id](params);
}
