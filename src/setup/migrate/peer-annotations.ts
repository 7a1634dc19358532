import { isChecksum, isChecksumKey } from "../../base/hosts/chart-marks.ts";
import { RELOADER_DOMAIN, WAVE_DOMAIN } from "../../base/hosts/peers.ts";
import { escapeRegExp } from "../../base/stamp-keys.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import type { Item } from "../../yaml/read/items.ts";
import { entriesOf, getPath, stringOf } from "../../yaml/read/node.ts";

/** Who reads an annotation that is migrated. */
export type PeerName = "Reloader" | "Wave" | "Helm";

export interface PeerAnnotation {
  readonly peer: PeerName;
  readonly key: string;
  /** "" if it is not a string. */
  readonly value: string;
}

/** Annotations of rollstamp. */
export type OwnAnnotations = ReadonlyMap<string, string>;

const PEERS: readonly { readonly peer: PeerName; readonly key: RegExp }[] = [
  { peer: "Reloader", key: new RegExp(`^(?:[a-z]+\\.){0,2}${escapeRegExp(RELOADER_DOMAIN)}/`, "u") },
  { peer: "Wave", key: new RegExp(`^${escapeRegExp(WAVE_DOMAIN)}/`, "u") },
];

/** The path of an object's own annotations. */
export const OWN: readonly string[] = ["metadata", "annotations"];

/** The annotations of peers on an object: its own, or those at another path. */
export function peerAnnotations(item: Item, path: readonly string[] = OWN): PeerAnnotation[] {
  const { tree, node } = item;
  return entriesOf(tree, getPath(tree, node, path)).flatMap(({ key, valueNode }) => {
    return peerAnnotation(key, stringOf(tree, valueNode) ?? "") ?? [];
  });
}

/** The annotations of peers on a pod template, including checksums of charts. */
export function templatePeerAnnotations(template: PodTemplate): PeerAnnotation[] {
  return [...templateAnnotations(template)].flatMap(([key, value]): readonly PeerAnnotation[] | PeerAnnotation =>
    isChecksum(key, value) ? { peer: "Helm", key, value } : (peerAnnotation(key, value) ?? []),
  );
}

/** An annotation of a peer; undefined if its key is not a peer's. */
export function peerAnnotation(key: string, value: string): PeerAnnotation | undefined {
  const peer = PEERS.find((row) => row.key.test(key))?.peer;
  return peer === undefined ? undefined : { peer, key, value };
}

/** A line of a chart's template that writes a checksum into a pod template. */
export interface ChartChecksum {
  readonly file: string;
  readonly line: number;
  readonly key: string;
  /** The templates and values that it digests, as the line names them. */
  readonly digests: readonly string[];
}

const LINE = /^\s*["']?(?<key>[\w./-]+)["']?\s*:(?<value>.*)$/u;
const DIGESTED = /"([^"]+\.ya?ml)"|\.Values(?:\.\w+)+/gu;

/** The checksum lines of a chart's template, which is read as text because it is not YAML. */
export function chartChecksums(text: string, file: string): ChartChecksum[] {
  return text.split("\n").flatMap((line, i) => {
    const { key, value = "" } = LINE.exec(line)?.groups ?? {};
    if (key === undefined || !isChecksumKey(key)) return [];
    return [{ file, line: i + 1, key, digests: [...value.matchAll(DIGESTED)].map(([whole, name]) => name ?? whole) }];
  });
}
