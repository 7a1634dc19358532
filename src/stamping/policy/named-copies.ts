import { digestOf, keysOfAll, type Keys } from "../../base/digest/hash-v1.ts";
import { groupedBy } from "../../base/grouped.ts";
import { objectKey } from "../../base/identity.ts";
import { stampKey } from "../../base/stamp-keys.ts";
import { COPY_DIGITS, partsOfCopyName } from "../../kubernetes/sources/copies.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { PodTemplate, Reference, Workload } from "../../kubernetes/workloads/types.ts";
import type { Item } from "../../yaml/read/items.ts";

/** How copies in the input were named. */
export interface CopyNames {
  readonly granularity: "Key" | "Object";
  /** The key of `secrets: Keyed`, if the names of copies of Secrets have keyed digests. */
  readonly hmacKey: Uint8Array | undefined;
}

/**
 * A workload with its references to copies as references to the sources of the copies (contract, section 10): all that
 * follows counts, digests and names sources.
 */
export function withSourcesOfCopies(workload: Workload, sources: SourceIndex, names: CopyNames): Workload {
  const templates = workload.templates.map((template) => withSources(template, workload.namespace, sources, names));
  return templates.every((template, i) => template === workload.templates[i]) ? workload : { ...workload, templates };
}

function withSources(template: PodTemplate, namespace: string, sources: SourceIndex, names: CopyNames): PodTemplate {
  const marked = template.references.filter(({ name }) => isNameOfCopy(name) || sources.copies.length > 0);
  if (marked.length === 0) return template;
  const named = new Map<string, NamedCopy>();
  for (const [key, references] of groupedBy(marked, objectKey)) {
    const [{ kind, namespace: within, name }] = references;
    const keys = keysOfAll(references.map((reference) => reference.keys));
    const found = namedCopy({ kind, namespace: within, name, keys }, template.item, sources, names);
    if (found !== undefined) named.set(key, found);
  }
  if (named.size === 0) return template;
  const copies = new Map<string, string>();
  const references = template.references.map((reference): Reference => {
    const found = named.get(objectKey(reference));
    if (found === undefined) return reference;
    const { kind, namespace: within } = reference;
    copies.set(stampKey(kind, within === namespace ? "" : within, found.name), found.copy);
    return { ...reference, ...found };
  });
  return { ...template, references, copies };
}

/** Most names are no copies: a search in each of them would cost. */
function isNameOfCopy(name: string): boolean {
  return name.at(-COPY_DIGITS - 1) === "-" && partsOfCopyName(name) !== undefined;
}

interface NamedCopy {
  /** The name of the source, as the pod template would write it. */
  readonly name: string;
  readonly copy: string;
}

function namedCopy(
  { kind, namespace, name, keys }: Pick<Reference, "kind" | "namespace" | "name"> & { readonly keys: Keys },
  referrer: Item,
  sources: SourceIndex,
  { granularity, hmacKey }: CopyNames,
): NamedCopy | undefined {
  const parts = partsOfCopyName(name);
  if (parts === undefined) return undefined;
  const copy = sources.findCopy(kind, namespace, name, referrer);
  if (copy !== undefined) return { name: parts.name, copy: copy.source.item.name };
  // A copy that is missing in the input counts if its name fits the present content of the source.
  if (sources.find(kind, namespace, name, referrer) !== undefined) return undefined;
  const source = sources.find(kind, namespace, parts.name, referrer);
  if (source === undefined || source.declared !== undefined || source.coverage !== "content") return undefined;
  const key = kind === "Secret" ? hmacKey : undefined;
  const hex = digestOf(sources.entries(source), granularity === "Object" ? "*" : keys, key).hex;
  return hex.startsWith(parts.digits) ? { name: parts.name, copy: name } : undefined;
}
