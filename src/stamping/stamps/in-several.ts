import type { Finding } from "../../findings/catalogue/finding.ts";
import { formatPlace } from "../../base/errors.ts";
import { placeIn } from "../../yaml/read/items.ts";
import type { Decision } from "../policy/types.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { Reference } from "../../kubernetes/workloads/types.ts";

/** A reference of a workload to a source that several other parts of the run have. */
export interface Unsure {
  readonly decision: Decision;
  readonly reference: Reference;
  readonly sources: readonly Source[];
}

/** The references that are ambiguous between parts, each name once for a workload. */
export function unsureReferences(decisions: readonly Decision[], sources: SourceIndex): Unsure[] {
  return decisions.flatMap((decision) => {
    const reported = new Set<string>();
    return referencesOf(decision).flatMap((reference): Unsure[] => {
      const { kind, namespace, name } = reference;
      const key = `${kind}/${namespace}/${name}`;
      if (reported.has(key)) return [];
      reported.add(key);
      const { item } = decision.workload;
      const found = sources.inSeveral(kind, namespace, name, item);
      if (found.length === 0) return [];
      return sources.find(kind, namespace, name, item) === undefined ? [{ decision, reference, sources: found }] : [];
    });
  });
}

/** All references of a workload, including those of annotations. */
function referencesOf({ workload, templates }: Decision): Reference[] {
  return [
    ...workload.templates.flatMap(({ references }) => references),
    ...templates.flatMap(({ counted, leftOut }) => [...counted, ...leftOut].map(({ reference }) => reference)),
  ];
}

/** The finding about such a reference. `isChanged`: one of the sources differs between two revisions. */
export function unsureFinding(
  { decision: { workload }, reference, sources }: Unsure,
  isChanged: boolean,
): Finding<"ambiguous-source"> {
  const { kind, namespace, name } = reference;
  const places = sources.slice(0, MOST_PLACES).map(({ item }) => {
    const { column: _, ...at } = placeIn(item, item.node);
    return formatPlace(at);
  });
  const params = {
    workload: resourceRef(workload.item),
    source: { kind, namespace, name },
    places,
    more: sources.length - places.length,
  };
  return {
    id: "ambiguous-source",
    cause: isChanged ? "changed" : "ambiguous",
    params,
    ...locationOf(reference.item ?? workload.item, reference),
  };
}

// A message cannot list hundreds of parts.
const MOST_PLACES = 3;
