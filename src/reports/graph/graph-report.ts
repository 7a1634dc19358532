import type { ObjectName } from "../../base/names.ts";
import type { Account } from "../../findings/not-examined/not-examined.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";
import type { Coverage } from "../../kubernetes/sources/types.ts";
import type { Via } from "../../kubernetes/workloads/types.ts";

// The report of `graph` (contract, section 8). It contains no value of any source.

export interface GraphReport extends SourceGraph, Account {}

export interface SourceGraph {
  readonly workloads: readonly GraphWorkload[];
  readonly sources: readonly GraphSource[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphWorkload extends ObjectName {
  /** The application that contains it, if applications were rendered. */
  readonly application?: string;
}

export interface GraphSource {
  readonly kind: ReferencedKind | string;
  readonly namespace: string;
  readonly name: string;
  /** How much of its content is in the input; "missing" if it is only referred to. */
  readonly coverage: Coverage | "missing";
  /** The declared source that makes it. */
  readonly madeBy?: { readonly kind: string; readonly name: string };
  /** The application that contains it; for a missing source, that of the workload. */
  readonly application?: string;
}

/** A workload sees a source. */
export interface GraphEdge {
  /** Indexes in the two lists. */
  readonly workload: number;
  readonly source: number;
  /** The visible keys; "*" for all of them. */
  readonly keys: "*" | readonly string[];
  /** The number of keys that the list omits. */
  readonly moreKeys?: number;
  readonly via: readonly Via[];
  readonly optional: boolean;
  /** Whether it is part of the stamps of the workload; undefined if unknown. */
  readonly counts?: boolean;
}
