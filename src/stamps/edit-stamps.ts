import type { ConfigHashSpec } from "../config/config-hash.ts";
import { editAnnotations } from "../edit/annotations.ts";
import type { Splice } from "../edit/splice.ts";
import { entriesOf, getPath, kindOf, stringOf } from "../manifest/node.ts";
import type { PodTemplate } from "../workloads/types.ts";
import type { DesiredStamps } from "./desired.ts";
import { isStampKey } from "./stamp-keys.ts";

/** The splices that give a pod template the stamps that it is to have, and no other ones of ours. */
export function stampEdits(desired: DesiredStamps, spec: ConfigHashSpec): Splice[] {
  const { template } = desired.decision;
  const remove = new Set<string>();
  for (const key of templateAnnotations(template).keys()) {
    if (isStampKey(key) && !desired.stamps.has(key) && !desired.kept.has(key)) remove.add(key);
  }
  if (spec.checksums === "Remove" && desired.stamps.size > 0) {
    for (const [key, value] of templateAnnotations(template)) if (isChecksum(key, value)) remove.add(key);
  }
  if (remove.size === 0 && desired.stamps.size === 0) return [];
  const place = { item: template.item, base: template.base, path: template.annotationsPath };
  return editAnnotations(place, { set: desired.stamps, remove });
}

/** The annotations of a pod template; those that are no strings have the value "". */
export function templateAnnotations(template: PodTemplate): ReadonlyMap<string, string> {
  const { tree } = template.item;
  const node = getPath(tree, template.base, template.annotationsPath);
  const found = new Map<string, string>();
  if (kindOf(tree, node) !== "mapping") return found;
  for (const { key, valueNode } of entriesOf(tree, node)) found.set(key, stringOf(tree, valueNode) ?? "");
  return found;
}

/** A chart's own checksum: `checksum/<anything>` with a digest of MD5, SHA-1 or SHA-256. */
function isChecksum(key: string, value: string): boolean {
  return /^checksum\/./u.test(key) && /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/iu.test(value);
}
