import type { Keys } from "../base/digest/hash-v1.ts";
import type { Item } from "../yaml/read/items.ts";
import { printable } from "../findings/results/terminal.ts";
import type { Mount, Reference } from "../kubernetes/workloads/types.ts";

/** The columns of the labels before what is told. */
const LABEL = 10;

/** A labelled field: the lines behind the first stand below it. */
export function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, i) => `  ${(i === 0 ? label : "").padEnd(LABEL)}${printable(line)}`.trimEnd());
}

/** How a pod comes to see a source: the keys, through which container, volume and path, and in which field. */
export function referenceLines(reference: Reference, workload: Item): string[] {
  const { item, through, optional, keys, field } = reference;
  const where = item === undefined || item === workload ? "" : ` of ${item.kind} ${item.name}`;
  const read = through === undefined ? "" : `, read by ${through.kind} ${through.name}`;
  return [`${shownKeys(keys)}: ${viaWords(reference)}${optional ? ", optional" : ""}${read}`, `  ${field}${where}`];
}

const MOST_KEYS = 8;
// A volume of many sources tells its mounts once for each of them.
const MOST_MOUNTS = 8;

/** Keys as a list: the first of many. */
export function shownKeys(keys: Keys): string {
  if (keys === "*") return "all keys";
  const more = keys.size - MOST_KEYS;
  if (more <= 0) return [...keys].join(", ") || "none";
  const first: string[] = [];
  for (const key of keys) if (first.push(key) === MOST_KEYS) break;
  return `${first.join(", ")} and ${more} more`;
}

function viaWords({ via, variable, volume, containers, field }: Reference): string {
  switch (via) {
    case "env": {
      const name = variable === undefined ? "environment" : `variable ${variable}`;
      return containers.length === 0 ? name : `${name} of ${containerWords(field, containers[0] ?? "")}`;
    }
    case "envFrom":
      return containers.length === 0 ? "environment" : `environment of ${containerWords(field, containers[0] ?? "")}`;
    case "extra":
      return "named by an annotation";
    default:
      if (volume === undefined) return "mounted by the operator";
      return `${via === "volume" ? "volume" : `${via} volume`} ${volume.name}${mountsWords(volume.mounts)}`;
  }
}

function containerWords(field: string, name: string): string {
  if (/\binitContainers\[/u.test(field)) return `init container ${name}`;
  return /\bephemeralContainers\[/u.test(field) ? `ephemeral container ${name}` : `container ${name}`;
}

function mountsWords(mounts: readonly Mount[]): string {
  if (mounts.length === 0) return ", which no container mounts";
  const shown = mounts.slice(0, MOST_MOUNTS).map(({ container, field, mountPath, subPath }) => {
    const path = mountPath === "" ? "" : ` at ${mountPath}`;
    return `, in ${containerWords(field, container)}${path}${subPath === "" ? "" : ` by subPath ${subPath}`}`;
  });
  const more = mounts.length - shown.length;
  return `${shown.join("")}${more === 0 ? "" : ` and at ${more} more`}`;
}
