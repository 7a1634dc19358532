import type { Findings } from "../../../findings/catalogue/catalogue.ts";
import { RESTART_SCHEDULE, SOURCES, STAMP } from "../../../base/keys.ts";
import { annotationNode } from "../../../yaml/read/items.ts";
import { NONE } from "../../../yaml/read/tree.ts";
import { marksBy, type OwnMarks } from "../../../stamping/policy/own-marks.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { RESTART_KEYS } from "../../../kubernetes/rollout/restart-fields.ts";
import { ANNOTATION, effectOf } from "../../../kubernetes/rollout/effect.ts";
import { templateAnnotations } from "../../../stamping/stamps/edit-stamps.ts";
import { isStampKey } from "../../../base/stamp-keys.ts";
import type { LintedWorkload } from "../context.ts";
import { firstField, problem, type LintRule } from "../rule.ts";

/** A stamp or a restart that replaces no pod. */
export const NO_EFFECT: LintRule<"RS005"> = {
  id: "RS005",
  check: ({ workloads, spec }) => {
    const marksOf = marksBy(spec.overrides);
    return workloads.flatMap((linted) => {
      const mark = markOf(linted, marksOf);
      const held = mark === undefined ? undefined : holds(linted);
      if (mark === undefined || held === undefined) return [];
      const { item } = linted.workload;
      const params = { workload: resourceRef(item), mark, because: held.because };
      return [problem(item, firstField(item, ...held.fields), { id: "RS005", cause: "held", params })];
    });
  },
};

type Mark = Findings["RS005"]["held"]["mark"];

/** What is meant to roll the workload; undefined where nothing is. */
function markOf(
  { workload, templates, rollout }: LintedWorkload,
  marksOf: (workload: LintedWorkload["workload"]) => OwnMarks,
): Mark | undefined {
  const standing = templates.flatMap(({ template }) => [...templateAnnotations(template).keys()]);
  if (standing.some((key) => RESTART_KEYS.includes(key))) return "restart";
  if (annotationNode(workload.item, RESTART_SCHEDULE) !== NONE) return { annotation: RESTART_SCHEDULE };
  if (standing.some(isStampKey) || templates.some(({ desired }) => (desired?.stamps.size ?? 0) > 0)) return "stamp";
  // A Job or a bare Pod gets no stamp: whoever opts it in expects one.
  if (rollout.effect !== "NoEffect" && workload.kind.rollsBy !== "immutable") return undefined;
  const { stamp, stampBy, named, namedBy } = marksOf(workload);
  if (stamp === true) return askedBy(stampBy);
  const [source] = named;
  const by = source === undefined ? undefined : namedBy(source);
  return by === undefined ? undefined : askedBy(by);
}

function askedBy(by: string): Mark {
  return by === STAMP || by === SOURCES ? { annotation: by } : { override: by };
}

/** Why no pod is replaced, and the fields that say so; undefined where pods are. */
function holds({ workload, rollout }: LintedWorkload): { because: string; fields: readonly string[] } | undefined {
  const { effect, because, field } = effectOf(workload, rollout, ANNOTATION);
  if (effect === "Fail" && workload.kind.rollsBy === "immutable")
    return { because: "a Job's pod template is immutable, and an apply that changes it is refused", fields: [] };
  if (effect !== "NoEffect" || because === undefined) return undefined;
  return { because, fields: field === undefined ? [] : [field] };
}
