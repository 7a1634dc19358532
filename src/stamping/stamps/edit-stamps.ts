import { editAnnotations, takeLabels } from "../../yaml/edit/annotations.ts";
import type { Splice } from "../../yaml/edit/splice.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { labelsPath } from "../../kubernetes/workloads/pod-labels.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { DesiredStamps } from "./desired.ts";

export { templateAnnotationNode, templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";

/**
 * The splices that give a pod template the stamps that it is to have, and no other ones of ours; and that take what
 * goes of its chart's own marks.
 */
export function stampEdits(desired: DesiredStamps): Splice[] {
  const { template } = desired.decision;
  const { item, base } = template;
  const remove = removedAnnotations(desired);
  const path = labelsPath(template);
  // In this order: what is put in at a place comes before what is taken out there.
  return [
    ...(remove.size === 0 && desired.stamps.size === 0
      ? []
      : editAnnotations({ item, base, path: template.annotationsPath }, { set: desired.stamps, remove })),
    ...(path === undefined || desired.marks.labels.size === 0
      ? []
      : takeLabels({ item, base, path }, desired.marks.labels)),
  ];
}

/** The annotations that a pod template loses: stamps without a reason to be, and charts' checksums. */
export function removedAnnotations(desired: DesiredStamps): ReadonlySet<string> {
  const remove = new Set<string>();
  for (const key of templateAnnotations(desired.decision.template).keys()) {
    const isStale = isStampKey(key) && !desired.stamps.has(key) && !desired.kept.has(key);
    if (isStale || desired.marks.annotations.has(key)) remove.add(key);
  }
  return remove;
}
