import { labelsOf } from "../manifest/items.ts";
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

/** kubectl's short names (pkg/apis and its CRDs). */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  deploy: "deployment",
  sts: "statefulset",
  ds: "daemonset",
  cj: "cronjob",
  rs: "replicaset",
  rc: "replicationcontroller",
  po: "pod",
  ro: "rollout",
  ksvc: "service",
};

/** A kind as kubectl takes it: any case, the plural and the short name too. */
export function sameKind(given: string, kind: string): boolean {
  const lower = given.toLowerCase();
  const known = kind.toLowerCase();
  return lower === known || lower === `${known}s` || SHORT_NAMES[lower] === known;
}

/** True where a workload is one that the target means. */
export function matchesTarget(target: Target, workload: Workload): boolean {
  const { item, namespace } = workload;
  return (
    (target.kind === undefined || sameKind(target.kind, item.kind)) &&
    (target.name === undefined || target.name === item.name) &&
    (target.namespace === undefined || target.namespace === namespace) &&
    (target.selector === undefined || matchesSelector(target.selector, labelsOf(item)))
  );
}

const KIND_AND_NAME = /^(?<kind>[A-Za-z][A-Za-z0-9]*)\/(?<name>[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)$/u;

/** Reads `KIND/NAME`; undefined for a text of another form. */
export function parseTarget(text: string): Target | undefined {
  const { kind, name } = KIND_AND_NAME.exec(text)?.groups ?? {};
  return kind === undefined || name === undefined ? undefined : { kind, name, text };
}
