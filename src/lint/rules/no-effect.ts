import { RESTART_SCHEDULE, SOURCES, STAMP } from "../../ground/keys.ts";
import { annotationNode, annotationOf, describe } from "../../manifest/items.ts";
import { NONE } from "../../manifest/tree.ts";
import { RESTART_KEYS } from "../../rollout/restart-fields.ts";
import { ANNOTATION, effectOf } from "../../rollout/effect.ts";
import { templateAnnotations } from "../../stamps/edit-stamps.ts";
import { isStampKey } from "../../ground/stamp-keys.ts";
import type { LintedWorkload } from "../context.ts";
import { firstField, problem, type LintRule } from "../rule.ts";

/** A stamp or a restart that replaces no pod. */
export const NO_EFFECT: LintRule = {
  id: "RS005",
  severity: "warning",
  title: "A stamp or a restart that has no effect",
  remedy: 'Let its controller replace the pods, or opt the workload out with rollstamp.dev/stamp: "false".',
  check: ({ workloads }) =>
    workloads.flatMap((linted) => {
      const mark = markOf(linted);
      const held = mark === undefined ? undefined : holds(linted);
      if (mark === undefined || held === undefined) return [];
      const { item } = linted.workload;
      return [
        problem(item, firstField(item, ...held.fields), `${mark} of ${describe(item)} has no effect: ${held.because}`),
      ];
    }),
};

/** What is meant to roll the workload, in words; undefined where nothing is. */
function markOf({ workload, templates, rollout }: LintedWorkload): string | undefined {
  const standing = templates.flatMap(({ template }) => [...templateAnnotations(template).keys()]);
  if (standing.some((key) => RESTART_KEYS.includes(key))) return "the restart";
  if (annotationNode(workload.item, RESTART_SCHEDULE) !== NONE) return `the annotation ${RESTART_SCHEDULE}`;
  if (standing.some(isStampKey) || templates.some(({ desired }) => (desired?.stamps.size ?? 0) > 0)) return "the stamp";
  // A Job or a bare Pod gets no stamp: whoever opts it in expects one.
  if (rollout.effect !== "NoEffect" && workload.kind.rollsBy !== "immutable") return undefined;
  if (annotationOf(workload.item, STAMP) === "true") return `the annotation ${STAMP}`;
  return annotationNode(workload.item, SOURCES) === NONE ? undefined : `the annotation ${SOURCES}`;
}

/** Why no pod is replaced, and the fields that say so; undefined where pods are. */
function holds({ workload, rollout }: LintedWorkload): { because: string; fields: readonly string[] } | undefined {
  const { effect, because, field } = effectOf(workload, rollout, ANNOTATION);
  if (effect === "Fail" && workload.kind.rollsBy === "immutable")
    return { because: "a Job's pod template is immutable, and an apply that changes it is refused", fields: [] };
  if (effect !== "NoEffect" || because === undefined) return undefined;
  return { because, fields: field === undefined ? [] : [field] };
}
