import { isChecksum, isChecksumKey } from "../../base/hosts/chart-marks.ts";
import { RELOADER_AUTO, RELOADER_DOMAIN, RELOADER_KEYS, WAVE_DOMAIN, WAVE_OPT_IN } from "../../base/hosts/peers.ts";
import { EXCLUDE, SOURCES, STAMP } from "../../base/keys.ts";
import { REFERENCED_KINDS, type ReferencedKind } from "../../base/referenced-kinds.ts";
import { escapeRegExp } from "../../base/stamp-keys.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import type { Item } from "../../yaml/read/items.ts";
import { entriesOf, getPath, stringOf } from "../../yaml/read/node.ts";

/** Who reads an annotation that is migrated. */
export type PeerName = "Reloader" | "Wave" | "Helm";

/** An annotation of a peer. */
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

type Becomes = (value: string) => readonly (readonly [key: string, value: string])[];

const isTrue = (value: string): boolean => /^(?:1|t|true)$/iu.test(value);
const onOrOff: Becomes = (value) => [[STAMP, isTrue(value) ? "true" : "false"]];

/**
 * What an annotation of a peer becomes, without the objects that it may name. With the objects of a workload,
 * `ownAnnotations` asks the peer's rules instead. Annotations without a row become nothing.
 */
const BECOMES: ReadonlyMap<string, Becomes> = new Map<string, Becomes>([
  [RELOADER_AUTO, onOrOff],
  [WAVE_OPT_IN, onOrOff],
  ...REFERENCED_KINDS.flatMap((kind): [string, Becomes][] => [
    [
      RELOADER_KEYS[kind].auto,
      (value) =>
        isTrue(value)
          ? [
              [STAMP, "true"],
              [EXCLUDE, otherKinds(kind)],
            ]
          : [[STAMP, "false"]],
    ],
    [RELOADER_KEYS[kind].exclude, (value) => [[EXCLUDE, entriesFor(kind, namesIn(value))]]],
    [
      RELOADER_KEYS[kind].reload,
      (value) => {
        const names = namesIn(value);
        // A regular expression becomes the names that it matches: those are only known with the objects.
        const isPlain = names.length > 0 && names.every((name) => /^[\w.-]+$/u.test(name));
        return isPlain
          ? [
              [STAMP, "true"],
              [SOURCES, entriesFor(kind, names)],
            ]
          : [];
      },
    ],
  ]),
]);

/** The annotations of rollstamp that replace one of a peer, as far as they are known without the objects that it names. */
export function replacementOf({ key, value }: PeerAnnotation): OwnAnnotations {
  return new Map(BECOMES.get(key)?.(value) ?? []);
}

function otherKinds(kind: ReferencedKind): string {
  const others = REFERENCED_KINDS.filter((other) => other !== kind && other !== "SecretProviderClass");
  return others.map((other) => `${other.toLowerCase()}/*`).join(", ");
}

function entriesFor(kind: ReferencedKind, names: readonly string[]): string {
  return names.map((name) => `${kind.toLowerCase()}/${name}`).join(", ");
}

/** The names in a list of a peer's annotation. */
export function namesIn(list: string): string[] {
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

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
