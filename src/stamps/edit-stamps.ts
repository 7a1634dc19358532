import type { ConfigHashSpec } from "../config/config-hash.ts";
import { editAnnotations } from "../edit/annotations.ts";
import type { Splice } from "../edit/splice.ts";
import { isChecksum } from "../ground/hosts/helm.ts";
import { templateAnnotations } from "../workloads/template-annotations.ts";
import type { DesiredStamps } from "./desired.ts";
import { isStampKey } from "../ground/stamp-keys.ts";

export { templateAnnotationNode, templateAnnotations } from "../workloads/template-annotations.ts";

/** The splices that give a pod template the stamps that it is to have, and no other ones of ours. */
export function stampEdits(desired: DesiredStamps, spec: ConfigHashSpec): Splice[] {
  const { template } = desired.decision;
  const remove = removedStamps(desired, spec);
  if (remove.size === 0 && desired.stamps.size === 0) return [];
  const place = { item: template.item, base: template.base, path: template.annotationsPath };
  return editAnnotations(place, { set: desired.stamps, remove });
}

/** The annotations that a pod template loses: stamps without a reason to be, and charts' checksums. */
export function removedStamps(desired: DesiredStamps, spec: ConfigHashSpec): ReadonlySet<string> {
  const removesChecksums = spec.checksums === "Remove" && desired.stamps.size > 0;
  const remove = new Set<string>();
  for (const [key, value] of templateAnnotations(desired.decision.template)) {
    const isStale = isStampKey(key) && !desired.stamps.has(key) && !desired.kept.has(key);
    if (isStale || (removesChecksums && isChecksum(key, value))) remove.add(key);
  }
  return remove;
}
