import type { Finding } from "../../findings/catalogue/finding.ts";
import { ROLLOUT_TIME_ZONE, ROLLOUT_WINDOW, WAVE_KEYS } from "../../base/keys.ts";
import { annotationNode, hasAnnotations, type Item } from "../../yaml/read/items.ts";
import { NONE } from "../../yaml/read/tree.ts";
import type { Decision } from "../policy/types.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";

/** The workloads that are to wait for their stamps: in a render, which knows nothing of what was before, none can. */
export function waitsInRender(decisions: readonly Decision[]): Finding<"waiting">[] {
  return decisions.flatMap(({ workload, touched, selected, templates }) => {
    if (!touched || !selected) return [];
    const sources = templates.flatMap(({ counted }) => counted.flatMap(({ source }) => source?.item ?? []));
    const keys = new Set([
      ...[...workload.runBy, workload.item].flatMap((item) => keysOf(item, OF_WORKLOADS)),
      ...[...new Set(sources)].flatMap((item) => keysOf(item, OF_SOURCES)),
    ]);
    const { item } = workload;
    const params = { workload: resourceRef(item), annotations: [...keys] };
    return keys.size === 0 ? [] : [{ id: "waiting", cause: "rendering", params, ...locationOf(item, item) }];
  });
}

// A zone without a window asks for nothing.
const OF_WORKLOADS: readonly string[] = WAVE_KEYS.filter((key) => key !== ROLLOUT_TIME_ZONE);
const OF_SOURCES: readonly string[] = [ROLLOUT_WINDOW];

function keysOf(item: Item, keys: readonly string[]): readonly string[] {
  return hasAnnotations(item) ? keys.filter((key) => annotationNode(item, key) !== NONE) : [];
}
