import { reloaderOf } from "../../kubernetes/workloads/reloaders.ts";
import type { Counted, TemplateDecision } from "./types.ts";
import { addTo } from "../../base/grouped.ts";

/** Leaves out the sources that a known reloader beside the process watches: the pods take them without a restart. */
export function withoutReloaded(decision: TemplateDecision): TemplateDecision {
  const groups = new Map<string, Counted[]>();
  for (const counted of decision.counted) {
    const { kind, namespace, name } = counted.reference;
    const key = `${kind}/${namespace}/${name}`;
    addTo(groups, key, counted);
  }
  const reloaded = new Map<Counted, string>();
  for (const group of groups.values()) {
    // Without the source the pods don't start: that is to be told.
    if (group.some(({ source }) => source === undefined)) continue;
    const reloader = reloaderOf(
      decision.template,
      group.map(({ reference }) => reference),
    );
    if (reloader === undefined) continue;
    for (const counted of group) reloaded.set(counted, reloader.name);
  }
  if (reloaded.size === 0) return decision;
  return {
    ...decision,
    counted: decision.counted.filter((one) => !reloaded.has(one)),
    leftOut: [
      ...decision.leftOut,
      ...[...reloaded].map(([counted, reloader]) => ({
        ...counted,
        rule: `reloads: Skip (container ${reloader} reloads it)`,
        reloader,
      })),
    ],
  };
}
