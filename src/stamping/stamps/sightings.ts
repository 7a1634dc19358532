import { type Keys, keysOfAll } from "../../base/digest/hash-v1.ts";
import { groupedBy } from "../../base/grouped.ts";
import { objectKey } from "../../base/identity.ts";
import { SOURCES } from "../../base/keys.ts";
import { kindWord } from "../../base/referenced-kinds.ts";
import { stampKey } from "../../base/stamp-keys.ts";
import { generatedName } from "../../kubernetes/sources/kustomize-hash.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { Reference } from "../../kubernetes/workloads/types.ts";
import type { Counted, TemplateDecision, Decision } from "../policy/types.ts";

/** A source as a pod template sees it, with all its references. */
export interface Sighting {
  readonly kind: Reference["kind"];
  /** The namespace of the source as the pod template looks it up. */
  readonly namespace: string;
  readonly name: string;
  /** Undefined if the source is not in the input. */
  readonly source: Source | undefined;
  /** The union of the keys that the references show. */
  readonly keys: Keys;
  /** The name without the hash that kustomize adds, as its function saw it. */
  readonly stampName: string;
  readonly stampKey: string;
  readonly counted: readonly Counted[];
}

/** The sources that count for a pod template, in the order of its references. */
export function sightingsOf(decision: TemplateDecision, workloadNamespace: string): Sighting[] {
  const groups = groupedBy(decision.counted, ({ reference }) => objectKey(reference));
  const taken = new Set(groups.keys());
  return [...groups.values()].map((group): Sighting => {
    const [first] = group;
    const { kind, namespace, name } = first.reference;
    const stampName = nameInStamps(first, taken);
    return {
      kind,
      namespace,
      name,
      source: first.source,
      keys: keysOfAll(group.map((counted) => counted.reference.keys)),
      stampName,
      stampKey: stampKey(kind, namespace === workloadNamespace ? "" : namespace, stampName),
      counted: group,
    };
  });
}

/**
 * The name in the key of a stamp, without kustomize's hash: a function in a kustomize build sees that name. The full
 * name is used if the pod template also names an object without the hash, or another version has taken the name.
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

/** The sources that an annotation or an override lists for a workload. A longer list has to repeat them. */
interface ListedSources {
  readonly entries: readonly string[];
  /** Whether the workload's annotation lists them, which takes precedence over overrides. */
  readonly byAnnotation: boolean;
}

/** The list of sources that counts for a workload. */
export function listedSources({ workload, templates }: Decision): ListedSources {
  const listed = templates
    .flatMap(({ counted, leftOut }) => [...counted, ...leftOut])
    .filter(({ listedBy }) => listedBy !== undefined);
  return {
    entries: [...new Set(listed.map(({ reference }) => listEntry(reference, workload.namespace)))],
    byAnnotation: listed.some(({ listedBy }) => listedBy === SOURCES),
  };
}

/** An entry of a list of sources: `configmap/web`, with the namespace if it is not the workload's. */
export function listEntry(
  { kind, namespace, name }: Pick<Reference, "kind" | "namespace" | "name">,
  ownNamespace: string,
): string {
  return [kindWord(kind), ...(namespace === ownNamespace ? [] : [namespace]), name].join("/");
}
