import { labelsOf } from "../manifest/items.ts";
import { namesKind, readKindAndName } from "../ground/kind-names.ts";
import { matchesSelector, type LabelSelector } from "../ground/selector.ts";
import type { Workload } from "../workloads/types.ts";

/** What is to restart: every field that is given has to match. */
export interface Target {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  /** As it was given, for messages. */
  readonly text: string;
}

/** True where a workload is one that the target means. */
export function matchesTarget(target: Target, workload: Workload): boolean {
  const { item, namespace } = workload;
  return (
    (target.kind === undefined || namesKind(target.kind, item)) &&
    (target.name === undefined || target.name === item.name) &&
    (target.namespace === undefined || target.namespace === namespace) &&
    (target.selector === undefined || matchesSelector(target.selector, labelsOf(item)))
  );
}

// A path may look alike: more is not taken for a target than names in a cluster can be.
const KIND = /^[A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z0-9][-A-Za-z0-9]*)*$/u;
const NAME = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/u;

/** Reads `KIND/NAME`; undefined for a text of another form. */
export function parseTarget(text: string): Target | undefined {
  const read = readKindAndName(text);
  return read === undefined || !KIND.test(read.kind) || !NAME.test(read.name) ? undefined : { ...read, text };
}
