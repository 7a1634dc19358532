import { getPath, kindOf, stringOf } from "../../yaml/read/node.ts";
import type { Workload } from "../workloads/types.ts";
import { REPLACE } from "./mechanics.ts";
import type { Effect, Rollout } from "./rollout-types.ts";
import { restartFieldOf } from "./restart-fields.ts";

/** The changes of a workload that decide what its pods do. */
export interface TemplateChange {
  /** The changed fields of its pod template: `spec.containers[name=app].image`. */
  readonly paths: readonly string[];
  /** Only the restart field of the kind changes. */
  readonly byRestartField?: true;
  /** The name of the pod template changes or is absent: see `fixedBy` of a kind. */
  readonly renamed?: true;
}

/** A stamp, or a restart in the pod template. */
export const ANNOTATION: TemplateChange = { paths: [] };

export type TemplateEffect = Pick<Rollout, "because" | "field" | "next"> & { readonly effect: Effect };

/**
 * The effect of a change on the pods. `rollout` is the effect of any changed template; the first special case that
 * applies takes precedence.
 */
export function effectOf(workload: Workload, rollout: Rollout, change: TemplateChange): TemplateEffect {
  return (
    fixedTemplate(workload, change) ??
    barePod(workload, rollout, change) ??
    inPlace(rollout, change) ??
    restartedByField(workload, change) ??
    rollout
  );
}

/**
 * Why a restart or stamp in this pod template can never reach the pods, in words; undefined if it can, even if someone
 * must resume the workload first. An apply of such a change may be rejected.
 */
export function neverTakes(workload: Workload, rollout: Rollout): string | undefined {
  const fixed = fixedTemplate(workload, ANNOTATION)?.field;
  if (fixed !== undefined) return `'${fixed}' is set, so the apply would be rejected`;
  const { rollsBy } = workload.kind;
  if (rollsBy === "immutable" && rollout.effect === "Fail") return `${rollout.because}, so the apply would be rejected`;
  return rollsBy === "never" && rollout.runBy === undefined ? rollout.because : undefined;
}

/** Knative: a named revision accepts changes only under another name. */
function fixedTemplate({ item, kind }: Workload, { renamed }: TemplateChange): TemplateEffect | undefined {
  const field = kind.fixedBy;
  if (field === undefined || renamed === true) return undefined;
  const node = getPath(item.tree, item.node, field.split("."));
  const name = kindOf(item.tree, node) === "string" ? stringOf(item.tree, node) : undefined;
  if (name === undefined || name === "") return undefined;
  return {
    effect: "Fail",
    because: `${field} must change together with the pod template`,
    field,
    next: `Change or remove ${field}.`,
  };
}

// ValidatePodUpdate in pkg/apis/core/validation: the rest of a Pod's spec is immutable.
const MUTABLE_IN_A_POD =
  /^spec\.(?:(?:initContainers|containers)\[[^\]]*\]\.image|activeDeadlineSeconds|tolerations|terminationGracePeriodSeconds)\b/u;

function barePod({ item }: Workload, { effect }: Rollout, { paths }: TemplateChange): TemplateEffect | undefined {
  // A hook is recreated: nothing is applied to the Pod of the last run.
  if (item.kind !== "Pod" || item.group !== "" || effect === "NextRun") return undefined;
  const refused = paths.find((path) => path.startsWith("spec") && !MUTABLE_IN_A_POD.test(path));
  if (refused !== undefined)
    return { effect: "Fail", because: `${refused} of a Pod is immutable`, field: refused, next: REPLACE };
  return paths.some((path) => path.endsWith(".image"))
    ? { effect: "NoEffect", because: "a bare Pod is not replaced, but its container restarts with the new image" }
    : undefined;
}

/** Kinds that update pods in place still replace the image. */
function inPlace({ inPlace: hold }: Rollout, { paths }: TemplateChange): TemplateEffect | undefined {
  if (hold === undefined || paths.some((path) => path.startsWith("spec"))) return undefined;
  return { effect: "NoEffect", because: hold.because, field: hold.field, next: hold.next };
}

function restartedByField({ item }: Workload, { byRestartField }: TemplateChange): TemplateEffect | undefined {
  const how = byRestartField === true ? restartFieldOf(item)?.how : undefined;
  return how === undefined ? undefined : { effect: "Roll", because: how };
}
