import type { Finding } from "../../findings/catalogue/finding.ts";
import { formatPlace } from "../../base/errors.ts";
import { placeIn } from "../../yaml/read/items.ts";
import type { Decision } from "../policy/types.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { Reference } from "../../kubernetes/workloads/types.ts";

/** A workload's reference to a source that stands in several other parts of the run, with these. */
export interface Unsure {
  readonly decision: Decision;
  readonly reference: Reference;
  readonly sources: readonly Source[];
}

/** The references of which nobody can say which source they mean, each name once for a workload. */
export function unsureReferences(decisions: readonly Decision[], sources: SourceIndex): Unsure[] {
  return decisions.flatMap((decision) => {
    const told = new Set<string>();
    return referencesOf(decision).flatMap((reference): Unsure[] => {
      const { kind, namespace, name } = reference;
      const key = `${kind}/${namespace}/${name}`;
      if (told.has(key)) return [];
      told.add(key);
      const held = sources.inSeveral(kind, namespace, name);
      if (held.length === 0) return [];
      const { item } = decision.workload;
      return sources.find(kind, namespace, name, item) === undefined ? [{ decision, reference, sources: held }] : [];
    });
  });
}

/** All that a workload refers to, also what it names in an annotation. */
function referencesOf({ workload, templates }: Decision): Reference[] {
  return [
    ...workload.templates.flatMap(({ references }) => references),
    ...templates.flatMap(({ counted, leftOut }) => [...counted, ...leftOut].map(({ reference }) => reference)),
  ];
}

/** The finding of such a reference; `isChanged` where one of the sources differs between two revisions. */
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

// No message has room for hundreds.
const MOST_PLACES = 3;
