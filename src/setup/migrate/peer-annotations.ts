import { escapeRegExp } from "../../base/stamp-keys.ts";
import { RELOADER_DOMAIN, WAVE_DOMAIN } from "../../base/hosts/peers.ts";
import { isChecksum } from "../../base/hosts/chart-marks.ts";
import type { Item } from "../../yaml/read/items.ts";
import { entriesOf, getPath, stringOf } from "../../yaml/read/node.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";

/** Who reads an annotation that is to be turned into ours. */
export type PeerName = "Reloader" | "Wave" | "Helm";

const PEER_KEYS: readonly { readonly peer: PeerName; readonly key: RegExp }[] = [
  { peer: "Reloader", key: new RegExp(`^(?:[a-z]+\\.){0,2}${escapeRegExp(RELOADER_DOMAIN)}/`, "u") },
  { peer: "Wave", key: new RegExp(`^${escapeRegExp(WAVE_DOMAIN)}/`, "u") },
];

/** An annotation of a peer, as it stands. */
export interface PeerAnnotation {
  readonly peer: PeerName;
  readonly key: string;
  /** "" for what is no string. */
  readonly value: string;
}

/** Where an object has its own annotations. */
export const OWN: readonly string[] = ["metadata", "annotations"];

/** The annotations of peers on an object: its own, or those at another path. */
export function peerAnnotations(item: Item, path: readonly string[] = OWN): PeerAnnotation[] {
  const { tree, node } = item;
  return entriesOf(tree, getPath(tree, node, path)).flatMap(({ key, valueNode }) =>
    annotation(key, stringOf(tree, valueNode) ?? ""),
  );
}

/** The annotations of peers on a pod template, charts' checksums among them. */
export function templatePeerAnnotations(template: PodTemplate): PeerAnnotation[] {
  return [...templateAnnotations(template)].flatMap(([key, value]) =>
    isChecksum(key, value) ? [{ peer: "Helm" as const, key, value }] : annotation(key, value),
  );
}

function annotation(key: string, value: string): PeerAnnotation[] {
  const found = peerAnnotation(key, value);
  return found === undefined ? [] : [found];
}

/** The annotation that a key is, if it is a peer's. */
export function peerAnnotation(key: string, value: string): PeerAnnotation | undefined {
  const peer = PEER_KEYS.find((row) => row.key.test(key))?.peer;
  return peer === undefined ? undefined : { peer, key, value };
}
