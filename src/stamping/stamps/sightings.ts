import { objectKey } from "../../base/identity.ts";
import type { Keys } from "../../base/digest/hash-v1.ts";
import { keysOfAll } from "../../base/digest/keys.ts";
import type { Counted, TemplateDecision } from "../policy/types.ts";
import { generatedName } from "../../kubernetes/sources/kustomize-hash.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { Reference } from "../../kubernetes/workloads/types.ts";
import { stampKey } from "../../base/stamp-keys.ts";
import { addTo } from "../../base/grouped.ts";

/** One source as a pod template sees it: all its references taken together. */
export interface Sighting {
  readonly kind: Reference["kind"];
  /** The namespace of the source as the pod template looks it up. */
  readonly namespace: string;
  readonly name: string;
  /** Undefined where it is not in the input. */
  readonly source: Source | undefined;
  /** The union of what the references show. */
  readonly keys: Keys;
  /** The name without the hash that kustomize has added: the one that its function saw. */
  readonly stampName: string;
  /** The key of its stamp. */
  readonly stampKey: string;
  readonly counted: readonly Counted[];
}

/** The sources that count for a pod template, in the order of its references. */
export function sightingsOf(decision: TemplateDecision, workloadNamespace: string): Sighting[] {
  const groups = new Map<string, Counted[]>();
  for (const counted of decision.counted) {
    addTo(groups, objectKey(counted.reference), counted);
  }
  const taken = new Set(groups.keys());
  return [...groups.values()].flatMap((group): Sighting[] => {
    const first = group[0];
    if (first === undefined) return [];
    const { kind, namespace, name } = first.reference;
    const stampName = nameInStamps(first, taken);
    return [
      {
        kind,
        namespace,
        name,
        source: first.source,
        keys: keysOfAll(group.map((counted) => counted.reference.keys)),
        stampName,
        stampKey: stampKey(kind, namespace === workloadNamespace ? "" : namespace, stampName),
        counted: group,
      },
    ];
  });
}

/**
 * The name that a stamp carries: without kustomize's own hash, as a function within its build sees the name before it.
 * Where the pod template names an object of that name too, or another version has taken it, the name stands whole.
 */
function nameInStamps({ source, reference }: Counted, taken: Set<string>): string {
  const { kind, namespace, name } = reference;
  const before = source?.item.name === name ? generatedName(source) : undefined;
  if (before === undefined) return name;
  const key = objectKey({ kind, namespace, name: before });
  if (taken.has(key)) return name;
  taken.add(key);
  return before;
}
