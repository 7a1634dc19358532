import { keyNames } from "../base/names.ts";
import type { Keys } from "../base/digest/hash-v1.ts";
import type { Mount, Reference } from "../kubernetes/workloads/types.ts";
import type { Item } from "../yaml/read/items.ts";

/** How a pod sees a source: which keys, through which container, volume and path, and in which field. */
export function referenceLines(reference: Reference, workload: Item): string[] {
  const { item, through, optional, keys, field } = reference;
  const where = item === undefined || item === workload ? "" : ` of ${item.kind} ${item.name}`;
  const read = through === undefined ? "" : `, read by ${through.kind} ${through.name}`;
  return [`${keyList(keys)}: ${describeVia(reference)}${optional ? ", optional" : ""}${read}`, `  ${field}${where}`];
}

const MOST_KEYS = 8;
// A volume of many sources would repeat its mounts for each of them.
const MOST_MOUNTS = 8;

/** The first keys of a source by name, and the number of the others. */
export function keyList(keys: Keys): string {
  if (keys === "*") return "all keys";
  const names = keyNames([...keys]);
  const more = names.length - MOST_KEYS;
  if (more <= 0) return names.join(", ") || "none";
  return `${names.slice(0, MOST_KEYS).join(", ")} and ${more} more`;
}

function describeVia({ via, variable, volume, containers, field }: Reference): string {
  const container = containers[0] === undefined ? "" : ` of ${containerName(field, containers[0])}`;
  switch (via) {
    case "env":
      return `${variable === undefined ? "environment" : `variable ${variable}`}${container}`;
    case "envFrom":
      return `environment${container}`;
    case "extra":
      return "named by an annotation";
    default:
      if (volume === undefined) return "mounted by the operator";
      return `${via === "volume" ? "volume" : `${via} volume`} ${volume.name}${describeMounts(volume.mounts)}`;
  }
}

function containerName(field: string, name: string): string {
  if (/\binitContainers\[/u.test(field)) return `init container ${name}`;
  return /\bephemeralContainers\[/u.test(field) ? `ephemeral container ${name}` : `container ${name}`;
}

function describeMounts(mounts: readonly Mount[]): string {
  if (mounts.length === 0) return ", not mounted by any container";
  const shown = mounts.slice(0, MOST_MOUNTS).map(({ container, field, mountPath, subPath }) => {
    const path = mountPath === "" ? "" : ` at ${mountPath}`;
    return `, in ${containerName(field, container)}${path}${subPath === "" ? "" : ` by subPath ${subPath}`}`;
  });
  const more = mounts.length - shown.length;
  return `${shown.join("")}${more === 0 ? "" : ` and at ${more} more paths`}`;
}
