import { onceFor, onceForText } from "../../base/grouped.ts";
import type { Item } from "../../yaml/read/items.ts";
import { entriesOf, get, getPath, kindOf, stringOf } from "../../yaml/read/node.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import type { FindingLocation } from "../../findings/catalogue/finding.ts";
import type { ResourceRef } from "../../base/names.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import { templateAnnotationsNode } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";

/** The annotations of a peer in one place: on a workload or on its pod template. */
export interface PeerAnnotations {
  readonly item: Item;
  /** The path of the mapping in the object: `metadata.annotations`. */
  readonly field: string;
  /** By key. A value that is not a string, which the API server rejects, has no text. */
  readonly entries: ReadonlyMap<string, PeerAnnotation>;
}

export interface PeerAnnotation {
  readonly text: string | undefined;
  readonly node: number;
}

/** The annotations of a domain, such as `reloader.stakater.com`, in the metadata of an object. */
export function ownAnnotations(item: Item, domain: string): PeerAnnotations {
  return ownByItem(item)(domain);
}

// Each workload that sees a source reads its annotations.
const ownByItem = onceFor((item: Item) =>
  onceForText((domain) => readAnnotations(item, item.annotations, "metadata.annotations", domain)),
);

/** The annotations of a domain on a pod template. */
export function podAnnotations(template: PodTemplate, domain: string): PeerAnnotations {
  return readAnnotations(template.item, templateAnnotationsNode(template), template.annotationsField, domain);
}

function readAnnotations(item: Item, mapping: number, field: string, domain: string): PeerAnnotations {
  const entries = new Map<string, PeerAnnotation>();
  for (const { key, valueNode } of entriesOf(item.tree, mapping)) {
    const slash = key.indexOf("/");
    const prefix = key.slice(0, Math.max(slash, 0));
    if (prefix !== domain && !prefix.endsWith(`.${domain}`)) continue;
    entries.set(key, { text: stringOf(item.tree, valueNode), node: valueNode });
  }
  return { item, field, entries };
}

/** The text of an annotation; undefined if it is missing or not a string. */
export function textIn(annotations: PeerAnnotations, key: string): string | undefined {
  return annotations.entries.get(key)?.text;
}

/** The field of an annotation, as KRM results name it. */
export function fieldOf(annotations: PeerAnnotations, key: string): string {
  return `${annotations.field}[${key}]`;
}

/** The parameters and the location of a finding about an annotation. */
export function annotationAt(
  annotations: PeerAnnotations,
  key: string,
): {
  readonly named: { readonly object: ResourceRef; readonly annotation: string };
  readonly location: FindingLocation;
} {
  const { item } = annotations;
  const node = annotations.entries.get(key)?.node ?? item.node;
  return {
    named: { object: resourceRef(item), annotation: key },
    location: locationOf(item, { node, field: fieldOf(annotations, key) }),
  };
}

/**
 * An annotation of the source in the cluster: its own, or the one that a declared kind gives to the object that it
 * makes.
 */
export function sourceAnnotation(source: Source, key: string): string | undefined {
  const { item, declared } = source;
  const places = ["metadata.annotations", ...(declared?.annotations === undefined ? [] : [declared.annotations])];
  for (const place of places) {
    const mapping = getPath(item.tree, item.node, place.split("."));
    if (kindOf(item.tree, mapping) !== "mapping") continue;
    const found = get(item.tree, mapping, key);
    if (found !== NONE) return stringOf(item.tree, found) ?? "";
  }
  return undefined;
}
