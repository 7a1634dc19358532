import type { Keys } from "../digest/hash-v1.ts";
import type { Counted, TemplateDecision } from "../policy/types.ts";
import type { Source } from "../sources/types.ts";
import type { Reference } from "../workloads/types.ts";
import { stampKey } from "../ground/stamp-keys.ts";

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
  /** The key of its stamp. */
  readonly stampKey: string;
  readonly counted: readonly Counted[];
}

/** The sources that count for a pod template, in the order of its references. */
export function sightingsOf(decision: TemplateDecision, workloadNamespace: string): Sighting[] {
  const groups = new Map<string, Counted[]>();
  for (const counted of decision.counted) {
    const { kind, namespace, name } = counted.reference;
    const key = `${kind}/${namespace}/${name}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [counted]);
    else group.push(counted);
  }
  return [...groups.values()].flatMap((group): Sighting[] => {
    const first = group[0];
    if (first === undefined) return [];
    const { kind, namespace, name } = first.reference;
    return [
      {
        kind,
        namespace,
        name,
        source: first.source,
        keys: union(group.map((counted) => counted.reference.keys)),
        stampKey: stampKey(kind, namespace === workloadNamespace ? "" : namespace, name),
        counted: group,
      },
    ];
  });
}

function union(all: readonly Keys[]): Keys {
  const keys = new Set<string>();
  for (const some of all) {
    if (some === "*") return "*";
    for (const key of some) keys.add(key);
  }
  return keys;
}
