import { isDigestText } from "../../base/digest/hash-v1.ts";
import { WAITING } from "../../base/keys.ts";
import { readText } from "../../yaml/read/annotation-values.ts";
import { hasAnnotations, type Item } from "../../yaml/read/items.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import { podLabels } from "../../kubernetes/workloads/pod-labels.ts";
import type { DesiredStamps } from "../stamps/desired.ts";
import { removedAnnotations } from "../stamps/edit-stamps.ts";

// `rollstamp.dev/waiting` names what a workload waits for: "<key of the stamp's annotation>=<digest>, …". What is to go,
// a stamp or a chart's own mark, has no digest: "<key>=none".

/** What stands in the place of a digest for what is to go. */
export const GOES = "none";

/** What stamping would change in the pod templates of a workload, as its `waiting` has it; "" for nothing. */
export function pendingOf(desired: readonly DesiredStamps[]): string {
  const entries = new Set<string>();
  for (const stamps of desired) for (const entry of changesOf(stamps)) entries.add(entry);
  return [...entries].sort().join(", ");
}

function changesOf(desired: DesiredStamps): string[] {
  const { template } = desired.decision;
  const present = templateAnnotations(template);
  const labels = podLabels(template);
  return [
    ...[...desired.stamps].filter(([key, digest]) => present.get(key) !== digest).map(([key, to]) => `${key}=${to}`),
    ...[...removedAnnotations(desired)].map((key) => `${key}=${GOES}`),
    ...[...desired.marks.labels].filter((key) => labels.has(key)).map((key) => `${key}=${GOES}`),
  ];
}

/** The `waiting` of an object, as it stands there; undefined where it has none. Throws where it is no string. */
export function waitingOf(item: Item): string | undefined {
  return hasAnnotations(item) ? readText(item, WAITING) : undefined;
}

/** An entry of `waiting`. */
export interface WaitingEntry {
  readonly key: string;
  /** A digest, or GOES. */
  readonly digest: string;
}

/** Reads a `waiting`; undefined for what is none. */
export function parseWaiting(text: string): readonly WaitingEntry[] | undefined {
  const entries = text.split(",").map((part): WaitingEntry | undefined => {
    const at = part.lastIndexOf("=");
    const [key, digest] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
    return at > 0 && (digest === GOES || isDigestText(digest)) ? { key, digest } : undefined;
  });
  const read = entries.filter((entry) => entry !== undefined);
  return read.length === entries.length ? read : undefined;
}

/** The text of the entries of a `waiting`, in the form in which pendingOf gives them; undefined for what is none. */
function normalised(text: string): string | undefined {
  const entries = parseWaiting(text)?.map(({ key, digest }) => `${key}=${digest}`);
  return entries === undefined ? undefined : [...new Set(entries)].sort().join(", ");
}

/** Whether a `waiting` has just what is pending, in whatever order and with whatever spaces. */
export function isWaitingFor(waiting: string, pending: string): boolean {
  return waiting === pending || normalised(waiting) === pending;
}
