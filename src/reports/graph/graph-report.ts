import type { Account } from "../../findings/not-examined/not-examined.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";
import type { Coverage } from "../../kubernetes/sources/types.ts";
import type { Via } from "../../kubernetes/workloads/types.ts";

// The shape of `graph -o json` (contract, section 8): what every reporter of a graph takes. It is plain
// data, and holds no value of any source.

/** A graph with what was met while its inputs were read. */
export interface GraphReport extends SourceGraph, Account {}

export interface SourceGraph {
  readonly workloads: readonly GraphWorkload[];
  readonly sources: readonly GraphSource[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphWorkload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The application that it is rendered with, where applications are looked at. */
  readonly application?: string;
}

export interface GraphSource {
  readonly kind: ReferencedKind | string;
  readonly namespace: string;
  readonly name: string;
  /** How much of its content is in the input; "missing" where a workload names it and it is not there. */
  readonly coverage: Coverage | "missing";
  /** The declared source that makes it. */
  readonly madeBy?: { readonly kind: string; readonly name: string };
  /** The application that it is rendered with; of a missing one that of the workload. */
  readonly application?: string;
}

/** That a workload sees a source. */
export interface GraphEdge {
  /** Places in the two lists. */
  readonly workload: number;
  readonly source: number;
  /** The keys that it sees; "*" for all of them. */
  readonly keys: "*" | readonly string[];
  /** How many more there are than the list has. */
  readonly moreKeys?: number;
  readonly via: readonly Via[];
  readonly optional: boolean;
  /** Whether it goes into the workload's stamps; undefined where that is not known. */
  readonly counts?: boolean;
}
