import { stableJson } from "../../yaml/read/json.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { RESTART_KEYS, restartFieldOf, restartFieldValue } from "../../kubernetes/rollout/restart-fields.ts";
import type { DesiredStamps } from "../stamps/desired.ts";
import { stampedAnnotations, templateData } from "../stamps/stamped-template.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate, Workload } from "../../kubernetes/workloads/types.ts";

/** How the pod templates of a workload differ from those at HEAD. */
export interface ChangedSince {
  /** In more than stamps: it rolls with this commit whatever becomes of them. */
  readonly otherwise: boolean;
  /** In the stamps that stand there. */
  readonly byStamps: boolean;
  /** In those that it is to have. */
  readonly onceStamped: boolean;
}

/** Compares a workload with what it was. `desired` has the stamps that its templates are to have. */
export function changedSince(before: Workload, now: Workload, desired: readonly DesiredStamps[]): ChangedSince {
  const old = new Map(before.templates.map((template) => [template.field, template]));
  const byTemplate = new Map(desired.map((stamps) => [stamps.decision.template, stamps]));
  const pairs = now.templates.map((template) => ({ template, was: old.get(template.field) }));
  const hasOthers = pairs.length !== old.size || pairs.some(({ was }) => was === undefined);
  const stamps = pairs.map(({ template, was }) => ({
    was: was === undefined ? "" : stampsIn(templateAnnotations(was)),
    stands: stampsIn(templateAnnotations(template)),
    wanted: stampsIn(stampedAnnotations(template, byTemplate.get(template))),
  }));
  return {
    otherwise:
      hasOthers ||
      !isSameRestart(before, now) ||
      pairs.some(({ template, was }) => was !== undefined && othersIn(template) !== othersIn(was)),
    byStamps: stamps.some(({ was, stands }) => was !== stands),
    onceStamped: stamps.some(({ was, wanted }) => was !== wanted) || desired.some(losesMarks),
  };
}

function stampsIn(annotations: ReadonlyMap<string, string>): string {
  return JSON.stringify([...annotations].filter(([key]) => isStampKey(key)).sort());
}

/** All of a template but its stamps; in whatever order its fields stand. */
function othersIn(template: PodTemplate): string {
  const annotations = templateAnnotations(template);
  const data = templateData(template, { annotations, withoutLabels: new Set(), spec: true });
  const restarts = RESTART_KEYS.map((key) => annotations.get(key) ?? null);
  return stableJson([data, restarts]);
}

function isSameRestart(before: Workload, now: Workload): boolean {
  const row = restartFieldOf(now.item);
  return row === undefined || restartFieldValue(before.item, row) === restartFieldValue(now.item, row);
}

/** What a chart has put there goes with the stamps. */
function losesMarks({ marks }: DesiredStamps): boolean {
  return marks.annotations.size + marks.labels.size > 0;
}
