import type { Item } from "../../yaml/read/items.ts";
import type { Digest, Keys } from "../../base/digest/hash-v1.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { TemplateDecision } from "../policy/types.ts";
import type { ChartMarks } from "./chart-marks.ts";
import type { Sighting } from "./sightings.ts";

/** The stamps that a pod template should have. */
export interface DesiredStamps {
  readonly decision: TemplateDecision;
  readonly sightings: readonly Sighting[];
  /** Annotation key → value. */
  readonly stamps: ReadonlyMap<string, string>;
  /** Keys that are kept if they exist, because their sources are not in the input. */
  readonly kept: ReadonlySet<string>;
  /** The chart's checksums and labels that are removed. */
  readonly marks: ChartMarks;
  /** With layout Versioned: the copies that the pod template names; their stamps are not annotations but these names. */
  readonly copies?: ReadonlyMap<string, WantedCopy>;
  /** With layout Combined: the stamp that the sources would have under these names. */
  readonly combinedAs?: (nameOf: (sighting: Sighting) => string) => string;
}

/** A copy that a pod template should name in place of a source. */
export interface WantedCopy {
  readonly source: Source;
  readonly name: string;
  /** The keys that the pod template sees. */
  readonly keys: Keys;
}

/** Digests sources, once for each set of keys: workloads share the digests. */
export type Digester = (source: Source, kind: Sighting["kind"], keys: Keys) => Digest;

/** What changes a source on its way to the cluster, so that a copy would not follow: the path of a kustomization. */
export type ChangedBy = (source: Item) => string | undefined;
