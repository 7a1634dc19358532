import { readKindAndName } from "../../base/kind-names.ts";
import type { Target } from "../../kubernetes/workloads/targets.ts";

/** What is to restart. */
export interface RestartTarget extends Target {
  /** As it was given, for messages. */
  readonly text: string;
}

// A path may look alike: more is not taken for a target than names in a cluster can be.
const KIND = /^[A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z0-9][-A-Za-z0-9]*)*$/u;
const NAME = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/u;

/** Reads `KIND/NAME`; undefined for a text of another form. */
export function parseTarget(text: string): RestartTarget | undefined {
  const read = readKindAndName(text);
  return read === undefined || !KIND.test(read.kind) || !NAME.test(read.name) ? undefined : { ...read, text };
}
