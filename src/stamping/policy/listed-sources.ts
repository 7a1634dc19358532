import { SOURCES } from "../../base/keys.ts";
import { kindWord } from "../../base/referenced-kinds.ts";
import type { Reference } from "../../kubernetes/workloads/types.ts";
import type { Decision } from "./types.ts";

// The rule of what our annotation or an override names (src/stamping/policy/decide.ts).
const LISTED = /^named by (?:rollstamp\.dev\/sources|spec\.overrides\[\d+\]\.sources)$/u;

/** What an annotation or an override names for a workload: a list that is to name more has to name that again. */
export interface ListedSources {
  readonly entries: readonly string[];
  /** By its own annotation, which counts before any override. */
  readonly byAnnotation: boolean;
}

/** The list of sources that counts for a workload. */
export function listedSources({ workload, templates }: Decision): ListedSources {
  const listed = templates
    .flatMap(({ counted, leftOut }) => [...counted, ...leftOut])
    .filter(({ rule }) => LISTED.test(rule));
  return {
    entries: [...new Set(listed.map(({ reference }) => listEntry(reference, workload.namespace)))],
    byAnnotation: listed.some(({ rule }) => rule.endsWith(SOURCES)),
  };
}

/** `configmap/web`, with its namespace where that isn't the workload's: as a list of sources has it. */
export function listEntry(
  { kind, namespace, name }: Pick<Reference, "kind" | "namespace" | "name">,
  ownNamespace: string,
): string {
  return [kindWord(kind), ...(namespace === ownNamespace ? [] : [namespace]), name].join("/");
}
